"""What the search under Σ found, and the bound that goes with it."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from diva.lattice.listing import list_groups
from diva.solve.bounds.lagrange import deadline
from diva.solve.diverse.ascent import PricedAscent
from diva.solve.diverse.exact import prove
from diva.solve.diverse.forced import without_choice
from diva.solve.diverse.search import search_under
from diva.solve.diverse.sigma import sigma_on

if TYPE_CHECKING:
    from collections.abc import Callable

    from diva.lattice.groups import Lattice
    from diva.lattice.problem import Problem
    from diva.lattice.signatures import Parts
    from diva.relation.engine import Fragments
    from diva.relation.types import Types
    from diva.solve.diverse.sigma import Sigma
    from diva.solve.effort import Search
    from diva.solve.lattice.state import Assignment

_PASSES = {"quick": 60, "standard": 300, "best": 1_000}
_BEST_SECONDS = 60.0


@dataclass(frozen=True)
class Answer:
    """A plan that satisfies Σ, if one was found, and a lower bound under Σ."""

    plan: Fragments | None
    bound: float
    bound_seconds: float


def answer(problem: Problem, types: Types, parts: Parts, search: Search) -> Answer:
    """Search for a plan that satisfies Σ; `best` tries again from other seeds until the time is up."""
    limit = search.time_limit
    if search.effort == "best" and limit is None:
        limit = _BEST_SECONDS
    over = deadline(limit, search.stop)
    whole = list_groups(problem)
    lattice, sigma = without_choice(whole, sigma_on(whole, types, parts))
    began = time.perf_counter()
    ascent = PricedAscent(lattice, sigma, float(lattice.cost[-1]) * types.rows + 1.0)
    ascent.run(_PASSES[search.effort], over)
    seconds = time.perf_counter() - began
    bound = _rounded(ascent.best, problem.weights) if lattice.complete else 0.0
    if search.effort == "quick":
        return Answer(None, bound, seconds)
    plan = prove(lattice, sigma, limit or _BEST_SECONDS) if search.effort == "best" else None
    if plan is not None:
        return Answer(plan.fragments(lattice), plan.cost, seconds)
    plan = _tries(lattice, sigma, ascent, problem, search, over, bound)
    return Answer(None if plan is None else plan.fragments(lattice), bound, seconds)


def _tries(
    lattice: Lattice,
    sigma: Sigma,
    ascent: PricedAscent,
    problem: Problem,
    search: Search,
    over: Callable[[], bool],
    bound: float,
) -> Assignment | None:
    positive = problem.weights[problem.weights > 0]
    scale = float(positive.mean()) if len(positive) else 1.0
    best: Assignment | None = None
    for seed in range(1 if search.effort == "standard" else 1_000_000):
        found = search_under(lattice, sigma, ascent, scale=scale, seed=search.seed + seed, stop=over)
        if found is not None and (best is None or found.cost < best.cost):
            best = found
        if best is not None and search.progress is not None:
            search.progress(best.cost, bound)
        if over() or (best is not None and best.cost <= bound + 1e-6):
            break
    return best


def _rounded(value: float, weights: np.ndarray) -> float:
    """The bound without what rounding may have added, a whole number where all costs are whole."""
    safe = max(0.0, value - 1e-6 - 1e-9 * abs(value))
    return float(math.ceil(safe)) if np.equal(np.mod(weights, 1), 0).all() else safe
