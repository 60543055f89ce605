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
from diva.solve.lattice.greedy import by_value, root
from diva.solve.lattice.state import Assignment, Ranges

if TYPE_CHECKING:
    from collections.abc import Callable

    from diva.lattice.groups import Lattice
    from diva.solve.diverse.ascent import PricedAscent
    from diva.solve.diverse.sigma import Sigma

_CORE = 0.5
_MOVES_PER_GROUP = 80
_VISITS = 50_000_000
PENALTY = 0.15
"""What missing a range by a record costs while the search walks, in typical stars."""
PRICE = 20.0
"""What it costs when records are assigned to open groups."""


def search_under(
    lattice: Lattice, sigma: Sigma, ascent: PricedAscent, *, scale: float, seed: int, stop: Callable[[], bool]
) -> Assignment | None:
    """Return a plan that satisfies Σ, or None where none was found."""
    plan = _walk(lattice, sigma, ascent, scale, seed, stop)
    for _ in range(4):
        better = assign_under(lattice, sigma, plan.open(lattice.groups), PRICE * scale, seconds=10.0)
        plan = better or plan
        if not sigma.violation(sigma.of(plan)).any():
            return plan
        finish = Finish(lattice, sigma, plan)
        done = finish.run(stop)
        plan = finish.plan()
        if done:
            better = assign_under(lattice, sigma, plan.open(lattice.groups), PRICE * scale, seconds=10.0)
            if better is not None and not sigma.violation(sigma.of(better)).any() and better.cost < plan.cost:
                return better
            return plan
    return None


def _walk(
    lattice: Lattice, sigma: Sigma, ascent: PricedAscent, scale: float, seed: int, stop: Callable[[], bool]
) -> Assignment:
    """Open, close and swap groups at the prices of the dual, on the groups whose dual value is small."""
    cost = ascent.costs(ascent.prices)
    value = _values(lattice, cost, ascent.type_prices)
    shelf = priced(lattice, cost)
    start = by_value(shelf.lattice, value[shelf.number])
    kept = (value[shelf.number] <= _CORE * scale) | start.open(lattice.groups)
    kept[root(shelf.lattice)] = True
    core, number = shelf.lattice.restricted(kept), np.flatnonzero(kept)
    on_core = sigma.on(shelf.number[number])
    ranges = Ranges(
        on_core.preserves, on_core.met, on_core.low, on_core.high, np.full(len(sigma.low), PENALTY * scale)
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
