"""The best plan under Σ, proven, for small lattices: the whole problem as one region."""

from __future__ import annotations

import math
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
AT_ONCE = 1_000
"""Up to so many pairs a proof takes less time than a walk, so it comes first."""
NODES = 300
"""Nodes that such a first attempt may take: a limit in seconds would not repeat."""


def prove(
    lattice: Lattice, sigma: Sigma, plan: Assignment, limits: Limits
) -> tuple[Assignment, float] | None:
    """Return the cheapest plan that satisfies Σ, from a given one on, and a bound below which none is.

    The bound is the cost where the plan is proven optimal. None where nothing was found.
    """
    if lattice.pairs > PAIRS or not lattice.complete:
        return None
    found = solve_around(lattice, sigma, plan, np.arange(len(lattice.counts)), math.inf, limits)
    return None if found is None or sigma.missed(found[0]) else found
