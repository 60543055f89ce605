"""A region of the problem, or all of it, solved to optimality as a mixed integer programme.

    minimise   Σ cost_g·x[t,g]
    such that  Σ_g x[t,g] = c_t                          the region's records are published
               b_g + Σ_t x[t,g] ≥ k·y_g                  b_g records from outside the region stay in g
               x[t,g] ≤ c_t·y_g                          strong: its linear relaxation is the Lagrangian bound

y_g is 1 where b_g > 0. With y fixed the matrix is a bipartite incidence matrix, so x needn't be declared whole.
"""

from __future__ import annotations

from dataclasses import dataclass

import highspy
import numpy as np


@dataclass(frozen=True)
class Region:
    """Types that may be assigned anew, and the groups they may go to."""

    cost: np.ndarray
    """float64 [G]"""
    outside: np.ndarray
    """int64 [G]: b_g."""
    counts: np.ndarray
    """int64 [T]: c_t."""
    type: np.ndarray
    """int64 [P]: the pairs, by type."""
    group: np.ndarray
    """int64 [P]"""
    k: int
    now: np.ndarray
    """int64 [P]: how many records of the pair there are at present."""


@dataclass(frozen=True)
class Answer:
    """What the programme found."""

    open: np.ndarray
    """bool [G]: the groups to open."""
    cost: float
    bound: float
    """No assignment of the region is cheaper."""


def solve_region(region: Region, *, seconds: float, tolerance: float, seed: int = 0) -> Answer | None:
    """Solve within a time; `tolerance` is a difference in cost that doesn't matter. None when nothing was found."""
    highs = highspy.Highs()
    options = {
        "output_flag": False,
        "threads": 1,
        "random_seed": seed,
        "time_limit": seconds,
        "mip_rel_gap": 0.0,
        "mip_abs_gap": tolerance,
    }
    for option, setting in options.items():
        highs.setOptionValue(option, setting)
    highs.passModel(_model(region))
    start = highspy.HighsSolution()
    start.col_value = _present(region)
    highs.setSolution(start)
    highs.run()
    info = highs.getInfo()
    solution = highs.getSolution()
    if not solution.value_valid:
        return None
    values = np.array(solution.col_value)
    opened = values[len(region.type) :] > 0.5
    return Answer(opened, float(info.objective_function_value), float(info.mip_dual_bound))


def _present(region: Region) -> list[float]:
    """The present assignment as a solution to start from."""
    opened = region.outside > 0
    opened[region.group[region.now > 0]] = True
    return [*region.now.astype(float).tolist(), *opened.astype(float).tolist()]


def _model(region: Region) -> highspy.HighsLp:
    P, T, G = len(region.type), len(region.counts), len(region.cost)
    must = region.outside > 0
    switched = np.flatnonzero(~must[region.group])
    model = highspy.HighsLp()
    model.num_col_, model.num_row_ = P + G, T + G + len(switched)
    model.col_cost_ = np.concatenate([region.cost[region.group], np.zeros(G)])
    model.col_lower_ = np.concatenate([np.zeros(P), must.astype(np.float64)])
    model.col_upper_ = np.concatenate([region.counts[region.type].astype(np.float64), np.ones(G)])
    infinite = np.inf
    model.row_lower_ = np.concatenate(
        [region.counts, np.where(must, region.k - region.outside, 0), np.full(len(switched), -infinite)]
    ).astype(np.float64)
    model.row_upper_ = np.concatenate([region.counts, np.full(G, infinite), np.zeros(len(switched))]).astype(
        np.float64
    )
    free = np.flatnonzero(~must)
    pairs = np.arange(P)
    rows = np.concatenate(
        [
            region.type,
            T + region.group,
            T + free,
            T + G + np.arange(len(switched)),
            T + G + np.arange(len(switched)),
        ]
    )
    columns = np.concatenate([pairs, pairs, P + free, switched, P + region.group[switched]])
    values = np.concatenate(
        [
            np.ones(P),
            np.ones(P),
            np.full(len(free), -float(region.k)),
            np.ones(len(switched)),
            -region.counts[region.type[switched]].astype(np.float64),
        ]
    )
    order = np.lexsort((rows, columns))
    model.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    model.a_matrix_.start_ = np.concatenate([[0], np.cumsum(np.bincount(columns, minlength=P + G))]).astype(
        np.int32
    )
    model.a_matrix_.index_ = rows[order].astype(np.int32)
    model.a_matrix_.value_ = values[order]
    kinds = (highspy.HighsVarType.kContinuous, highspy.HighsVarType.kInteger)
    model.integrality_ = [kinds[0]] * P + [kinds[1]] * G
    return model
