"""Carries experiments out: runs that aren't done yet, then the table, the figure and its pictures; and for all the page.

DIR/experiments/exp6.jsonl      the journal
DIR/experiments/exp6.csv        all runs, one row each; the same as exp6.parquet
DIR/experiments/exp6.vl.json    the figure as Vega-Lite; exp6.svg and exp6.png with the extra `experiments`
DIR/experiments.md              the page, when all are run
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from diva.errors import BadInput
from diva.experiments import draw, figure, page, tidy
from diva.experiments.averages import averages
from diva.experiments.journal import Journal
from diva.experiments.measure import measure
from diva.experiments.points import Run, runs
from diva.experiments.problems import Problems
from diva.experiments.spec import Experiment, Mode, load, names
from diva.recode.atomic import replacing
from diva.relation.records import write_records
from diva.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from diva.experiments.measure import Measured
    from diva.experiments.tidy import Row
    from diva.experiments.watcher import Watcher


@dataclass(frozen=True)
class Results:
    """What came of an experiment."""

    experiment: Experiment
    rows: list[Row]
    """All runs, as in the table."""
    repetitions: int
    """How many repetitions are whole; fewer than the spec's where not all runs are done."""
    table: Path
    """The table as CSV; everything else lies beside it."""


def conduct(chosen: Sequence[str], out: Path, mode: Mode, watcher: Watcher) -> list[Results]:
    """Carry out some experiments, or `all`; runs that the journals have are not run again."""
    whole = "all" in chosen
    experiments = [load(name) for name in (names() if whole else dict.fromkeys(chosen))]
    folder = out / "experiments"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInput(f"can't make the folder {str(folder)!r}: {error.strerror}") from None
    results = [carry_out(experiment, folder, mode, watcher) for experiment in experiments]
    if whole:
        _write_page(results, out, mode)
    return results


def compose(out: Path, mode: Mode) -> list[Results]:
    """Make tables, figures and the page from the runs that are done, however many repetitions that are; run nothing."""
    folder = out / "experiments"
    results = [_finished(load(name), folder, mode) for name in names()]
    _write_page(results, out, mode)
    return results


def _finished(experiment: Experiment, folder: Path, mode: Mode) -> Results:
    found = _made(experiment, _journal(experiment, folder, mode), mode, folder)
    if not found.repetitions:
        raise BadInput(
            f"no repetition of {experiment.name} is whole in {str(folder)!r}; run it with: diva experiments run {experiment.name}"
        )
    return found


def _write_page(results: Sequence[Results], out: Path, mode: Mode) -> None:
    with replacing(out / "experiments.md") as beside:
        beside.write_text(page.rendered(results, mode), encoding="utf-8")


def carry_out(experiment: Experiment, folder: Path, mode: Mode, watcher: Watcher) -> Results:
    """Run what isn't done, and write everything that is made from it."""
    journal = _journal(experiment, folder, mode)
    wanted = runs(experiment, mode)
    watcher.begins(experiment, len(wanted), sum(run in journal for run in wanted))
    _run([run for run in wanted if run not in journal], experiment, mode, journal, watcher.ran)
    made = _made(experiment, journal, mode, folder)
    watcher.ends(experiment, made.table)
    return made


def _journal(experiment: Experiment, folder: Path, mode: Mode) -> Journal:
    return Journal(folder / f"{experiment.name}.jsonl", f"{experiment.name} {mode}, diva {__version__}")


def _made(experiment: Experiment, journal: Journal, mode: Mode, folder: Path) -> Results:
    """Everything that is made from the journal: the table, the figure and its pictures."""
    missing = [run for run in runs(experiment, mode) if run not in journal]
    whole = min((run.repetition for run in missing), default=experiment.scale(mode).repetitions)
    rows = tidy.rows(experiment, mode, journal, whole)
    table = folder / f"{experiment.name}.csv"
    if rows:
        _write(experiment, rows, table)
    return Results(experiment, rows, whole, table)


def _run(
    missing: Sequence[Run],
    experiment: Experiment,
    mode: Mode,
    journal: Journal,
    ran: Callable[[Run, Measured], None],
) -> None:
    problems = Problems(experiment.scale(mode), experiment.tightness)
    warm: set[str] = set()
    for run in missing:
        posed = problems.pose(run.point, run.repetition)
        if run.line not in warm:
            measure(run, problems.small(), limit=60.0)  # what is compiled when it is first used isn't timed
            warm.add(run.line)
        measured = measure(run, posed, experiment.scale(mode).limit)
        sigma, types = posed.sigma, posed.types
        facts = {"rows": types.rows, "types": len(types), "rate": sigma.rate, "moved": sigma.moved}
        journal.add(run, measured, facts)
        ran(run, measured)


def _write(experiment: Experiment, rows: list[Row], table: Path) -> None:
    for path in (table, table.with_suffix(".parquet")):
        with replacing(path) as beside:
            write_records(rows, tidy.COLUMNS, beside, like=path)
    spec = figure.figure(experiment, averages(experiment, rows))
    with replacing(table.with_suffix(".vl.json")) as beside:
        beside.write_text(figure.as_text(spec), encoding="utf-8")
    for form in draw.FORMATS if draw.can_draw() else ():
        with replacing(table.with_suffix(f".{form}")) as beside:
            draw.draw(spec, beside, form)
