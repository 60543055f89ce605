"""Re-solving regions of a plan exactly, several at a time, larger ones as long as they are solved quickly."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from diva.solve.lattice.exact import Limits, solve_region
from diva.solve.lattice.regions import neighbourhood, region_of
from diva.solve.lattice.transport import assign

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from diva.lattice.groups import Lattice
    from diva.solve.lattice.search import Run
    from diva.solve.lattice.state import Assignment

_SECONDS = 5.0
"""What a region may take."""
_QUICK, _SLOW = 1.0, 3.0
"""Seconds: regions that take less grow, those that take more shrink."""
_GROWTH = 1.15


@dataclass(frozen=True)
class _Found:
    groups: np.ndarray
    """The groups of the region."""
    open: np.ndarray | None
    """Which of them to open; None where the region is as good as it can be, or time was up."""
    seconds: float


@dataclass(frozen=True)
class Rework:
    """Regions of a plan on a lattice, as threads solve them."""

    run: Run
    lattice: Lattice
    near: np.ndarray
    """float64 [G]: how likely good plans use each group (small is likely)."""
    pool: Executor

    def until(self, seconds: float, plan: Assignment, size: int) -> Assignment:
        """Work for so many seconds on regions of about `size` types at first."""
        random = np.random.default_rng(self.run.seed)
        end = time.perf_counter() + seconds
        types, least = float(size), float(size)
        while not self.run.over() and time.perf_counter() < end:
            chosen = [
                neighbourhood(
                    self.lattice, plan, min(int(types), len(self.lattice.counts)), random, self.near
                )
                for _ in range(self.run.threads)
            ]
            left = max(0.1, min(_SECONDS, end - time.perf_counter()))
            for found in self.pool.map(lambda t, plan=plan, left=left: self._solve(plan, t, left), chosen):
                plan = self._with(plan, found)
                types *= _GROWTH if found.seconds < _QUICK else 1 / _GROWTH if found.seconds > _SLOW else 1.0
            types = max(types, least)
        return plan

    def _solve(self, plan: Assignment, types: np.ndarray, seconds: float) -> _Found:
        began = time.perf_counter()
        region, groups = region_of(self.lattice, plan, types)
        before = float(region.cost[region.group] @ region.now)
        tolerance = max(0.0, self.run.grain - 1e-3)
        answer = solve_region(region, Limits(seconds, tolerance, stop=self.run.over))
        better = answer is not None and answer.cost <= before - max(self.run.grain, 1e-6) / 2
        return _Found(groups, answer.open if answer and better else None, time.perf_counter() - began)

    def _with(self, plan: Assignment, found: _Found) -> Assignment:
        """The plan with the groups of a region opened anew, if it is better for it."""
        if found.open is None:
            return plan
        opened = plan.open(self.lattice.groups)
        opened[found.groups] = found.open
        better = assign(self.lattice, opened, stop=self.run.over)
        if better is None or better.cost >= plan.cost - 1e-9:
            return plan
        self.run.tell(better)
        return better
