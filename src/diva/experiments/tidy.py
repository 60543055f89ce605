"""All runs of an experiment as one table, one row for each, with the accuracy of each release.

accuracy            disc(R'')/disc(R'), where R'' is the best of all releases sampled at the same point and repetition: the
                    sampled ones and those of the paper's own lines. It can be above 1 for a line that isn't among them.
accuracy_certified  bound/stars, where no release has fewer stars than the bound. Nothing is sampled here: it
                    says how far from the optimum a release can be at most. (There is no such bound for disc.)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from diva.experiments.measure import line_of
from diva.experiments.points import runs
from diva.experiments.spec import PAPER

if TYPE_CHECKING:
    from diva.experiments.journal import Journal
    from diva.experiments.measure import Measured
    from diva.experiments.points import Point, Run
    from diva.experiments.spec import Experiment, Mode
    from diva.relation.records import RecordKind

Row = dict[str, Any]

COLUMNS: dict[str, RecordKind] = {
    "experiment": "VARCHAR",
    "mode": "VARCHAR",
    "table": "VARCHAR",
    "rows": "BIGINT",
    "types": "BIGINT",
    "class": "VARCHAR",
    "constraints": "BIGINT",
    "rate": "DOUBLE",
    "rate_measured": "DOUBLE",
    "moved": "BIGINT",
    "k": "BIGINT",
    "line": "VARCHAR",
    "repetition": "BIGINT",
    "outcome": "VARCHAR",
    "seconds": "DOUBLE",
    "wall_seconds": "DOUBLE",
    "stars": "BIGINT",
    "groups": "BIGINT",
    "discernibility": "BIGINT",
    "normalised_discernibility": "DOUBLE",
    "best_discernibility": "BIGINT",
    "accuracy": "DOUBLE",
    "lower_bound": "DOUBLE",
    "accuracy_certified": "DOUBLE",
}
"""The columns of the table: parameters as wanted and as they came out, who, what."""


def rows(experiment: Experiment, mode: Mode, journal: Journal, repetitions: int) -> list[Row]:
    """The runs of so many repetitions in their order, all of which are done."""
    done = [(run, *journal[run]) for run in runs(experiment, mode) if run.repetition < repetitions]
    best, bounds = _best(done), _bounds(done)
    return [
        _row(experiment.name, mode, run, measured, facts) | _accuracy(run, measured, best, bounds)
        for run, measured, facts in done
    ]


def _row(name: str, mode: Mode, run: Run, measured: Measured, facts: dict[str, float]) -> Row:
    point, size = run.point, facts["rows"]
    disc = measured.discernibility
    return {
        "experiment": name,
        "mode": mode,
        "table": point.table,
        "rows": int(size),
        "types": int(facts["types"]),
        "class": point.kind,
        "constraints": point.constraints,
        "rate": point.rate,
        "rate_measured": facts["rate"],
        "moved": int(facts["moved"]),
        "k": point.k,
        "line": run.line,
        "repetition": run.repetition,
        "outcome": measured.outcome,
        "seconds": measured.seconds,
        "wall_seconds": measured.wall_seconds,
        "stars": measured.stars,
        "groups": measured.groups,
        "discernibility": disc,
        "normalised_discernibility": None if disc is None else disc / size**2,
    }


def _accuracy(
    run: Run,
    measured: Measured,
    bests: dict[tuple[Point, int], int],
    bounds: dict[tuple[Point, int], float],
) -> Row:
    at, disc, stars = (run.point, run.repetition), measured.discernibility, measured.stars
    best = bests.get(at)
    # Who doesn't look at Σ may have fewer stars than any release that satisfies it.
    bound = bounds.get(at) if line_of(run).diverse else None
    return {
        "best_discernibility": best,
        "accuracy": None if disc is None or best is None else best / disc,
        "lower_bound": bound,
        "accuracy_certified": None if stars is None or bound is None else (bound / stars if stars else 1.0),
    }


def _best(done: list[tuple[Run, Measured, dict[str, float]]]) -> dict[tuple[Point, int], int]:
    """disc(R'') for each point and repetition where releases were sampled."""
    sampled = {(run.point, run.repetition) for run, _, _ in done if run.line.startswith("sample ")}
    best: dict[tuple[Point, int], int] = {}
    for run, measured, _ in done:
        at = (run.point, run.repetition)
        if (
            at in sampled
            and measured.discernibility is not None
            and (run.line in PAPER or "sample" in run.line)
        ):
            best[at] = min(best.get(at, measured.discernibility), measured.discernibility)
    return best


def _bounds(done: list[tuple[Run, Measured, dict[str, float]]]) -> dict[tuple[Point, int], float]:
    """The bound for each point and repetition."""
    return {
        (run.point, run.repetition): measured.lower_bound
        for run, measured, _ in done
        if measured.lower_bound is not None
    }
