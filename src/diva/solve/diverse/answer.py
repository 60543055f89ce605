"""What the search under Σ found, and the bound that goes with it."""

from __future__ import annotations

import itertools
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
from diva.solve.diverse.search import PRICE, search_under
from diva.solve.diverse.sigma import sigma_on
from diva.solve.lattice.exact import Limits

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

_PASSES = {"quick": 60, "standard": 500, "best": 2_000}
_BEST_SECONDS = 60.0
_PROOF_SHARE = 0.9
"""The share of the time that a proof may take."""


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
    clock = Clock(over, began + (limit or _BEST_SECONDS))
    plan, bound = _tries(Under(lattice, sigma, ascent, problem, search, clock), bound)
    return Answer(None if sigma.missed(plan) else plan.fragments(lattice), bound, seconds)


@dataclass(frozen=True)
class Clock:
    """When to stop."""

    over: Callable[[], bool]
    end: float

    def left(self) -> float:
        """Seconds until the time is up."""
        return max(0.1, self.end - time.perf_counter())


@dataclass(frozen=True)
class Under:
    """What a search under Σ works on."""

    lattice: Lattice
    sigma: Sigma
    ascent: PricedAscent
    problem: Problem
    search: Search
    clock: Clock

    @property
    def scale(self) -> float:
        """What a typical star costs."""
        positive = self.problem.weights[self.problem.weights > 0]
        return float(positive.mean()) if len(positive) else 1.0


def _tries(run: Under, bound: float) -> tuple[Assignment, float]:
    """One search at `standard`; at `best` one after the other and a proof where the lattice is small."""
    lattice, sigma, search = run.lattice, run.sigma, run.search
    price = PRICE * run.scale
    best = _searched(run, 0)
    if search.effort == "best":
        limits = Limits(run.clock.left() * _PROOF_SHARE, max(0.0, _grain(run.problem.weights) - 1e-3))
        best, proven = prove(lattice, sigma, best, price, limits)
        bound = max(bound, _rounded(proven, run.problem.weights))
    for seed in itertools.count(1):
        if search.progress is not None and not sigma.missed(best):
            search.progress(best.cost, bound)
        done = not sigma.missed(best) and best.cost <= bound + 1e-6
        if done or search.effort == "standard" or run.clock.over():
            break
        best = min(best, _searched(run, seed), key=lambda plan: sigma.cost(plan, price))
    return best, bound


def _searched(run: Under, seed: int) -> Assignment:
    seed += run.search.seed
    return search_under(run.lattice, run.sigma, run.ascent, scale=run.scale, seed=seed, stop=run.clock.over)


def _grain(weights: np.ndarray) -> float:
    """Costs differ by at least this much, if they do."""
    return 1.0 if np.equal(np.mod(weights, 1), 0).all() else 0.0


def _rounded(value: float, weights: np.ndarray) -> float:
    """The bound without what rounding may have added, a whole number where all costs are whole."""
    safe = max(0.0, value - 1e-6 - 1e-9 * abs(value))
    return float(math.ceil(safe)) if _grain(weights) else safe
