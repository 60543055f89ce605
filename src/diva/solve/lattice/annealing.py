"""Local search: open, close and swap groups under a falling temperature, then assign exactly."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from diva.solve.lattice import kernels
from diva.solve.lattice.state import assignment_of, pairs_of, state_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from diva.lattice.groups import Lattice
    from diva.solve.lattice.kernels import Pairs, State
    from diva.solve.lattice.state import Assignment, Ranges

HOT, COLD = 3.0, 0.35
"""Temperatures in stars: a group of k=20 typically changes the cost by a few."""
CHUNK = 20_000
"""Moves between two looks at the clock."""


@dataclass
class Annealing:
    """A walk over the plans on a lattice that can be paused; `best` is the cheapest plan seen at a pause."""

    lattice: Lattice
    best: Assignment
    seed: int
    scale: float = 1.0
    """The cost of a typical star."""
    ranges: Ranges | None = None
    """Σ, whose violation adds to the cost of a plan."""
    _pairs: Pairs = field(init=False)
    _state: State = field(init=False)
    _candidates: np.ndarray = field(init=False)
    _lowest: float = field(init=False)

    def __post_init__(self) -> None:
        self._pairs = pairs_of(self.lattice, self.ranges)
        self._state = state_of(self.lattice, self._pairs, self.best, self.seed, self.ranges)
        self._lowest = float(self._state.total[0])
        self._candidates = np.arange(self.lattice.groups)

    def walk(self, moves: int, hot: float, cold: float) -> None:
        """Make some moves and remember the plan if it is the best so far."""
        kernels.anneal(self._pairs, self._state, self._candidates, moves, hot * self.scale, cold * self.scale)
        if self._state.total[0] < self._lowest - 1e-9:
            self._lowest = float(self._state.total[0])
            self.best = assignment_of(self.lattice, self._state)

    def restart(self, assignment: Assignment, seed: int) -> None:
        """Go on from another plan."""
        self.best = assignment
        self._state = state_of(self.lattice, self._pairs, assignment, seed, self.ranges)
        self._lowest = float(self._state.total[0])

    def cool(self, moves: int, stop: Callable[[], bool], *, hot: float = HOT, cold: float = COLD) -> None:
        """Make `moves` moves from hot to cold, or fewer if `stop` says so."""
        chunks = max(10, -(-moves // CHUNK))
        temperatures = np.geomspace(hot, cold, chunks + 1)
        for before, after in itertools.pairwise(temperatures):
            if stop():
                break
            self.walk(max(1, moves // chunks), float(before), float(after))

    def cool_until(self, elapsed: Callable[[], float], *, hot: float, cold: float) -> None:
        """Cool as a share of the time goes by: `elapsed` rises from 0 to 1."""
        while (share := elapsed()) < 1.0:
            temperature = hot * (cold / hot) ** share
            self.walk(CHUNK, temperature, temperature)
