"""Does what the paper claims show in the figures? Each kind of claim is looked at in one way, said here.

rises, falls          how the line goes with x: the rank correlation (Spearman) of the averages with x, over all panels;
                      yes from 0.5 on in the direction claimed, no below 0
highest, lowest       the line is so at what share of the points, among the paper's lines; yes from 2/3 on, no below 1/3
above, below          by how many percent the line is above (below) the other, averaged over all points where both found
                      releases; yes where the direction is right and the size is between half and twice the paper's
                      (or the paper gives none); partly where the direction is right, by 1 % at least
order                 the averages at these values of x, over the line or the paper's lines, come in this order, the
                      highest first; partly where only some neighbours do
linear, exponential   which fits the averages better (least squares), y = a + b·x or y = a·b^x; a line that grows by
                      less than a tenth over the whole range is neither

Verdicts go by averages, as the paper's do. What was measured of times tells medians, too, for one run that is stopped can
make an average: above and below are yes only where the medians show the direction as well, and partly where they don't.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean
from typing import TYPE_CHECKING, Literal

import numpy as np

from diva.experiments.averages import TIMES
from diva.experiments.spec import PAPER

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from diva.experiments.averages import Average
    from diva.experiments.spec import Claim

_LEAST = 1
"""A difference of fewer percent is none."""
Verdict = Literal["yes", "partly", "no", "not measured"]


@dataclass(frozen=True, slots=True)
class Judgement:
    """A claim held against what was measured."""

    claim: Claim
    verdict: Verdict
    measured: str
    """What was measured, in words."""


def judge(claim: Claim, found: Sequence[Average]) -> Judgement:
    """Hold a claim against the averages of its experiment."""
    about = [a for a in found if claim.measure in a.mean and claim.table in {None, a.table}]
    verdict, measured = _WAYS[claim.kind](claim, about)
    return Judgement(claim, verdict, measured)


def _lines(claim: Claim, about: Iterable[Average]) -> tuple[str, ...]:
    there = {a.line for a in about}
    return tuple(line for line in ((claim.line,) if claim.line else PAPER) if line in there)


def _trend(claim: Claim, about: Sequence[Average]) -> tuple[Verdict, str]:
    sign = 1 if claim.kind == "rises" else -1
    known = {line: _correlation(claim, [a for a in about if a.line == line]) for line in _lines(claim, about)}
    correlations = {line: r for line, r in known.items() if r is not None}
    if not correlations:
        return "not measured", "too few points have releases"
    told = "rank correlation with x: " + ", ".join(f"{line} {r:+.2f}" for line, r in correlations.items())
    return _by_share(fmean(sign * r for r in correlations.values()), 0.5, 0.0), told


def _correlation(claim: Claim, about: Sequence[Average]) -> float | None:
    """Averaged over the panels that have at least three values of x."""
    panels: dict[tuple[str, str], list[Average]] = {}
    for a in about:
        panels.setdefault(a.panel, []).append(a)
    found = [
        _spearman([a.x for a in panel], [a.mean[claim.measure] for a in panel])
        for panel in panels.values()
        if len(panel) >= 3
    ]
    return fmean(found) if found else None


def _spearman(x: Sequence[float], y: Sequence[float]) -> float:
    a, b = _ranks(x), _ranks(y)
    if a.std() < 1e-12 or b.std() < 1e-12:
        return 0.0
    return float(np.corrcoef(a, b)[0, 1])


def _ranks(values: Sequence[float]) -> np.ndarray:
    """Ranks from 0; equal values share the average of theirs."""
    array = np.asarray(values, dtype=np.float64)
    return np.array([((array < v).sum() + (array <= v).sum() - 1) / 2 for v in array])


def _extreme(claim: Claim, about: Sequence[Average]) -> tuple[Verdict, str]:
    best: Callable[[Iterable[float]], float] = max if claim.kind == "highest" else min
    points: dict[tuple[tuple[str, str], object], dict[str, float]] = {}
    for a in about:
        if a.line in PAPER:
            points.setdefault((a.panel, a.x), {})[a.line] = a.mean[claim.measure]
    whole = [values for values in points.values() if claim.line in values and len(values) > 1]
    if not whole:
        return "not measured", "too few points have releases"
    times = sum(values[claim.line or ""] == best(values.values()) for values in whole)
    return _by_share(times / len(whole), 2 / 3, 1 / 3), f"{claim.kind} at {times} of {len(whole)} points"


def _by_share(share: float, yes: float, no: float) -> Verdict:
    return "yes" if share >= yes else "partly" if share >= no else "no"


def _compared(claim: Claim, about: Sequence[Average]) -> tuple[Verdict, str]:
    of_line = {(a.panel, a.x): a for a in about if a.line == claim.line}
    of_other = {(a.panel, a.x): a for a in about if a.line == claim.than and a.mean[claim.measure] > 0}
    pairs = [(a, of_other[at]) for at, a in of_line.items() if at in of_other]
    if not pairs:
        return "not measured", "no point where both found releases"
    percent = _percent((a.mean[claim.measure], b.mean[claim.measure]) for a, b in pairs)
    told = f"{_signed(percent)} over {len(pairs)} points"
    sign, agree = (1 if claim.kind == "above" else -1), True
    if claim.measure in TIMES:
        medians = _percent((a.median[claim.measure], b.median[claim.measure]) for a, b in pairs)
        told += f"; medians {_signed(medians)}"
        agree = sign * medians >= _LEAST
    claimed = sign * percent
    if claimed < _LEAST:
        return "no", told
    near = claim.percent is None or claim.percent / 2 <= claimed <= claim.percent * 2
    return ("yes" if near and agree else "partly"), told


def _percent(pairs: Iterable[tuple[float, float]]) -> float:
    """By how much the first of a pair is above the second, on average."""
    return 100 * fmean(one / other - 1 for one, other in pairs)


def _signed(percent: float) -> str:
    return f"{percent:+,.0f} %" if abs(percent) >= 1 else f"{percent:+.1f} %"


def _ordered(claim: Claim, about: Sequence[Average]) -> tuple[Verdict, str]:
    lines = _lines(claim, about)
    levels = [
        (value, [a.mean[claim.measure] for a in about if str(a.x) == value and a.line in lines])
        for value in claim.values
    ]
    means = [(value, fmean(found)) for value, found in levels if found]
    if len(means) < len(claim.values):
        return "not measured", "too few points have releases"
    right = sum(one > other for (_, one), (_, other) in pairwise(means))
    told = ", ".join(f"{value} {mean:.3f}" for value, mean in means)
    return ("yes" if right == len(means) - 1 else "partly" if right else "no"), told


def _growth(claim: Claim, about: Sequence[Average]) -> tuple[Verdict, str]:
    told, fits = [], []
    for line in _lines(claim, about):
        points = sorted((float(a.x), a.mean[claim.measure]) for a in about if a.line == line)
        if len(points) < 3 or min(y for _, y in points) <= 0:
            continue
        x, y = np.array(points).T
        told.append(f"{line} grows {y[-1] / y[0]:.1f}-fold while x grows {x[-1] / x[0]:.1f}-fold")
        told[-1] += _median_growth(claim, [a for a in about if a.line == line])
        fits.append(
            y[-1] > 1.1 * y[0]
            and (_misfit(x, y, log=True) < _misfit(x, y, log=False)) == (claim.kind == "exponential")
        )
    if not fits:
        return "not measured", "too few points have releases"
    return _by_share(sum(fits) / len(fits), 1.0, 1e-9), "; ".join(told)


def _median_growth(claim: Claim, about: Sequence[Average]) -> str:
    if claim.measure not in TIMES:
        return ""
    first, *_, last = (a.median[claim.measure] for a in sorted(about, key=lambda a: float(a.x)))
    return f" (medians {last / first:.1f}-fold)"


def _misfit(x: np.ndarray, y: np.ndarray, *, log: bool) -> float:
    """What is left of y after the best straight line, or the best exponential curve, found on logarithms."""
    if not log:
        return float(((np.polyval(np.polyfit(x, y, 1), x) - y) ** 2).sum())
    return float(((np.exp(np.polyval(np.polyfit(x, np.log(y), 1), x)) - y) ** 2).sum())


_WAYS: dict[str, Callable[[Claim, Sequence[Average]], tuple[Verdict, str]]] = {
    "rises": _trend,
    "falls": _trend,
    "highest": _extreme,
    "lowest": _extreme,
    "above": _compared,
    "below": _compared,
    "order": _ordered,
    "linear": _growth,
    "exponential": _growth,
}
