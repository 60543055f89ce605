"""Searching the lattice for a plan with few stars."""

from diva.solve.lattice.search import Outcome, search, solve

__all__ = ["Outcome", "search", "solve"]
