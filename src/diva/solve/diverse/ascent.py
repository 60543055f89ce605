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

from diva.relation.types import distinct_rows
from diva.solve.bounds import kernels

if TYPE_CHECKING:
    from collections.abc import Callable

    from diva.lattice.groups import Lattice
    from diva.solve.diverse.sigma import Sigma

_MEMORY = 0.7
_AIM = 0.02
_PATIENCE = 12
_SHRINK = 0.75
MASS = 0.1
"""How fast prices of Σ move against those of types: by how much of |I_σ| a count has to be off."""
_KINDS_UPTO = 256
"""Signatures of types up to which groups are told apart by those of their members."""
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
        self._drift = np.zeros(lattice.groups)
        self._tell_kinds()
        self._tell_shelves()
        self._cost = self.costs(self._mu)
        self._base = self._cheapest(self._mu)
        self._types = self._base.copy()
        """u: it follows the cheapest group of each type as prices change, so that only the rest has to be learnt."""
        self.type_prices = self._types.copy()

    def costs(self, mu: np.ndarray) -> np.ndarray:
        """float64 [G]: what a record in each group costs at these prices."""
        priced: np.ndarray = self.lattice.cost + self._of_shelves(mu)[self._shelf_of]
        return priced

    def _of_shelves(self, mu: np.ndarray) -> np.ndarray:
        """What the constraints that a shelf preserves cost together. No BLAS here: its threads cost more than they save."""
        together: np.ndarray = (self._shelves * mu).sum(axis=1)
        return together

    def run(
        self, passes: int, stop: Callable[[], bool], enough: Callable[[float], bool] | None = None
    ) -> None:
        """Take steps until they no longer pay, `stop` says so, or the bound is `enough`."""
        before = self.best
        for i in range(passes):
            if i and stop():
                break
            self._step()
            if enough is not None and enough(self.best):
                break
            if i % 60 == 59:
                if self.best - before <= 5e-5 * abs(self.best) or self.best >= self.target - 1e-6:
                    break
                before = self.best

    def begin(self, type_prices: np.ndarray, prices: np.ndarray) -> None:
        """Go on from other prices."""
        cost = self.costs(prices)
        self._drifting(type_prices - self._types, cost - self._cost)
        self._types, self._mu, self._cost = type_prices.copy(), prices.copy(), cost
        self._base = self._cheapest(prices)
        self._pull = np.zeros(len(type_prices)), np.zeros(len(prices))

    def begin_near(self, type_prices: np.ndarray, cheapest: np.ndarray, prices: np.ndarray) -> None:
        """Go on from prices of another lattice of these types, on which their cheapest groups cost `cheapest`."""
        self.begin(type_prices - cheapest + self._cheapest(prices), prices)

    @property
    def cheapest(self) -> np.ndarray:
        """float64 [D]: what the cheapest group of each type costs at the best prices."""
        return self._cheapest(self.prices)

    def values(self) -> np.ndarray:
        """float64 [G]: the dual value of each group per record of k at the best prices; 0 for groups that pay."""
        return values(self.lattice, self.costs(self.prices), self.type_prices)

    def _step(self) -> None:
        counts = self.lattice.counts
        taken, load, value = self._evaluate()
        if value > self.best:
            self.best, self.prices, self.type_prices = value, self._mu.copy(), self._types.copy()
            self._failures = 0
        else:
            self._failures += 1
        if self._failures >= _PATIENCE:
            self._stretch *= _SHRINK
            self._failures = 0
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
        mu = np.clip(self._mu + sigma, -self._most, self._most)
        cost = self.costs(mu)
        rise = types
        if (mu != self._mu).any():
            base = self._cheapest(mu)
            rise = types + base - self._base
            self._base = base
        self._drifting(rise, cost - self._cost)
        self._types, self._mu, self._cost = self._types + rise, mu, cost

    def _drifting(self, rise: np.ndarray, change: np.ndarray) -> None:
        """A group stays worthless until prices of its members have risen against its cost by its slack.

        Types of one signature rise alike when prices of Σ change, so the largest rise is taken by kind of group.
        """
        of_signature = np.maximum.reduceat(rise[self._by_signature], self._signature_start)
        of_kind = np.maximum.reduceat(of_signature[self._kind_signature], self._kind_start)
        self._drift += np.maximum(0.0, of_kind[self._kind] - change) * (1.0 + _EPSILON)

    def _tell_kinds(self) -> None:
        """Number the signatures of types, and the sets of signatures that the members of a group have."""
        lattice = self.lattice
        _, signature = distinct_rows(self.sigma.carried.astype(np.int32))
        if signature.max(initial=0) >= _KINDS_UPTO:
            signature = np.zeros_like(signature)
        self._by_signature = np.argsort(signature, kind="stable")
        self._signature_start = np.searchsorted(signature[self._by_signature], np.arange(signature.max() + 1))
        has = np.zeros((lattice.groups, int(signature.max()) + 1), dtype=bool)
        has[np.repeat(np.arange(lattice.groups), np.diff(lattice.start)), signature[lattice.member]] = True
        first, self._kind = distinct_rows(np.packbits(has, axis=1).astype(np.int32))
        kinds, self._kind_signature = np.nonzero(has[first])
        self._kind_start = np.searchsorted(kinds, np.arange(len(first)))

    def _tell_shelves(self) -> None:
        """For each type and each set of constraints that groups of it preserve, the cheapest such group."""
        lattice = self.lattice
        first, self._shelf_of = distinct_rows(self.sigma.preserves.astype(np.int32))
        self._shelves = self.sigma.preserves[first] & ~self.sigma.conditional
        owner = np.repeat(np.arange(len(lattice.counts)), np.diff(lattice.type_start))
        key = owner * len(first) + self._shelf_of[lattice.group]
        # Groups of a type are in order of rising cost, so the first of each key is the cheapest.
        cheapest, where = np.unique(key, return_index=True)
        self._shelf = cheapest % len(first)
        self._shelf_cost = lattice.cost[lattice.group[where]]
        self._shelf_start = np.searchsorted(cheapest // len(first), np.arange(len(lattice.counts)))

    def _cheapest(self, mu: np.ndarray) -> np.ndarray:
        """float64 [D]: what the cheapest group of each type costs at some prices."""
        cost = self._shelf_cost + self._of_shelves(mu)[self._shelf]
        cheapest: np.ndarray = np.minimum.reduceat(cost, self._shelf_start)
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
        ranges = (np.maximum(mu, 0) * self.sigma.high - np.maximum(-mu, 0) * self.sigma.low).sum()
        value = float((self._types * lattice.counts).sum()) + change - float(ranges)
        return taken, load, value - self._rounding(mu)

    def _rounding(self, mu: np.ndarray) -> float:
        """More than rounding can have added to a value: every record, price and range enters a few sums."""
        largest = float(np.abs(self._types).max() + np.abs(self._cost).max())
        ranges = float((np.abs(mu) * np.maximum(self.sigma.high, 1)).sum())
        return _EPSILON * (largest * float(self.lattice.counts.sum()) + ranges)

    def _excess(self, load: np.ndarray) -> np.ndarray:
        """The subgradient in μ: how far the relaxed counts are from the bound that μ's sign speaks of."""
        on_shelf = np.bincount(self._shelf_of, weights=load, minlength=len(self._shelves))
        published = (self._shelves * on_shelf[:, None]).sum(axis=0)
        over, under = published - self.sigma.high, published - self.sigma.low
        pull = np.where(
            self._mu > 0, over, np.where(self._mu < 0, under, np.maximum(over, 0) + np.minimum(under, 0))
        )
        return np.where(self.fixed, 0.0, pull)


def values(lattice: Lattice, cost: np.ndarray, type_prices: np.ndarray) -> np.ndarray:
    """float64 [G]: the dual value of each group per record of k at some prices; 0 for groups that pay."""
    slack = np.full(lattice.groups, -1.0)
    kernels.relax(
        cost, lattice.start, lattice.member, lattice.counts, lattice.k, type_prices, slack, np.zeros(lattice.groups),
        np.empty(len(type_prices)), np.empty(lattice.groups), np.empty(len(type_prices) + 1, dtype=np.int32),
    )  # fmt: skip
    found: np.ndarray = np.maximum(slack, 0.0)
    return found
