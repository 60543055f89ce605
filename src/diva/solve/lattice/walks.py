"""Walks from several seeds, side by side. Good plans agree on most groups; where they differ, merging them pays."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from diva.solve.lattice.annealing import Annealing
from diva.solve.lattice.transport import reassign

if TYPE_CHECKING:
    from collections.abc import Callable

    from diva.lattice.groups import Lattice
    from diva.solve.lattice.search import Run
    from diva.solve.lattice.state import Assignment

_HOT, _COLD = 3.0, 0.35
_SECONDS = 3.0
"""About what a walk needs to find a good plan."""
_MOST = 6
"""Walks one after the other: beyond, each should rather be longer."""


def walks(run: Run, core: Lattice, plan: Assignment, seconds: float) -> list[Assignment]:
    """Plans found by walks that start at a plan, in about so many seconds together; the kernels hold no lock of Python's."""
    rounds = min(_MOST, max(1, int(seconds / _SECONDS)))
    end = time.perf_counter() + seconds
    found: list[Assignment] = []

    def walk(seed: int) -> Assignment:
        """Cool until this walk's share of the time is over."""
        left = rounds - len(found) // run.threads
        began, share = time.perf_counter(), max(0.1, (end - time.perf_counter()) / max(1, left))
        walking = Annealing(core, plan, seed, run.scale)
        walking.cool_until(_clock(run.over, began, share), hot=_HOT, cold=_COLD)
        return walking.best if run.over() else reassign(core, walking.best, run.over)

    with ThreadPoolExecutor(run.threads) as pool:
        for again in range(rounds):
            seeds = range(run.seed + 1 + again * run.threads, run.seed + 1 + (again + 1) * run.threads)
            found.extend(pool.map(walk, seeds))
            run.tell(min([plan, *found], key=lambda p: p.cost))
            if run.over():
                break
    return found


def _clock(over: Callable[[], bool], began: float, seconds: float) -> Callable[[], float]:
    """Which share of the time is gone."""
    return lambda: 1.0 if over() else (time.perf_counter() - began) / seconds
