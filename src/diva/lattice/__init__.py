"""The compressed problem: types and signatures with counts, levels, groups, and which constraint each group preserves."""
