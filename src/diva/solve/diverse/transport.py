"""The best assignment to given open groups under Σ: a transportation problem with a side constraint for each range.

What a range is missed by costs a high price instead of being forbidden, so there is always an answer. Side constraints
break the integrality of the transportation problem, in few places: only the types that it leaves in parts, and some
others as room to move, are assigned anew in whole records.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import highspy
import numpy as np

from diva.relation.types import distinct_rows
from diva.solve.lattice.state import Assignment
from diva.solve.patience import run_until

if TYPE_CHECKING:
    from collections.abc import Callable

    from diva.lattice.groups import Lattice
    from diva.solve.diverse.sigma import Sigma

_WHOLE = 1e-6
_REACH = 2.0
"""How many typical stars above the dearest of its groups a type may be sent."""
_ROOM = (100, 400, 1_600)
"""How many types besides those in parts may be assigned anew, one attempt after the other."""
_NODES = 400
"""Nodes that such an attempt may take: a limit in seconds would not repeat."""


@dataclass(frozen=True)
class _Offers:
    """Records of some types and the open groups that they may go to, beside records that stay where they are."""

    type: np.ndarray
    """int64 [n]: the type of each offer."""
    group: np.ndarray
    """int64 [n]: the group of each offer."""
    counts_for: np.ndarray
    """bool [n, Σ]"""
    records: np.ndarray
    """int64 [D]: the records of each type that are to be assigned."""
    least: np.ndarray
    """int64 [G]: how many of them each group needs at least."""
    low: np.ndarray
    """int64 [Σ]: how many of them must count for each constraint; may be negative."""
    high: np.ndarray
    """int64 [Σ]"""


def assign_under(
    lattice: Lattice, sigma: Sigma, plan: Assignment, price: float, stop: Callable[[], bool]
) -> Assignment | None:
    """Return the cheapest assignment to the groups that a plan opens, or None where none was found whole, or in time.

    Every record that a constraint is missed by costs `price`.
    """
    offers = _all_offers(lattice, sigma, plan, _REACH * price_of_star(lattice))
    found = _solve(lattice, offers, price, stop, whole=False)
    if found is None:
        return None
    parts = np.abs(found - np.rint(found)) > _WHOLE
    count = np.rint(found).astype(np.int64)
    if parts.any():
        repaired = _in_whole(lattice, offers, found, np.unique(offers.type[parts]), price, stop)
        if repaired is None:
            return None
        count = repaired
    some = count > 0
    type_, group = offers.type[some], offers.group[some]
    return Assignment(type_, group, count[some], float((lattice.cost[group] * count[some]).sum()))


def price_of_star(lattice: Lattice) -> float:
    """What a typical star costs."""
    dearest = float(lattice.cost[-1]) - min(0.0, float(lattice.cost[0]))
    return max(1e-9, dearest / int(lattice.patterns.shape[1]))


def _all_offers(lattice: Lattice, sigma: Sigma, plan: Assignment, reach: float) -> _Offers:
    opened = plan.open(lattice.groups)
    dearest = np.full(len(lattice.counts), -np.inf)
    np.maximum.at(dearest, plan.type, lattice.cost[plan.group])
    owner = np.repeat(np.arange(len(lattice.counts)), np.diff(lattice.type_start))
    chosen = opened[lattice.group] & (lattice.cost[lattice.group] <= (dearest + reach)[owner])
    chosen |= _cheapest_of_each_kind(lattice, sigma, opened, owner)
    type_, group = owner[chosen], lattice.group[chosen].astype(np.int64)
    least = np.where(opened, lattice.k, 0)
    counts_for = sigma.preserves[group] & sigma.met[type_]
    return _Offers(type_, group, counts_for, lattice.counts, least, sigma.low, sigma.high)


def _cheapest_of_each_kind(
    lattice: Lattice, sigma: Sigma, opened: np.ndarray, owner: np.ndarray
) -> np.ndarray:
    """Bool [P]: for each type and each set of constraints that its open groups preserve, the cheapest of these groups."""
    first, kind = distinct_rows(sigma.preserves.astype(np.int32))
    place = np.flatnonzero(opened[lattice.group])
    _, cheapest = np.unique(owner[place] * len(first) + kind[lattice.group[place]], return_index=True)
    chosen = np.zeros(len(owner), dtype=bool)
    chosen[place[cheapest]] = True
    return chosen


def _in_whole(
    lattice: Lattice,
    offers: _Offers,
    found: np.ndarray,
    types: np.ndarray,
    price: float,
    stop: Callable[[], bool],
) -> np.ndarray | None:
    """Assign some types anew in whole records while the others keep what the relaxation gave them."""
    among = np.bincount(offers.type)[offers.type] > 1
    others = np.setdiff1d(np.unique(offers.type[among]), types)
    random = np.random.default_rng(0)
    best: np.ndarray | None = None
    for room in _ROOM:
        free = np.zeros(len(lattice.counts), dtype=bool)
        free[types] = True
        free[random.permutation(others)[:room]] = True
        mine = free[offers.type]
        count = np.where(mine, 0, np.rint(found)).astype(np.int64)
        held = np.bincount(offers.group, weights=count, minlength=lattice.groups).astype(np.int64)
        counted = (offers.counts_for * count[:, None]).sum(axis=0)
        part = _Offers(
            offers.type[mine],
            offers.group[mine],
            offers.counts_for[mine],
            np.where(free, offers.records, 0),
            np.maximum(0, offers.least - held),
            offers.low - counted,
            offers.high - counted,
        )
        anew = _solve(lattice, part, price, stop, whole=True)
        if anew is None:
            continue
        count[mine] = np.rint(anew).astype(np.int64)
        best = count
        published = counted + (part.counts_for * count[mine][:, None]).sum(axis=0)
        if ((published >= offers.low) & (published <= offers.high)).all() or room >= len(others):
            break
    return best


def _solve(
    lattice: Lattice, offers: _Offers, price: float, stop: Callable[[], bool], *, whole: bool
) -> np.ndarray | None:
    """Columns: the offers; then for each σ how many records are missing, and how many too many."""
    n, many = len(offers.type), len(offers.low)
    types, groups = np.flatnonzero(offers.records), np.flatnonzero(offers.least)
    # Groups without a need of their own have no row.
    row_of_type = np.full(len(offers.records), -1)
    row_of_type[types] = np.arange(len(types))
    row_of_group = np.full(lattice.groups, -1)
    row_of_group[groups] = len(types) + np.arange(len(groups))
    sigma = len(types) + len(groups)
    needing = np.flatnonzero(row_of_group[offers.group] >= 0)
    counting, of_sigma = np.nonzero(offers.counts_for)
    column = np.concatenate([np.arange(n), needing, counting, n + np.arange(2 * many)])
    row = np.concatenate(
        [
            row_of_type[offers.type],
            row_of_group[offers.group[needing]],
            sigma + of_sigma,
            np.tile(sigma + np.arange(many), 2),
        ]
    )
    value = np.ones(len(column))
    value[len(column) - many :] = -1.0
    order = np.lexsort((row, column))
    model = highspy.HighsLp()
    model.num_col_, model.num_row_ = n + 2 * many, sigma + many
    model.col_cost_ = np.concatenate([lattice.cost[offers.group], np.full(2 * many, price)])
    model.col_lower_ = np.zeros(n + 2 * many)
    model.col_upper_ = np.concatenate([offers.records[offers.type].astype(float), np.full(2 * many, np.inf)])
    records = offers.records[types].astype(float)
    needs = offers.least[groups].astype(float)
    model.row_lower_ = np.concatenate([records, needs, offers.low.astype(float)])
    model.row_upper_ = np.concatenate([records, np.full(len(needs), np.inf), offers.high.astype(float)])
    model.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    model.a_matrix_.start_ = np.searchsorted(column[order], np.arange(n + 2 * many + 1)).astype(np.int32)
    model.a_matrix_.index_ = row[order].astype(np.int32)
    model.a_matrix_.value_ = value[order]
    if whole:
        model.integrality_ = [highspy.HighsVarType.kInteger] * model.num_col_
    found = _run(model, stop)
    return None if found is None else found[:n]


def _run(model: highspy.HighsLp, stop: Callable[[], bool]) -> np.ndarray | None:
    highs = highspy.Highs()
    options = {"output_flag": False, "threads": 1, "random_seed": 0, "mip_max_nodes": _NODES}
    for option, setting in options.items():
        highs.setOptionValue(option, setting)
    highs.passModel(model)
    run_until(highs, stop)
    if highs.getModelStatus() == highspy.HighsModelStatus.kInterrupt:
        return None
    solution = highs.getSolution()
    return np.array(solution.col_value) if solution.value_valid else None
