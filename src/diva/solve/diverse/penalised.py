"""A walk over plans that are allowed to miss Σ, at a penalty that rises until they don't.

After every stretch of moves, missing a constraint's range becomes dearer where the range is missed and cheaper where it
holds. So a constraint costs the walk only as much freedom as it takes.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np

from diva.solve.lattice import kernels
from diva.solve.lattice.state import assignment_of, pairs_of, state_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from diva.lattice.groups import Lattice
    from diva.solve.lattice.state import Assignment, Ranges

_STRETCHES = 80
_STEADY = 0.5
"""The part of a cooling during which penalties stay: early on, a plan that misses Σ is on its way."""
_DEARER, _CHEAPER = 1.15, 0.95
_LEAST, _MOST = 0.01, 1.5
"""Penalties per record, in typical stars."""
_MILD = 0.05
"""What missing a range by a record costs at first: the mildest gives the best plans."""


class PenalisedWalk:
    """A walk that can be continued; `kept` is the cheapest plan seen between stretches that satisfies Σ."""

    def __init__(
        self, lattice: Lattice, start: Assignment, ranges: Ranges, *, seed: int, scale: float
    ) -> None:
        self.lattice = lattice
        self.scale = scale
        self.kept: Assignment | None = None
        self._ranges = ranges
        self._most = _MOST * scale
        self._pairs = pairs_of(lattice, ranges)
        self._state = state_of(lattice, self._pairs, start, seed, ranges)
        self._candidates = np.arange(lattice.groups)

    def cool(
        self, moves: int, hot: float, cold: float, stop: Callable[[], bool], *, strict: float = 1.0
    ) -> None:
        """Make some moves while the temperature, in typical stars, falls.

        Penalties begin mild, but for constraints that the plan misses where `strict` is more than 1.
        """
        mild = np.full(len(self._ranges.low), _MILD * self.scale)
        self._most = _MOST * self.scale * strict
        self._reprice(np.where((self._missed() > 0) & (strict > 1.0), self._most, mild))
        stretch = max(1, moves // _STRETCHES)
        temperatures = np.geomspace(hot, cold, _STRETCHES + 1) * self.scale
        for i, (before, after) in enumerate(itertools.pairwise(temperatures)):
            if stop():
                break
            kernels.anneal(self._pairs, self._state, self._candidates, stretch, float(before), float(after))
            if i >= _STEADY * _STRETCHES:
                self._adapt()

    def plan(self) -> Assignment:
        """The plan as it is."""
        return assignment_of(self.lattice, self._state)

    def _adapt(self) -> None:
        missed = self._missed()
        if not missed.any() and (self.kept is None or self._state.total[0] < self.kept.cost - 1e-9):
            self.kept = self.plan()
        penalty = self._pairs.penalty * np.where(missed > 0, _DEARER, _CHEAPER)
        self._reprice(np.clip(penalty, _LEAST * self.scale, self._most))

    def _missed(self) -> np.ndarray:
        published, ranges = self._state.published, self._ranges
        missed: np.ndarray = np.maximum(ranges.low - published, 0) + np.maximum(published - ranges.high, 0)
        return missed

    def _reprice(self, penalty: np.ndarray) -> None:
        self._state.total[0] += float(((penalty - self._pairs.penalty) * self._missed()).sum())
        self._pairs.penalty[:] = penalty
