"""What each constraint costs: by how much the bound falls when it is left out (docs/search.md, Prices).

    price_σ = B(Σ) - B(Σ∖{σ})

B is the dual bound, or the proven optimum where both are proven. At the best prices (u, μ) of the dual a constraint with
μ_σ = 0 costs nothing: the same (u, μ) proves the same bound without it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from diva.solve.diverse.ascent import PricedAscent
from diva.solve.diverse.exact import prove
from diva.solve.diverse.forced import without_choice
from diva.solve.lattice.greedy import fine_to_coarse

if TYPE_CHECKING:
    from collections.abc import Callable

    from diva.lattice.groups import Lattice
    from diva.solve.diverse.sigma import Sigma
    from diva.solve.lattice.exact import Limits


@dataclass(frozen=True)
class Prices:
    """What Σ costs."""

    of: tuple[float | None, ...]
    """By how much the bound falls without each constraint; None where that isn't known."""
    bound_without: float
    """No k-anonymous plan costs less, with or without Σ."""


@dataclass(frozen=True)
class Whole:
    """A lattice before Σ has left anything out, so that constraints can be taken back."""

    lattice: Lattice
    sigma: Sigma
    rounded: Callable[[float], float]
    """Makes a value a bound that can be told."""

    def without(self, left_out: np.ndarray) -> tuple[Lattice, Sigma]:
        """The lattice and Σ without some constraints."""
        return without_choice(self.lattice, self.sigma.only(~left_out))

    @property
    def each(self) -> np.ndarray:
        """Bool [Σ, Σ]: leave out one constraint after the other."""
        return np.eye(len(self.sigma.low), dtype=bool)


def dual_prices(whole: Whole, ascent: PricedAscent, passes: int, stop: Callable[[], bool]) -> Prices:
    """Prices from the dual: it is ascended anew without each constraint, from where it ended with all of them.

    The first steps away from there mean nothing, so what was stopped early isn't known.
    Nor are the prices of an ascent that was itself stopped early. As soon as the bound without a constraint is the one
    with it, its price is 0, and no further step is taken.
    """
    sigma, late = whole.sigma, stop()
    with_all = whole.rounded(ascent.best)
    every = np.ones(len(sigma.low), dtype=bool)
    without = whole.rounded(_ascended(whole, every, ascent, passes, lambda: False, with_all))
    forced = sigma.unanimous | sigma.banned(whole.lattice.k)
    steady = sigma.preserves.all(axis=0) | ~sigma.preserves.any(axis=0)
    unknown = ~steady & (late | (~forced & sigma.conditional))
    free = steady | (~forced & (ascent.prices == 0.0))
    of: list[float | None] = []
    for c, left_out in enumerate(whole.each):
        if unknown[c] or free[c]:
            of.append(None if unknown[c] else 0.0)
            continue
        value = (
            without
            if without >= with_all
            else whole.rounded(_ascended(whole, left_out, ascent, passes, stop, with_all))
        )
        of.append(None if stop() else max(0.0, with_all - value))
    return Prices(tuple(of), without)


def _ascended(
    whole: Whole,
    left_out: np.ndarray,
    ascent: PricedAscent,
    passes: int,
    stop: Callable[[], bool],
    enough: float,
) -> float:
    """The dual bound without some constraints; a bound that is enough need not be the best."""
    lattice, sigma = whole.without(left_out)
    anew = PricedAscent(lattice, sigma, ascent.target)
    anew.begin_near(ascent.type_prices, ascent.cheapest, ascent.prices[~left_out])
    anew.run(passes, stop, lambda value: whole.rounded(value) >= enough)
    return anew.best


def proven_prices(whole: Whole, cost: float, limits: Limits, prices: Prices) -> Prices:
    """Prices from optima: `cost` is the optimum under Σ. Where no other optimum can be proven, the price stays."""
    of = list(prices.of)
    for c, left_out in enumerate(whole.each):
        optimum = _optimum(whole, left_out, limits)
        if optimum is not None:
            of[c] = max(0.0, cost - optimum)
    free = _optimum(whole, np.ones(len(of), dtype=bool), limits)
    return Prices(tuple(of), prices.bound_without if free is None else free)


def _optimum(whole: Whole, left_out: np.ndarray, limits: Limits) -> float | None:
    lattice, sigma = whole.without(left_out)
    found = prove(lattice, sigma, fine_to_coarse(lattice), limits)
    if found is None:
        return None
    plan, bound = found
    return plan.cost if plan.cost <= bound + limits.tolerance + 1e-6 else None
