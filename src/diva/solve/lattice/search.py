"""The search for few stars, with the bound that it learns on its way.

1. List the groups that can have k members                                    (`lattice`)
2. Open groups greedily, from fine to coarse                                  (`greedy`)      quick stops here
3. Ascend the dual: a lower bound, and a value for every group                (`bounds`)
4. Keep the groups of small value and anneal on them                          (`annealing`)
5. Assign the records to the open groups exactly                              (`transport`)   standard stops here
6. Prove optimality where the problem is small; else anneal longer, and re-solve
   regions exactly, until the time is up                                      (`exact`, `region`)
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from diva.lattice.feasibility import check
from diva.lattice.listing import list_groups
from diva.relation.engine import Fragments
from diva.solve.bounds.lagrange import Ascent, Bound, deadline
from diva.solve.effort import BEST_SECONDS
from diva.solve.lattice.annealing import Annealing
from diva.solve.lattice.greedy import by_value, fine_to_coarse, in_clusters, roots
from diva.solve.lattice.improve import improve_until, prove_at_once
from diva.solve.lattice.transport import reassign

if TYPE_CHECKING:
    from collections.abc import Callable

    from diva.lattice.groups import Lattice
    from diva.lattice.problem import Problem
    from diva.solve.effort import Effort
    from diva.solve.lattice.state import Assignment

_PASSES = 400
_PARTIAL_PASSES = 120
"""Where the lattice is partial the ascent proves nothing; it only tells which groups are good."""
_CORE = 0.5
"""Groups stay in the core when their dual value per record is at most this many typical stars."""
_MOVES_PER_GROUP = 200
_LEAST_MOVES = 100_000
_ROUNDS = 5
"""Problems that would get fewer moves are walked that often, and more thoroughly."""
_VISITS = 45_000_000
"""About how many members all moves of `standard` may look at."""


@dataclass(frozen=True)
class Outcome:
    """A plan and what is known of the best one possible."""

    plan: Fragments
    cost: float
    """Its (weighted) stars."""
    bound: Bound | None
    """A bound found on the way that holds for the problem; None where the search looked at a part of the lattice only."""
    optimal: bool
    """Whether the plan is proven optimal."""
    bound_seconds: float = 0.0
    """How much of the time went into the bound."""


def search(
    problem: Problem,
    *,
    effort: Effort = "standard",
    seed: int = 0,
    time_limit: float | None = None,
    progress: Callable[[float, float], None] | None = None,
    stop: Callable[[], bool] | None = None,
) -> Fragments:
    """Return a plan with few stars; see `solve`."""
    return solve(problem, effort=effort, seed=seed, time_limit=time_limit, progress=progress, stop=stop).plan


def solve(
    problem: Problem,
    *,
    effort: Effort = "standard",
    seed: int = 0,
    time_limit: float | None = None,
    progress: Callable[[float, float], None] | None = None,
    stop: Callable[[], bool] | None = None,
    threads: int | None = None,
) -> Outcome:
    """Find a plan with few stars and the bound that comes with it.

    quick is one greedy pass; standard a fixed amount of local search; best goes on until the plan is proven optimal or
    `time_limit` (60 s unless given) is up, on so many `threads` (all cores unless given). `stop` is asked now and then; a search that is stopped returns its best plan.
    The same problem and seed give the same plan, unless a time limit or `stop` cuts the search short.
    """
    if effort == "best" and time_limit is None:
        time_limit = BEST_SECONDS
    trivial = _trivial(problem)
    if trivial is not None:
        return trivial
    check(problem)
    thorough = effort != "quick"
    run = Run(
        problem, seed, deadline(time_limit, stop), time_limit, progress, thorough=thorough, threads=threads
    )
    plan = run.quick()
    if effort != "quick" and not run.optimal(plan):
        plan = run.standard(plan)
        if effort == "best" and not run.optimal(plan):
            plan = run.best(plan)
        elif effort == "standard" and not run.optimal(plan):
            plan, run.proven = prove_at_once(run, plan)
    optimal = run.proven or run.optimal(plan)
    return Outcome(plan.fragments(run.lattice), plan.cost, run.bound(plan), optimal, run.bound_seconds)


class Run:
    """One search: the lattice, the clock, the ascent and who is told about progress."""

    def __init__(
        self,
        problem: Problem,
        seed: int,
        over: Callable[[], bool],
        time_limit: float | None,
        progress: Callable[[float, float], None] | None,
        *,
        thorough: bool = True,
        threads: int | None = None,
    ) -> None:
        self.began = time.perf_counter()
        self.problem = problem
        self.seed = seed
        self.over = over
        self.seconds = time_limit
        self.progress = progress
        self.threads = threads or _cores()
        self.proven = False
        self.bound_seconds = 0.0
        self.lattice: Lattice = list_groups(problem, thorough=thorough)
        whole = bool(np.equal(np.mod(problem.weights, 1), 0).all())
        self.grain = 1.0 if whole else 0.0
        """Costs differ by at least this much, if they do."""
        self.star = _typical_star(problem)
        self.scale = self.star * _typical_change(problem)
        self.ascent = Ascent(self.lattice, float("inf"), whole)

    def quick(self) -> Assignment:
        """One greedy pass."""
        plan, other = fine_to_coarse(self.lattice), in_clusters(self.lattice)
        if other is not None and other.cost < plan.cost:
            plan = other
        self.ascent.target = plan.cost
        self.tell(plan)
        return plan

    def standard(self, plan: Assignment) -> Assignment:
        """Bound, walk for a fixed number of moves, assign exactly."""
        began = time.perf_counter()
        self.ascent.run(_PASSES if self.lattice.complete else _PARTIAL_PASSES, self.over)
        self.bound_seconds += time.perf_counter() - began
        self.tell(plan)
        core, number, plan = self.core(plan)
        walk = Annealing(core, plan, self.seed, self.scale)
        visits = max(1, core.pairs // core.groups)
        small = _MOVES_PER_GROUP * core.groups < _LEAST_MOVES
        moves = _MOVES_PER_GROUP * core.groups
        moves = min(20 * moves, _LEAST_MOVES) if small else min(moves, _VISITS // visits)
        for again in range(_ROUNDS if small else 1):
            if again:
                walk.restart(walk.best, self.seed + again)
            walk.cool(moves, self.over)
        plan = walk.best if self.over() else reassign(core, walk.best, self.over)
        plan = plan.renumbered(number)
        self.tell(plan)
        return plan

    def best(self, plan: Assignment) -> Assignment:
        """Go on until the plan is proven optimal or the time is up."""
        self.ascent.target = plan.cost
        plan, self.proven = improve_until(self, plan)
        return plan

    def core(self, plan: Assignment) -> tuple[Lattice, np.ndarray, Assignment]:
        """The part of the lattice that good plans use, its groups' numbers in the whole, and the better start on it."""
        value = self.ascent.values()
        other = by_value(self.lattice, value)
        start = min((plan, other), key=lambda a: a.cost)
        kept = (value <= _CORE * self.star) | start.open(self.lattice.groups) | plan.open(self.lattice.groups)
        kept[roots(self.lattice)] = True
        return self.lattice.restricted(kept), np.flatnonzero(kept), start.renumbered(np.cumsum(kept) - 1)

    def remaining(self) -> float:
        """Seconds until the time limit."""
        limit = BEST_SECONDS if self.seconds is None else self.seconds
        return max(0.0, self.began + limit - time.perf_counter())

    def optimal(self, plan: Assignment) -> bool:
        """Whether the bound shows that no plan is cheaper."""
        if not self.lattice.complete:
            return False
        if not self.ascent.passes:
            self.ascent.step()
        return plan.cost <= self.ascent.bound().value + 1e-6

    def bound(self, plan: Assignment) -> Bound | None:
        """What is proven; a plan that is proven optimal bounds itself."""
        if not self.lattice.complete or not self.ascent.passes:
            return None
        bound = self.ascent.bound()
        optimal = self.proven or self.optimal(plan)
        return replace(bound, value=max(bound.value, plan.cost)) if optimal else bound

    def tell(self, plan: Assignment) -> None:
        """Report the plan and the bound."""
        if self.progress is not None:
            bound = self.ascent.bound().value if self.ascent.passes else 0.0
            self.progress(plan.cost, bound if self.lattice.complete else 0.0)


def _trivial(problem: Problem) -> Outcome | None:
    """Solve a problem without records, or one in which everything may stay as it is."""
    D, m = problem.codes.shape
    if D and (problem.k > problem.counts.min() or problem.taboos):
        return None
    plan = Fragments(
        np.arange(D, dtype=np.int32), np.zeros((D, m), dtype=np.uint8), problem.counts.astype(np.int64)
    )
    return Outcome(plan, 0.0, Bound(0.0, np.zeros(D), 0), optimal=True)


def _cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _typical_star(problem: Problem) -> float:
    positive = problem.weights[problem.weights > 0]
    return float(positive.mean()) if len(positive) else 1.0


def _typical_change(problem: Problem) -> float:
    """How many stars a move changes the cost by, relative to k=20 and types of one record.

    Grows in proportion when k and all counts do, and like k^0.6 alone: found by trial.
    """
    common = max(1.0, float(np.median(np.minimum(problem.counts, problem.k))))
    return float(max(0.6, common**0.4 * (problem.k / 20.0) ** 0.6))
