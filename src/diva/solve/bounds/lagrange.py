"""A lower bound on the stars of any plan, by Lagrangian relaxation (DESIGN 3.3).

Give each type a price u_t per record and drop the rule that every record is published once. What remains,

    L(u) = Σ_t c_t·u_t + Σ_g min(0, V_g(u)),    V_g(u) = min { Σ_t x_t·(cost_g - u_t) : 0 ≤ x_t ≤ c_t, Σ_t x_t ≥ k },

falls apart into the groups and is a lower bound for *every* u. Steps along a subgradient of the concave L (in the
metric of the counts, so that types rise by equal steps whatever their counts) converge to the bound of the strong
linear relaxation x[t,g] ≤ c_t·y_g.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from diva.solve.bounds import kernels

if TYPE_CHECKING:
    from collections.abc import Callable

    from diva.lattice.groups import Lattice

PASSES = 400
_PATIENCE = 60
"""Passes after which too small a gain ends the ascent."""
_MEMORY = 0.7
"""The share of the last direction that is kept."""
_AIM = 0.02
"""How far above the best bound so far the optimum is taken to be, when that is below the target."""


@dataclass(frozen=True)
class Bound:
    """What is known of the optimum from below."""

    value: float
    """No plan costs less, whatever rounding did; a whole number where all costs are whole."""
    prices: np.ndarray
    """float64 [D]: u_t, what the last record of each type costs."""
    passes: int

    def rounded(self, weights: np.ndarray) -> float:
        """The bound, rounded up to a whole number where all weights are whole."""
        whole = bool(np.equal(np.mod(weights, 1), 0).all())
        return max(0.0, float(math.ceil(self.value - _TINY))) if whole else self.value


_TINY = 1e-6
"""A difference in cost that isn't worth a pass."""
_ROUNDING = 4.0 * float(np.finfo(np.float64).eps)


@dataclass
class Ascent:
    """Subgradient steps that can be interrupted and continued; `best` holds at every moment."""

    lattice: Lattice
    target: float
    """An upper bound on the optimum: the cost of some plan."""
    whole: bool = False
    """Whether all costs are whole numbers."""
    best: float = field(init=False, default=-math.inf)
    prices: np.ndarray = field(init=False)
    """The prices at which `best` was found."""
    passes: int = field(init=False, default=0)
    _current: np.ndarray = field(init=False)
    _direction: np.ndarray = field(init=False)
    _slack: np.ndarray = field(init=False)
    _drift: float = field(init=False, default=0.0)
    _limit: float = field(init=False)
    """What a price can be at most: a record can make k others join it."""
    _stretch: float = field(init=False, default=1.0)
    _failures: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        """Start from the individual bound: the cheapest group each type can be in."""
        lattice = self.lattice
        self._current = lattice.cost[lattice.group[lattice.type_start[:-1]]].astype(np.float64)
        self.prices = self._current.copy()
        self._direction = np.zeros(len(self._current))
        self._slack = np.full(lattice.groups, -math.inf)
        self._limit = (lattice.k + 1.0) * float(np.abs(lattice.cost).max())

    def step(self) -> None:
        """Evaluate L at the current prices, remember them if they are the best, and move.

        Steps are no longer than the dearest group costs and prices stay within what can matter: far from there the
        terms of L would cancel only up to rounding.
        """
        counts = self.lattice.counts
        taken, value = self._evaluate(self._current)
        if value > self.best:
            gain = value - self.best
            self.best, self.prices = value, self._current.copy()
            self._failures = 0 if gain > _TINY else self._failures + 1
        else:
            self._failures += 1
        if self._failures >= 10:
            self._stretch *= 0.7
            self._failures = 0
        self._direction = 1.0 - taken / counts + _MEMORY * self._direction
        length = float((counts * self._direction * self._direction).sum())
        if length > _TINY:
            aim = min(self.target, self.best + _AIM * abs(self.best) + 1.0)
            step = self._stretch * max(aim - value, 1e-3) / length * self._direction
            far = max(float(self.lattice.cost[-1]), -float(self.lattice.cost[0]))
            moved = np.clip(self._current + np.clip(step, -far, far), -self._limit, self._limit)
            self._drift += max(0.0, float((moved - self._current).max())) * (1.0 + _ROUNDING)
            self._current = moved
        self.passes += 1

    def run(self, passes: int = PASSES, stop: Callable[[], bool] | None = None) -> Bound:
        """Take steps until they no longer pay, `stop` says so, or there were enough."""
        before = self.best
        if not self.passes:
            self.step()
        for i in range(passes):
            if stop is not None and stop():
                break
            self.step()
            if i % _PATIENCE == _PATIENCE - 1:
                if self.best - before <= 2e-4 * abs(self.best) or self.bound().value >= self.target - 1e-6:
                    break
                before = self.best
        return self.bound()

    def bound(self) -> Bound:
        """What is proven so far."""
        value = float(math.ceil(self.best - _TINY)) if self.whole else self.best
        return Bound(max(value, 0.0) if self.lattice.cost[0] >= 0 else value, self.prices, self.passes)

    def values(self) -> np.ndarray:
        """float64 [G]: V_g at the best prices, per record of k; 0 for groups that pay."""
        slack = np.full(self.lattice.groups, -1.0)
        self._relax(self.prices, slack, 0.0)
        values: np.ndarray = np.maximum(slack, 0.0)
        return values

    def _evaluate(self, prices: np.ndarray) -> tuple[np.ndarray, float]:
        """L at some prices, less what rounding can have added: n terms of sum M err by at most n·ε·M."""
        taken, change = self._relax(prices, self._slack, self._drift)
        lattice = self.lattice
        mass = ((lattice.counts + taken) * np.abs(prices)).sum() + float(
            np.abs(lattice.cost).max()
        ) * taken.sum()
        error = _ROUNDING * (len(prices) + lattice.groups) * float(mass)
        return taken, float((prices * lattice.counts).sum()) + change - error

    def _relax(self, prices: np.ndarray, slack: np.ndarray, drift: float) -> tuple[np.ndarray, float]:
        lattice = self.lattice
        taken = np.empty(len(prices))
        heap = np.empty(len(prices) + 1, dtype=np.int32)
        change = kernels.relax(
            lattice.cost,
            lattice.start,
            lattice.member,
            lattice.counts,
            lattice.k,
            prices,
            slack,
            np.full(lattice.groups, drift),
            taken,
            np.empty(lattice.groups),
            heap,
        )
        return taken, change


def deadline(time_limit: float | None, stop: Callable[[], bool] | None) -> Callable[[], bool]:
    """Return a question that is answered yes once the time is up or `stop` says so."""
    end = math.inf if time_limit is None else time.perf_counter() + time_limit
    return lambda: time.perf_counter() >= end or (stop is not None and stop())
