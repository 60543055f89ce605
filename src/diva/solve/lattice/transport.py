"""The best assignment to given open groups: a transportation problem, whose vertices are whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

import highspy
import numpy as np

from diva.solve.lattice.state import Assignment

if TYPE_CHECKING:
    from diva.lattice.groups import Lattice


def reassign(lattice: Lattice, assignment: Assignment) -> Assignment:
    """Return the cheapest assignment to the same groups, each of which keeps at least k members.

    A group that is better closed stays open: that is the search's business. The constraint matrix is the incidence
    of a bipartite graph, so an optimal vertex is integral; it is checked in whole numbers all the same, and where
    HiGHS gives up the assignment is returned as it was.
    """
    opened = assignment.open(lattice.groups)
    chosen = opened[lattice.group]
    types = np.repeat(np.arange(len(lattice.counts)), np.diff(lattice.type_start))[chosen]
    groups = lattice.group[chosen].astype(np.int64)
    found = _solve(lattice, types, groups, opened)
    if found is None:
        return assignment
    count = np.rint(found).astype(np.int64)
    some = count > 0
    better = Assignment(types[some], groups[some], count[some], float(lattice.cost[groups] @ count))
    return better if better.cost < assignment.cost and _holds(lattice, better) else assignment


def _solve(lattice: Lattice, types: np.ndarray, groups: np.ndarray, opened: np.ndarray) -> np.ndarray | None:
    D, O, n = len(lattice.counts), int(opened.sum()), len(types)
    number = np.cumsum(opened) - 1
    model = highspy.HighsLp()
    model.num_col_, model.num_row_ = n, D + O
    model.col_cost_ = lattice.cost[groups]
    model.col_lower_, model.col_upper_ = np.zeros(n), lattice.counts[types].astype(np.float64)
    model.row_lower_ = np.concatenate([lattice.counts, np.full(O, lattice.k)]).astype(np.float64)
    model.row_upper_ = np.concatenate([lattice.counts.astype(np.float64), np.full(O, np.inf)])
    model.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    model.a_matrix_.start_ = np.arange(n + 1, dtype=np.int32) * 2
    model.a_matrix_.index_ = np.column_stack([types, D + number[groups]]).ravel().astype(np.int32)
    model.a_matrix_.value_ = np.ones(2 * n)
    highs = highspy.Highs()
    for option, setting in (("output_flag", False), ("threads", 1), ("random_seed", 0)):
        highs.setOptionValue(option, setting)
    highs.passModel(model)
    highs.run()
    if highs.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        return None
    return np.array(highs.getSolution().col_value)


def _holds(lattice: Lattice, assignment: Assignment) -> bool:
    """Whether everybody is published once and every group has k members, in whole numbers."""
    published = np.zeros(len(lattice.counts), dtype=np.int64)
    np.add.at(published, assignment.type, assignment.count)
    sizes = np.zeros(lattice.groups, dtype=np.int64)
    np.add.at(sizes, assignment.group, assignment.count)
    return np.array_equal(published, lattice.counts) and bool(((sizes == 0) | (sizes >= lattice.k)).all())
