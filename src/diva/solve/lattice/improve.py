"""Improving a plan for as long as there is time: a proof where the problem is small, long walks and regions elsewhere."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np

from diva.solve.lattice.annealing import Annealing
from diva.solve.lattice.exact import Limits, solve_region
from diva.solve.lattice.regions import neighbourhood, region_of
from diva.solve.lattice.transport import assign, reassign

if TYPE_CHECKING:
    from diva.lattice.groups import Lattice
    from diva.solve.lattice.search import Run
    from diva.solve.lattice.state import Assignment

_PASSES = 1500
_TINY = 1e-6
_SMALL = 40_000
"""Pairs up to which the whole problem is given to the exact programme."""
_AT_ONCE, _NODES = 1_000, 300
"""Pairs up to which `standard` does the same, and the nodes it may take: a limit in seconds would not repeat."""
_PROOF_SHARE = 0.7
"""The share of the time that the proof may take."""
_WALK_SHARE = 0.75
"""The share of the remaining time spent walking; the rest goes to regions."""
_HOT, _COLD = 2.5, 0.4
_REGION = 160
_REGION_SECONDS = 3.0


def improve_until(run: Run, plan: Assignment) -> tuple[Assignment, bool]:
    """Return a better plan, and whether it is proven optimal."""
    run.ascent.run(_PASSES, run.over)
    run.tell(plan)
    if run.optimal(plan):
        return plan, True
    if run.over():
        return plan, False
    plan, proven = _prove(run, plan)
    if proven or run.over():
        return plan, proven
    core, number, plan = run.core(plan)
    plan = _walk(run, core, plan)
    plan = _regions(run, core, plan, number)
    return plan.renumbered(number), False


def prove_at_once(run: Run, plan: Assignment) -> tuple[Assignment, bool]:
    """The same for tiny problems, where it takes no time worth mentioning."""
    if run.lattice.pairs > _AT_ONCE:
        return plan, False
    return _prove(run, plan, _NODES)


def _prove(run: Run, plan: Assignment, nodes: int | None = None) -> tuple[Assignment, bool]:
    """Solve the whole problem on the groups that a cheaper plan can have, where these are few.

    A plan that opens g costs at least L + V_g, so groups for which that isn't cheaper than the plan at hand are out.
    """
    lattice = run.lattice
    if not lattice.complete:
        return plan, False
    cheaper = plan.cost - run.grain + _TINY
    kept = run.ascent.best + run.ascent.values() * lattice.k <= cheaper
    kept |= plan.open(lattice.groups)
    part = lattice.restricted(kept)
    if part.pairs > _SMALL:
        return plan, False
    start = plan.renumbered(np.cumsum(kept) - 1)
    region, groups = region_of(part, start, np.arange(len(lattice.counts)))
    tolerance = max(0.0, run.grain - 1e-3)
    answer = solve_region(region, Limits(run.remaining() * _PROOF_SHARE, tolerance, nodes, run.over))
    if answer is None:
        return plan, False
    opened = np.zeros(part.groups, dtype=bool)
    opened[groups[answer.open]] = True
    found = assign(part, opened)
    if found is not None and found.cost < plan.cost - 1e-9:
        plan = found.renumbered(np.flatnonzero(kept))
    return plan, answer.bound >= plan.cost - max(run.grain - 1e-3, _TINY)


def _walk(run: Run, core: Lattice, plan: Assignment) -> Assignment:
    """Cool slowly over most of the time that is left."""
    began, seconds = time.perf_counter(), run.remaining() * _WALK_SHARE
    walk = Annealing(core, plan, run.seed + 1, run.scale)
    told = began

    def elapsed() -> float:
        nonlocal told
        if time.perf_counter() > told + 1.0:
            told = time.perf_counter()
            run.tell(walk.best)
        return 1.0 if run.over() else (time.perf_counter() - began) / seconds

    walk.cool_until(elapsed, hot=_HOT, cold=_COLD)
    return walk.best if run.over() else reassign(core, walk.best, run.over)


def _regions(run: Run, core: Lattice, plan: Assignment, number: np.ndarray) -> Assignment:
    """Solve one random region after the other exactly."""
    random = np.random.default_rng(run.seed)
    near = run.ascent.values()[number]
    while not run.over():
        types = neighbourhood(core, plan, min(_REGION, len(core.counts)), random, near)
        region, groups = region_of(core, plan, types)
        before = float(region.cost[region.group] @ region.now)
        seconds = min(_REGION_SECONDS, max(0.1, run.remaining()))
        answer = solve_region(region, Limits(seconds, max(0.0, run.grain - 1e-3), stop=run.over))
        if answer is None or answer.cost > before - max(run.grain, 1e-6) / 2:
            continue
        opened = plan.open(core.groups)
        opened[groups] = answer.open
        better = assign(core, opened, stop=run.over)
        if better is not None and better.cost < plan.cost - 1e-9:
            plan = better
            run.tell(plan)
    return plan
