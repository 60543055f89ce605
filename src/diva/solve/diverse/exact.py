"""The best plan under Σ, proven, for small lattices: the whole problem as one region."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from diva.solve.diverse.regions import solve_around

if TYPE_CHECKING:
    from diva.lattice.groups import Lattice
    from diva.solve.diverse.sigma import Sigma
    from diva.solve.lattice.exact import Limits
    from diva.solve.lattice.state import Assignment

PAIRS = 4_000
"""Lattices with more pairs (type, group) are left to the search."""


def prove(
    lattice: Lattice, sigma: Sigma, plan: Assignment, price: float, limits: Limits
) -> tuple[Assignment, float]:
    """Return the cheapest plan found from a given one on, and a bound below which none is; 0 where it is too much.

    Missing Σ at a price instead of never relaxes the problem, so the bound is one for plans that satisfy it.
    """
    if lattice.pairs > PAIRS or not lattice.complete:
        return plan, 0.0
    found = solve_around(lattice, sigma, plan, np.arange(len(lattice.counts)), price, limits)
    return (plan, 0.0) if found is None else found
