"""Improving a plan for as long as there is time: a proof where the problem is small; elsewhere walks, merged region by region."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import numpy as np

from diva.solve.lattice.exact import Limits, solve_region
from diva.solve.lattice.regions import region_of
from diva.solve.lattice.rework import Rework
from diva.solve.lattice.transport import assign
from diva.solve.lattice.walks import walks

if TYPE_CHECKING:
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
_WALK_SHARE, _MERGE_SHARE = 0.4, 0.7
"""The shares of the time left spent walking, and of what is left then spent on merging."""
_MERGED, _OTHERS = 400, 160
"""Types of a region to begin with: where walks are merged few groups are in question, elsewhere many."""


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
    plans = [plan, *walks(run, core, plan, run.remaining() * _WALK_SHARE)]
    best = min(plans, key=lambda p: p.cost)
    near = run.ascent.values()[number]
    opened = np.any([p.open(core.groups) for p in plans], axis=0)
    merged = np.flatnonzero(opened)
    with ThreadPoolExecutor(run.threads) as pool:
        rework = Rework(run, core.restricted(opened), near[merged], pool)
        start = best.renumbered(np.cumsum(opened) - 1)
        best = rework.until(run.remaining() * _MERGE_SHARE, start, _MERGED).renumbered(merged)
        best = Rework(run, core, near, pool).until(run.remaining(), best, _OTHERS)
    return best.renumbered(number), False


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
