"""Searching the lattice for a plan with few stars."""
