"""Integer programmes, built row by row and solved exactly by HiGHS."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import highspy
import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

INFINITY = float("inf")


class ProgrammeError(RuntimeError):
    """HiGHS could not finish: neither a solution nor a proof that there is none."""


@dataclass(slots=True)
class Programme:
    """min c·x subject to row bounds, every x a whole number unless said otherwise.

    Solutions are rounded and checked against every row in whole numbers, so a returned solution is exact
    however the solver's tolerances fell.
    """

    _low: list[float] = field(default_factory=list)
    _high: list[float] = field(default_factory=list)
    _cost: list[float] = field(default_factory=list)
    _whole: list[bool] = field(default_factory=list)
    _row_low: list[float] = field(default_factory=list)
    _row_high: list[float] = field(default_factory=list)
    _start: list[int] = field(default_factory=lambda: [0])
    _index: list[int] = field(default_factory=list)
    _value: list[float] = field(default_factory=list)

    def variable(
        self, low: float = 0, high: float = INFINITY, *, cost: float = 0.0, whole: bool = True
    ) -> int:
        """Add a variable and return its number."""
        self._low.append(low)
        self._high.append(high)
        self._cost.append(cost)
        self._whole.append(whole)
        return len(self._low) - 1

    def row(self, terms: Iterable[tuple[int, float]], low: float = -INFINITY, high: float = INFINITY) -> None:
        """Add low ≤ Σ coefficient·variable ≤ high."""
        for variable, coefficient in terms:
            self._index.append(variable)
            self._value.append(coefficient)
        self._start.append(len(self._index))
        self._row_low.append(low)
        self._row_high.append(high)

    def solve(self, *, seconds: float | None = None) -> np.ndarray | None:
        """Return the cheapest solution as whole numbers, or None when there is none.

        Raises ProgrammeError when `seconds` don't suffice to tell.
        """
        found = self.solve_relaxed(seconds=seconds)
        if found is None:
            return None
        solution: np.ndarray = np.rint(found).astype(np.int64)
        self._check(solution)
        return solution

    def solve_relaxed(self, *, seconds: float | None = None) -> np.ndarray | None:
        """Return the cheapest solution as HiGHS gives it, for programmes whose variables need not be whole."""
        if not self._low:
            possible = all(low <= 0 <= high for low, high in zip(self._row_low, self._row_high, strict=True))
            return np.zeros(0) if possible else None
        highs = highspy.Highs()
        for option, setting in _OPTIONS.items():
            highs.setOptionValue(option, setting)
        if seconds is not None:
            highs.setOptionValue("time_limit", seconds)
        if len(self._low) > _PRESOLVE_UPTO:
            highs.setOptionValue("presolve", "off")
        highs.passModel(self._model())
        highs.run()
        status = highs.getModelStatus()
        if status in _NONE:
            return None
        if status != highspy.HighsModelStatus.kOptimal:
            raise ProgrammeError(f"HiGHS stopped with {highs.modelStatusToString(status)}")
        return np.array(highs.getSolution().col_value)

    def _model(self) -> highspy.HighsLp:
        model = highspy.HighsLp()
        model.num_col_ = len(self._low)
        model.num_row_ = len(self._row_low)
        model.col_cost_ = np.array(self._cost, dtype=np.float64)
        model.col_lower_ = np.array(self._low, dtype=np.float64)
        model.col_upper_ = np.array(self._high, dtype=np.float64)
        model.row_lower_ = np.array(self._row_low, dtype=np.float64)
        model.row_upper_ = np.array(self._row_high, dtype=np.float64)
        model.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
        model.a_matrix_.start_ = np.array(self._start, dtype=np.int32)
        model.a_matrix_.index_ = np.array(self._index, dtype=np.int32)
        model.a_matrix_.value_ = np.array(self._value, dtype=np.float64)
        kinds = (highspy.HighsVarType.kContinuous, highspy.HighsVarType.kInteger)
        model.integrality_ = [kinds[whole] for whole in self._whole]
        return model

    def _check(self, x: np.ndarray) -> None:
        index = np.array(self._index, dtype=np.int64)
        products = np.array(self._value) * x[index]
        sums = np.zeros(len(self._row_low))
        np.add.at(sums, np.repeat(np.arange(len(sums)), np.diff(self._start)), products)
        rows = (sums >= self._row_low) & (sums <= self._row_high)
        columns = (x >= self._low) & (x <= self._high)
        if not (rows.all() and columns.all()):
            raise ProgrammeError("HiGHS returned a solution that breaks its own rows after rounding")


_NONE = (highspy.HighsModelStatus.kInfeasible, highspy.HighsModelStatus.kUnboundedOrInfeasible)
# Presolve takes minutes on ten thousands of columns that are alike, and saves seconds at most.
_PRESOLVE_UPTO = 5_000
_OPTIONS = {
    "output_flag": False,
    "threads": 1,
    "random_seed": 0,
    "mip_rel_gap": 0.0,
    "mip_abs_gap": 0.0,
    # Feasibility jump takes longer than the whole of a small programme.
    "mip_heuristic_run_feasibility_jump": False,
    # Group sizes reach 10^8 and are switched by a 0/1 variable: a looser tolerance would let a closed group keep members.
    "mip_feasibility_tolerance": 1e-9,
    "primal_feasibility_tolerance": 1e-9,
}
