"""The search under Σ.

1. Ascend the dual with a price for every constraint        (`ascent`)       a lower bound under Σ, and the prices
2. Walk at these prices, where missing a range costs too    (`penalised`)
3. Assign the records to the open groups under Σ            (`transport`)
4. Where Σ still doesn't hold, go on walking at a higher penalty, and assign again
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from diva.solve.diverse.ascent import values
from diva.solve.diverse.penalised import PenalisedWalk
from diva.solve.diverse.pricing import priced
from diva.solve.diverse.regions import mend
from diva.solve.diverse.transport import assign_under
from diva.solve.lattice.greedy import by_value, roots
from diva.solve.lattice.state import Assignment, Ranges
from diva.solve.lattice.transport import holds

if TYPE_CHECKING:
    from collections.abc import Callable

    from diva.lattice.groups import Lattice
    from diva.solve.diverse.ascent import PricedAscent
    from diva.solve.diverse.sigma import Sigma

_CORE = 0.5
_MOVES_PER_GROUP = 120
_MOST_MOVES = 400_000
_SMALL = 400_000_000
"""Moves times pairs that even small lattices get."""
_VISITS = 40_000_000
_HOT, _COLD = 3.0, 0.35
_ROUNDS = 3
"""How often a walk that missed Σ goes on, each time at higher penalties."""
_ROUNDS_OF_SMALL = 16
SMALL = 4_000
"""Lattices with at most so many pairs are walked that often in any case: the best of many walks is better."""
PRICE = 20.0
"""What it costs when records are assigned to open groups."""


@dataclass(frozen=True)
class Core:
    """The groups of small dual value, in the order of their priced costs, and how they are numbered in the lattice."""

    lattice: Lattice
    number: np.ndarray
    """int64 [G']"""
    start: Assignment
    """A plan on the core."""

    def whole(self, plan: Assignment, cost: np.ndarray) -> Assignment:
        """A plan of the core as one of the lattice, whose groups have the given costs."""
        group = self.number[plan.group]
        return Assignment(plan.type, group, plan.count, float((cost[group] * plan.count).sum()))


def search_under(
    lattice: Lattice, sigma: Sigma, ascent: PricedAscent, *, scale: float, seed: int, stop: Callable[[], bool]
) -> Assignment:
    """Return a plan that satisfies Σ; where none was found, one that misses it by little.

    On a part of the lattice it may be that no plan is known at all: then groups of what is returned lack members.
    """
    core = core_at(lattice, ascent, scale)
    on_core = sigma.on(core.number)
    ranges = Ranges(on_core.preserves, on_core.met, on_core.low, on_core.high, np.zeros(len(sigma.low)))
    walk = PenalisedWalk(core.lattice, core.start, ranges, seed=seed, scale=scale)
    visits = max(1, core.lattice.pairs // core.lattice.groups)
    least = min(_MOST_MOVES, _SMALL // core.lattice.pairs)
    moves = min(max(least, _MOVES_PER_GROUP * core.lattice.groups), _VISITS // visits)
    price = PRICE * scale
    rounds = _ROUNDS_OF_SMALL if lattice.pairs <= SMALL else _ROUNDS
    best = core.whole(core.start, lattice.cost)
    for again in range(rounds):
        if again:
            walk.cool(moves // 4, _HOT, _COLD, stop, strict=2.0 ** (1 + (again - 1) % _ROUNDS))
        else:
            walk.cool(moves, _HOT, _COLD, stop)
        plans = [walk.plan()] if walk.kept is None else [walk.plan(), walk.kept]
        settled = [_settled(lattice, sigma, core.whole(plan, lattice.cost), price, stop) for plan in plans]
        best = min([*settled, best], key=lambda plan: rank(lattice, sigma, plan, price))
        last = stop() or again == rounds - 1
        if sigma.missed(best) and not stop() and (last or rounds == _ROUNDS):
            best = _mended(lattice, sigma, core, best, price, stop)
        if last or (rounds == _ROUNDS and not sigma.missed(best)):
            break
    return best


def rank(lattice: Lattice, sigma: Sigma, plan: Assignment, price: float) -> tuple[bool, bool, float]:
    """The least is best: plans with k in every group first, then those that satisfy Σ, then cheap ones."""
    return not holds(lattice, plan), bool(sigma.missed(plan)), sigma.cost(plan, price)


def core_at(lattice: Lattice, ascent: PricedAscent, scale: float) -> Core:
    """Keep the groups whose dual value is small at the prices of the ascent."""
    cost = ascent.costs(ascent.prices)
    value = values(lattice, cost, ascent.type_prices)
    shelf = priced(lattice, cost)
    start = by_value(shelf.lattice, value[shelf.number])
    kept = (value[shelf.number] <= _CORE * scale) | start.open(lattice.groups)
    kept[roots(shelf.lattice)] = True
    return Core(
        shelf.lattice.restricted(kept),
        shelf.number[np.flatnonzero(kept)],
        start.renumbered(np.cumsum(kept) - 1),
    )


def _settled(
    lattice: Lattice, sigma: Sigma, plan: Assignment, price: float, stop: Callable[[], bool]
) -> Assignment:
    """The best assignment under Σ to the groups that a plan opens; the plan itself once the time is up."""
    if stop():
        return plan
    other = assign_under(lattice, sigma, plan, price, stop)
    plans = [plan] if other is None else [plan, other]
    return min(plans, key=lambda one: rank(lattice, sigma, one, price))


def _mended(
    lattice: Lattice, sigma: Sigma, core: Core, plan: Assignment, price: float, stop: Callable[[], bool]
) -> Assignment:
    """Open other groups where those that a plan opens can't satisfy Σ."""
    near = plan.open(lattice.groups)
    near[core.number] = True
    number = np.flatnonzero(near)
    part, on_part = lattice.restricted(near), sigma.on(number)
    mended = mend(part, on_part, plan.renumbered(np.cumsum(near) - 1), price, stop).renumbered(number)
    return _settled(lattice, sigma, mended, price, stop)
