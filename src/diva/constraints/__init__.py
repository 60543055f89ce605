"""Σ: the text, the algebra, the decision procedures that need no table."""
