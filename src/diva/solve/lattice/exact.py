"""A region of the problem, or all of it, solved to optimality as a mixed integer programme.

    minimise   Σ cost_g·x[t,g]
    such that  Σ_g x[t,g] = c_t                          the region's records are published
               b_g + Σ_t x[t,g] ≥ k·y_g                  b_g records from outside the region stay in g
               x[t,g] ≤ c_t·y_g                          strong: its linear relaxation is the Lagrangian bound
               low_σ ≤ Σ x[t,g] over the pairs that count for σ ≤ high_σ         under Σ only, or at a price

y_g is 1 where b_g > 0. With y fixed the matrix is a bipartite incidence matrix, so x needn't be declared whole, unless
there is a Σ.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import highspy
import numpy as np

from diva.solve.patience import run_until

if TYPE_CHECKING:
    from collections.abc import Callable


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
class Sides:
    """What a region may publish for each constraint of Σ."""

    counts: np.ndarray
    """bool [P, Σ]: which pairs count for which constraint."""
    low: np.ndarray
    """int64 [Σ]"""
    high: np.ndarray
    """int64 [Σ]"""
    price: float
    """What every record costs by which a range is missed; infinite where none may be missed."""


@dataclass(frozen=True)
class Limits:
    """When to stop."""

    seconds: float
    tolerance: float
    """A difference in cost that doesn't matter."""
    nodes: int | None = None
    """Nodes of the search tree; a solver that stops for this reason answers the same every time."""
    stop: Callable[[], bool] | None = None
    """Asked now and then whether to stop."""


@dataclass(frozen=True)
class Answer:
    """What the programme found."""

    open: np.ndarray
    """bool [G]: the groups to open."""
    count: np.ndarray
    """int64 [P]: the records of each pair, rounded."""
    cost: float
    bound: float
    """No assignment of the region is cheaper."""
    proven: bool
    """Whether none is cheaper by more than the tolerance."""


def solve_region(region: Region, limits: Limits, sides: Sides | None = None) -> Answer | None:
    """Solve within limits; None when nothing was found."""
    highs = highspy.Highs()
    options = {
        "output_flag": False,
        "threads": 1,
        "random_seed": 0,
        "time_limit": limits.seconds,
        "mip_rel_gap": 0.0,
        "mip_abs_gap": limits.tolerance,
    }
    if limits.nodes is not None:
        options["mip_max_nodes"] = limits.nodes
    for option, setting in options.items():
        highs.setOptionValue(option, setting)
    highs.passModel(_model(region, sides))
    start = highspy.HighsSolution()
    start.col_value = _present(region, sides)
    highs.setSolution(start)
    run_until(highs, limits.stop)
    info = highs.getInfo()
    solution = highs.getSolution()
    if not solution.value_valid:
        return None
    values = np.array(solution.col_value)
    pairs = len(region.type)
    count = np.rint(values[:pairs]).astype(np.int64)
    opened = values[pairs : pairs + len(region.cost)] > 0.5
    proven = highs.getModelStatus() == highspy.HighsModelStatus.kOptimal
    return Answer(opened, count, float(info.objective_function_value), float(info.mip_dual_bound), proven)


def _present(region: Region, sides: Sides | None) -> list[float]:
    """The present assignment as a solution to start from."""
    opened = region.outside > 0
    opened[region.group[region.now > 0]] = True
    now = [*region.now.astype(float).tolist(), *opened.astype(float).tolist()]
    if sides is None:
        return now
    counted = (sides.counts * region.now[:, None]).sum(axis=0)
    missing, excess = np.maximum(sides.low - counted, 0), np.maximum(counted - sides.high, 0)
    if math.isinf(sides.price):
        missing, excess = np.zeros_like(missing), np.zeros_like(excess)
    return [*now, *missing.astype(float).tolist(), *excess.astype(float).tolist()]


def _model(region: Region, sides: Sides | None) -> highspy.HighsLp:
    """Rows: the types, the groups, the switches of pairs in groups that may be closed, Σ.

    Columns: pairs, groups, and for each σ how many records are missing, and how many too many.
    """
    P, T, G = len(region.type), len(region.counts), len(region.cost)
    sides = sides or Sides(np.zeros((P, 0), dtype=bool), np.zeros(0), np.zeros(0), 0.0)
    many = len(sides.low)
    price, most_missed = (0.0, 0.0) if math.isinf(sides.price) else (sides.price, math.inf)
    must = region.outside > 0
    free, switched = np.flatnonzero(~must), np.flatnonzero(~must[region.group])
    last = T + G + len(switched)
    model = highspy.HighsLp()
    model.num_col_, model.num_row_ = P + G + 2 * many, last + many
    model.col_cost_ = np.concatenate([region.cost[region.group], np.zeros(G), np.full(2 * many, price)])
    model.col_lower_ = np.concatenate([np.zeros(P), must, np.zeros(2 * many)]).astype(np.float64)
    most = [region.counts[region.type], np.ones(G), np.full(2 * many, most_missed)]
    model.col_upper_ = np.concatenate(most).astype(np.float64)
    needed = np.where(must, region.k - region.outside, 0)
    unbounded = np.full(len(switched), -np.inf)
    model.row_lower_ = np.concatenate([region.counts, needed, unbounded, sides.low]).astype(np.float64)
    model.row_upper_ = np.concatenate(
        [region.counts, np.full(G, np.inf), np.zeros(len(switched)), sides.high]
    ).astype(np.float64)
    pairs, switch = np.arange(P), T + G + np.arange(len(switched))
    counting, of_sigma = np.nonzero(sides.counts)
    upto = region.counts[region.type[switched]].astype(np.float64)
    slack = P + G + np.arange(many)
    entries = [
        (region.type, pairs, np.ones(P)),
        (T + region.group, pairs, np.ones(P)),
        (T + free, P + free, np.full(len(free), -float(region.k))),
        (switch, switched, np.ones(len(switched))),
        (switch, P + region.group[switched], -upto),
        (last + of_sigma, counting, np.ones(len(counting))),
        (last + np.arange(many), slack, np.ones(many)),
        (last + np.arange(many), slack + many, -np.ones(many)),
    ]
    rows, columns, values = (np.concatenate(parts) for parts in zip(*entries, strict=True))
    order = np.lexsort((rows, columns))
    model.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    starts = np.searchsorted(columns[order], np.arange(model.num_col_ + 1))
    model.a_matrix_.start_ = starts.astype(np.int32)
    model.a_matrix_.index_ = rows[order].astype(np.int32)
    model.a_matrix_.value_ = values[order]
    kinds = (highspy.HighsVarType.kContinuous, highspy.HighsVarType.kInteger)
    model.integrality_ = [kinds[many > 0]] * P + [kinds[1]] * G + [kinds[0]] * (2 * many)
    return model
