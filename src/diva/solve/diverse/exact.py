"""The best plan under Σ, proven, for small lattices: the whole problem as one integer programme.

    min Σ x[t,g]·cost_g   with   Σ_g x[t,g] = c_t,   x[t,g] ≤ c_t·y_g,   Σ_t x[t,g] ≥ k·y_g,   λl ≤ Σ x ≤ λr for each σ

The bounds x[t,g] ≤ c_t·y_g make its linear relaxation as strong as the Lagrangian bound.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from diva.programme import Programme, ProgrammeError
from diva.solve.lattice.state import Assignment

if TYPE_CHECKING:
    from diva.lattice.groups import Lattice
    from diva.solve.diverse.sigma import Sigma

PAIRS = 4_000
"""Lattices with more pairs (type, group) are left to the search."""


def prove(lattice: Lattice, sigma: Sigma, seconds: float) -> Assignment | None:
    """Return a plan of the least cost, or None where the lattice is too large or the time too short to prove one."""
    if lattice.pairs > PAIRS or not lattice.complete:
        return None
    programme = Programme()
    groups = np.repeat(np.arange(lattice.groups), np.diff(lattice.start))
    types = lattice.member.astype(np.int64)
    x = [
        programme.variable(0, int(lattice.counts[t]), cost=float(lattice.cost[g]))
        for t, g in zip(types, groups, strict=True)
    ]
    y = [programme.variable(0, 1) for _ in range(lattice.groups)]
    for t in range(len(lattice.counts)):
        programme.row(
            [(x[i], 1) for i in np.flatnonzero(types == t)], int(lattice.counts[t]), int(lattice.counts[t])
        )
    for g in range(lattice.groups):
        members = range(int(lattice.start[g]), int(lattice.start[g + 1]))
        programme.row([*((x[i], 1) for i in members), (y[g], -lattice.k)], low=0)
        for i in members:
            programme.row([(x[i], 1), (y[g], -int(lattice.counts[types[i]]))], high=0)
    counts_for = sigma.preserves[groups] & sigma.met[types]
    for c in range(counts_for.shape[1]):
        programme.row(
            [(x[i], 1) for i in np.flatnonzero(counts_for[:, c])], int(sigma.low[c]), int(sigma.high[c])
        )
    try:
        found = programme.solve(seconds=seconds)
    except ProgrammeError:
        return None
    if found is None:
        return None
    count = found[: len(x)]
    some = count > 0
    return Assignment(types[some], groups[some], count[some], float(lattice.cost[groups] @ count))
