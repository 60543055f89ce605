"""Who is told how experiments go."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from diva.experiments.measure import Measured
    from diva.experiments.points import Run
    from diva.experiments.spec import Experiment


class Watcher:
    """Is told how experiments go; this one says nothing."""

    def begins(self, experiment: Experiment, wanted: int, done: int) -> None:
        """An experiment of so many runs begins, of which some were done before."""

    def ran(self, run: Run, measured: Measured) -> None:
        """A run ended."""

    def ends(self, experiment: Experiment, path: Path) -> None:
        """The table of an experiment is in its place, and so is all that is made from it."""
