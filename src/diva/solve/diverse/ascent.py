"""A lower bound under Σ, and the price of each constraint: the Lagrangian of `bounds.lagrange` with prices for Σ too.

Relax the ranges of Σ with a price μ_σ per published record (negative: a reward). A group then costs
cost_g + Σ_σ μ_σ·[g preserves σ], and

    L(u, μ) = Σ_t c_t·u_t + Σ_g min(0, V_g(u, μ)) - Σ_σ (μ_σ⁺·λr_σ - μ_σ⁻·λl_σ)

is a lower bound for every u and μ. Constraints with a condition on other columns keep the price 0: the bound then
ignores them, and stays valid.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from diva.solve.bounds import kernels

if TYPE_CHECKING:
    from collections.abc import Callable

    from diva.lattice.groups import Lattice
    from diva.solve.diverse.sigma import Sigma

_MEMORY = 0.7
_AIM = 0.02
_PATIENCE = 12
MASS = 0.1
"""How fast prices of Σ move against those of types: by how much of |I_σ| a count has to be off."""
_LARGE = 600_000
"""Pairs from which on most steps are taken on a part of the lattice."""
_ROUGH, _ROUNDS = 60, 3
_NEAR = 0.5
"""Groups whose dual value per record is at most this many typical stars are such a part."""
_TINY = 1e-9
_EPSILON = 64 * float(np.finfo(np.float64).eps)


class PricedAscent:
    """Subgradient steps on (u, μ); `best` is a valid bound at every moment."""

    def __init__(self, lattice: Lattice, sigma: Sigma, target: float) -> None:
        self.lattice = lattice
        self.sigma = sigma
        self.target = target
        """The cost of some plan that satisfies Σ."""
        self.best = -math.inf
        steady = sigma.preserves.all(axis=0) | ~sigma.preserves.any(axis=0)
        self.fixed = sigma.conditional | sigma.unanimous | steady
        """Constraints whose price doesn't move: those of which it can't, and those that hold anyway."""
        self._most = 100.0 * (float(lattice.cost[-1] - lattice.cost[0]) + 1.0)
        start = np.zeros(len(sigma.low))
        self.prices = start.copy()
        """μ at the best bound."""
        self._mu = start.copy()
        self._mass = np.maximum(1.0, MASS * sigma.relevant)
        self._pull = np.zeros(len(lattice.counts)), np.zeros(len(start))
        self._stretch, self._failures = 1.0, 0
        self._slack = np.full(lattice.groups, -math.inf)
        self._drift = 0.0
        self._cost = self.costs(self._mu)
        self._base = self._cheapest(self._cost)
        self._types = self._base.copy()
        """u: it follows the cheapest group of each type as prices change, so that only the rest has to be learnt."""
        self.type_prices = self._types.copy()

    def costs(self, mu: np.ndarray) -> np.ndarray:
        """float64 [G]: what a record in each group costs at these prices."""
        priced: np.ndarray = self.lattice.cost + self.sigma.preserves @ np.where(
            self.sigma.conditional, 0.0, mu
        )
        return priced

    def run(self, passes: int, stop: Callable[[], bool]) -> None:
        """Take steps until they no longer pay, or `stop` says so.

        Where the lattice is large, most steps are taken on the groups that matter at the prices so far; bounds come
        from the whole lattice all the same.
        """
        if self.lattice.pairs <= _LARGE:
            self._steps(passes, stop)
            return
        self._steps(_ROUGH, stop)
        for _ in range(_ROUNDS):
            if stop():
                return
            core = self.values() <= _NEAR * (self.lattice.cost[-1] / self.lattice.patterns.shape[1])
            part = PricedAscent(self.lattice.restricted(core), self.sigma.on(np.flatnonzero(core)), self.target)
            part.begin(self.type_prices, self.prices)
            part._steps(passes // _ROUNDS, stop)
            self.begin(part.type_prices, part.prices)
            self._step()

    def begin(self, type_prices: np.ndarray, prices: np.ndarray) -> None:
        """Go on from other prices."""
        cost = self.costs(prices)
        rise = type_prices - self._types
        self._drift += max(0.0, float(rise.max()) + float((self._cost - cost).max()))
        self._types, self._mu, self._cost = type_prices.copy(), prices.copy(), cost
        self._base = self._cheapest(cost)
        self._pull = np.zeros(len(type_prices)), np.zeros(len(prices))

    def values(self) -> np.ndarray:
        """float64 [G]: the dual value of each group per record of k at the best prices; 0 for groups that pay."""
        return values(self.lattice, self.costs(self.prices), self.type_prices)

    def _steps(self, passes: int, stop: Callable[[], bool]) -> None:
        before = self.best
        for i in range(passes):
            if i and stop():
                break
            self._step()
            if i % 60 == 59:
                if self.best - before <= 2e-4 * abs(self.best) or self.best >= self.target - 1e-6:
                    break
                before = self.best

    def _step(self) -> None:
        counts = self.lattice.counts
        taken, load, value = self._evaluate()
        if value > self.best:
            self.best, self.prices, self.type_prices = value, self._mu.copy(), self._types.copy()
            self._failures = 0
        else:
            self._failures += 1
        if self._failures >= _PATIENCE:
            self._stretch *= 0.7
            self._failures = 0
            self.begin(self.type_prices, self.prices)
            return
        of_types = 1.0 - taken / counts + _MEMORY * self._pull[0]
        of_sigma = self._excess(load) / self._mass + _MEMORY * self._pull[1]
        self._pull = of_types, of_sigma
        length = float((counts * of_types**2).sum() + (self._mass * of_sigma**2).sum())
        if length <= _TINY:
            return
        aim = min(self.target, self.best + _AIM * abs(self.best) + 1.0)
        step = self._stretch * max(aim - value, 1e-3) / length
        self._move(step * of_types, step * of_sigma)

    def _move(self, types: np.ndarray, sigma: np.ndarray) -> None:
        sigma = np.clip(self._mu + sigma, -self._most, self._most) - self._mu
        cost = self.costs(self._mu + sigma)
        change = cost - self._cost
        rise = types
        if change.any():
            base = self._cheapest(cost)
            rise = types + base - self._base
            self._base = base
        # A group stays worthless until prices have risen against its cost by its slack; cheapest groups rise by no
        # more than the dearest change, and a group's own cost falls by no more than the cheapest.
        self._drift += max(0.0, float(types.max()) + float(change.max()) - float(change.min()))
        self._types, self._mu, self._cost = self._types + rise, self._mu + sigma, cost

    def _cheapest(self, cost: np.ndarray) -> np.ndarray:
        cheapest: np.ndarray = np.minimum.reduceat(cost[self.lattice.group], self.lattice.type_start[:-1])
        return cheapest

    def _evaluate(self) -> tuple[np.ndarray, np.ndarray, float]:
        lattice = self.lattice
        taken, load = np.empty(len(lattice.counts)), np.empty(lattice.groups)
        heap = np.empty(len(lattice.counts) + 1, dtype=np.int32)
        change = kernels.relax(
            self._cost, lattice.start, lattice.member, lattice.counts, lattice.k, self._types, self._slack, self._drift,
            taken, load, heap,
        )  # fmt: skip
        mu = np.where(self.sigma.conditional, 0.0, self._mu)
        ranges = np.maximum(mu, 0) @ self.sigma.high - np.maximum(-mu, 0) @ self.sigma.low
        value = float(self._types @ lattice.counts) + change - float(ranges)
        return taken, load, value - self._rounding(mu)

    def _rounding(self, mu: np.ndarray) -> float:
        """More than rounding can have added to a value: every record, price and range enters a few sums."""
        largest = float(np.abs(self._types).max() + np.abs(self._cost).max())
        ranges = float(np.abs(mu) @ np.maximum(self.sigma.high, 1))
        return _EPSILON * (largest * float(self.lattice.counts.sum()) + ranges)

    def _excess(self, load: np.ndarray) -> np.ndarray:
        """The subgradient in μ: how far the relaxed counts are from the bound that μ's sign speaks of."""
        published = load @ self.sigma.preserves
        over, under = published - self.sigma.high, published - self.sigma.low
        pull = np.where(
            self._mu > 0, over, np.where(self._mu < 0, under, np.maximum(over, 0) + np.minimum(under, 0))
        )
        return np.where(self.fixed, 0.0, pull)


def values(lattice: Lattice, cost: np.ndarray, type_prices: np.ndarray) -> np.ndarray:
    """float64 [G]: the dual value of each group per record of k at some prices; 0 for groups that pay."""
    slack = np.full(lattice.groups, -1.0)
    kernels.relax(
        cost, lattice.start, lattice.member, lattice.counts, lattice.k, type_prices, slack, 0.0,
        np.empty(len(type_prices)), np.empty(lattice.groups), np.empty(len(type_prices) + 1, dtype=np.int32),
    )  # fmt: skip
    found: np.ndarray = np.maximum(slack, 0.0)
    return found
