"""The best assignment to given open groups: a transportation problem, whose vertices are whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

import highspy
import numpy as np

from diva.solve.lattice.state import Assignment
from diva.solve.patience import run_until

if TYPE_CHECKING:
    from collections.abc import Callable

    from diva.lattice.groups import Lattice


_REACH = 2.0
"""How many typical stars above the dearest of its groups a type may be sent."""


def reassign(lattice: Lattice, assignment: Assignment, stop: Callable[[], bool] | None = None) -> Assignment:
    """Return the cheapest assignment to the same groups, each of which keeps at least k members.

    Groups that cost much more than those a type is in now aren't offered to it. A group that is better closed stays
    open: that is the search's business. Where `stop` says so before it is done, the assignment stays as it is.
    """
    dearest = np.zeros(len(lattice.counts))
    np.maximum.at(dearest, assignment.type, lattice.cost[assignment.group])
    better = assign(
        lattice,
        assignment.open(lattice.groups),
        dearest + _REACH * max(1.0, lattice.cost[-1] / lattice.patterns.shape[1]),
        stop,
    )
    return better if better is not None and better.cost < assignment.cost else assignment


def assign(
    lattice: Lattice,
    opened: np.ndarray,
    limit: np.ndarray | None = None,
    stop: Callable[[], bool] | None = None,
) -> Assignment | None:
    """Return the cheapest assignment in which exactly the given groups are open, or None where there is none.

    `limit` says how much a record of each type may cost. The constraint matrix is the incidence of a bipartite graph,
    so an optimal vertex is integral; it is checked in whole numbers all the same.
    """
    chosen = opened[lattice.group]
    owner = np.repeat(np.arange(len(lattice.counts)), np.diff(lattice.type_start))
    if limit is not None:
        chosen &= lattice.cost[lattice.group] <= limit[owner]
    types, groups = owner[chosen], lattice.group[chosen].astype(np.int64)
    found = _solve(lattice, types, groups, opened, stop)
    if found is None:
        return None
    count = np.rint(found).astype(np.int64)
    some = count > 0
    plan = Assignment(types[some], groups[some], count[some], float((lattice.cost[groups] * count).sum()))
    return plan if holds(lattice, plan) else None


def _solve(
    lattice: Lattice,
    types: np.ndarray,
    groups: np.ndarray,
    opened: np.ndarray,
    stop: Callable[[], bool] | None,
) -> np.ndarray | None:
    D, G, n = len(lattice.counts), int(opened.sum()), len(types)
    number = np.cumsum(opened) - 1
    model = highspy.HighsLp()
    model.num_col_, model.num_row_ = n, D + G
    model.col_cost_ = lattice.cost[groups]
    model.col_lower_, model.col_upper_ = np.zeros(n), lattice.counts[types].astype(np.float64)
    model.row_lower_ = np.concatenate([lattice.counts, np.full(G, lattice.k)]).astype(np.float64)
    model.row_upper_ = np.concatenate([lattice.counts.astype(np.float64), np.full(G, np.inf)])
    model.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    model.a_matrix_.start_ = np.arange(n + 1, dtype=np.int32) * 2
    model.a_matrix_.index_ = np.column_stack([types, D + number[groups]]).ravel().astype(np.int32)
    model.a_matrix_.value_ = np.ones(2 * n)
    highs = highspy.Highs()
    for option, setting in (("output_flag", False), ("threads", 1), ("random_seed", 0)):
        highs.setOptionValue(option, setting)
    highs.passModel(model)
    run_until(highs, stop)
    if highs.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        return None
    return np.array(highs.getSolution().col_value)


def holds(lattice: Lattice, assignment: Assignment) -> bool:
    """Whether everybody is published once and every group has k members, in whole numbers."""
    published = np.zeros(len(lattice.counts), dtype=np.int64)
    np.add.at(published, assignment.type, assignment.count)
    sizes = np.zeros(lattice.groups, dtype=np.int64)
    np.add.at(sizes, assignment.group, assignment.count)
    return np.array_equal(published, lattice.counts) and bool(((sizes == 0) | (sizes >= lattice.k)).all())
