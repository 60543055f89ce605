"""What figures and claims look at: for every panel, value of x and line the average over the repetitions.

Releases are averaged. Seconds are those of runs that found one or that were stopped, by the clock or by the budget of
candidates, which count with the time they had; a colouring that had no candidates left was not fast. One that was stopped
outweighs all others in an average, as the paper has it, so medians are beside it.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean, median
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from diva.experiments.spec import Experiment
    from diva.experiments.tidy import Row

MEASURES = (
    "accuracy",
    "accuracy_certified",
    "seconds",
    "wall_seconds",
    "stars",
    "discernibility",
    "normalised_discernibility",
)


TIMES = {"seconds", "wall_seconds"}
"""Those that medians are told of, too."""


@dataclass(frozen=True, slots=True)
class Average:
    """A point of a figure."""

    table: str
    kind: str
    """The class of constraints."""
    x: Any
    line: str
    runs: int
    found: int
    """Runs that ended with a release; only these are averaged."""
    mean: dict[str, float]
    """Of each measure, where there is one."""
    median: dict[str, float]
    least: dict[str, float]
    most: dict[str, float]

    @property
    def panel(self) -> tuple[str, str]:
        """Which part of a figure it is in."""
        return (self.table, self.kind)


def averages(experiment: Experiment, rows: Sequence[Row]) -> list[Average]:
    """Average the rows of an experiment, sampled releases left out."""
    groups: dict[tuple[str, str, Any, str], list[Row]] = {}
    for row in rows:
        if row["line"] in experiment.lines:
            groups.setdefault((row["table"], row["class"], row[experiment.x], row["line"]), []).append(row)
    return [_average(key, group) for key, group in groups.items()]


def _average(key: tuple[str, str, Any, str], group: list[Row]) -> Average:
    timed = [row for row in group if row["outcome"] != "gave up"]
    values = {
        m: [float(row[m]) for row in (timed if m in TIMES else group) if row[m] is not None] for m in MEASURES
    }
    known = {m: v for m, v in values.items() if v}
    return Average(
        *key,
        runs=len(group),
        found=sum(row["outcome"] == "found" for row in group),
        mean={m: fmean(v) for m, v in known.items()},
        median={m: median(v) for m, v in known.items()},
        least={m: min(v) for m, v in known.items()},
        most={m: max(v) for m, v in known.items()},
    )
