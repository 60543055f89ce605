"""The best assignment to given open groups under Σ: a transportation problem with a side constraint for each range.

What a range is missed by costs a high price instead of being forbidden, so there is always an answer. Side constraints
break the integrality of the transportation problem, in few places: the answer is rounded only where it is whole.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import highspy
import numpy as np

from diva.solve.lattice.state import Assignment

if TYPE_CHECKING:
    from diva.lattice.groups import Lattice
    from diva.solve.diverse.sigma import Sigma

_WHOLE = 1e-6


def assign_under(
    lattice: Lattice, sigma: Sigma, opened: np.ndarray, price: float, *, seconds: float
) -> Assignment | None:
    """Return the cheapest assignment in which exactly the given groups are open; None where none was found whole."""
    chosen = opened[lattice.group]
    types = np.repeat(np.arange(len(lattice.counts)), np.diff(lattice.type_start))[chosen]
    groups = lattice.group[chosen].astype(np.int64)
    model = _model(lattice, sigma, opened, types, groups, price)
    found = _solve(model, seconds)
    if found is not None and not _is_whole(found[: len(types)]):
        model.integrality_ = [highspy.HighsVarType.kInteger] * model.num_col_
        found = _solve(model, seconds)
    if found is None or not _is_whole(found[: len(types)]):
        return None
    count = np.rint(found[: len(types)]).astype(np.int64)
    some = count > 0
    return Assignment(types[some], groups[some], count[some], float(lattice.cost[groups] @ count))


def _is_whole(x: np.ndarray) -> bool:
    return bool((np.abs(x - np.rint(x)) <= _WHOLE).all())


def _model(
    lattice: Lattice, sigma: Sigma, opened: np.ndarray, types: np.ndarray, groups: np.ndarray, price: float
) -> highspy.HighsLp:
    """Columns: a record of type t in group g; then for each σ how many records are missing, and how many too many."""
    D, open_groups, n = len(lattice.counts), int(opened.sum()), len(types)
    counts_for = sigma.preserves[groups] & sigma.met[types]
    many = counts_for.shape[1]
    number = np.cumsum(opened) - 1
    model = highspy.HighsLp()
    model.num_col_, model.num_row_ = n + 2 * many, D + open_groups + many
    model.col_cost_ = np.concatenate([lattice.cost[groups], np.full(2 * many, price)])
    model.col_lower_ = np.zeros(n + 2 * many)
    model.col_upper_ = np.concatenate([lattice.counts[types], np.full(2 * many, np.inf)]).astype(np.float64)
    model.row_lower_ = np.concatenate([lattice.counts, np.full(open_groups, lattice.k), sigma.low]).astype(
        np.float64
    )
    model.row_upper_ = np.concatenate([lattice.counts, np.full(open_groups, np.inf), sigma.high]).astype(
        np.float64
    )
    rows, of_sigma = np.nonzero(counts_for)
    column = np.concatenate([np.arange(n), np.arange(n), rows, n + np.arange(2 * many)])
    row = np.concatenate(
        [types, D + number[groups], D + open_groups + of_sigma, np.tile(D + open_groups + np.arange(many), 2)]
    )
    value = np.ones(len(column))
    value[len(column) - many :] = -1.0
    order = np.lexsort((row, column))
    model.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    model.a_matrix_.start_ = np.searchsorted(column[order], np.arange(n + 2 * many + 1)).astype(np.int32)
    model.a_matrix_.index_ = row[order].astype(np.int32)
    model.a_matrix_.value_ = value[order]
    return model


def _solve(model: highspy.HighsLp, seconds: float) -> np.ndarray | None:
    highs = highspy.Highs()
    for option, setting in (
        ("output_flag", False),
        ("threads", 1),
        ("random_seed", 0),
        ("time_limit", seconds),
    ):
        highs.setOptionValue(option, setting)
    highs.passModel(model)
    highs.run()
    solution = highs.getSolution()
    return np.array(solution.col_value) if solution.value_valid else None
