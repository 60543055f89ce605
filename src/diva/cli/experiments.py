"""`diva experiments`: the paper's experiments, from specs to tables, figures and a page."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Annotated

import typer

from diva.cli import interruption, show
from diva.cli.streams import tell
from diva.errors import Interrupted
from diva.experiments.watcher import Watcher

if TYPE_CHECKING:
    from diva.experiments.measure import Measured
    from diva.experiments.points import Run
    from diva.experiments.spec import Experiment

Quick = Annotated[bool, typer.Option("--quick", help="On small samples, with fewer values and repetitions.")]

app = typer.Typer(help="The paper's experiments: list them, run them.", rich_markup_mode=None)


@app.command("list")
def listed() -> int:
    """List the experiments."""
    from diva.experiments.spec import load, names  # noqa: PLC0415 - help must not load it

    rows = [(name, load(name).title) for name in names()]
    show.table(("name", "what"), rows, left=2)
    return 0


@app.command("run")
def run(
    names: Annotated[list[str], typer.Argument(metavar="NAME…", help="exp1 to exp9, or all.")],
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Where tables and figures go.")],
    quick: Quick = False,  # noqa: FBT002 - a flag of the command line
) -> int:
    """Run experiments; what was run before into the same folder is not run again."""
    from diva.experiments.conduct import conduct  # noqa: PLC0415 - brings in the solvers
    from diva.experiments.draw import can_draw  # noqa: PLC0415

    if not can_draw():
        show.warn(
            "vl-convert isn't installed, so there will be no SVG and PNG; pip install 'diva-anonymizer[experiments]'"
        )
    progress = Progress()
    try:
        results = conduct(names, out, "quick" if quick else "full", progress)
    except KeyboardInterrupt:
        progress.close()
        raise Interrupted(
            f"interrupted; what was run is kept in {str(out)!r}, and the same command goes on from there"
        ) from None
    progress.close()
    for result in results:
        show.line(f"{result.experiment.name}  {len(result.rows)} runs in {result.table}")
    if "all" in names:
        show.line(f"all   {out / 'experiments.md'}")
    return 0


@app.command("page")
def page(
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Where experiments were run into.")],
    quick: Quick = False,  # noqa: FBT002 - a flag of the command line
) -> int:
    """Make tables, figures and the page from what was run so far; nothing is run."""
    from diva.experiments.conduct import compose  # noqa: PLC0415 - brings in the solvers

    for result in compose(out, "quick" if quick else "full"):
        wanted = result.experiment.scale("quick" if quick else "full").repetitions
        show.line(f"{result.experiment.name}  {result.repetitions} of {wanted} repetitions in {result.table}")
    show.line(f"all   {out / 'experiments.md'}")
    return 0


class Progress(Watcher):
    """Tells on stderr how it goes: a line that changes on a terminal, a line for each experiment elsewhere."""

    def __init__(self) -> None:
        self._terminal = sys.stderr.isatty()
        self._width = 0
        self._name, self._wanted, self._done, self._fresh = "", 0, 0, 0
        self._began = time.monotonic()

    def begins(self, experiment: Experiment, wanted: int, done: int) -> None:
        """Show what begins, and what was done before."""
        interruption.check()
        self._name, self._wanted, self._done, self._fresh = experiment.name, wanted, done, 0
        self._began = time.monotonic()
        kept = f", {done} of them done before" if done else ""
        if not self._terminal:
            tell(f"{experiment.name}: {wanted} runs{kept}\n")

    def ran(self, run: Run, measured: Measured) -> None:
        """Show how far it is."""
        interruption.check()
        self._done, self._fresh = self._done + 1, self._fresh + 1
        left = (time.monotonic() - self._began) / self._fresh * (self._wanted - self._done)
        text = f"{self._name}  {self._done} of {self._wanted}, about {left / 60:.0f} min left  {run.key} {measured.outcome}"
        self._print(text[: get_terminal_size().columns - 1])

    def ends(self, experiment: Experiment, path: Path) -> None:
        """Say that the tables and figures of an experiment are there."""
        self.close()
        if not self._terminal:
            tell(f"{experiment.name}: done in {time.monotonic() - self._began:.0f} s, {path}\n")

    def close(self) -> None:
        """Leave a clean line."""
        self._print("")
        if self._terminal:
            tell("\r")

    def _print(self, text: str) -> None:
        if self._terminal:
            tell("\r" + text.ljust(self._width))
            self._width = len(text)
