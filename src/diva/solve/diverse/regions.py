"""Regions under Σ: some types are assigned anew, exactly, while the rest of the plan stays as it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from diva.solve.lattice.exact import Limits, Sides, solve_region
from diva.solve.lattice.regions import region_of
from diva.solve.lattice.state import Assignment
from diva.solve.lattice.transport import holds

if TYPE_CHECKING:
    from collections.abc import Callable

    from diva.lattice.groups import Lattice
    from diva.solve.diverse.sigma import Sigma

_CARRIERS = 400
"""Carriers of one constraint that are assigned anew together. Where there are more, other groups can make up for it."""
_COMPANIONS = (0, 60, 120)
"""How many other types join them, one attempt after the other."""
_NODES = 5
_SECONDS = 1e6


def mend(
    lattice: Lattice, sigma: Sigma, plan: Assignment, price: float, stop: Callable[[], bool]
) -> Assignment:
    """Assign carriers of the constraints that a plan misses anew until it misses none, or that no longer helps."""
    random = np.random.default_rng(0)
    for companions in _COMPANIONS:
        for c in np.flatnonzero(sigma.violation(sigma.of(plan))).tolist():
            if stop():
                return plan
            types = _around(plan, sigma.carried[:, c], companions, random)
            # Close to optimal is enough: what is left to gain is the business of later searches.
            limits = Limits(_SECONDS, price / 2, _NODES, stop)
            plan = anew(lattice, sigma, plan, types, price, limits) or plan
    return plan


def _around(
    plan: Assignment, carriers: np.ndarray, companions: int, random: np.random.Generator
) -> np.ndarray:
    """The carriers, and some types that share groups with them, and so on; sorted."""
    chosen = np.zeros(len(carriers), dtype=bool)
    chosen[random.permutation(np.flatnonzero(carriers))[:_CARRIERS]] = True
    while companions > 0:
        shared = np.isin(plan.group, plan.group[chosen[plan.type]])
        others = random.permutation(np.setdiff1d(plan.type[shared], np.flatnonzero(chosen)))[:companions]
        if not len(others):
            break
        chosen[others] = True
        companions -= len(others)
    return np.flatnonzero(chosen)


def anew(
    lattice: Lattice, sigma: Sigma, plan: Assignment, types: np.ndarray, price: float, limits: Limits
) -> Assignment | None:
    """Assign all records of some types anew, as cheaply as it goes; a record by which Σ is missed costs `price`.

    None where nothing better was found.
    """
    found = solve_around(lattice, sigma, plan, types, price, limits)
    if found is None or sigma.cost(found[0], price) >= sigma.cost(plan, price) - 1e-9:
        return None
    return found[0]


def solve_around(
    lattice: Lattice, sigma: Sigma, plan: Assignment, types: np.ndarray, price: float, limits: Limits
) -> tuple[Assignment, float] | None:
    """The same with the bound on what the assignment of these types can cost at least, whether or not it is better.

    An infinite price means that Σ may not be missed.
    """
    region, groups = region_of(lattice, plan, types)
    inside = np.zeros(len(lattice.counts), dtype=bool)
    inside[types] = True
    rest = ~inside[plan.type]
    fixed = sigma.counts(plan.type[rest], plan.group[rest], plan.count[rest])
    counts = sigma.preserves[groups[region.group]] & sigma.met[types[region.type]]
    answer = solve_region(region, limits, Sides(counts, sigma.low - fixed, sigma.high - fixed, price))
    if answer is None:
        return None
    some = answer.count > 0
    type_ = np.concatenate([plan.type[rest], types[region.type[some]]])
    group = np.concatenate([plan.group[rest], groups[region.group[some]]])
    count = np.concatenate([plan.count[rest], answer.count[some]])
    found = Assignment(type_, group, count, float((lattice.cost[group] * count).sum()))
    bound = max(answer.bound, found.cost - limits.tolerance) if answer.proven else answer.bound
    return (found, bound) if holds(lattice, found) else None
