"""The search under Σ: a price for each constraint, then an exact finish."""
