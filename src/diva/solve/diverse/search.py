"""The search under Σ.

1. Ascend the dual with a price for every constraint       (`ascent`)    a lower bound under Σ, and the prices
2. Search at these prices, where missing a range costs too (`pricing`, `lattice.annealing`)
3. Assign the records to the open groups under Σ           (`transport`)
4. Move what is still amiss, one record if need be         (`finish`)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from diva.solve.bounds import kernels
from diva.solve.diverse.finish import Finish
from diva.solve.diverse.pricing import priced
from diva.solve.diverse.transport import assign_under
from diva.solve.lattice.annealing import Annealing
from diva.solve.lattice.greedy import by_value, roots
from diva.solve.lattice.state import Assignment, Ranges

if TYPE_CHECKING:
    from collections.abc import Callable

    from diva.lattice.groups import Lattice
    from diva.solve.diverse.ascent import PricedAscent
    from diva.solve.diverse.sigma import Sigma

_CORE = 0.5
_MOVES_PER_GROUP = 80
_VISITS = 50_000_000
_PENALTIES = (0.05, 0.15, 0.5)
"""What missing a range by a record costs while the search walks, in typical stars: the mildest gives the best plans."""
_PRICE = 20.0
"""What it costs when records are assigned to open groups."""
_SECONDS = 10.0
"""The most that one assignment may take."""


def search_under(
    lattice: Lattice, sigma: Sigma, ascent: PricedAscent, *, scale: float, seed: int, stop: Callable[[], bool]
) -> Assignment | None:
    """Return a plan that satisfies Σ, or None where none was found.

    A constraint that a walk missed, and that no move could mend, gets a higher price for the next.
    """
    mu = ascent.prices.copy()
    for penalty in _PENALTIES:
        plan = _walk(lattice, sigma, ascent, mu, scale, penalty * scale, seed, stop)
        plan, missed = _settled(lattice, sigma, plan, _PRICE * scale, stop)
        if not missed.any():
            return plan
        if stop():
            break
        mu = mu + scale * np.sign(missed)
    return None


def _settled(
    lattice: Lattice, sigma: Sigma, plan: Assignment, price: float, stop: Callable[[], bool]
) -> tuple[Assignment, np.ndarray]:
    """Assign under Σ and move what is still amiss: the plan, and by how much it misses Σ."""
    plan = assign_under(lattice, sigma, plan.open(lattice.groups), price, seconds=_SECONDS) or plan
    if not sigma.violation(sigma.of(plan)).any():
        return plan, sigma.violation(sigma.of(plan))
    finish = Finish(lattice, sigma, plan)
    finish.run(stop)
    moved = finish.plan()
    better = assign_under(lattice, sigma, moved.open(lattice.groups), price, seconds=_SECONDS)
    plans = [p for p in (moved, better) if p is not None]
    plan = min(plans, key=lambda p: (int(np.abs(sigma.violation(sigma.of(p))).sum()), p.cost))
    return plan, sigma.violation(sigma.of(plan))


def _walk(  # noqa: PLR0913, PLR0917
    lattice: Lattice,
    sigma: Sigma,
    ascent: PricedAscent,
    mu: np.ndarray,
    scale: float,
    penalty: float,
    seed: int,
    stop: Callable[[], bool],
) -> Assignment:
    """Open, close and swap groups at prices for Σ, on the groups whose dual value is small."""
    cost = ascent.costs(mu)
    value = _values(lattice, cost, ascent.type_prices)
    shelf = priced(lattice, cost)
    start = by_value(shelf.lattice, value[shelf.number])
    kept = (value[shelf.number] <= _CORE * scale) | start.open(lattice.groups)
    kept[roots(shelf.lattice)] = True
    core, number = shelf.lattice.restricted(kept), np.flatnonzero(kept)
    on_core = sigma.on(shelf.number[number])
    ranges = Ranges(
        on_core.preserves, on_core.met, on_core.low, on_core.high, np.full(len(sigma.low), penalty)
    )
    walk = Annealing(core, start.renumbered(np.cumsum(kept) - 1), seed, scale, ranges)
    visits = max(1, core.pairs // core.groups)
    walk.cool(min(_MOVES_PER_GROUP * core.groups, _VISITS // visits), stop)
    plan = walk.best.renumbered(number)
    group = shelf.number[plan.group]
    return Assignment(plan.type, group, plan.count, float(lattice.cost[group] @ plan.count))


def _values(lattice: Lattice, cost: np.ndarray, prices: np.ndarray) -> np.ndarray:
    """float64 [G]: the dual value of each group per record of k; 0 for groups that pay."""
    slack = np.full(lattice.groups, -1.0)
    kernels.relax(
        cost, lattice.start, lattice.member, lattice.counts, lattice.k, prices, slack, 0.0,
        np.empty(len(prices)), np.empty(lattice.groups), np.empty(len(prices) + 1, dtype=np.int32),
    )  # fmt: skip
    values: np.ndarray = np.maximum(slack, 0.0)
    return values
