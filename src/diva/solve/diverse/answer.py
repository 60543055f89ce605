"""What the search under Σ found, and the bound that goes with it."""

from __future__ import annotations

import itertools
import math
import time
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from diva.lattice.listing import list_groups
from diva.solve.beside import Beside
from diva.solve.bounds.lagrange import deadline
from diva.solve.diverse.ascent import PricedAscent
from diva.solve.diverse.exact import AT_ONCE, NODES, prove
from diva.solve.diverse.forced import without_choice
from diva.solve.diverse.prices import Prices, Whole, dual_prices, proven_prices
from diva.solve.diverse.search import PRICE, rank, search_under
from diva.solve.diverse.sigma import sigma_on
from diva.solve.effort import BEST_SECONDS
from diva.solve.lattice.exact import Limits
from diva.solve.lattice.greedy import fine_to_coarse
from diva.solve.lattice.transport import holds

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
_PRICE_PASSES = {"quick": 30, "standard": 120, "best": 500}
"""Passes without a constraint: they begin close to where they end."""
_PROOF_SHARE = 0.9
"""The share of the time that a proof may take."""
_PRICE_SHARE = 0.25
"""The share of the time that prices may take."""
_AMPLE = 1e6
"""Seconds: nodes are the limit."""


@dataclass(frozen=True)
class Answer:
    """A plan that satisfies Σ, if one was found, and what is known of the best one."""

    plan: Fragments | None
    bound: float | None
    """None where only a part of the lattice was listed."""
    bound_seconds: float
    prices: Prices


def answer(problem: Problem, types: Types, parts: Parts, search: Search) -> Answer:
    """Search for a plan that satisfies Σ; `best` tries again from other seeds until the time is up."""
    limit = search.time_limit
    if search.effort == "best" and limit is None:
        limit = BEST_SECONDS
    clock = Clock.starting(limit, search.stop)
    listed = list_groups(problem)
    whole = Whole(listed, sigma_on(listed, types, parts), partial(_rounded, weights=problem.weights))
    lattice, sigma = without_choice(listed, whole.sigma)
    if not np.diff(lattice.type_start).all():  # Of a part of the lattice, Σ has left some types no group.
        return Answer(None, None, 0.0, Prices((None,) * len(parts.of), 0.0))
    began = time.perf_counter()
    ascent = PricedAscent(lattice, sigma, float(lattice.cost[-1]) * types.rows + 1.0)
    ascent.run(_PASSES[search.effort], clock.over)
    seconds = time.perf_counter() - began
    proves = listed.complete and search.certify  # nothing is proven on a part of the lattice
    work = partial(_dual_prices, whole, ascent, search, clock) if proves else partial(_no_prices, whole)
    plan, known = None, Known(whole.rounded(ascent.best) if proves else 0.0)
    with Beside(work, clock.over, at_once=search.threads != 1) as prices:
        if search.effort != "quick":
            run = Under(lattice, sigma, ascent, problem, search, clock, whole, prices)
            plan, known = _tries(run, known)
        began = time.perf_counter()
        told = known.prices or prices.result()
        seconds += time.perf_counter() - began
    satisfied = plan is not None and not sigma.missed(plan) and holds(lattice, plan)
    bound = max(known.bound, told.bound_without) if lattice.complete else None
    return Answer(plan.fragments(lattice) if plan is not None and satisfied else None, bound, seconds, told)


@dataclass(frozen=True)
class Known:
    """What is proven: no plan under Σ costs less than the bound."""

    bound: float
    prices: Prices | None = None
    """Where they are proven; else the dual tells."""


def _dual_prices(
    whole: Whole, ascent: PricedAscent, search: Search, clock: Clock, stop: Callable[[], bool]
) -> Prices:
    share = deadline(clock.left() * _PRICE_SHARE, stop)
    return dual_prices(whole, ascent, _PRICE_PASSES[search.effort], share)


def _no_prices(whole: Whole, _stop: Callable[[], bool]) -> Prices:
    return Prices((None,) * len(whole.sigma.low), 0.0)


@dataclass(frozen=True)
class Clock:
    """When to stop."""

    over: Callable[[], bool]
    end: float
    """Infinite where there is no limit."""

    @classmethod
    def starting(cls, limit: float | None, stop: Callable[[], bool] | None) -> Clock:
        """A clock that starts now."""
        return cls(deadline(limit, stop), time.perf_counter() + (math.inf if limit is None else limit))

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
    whole: Whole
    prices: Beside[Prices]
    """The dual's, found while the search goes on."""

    @property
    def scale(self) -> float:
        """What a typical star costs."""
        positive = self.problem.weights[self.problem.weights > 0]
        return float(positive.mean()) if len(positive) else 1.0

    @property
    def at_once(self) -> Limits:
        """The limits of a proof that comes before any search."""
        return self._limits(self.clock.left(), NODES)

    def proof(self, share: float) -> Limits:
        """The limits of a proof that may take a share of the time."""
        return self._limits(self.clock.left() * share, None)

    def _limits(self, seconds: float, nodes: int | None) -> Limits:
        tolerance = max(0.0, _grain(self.problem.weights) - 1e-3)
        return Limits(min(seconds, _AMPLE), tolerance, nodes, self.clock.over)


def _tries(run: Under, known: Known) -> tuple[Assignment | None, Known]:
    """Where the lattice is tiny, a proof; else one search at `standard`, at `best` a proof and one search after the other."""
    search, sigma = run.search, run.sigma
    best: Assignment | None = None
    if run.lattice.pairs <= AT_ONCE and run.lattice.complete:
        best, known = _proved(run, fine_to_coarse(run.lattice), known, run.at_once)
    price = PRICE * run.scale
    for seed in itertools.count():
        if best is not None and not sigma.missed(best):
            if search.progress is not None:
                search.progress(best.cost, known.bound)
            if best.cost <= known.bound:
                break
        if seed and (search.effort == "standard" or run.clock.over()):
            break
        found = _searched(run, seed)
        plans = [found] if best is None else [best, found]
        best = min(plans, key=lambda plan: rank(run.lattice, sigma, plan, price))
        if not seed and search.effort == "best":
            best, known = _proved(run, best, known, run.proof(_PROOF_SHARE))
    return best, known


def _proved(run: Under, plan: Assignment, known: Known, limits: Limits) -> tuple[Assignment, Known]:
    """Improve a plan by the exact programme where that can be done; where it is proven optimal, so are prices."""
    found = prove(run.lattice, run.sigma, plan, limits)
    if found is None:
        return plan, known
    better, value = found
    bound = max(known.bound, _rounded(value, run.problem.weights))
    if better.cost > bound + 1e-6 * (1.0 + abs(bound)):
        return better, replace(known, bound=bound)
    share = replace(limits, seconds=limits.seconds / (2 + len(run.sigma.low)))
    return better, Known(better.cost, proven_prices(run.whole, better.cost, share, run.prices.result()))


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
