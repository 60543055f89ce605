"""What is done already: one line of JSON for each run, written when it is done, so that nothing is measured twice.

A journal belongs to one experiment in one mode by one version of diva. What a kill leaves of a line is passed over.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

from diva.errors import BadInput
from diva.experiments.measure import Measured

if TYPE_CHECKING:
    from pathlib import Path

    from diva.experiments.points import Run


class Journal:
    """The runs of an experiment that are done."""

    def __init__(self, path: Path, heading: str) -> None:
        self._path = path
        self._heading = heading
        self._done: dict[str, tuple[Measured, dict[str, float]]] = {}
        if path.exists():
            self._read()

    def __contains__(self, run: Run) -> bool:
        return run.key in self._done

    def __getitem__(self, run: Run) -> tuple[Measured, dict[str, float]]:
        return self._done[run.key]

    def __len__(self) -> int:
        return len(self._done)

    def add(self, run: Run, measured: Measured, facts: dict[str, float]) -> None:
        """Remember a run, with facts about its problem."""
        fresh = not self._path.exists()
        entry = {"run": run.key, "measured": asdict(measured), "facts": facts}
        with self._path.open("a", encoding="utf-8") as stream:
            if fresh:
                stream.write(json.dumps({"heading": self._heading}) + "\n")
            stream.write(json.dumps(entry) + "\n")
        self._done[run.key] = (measured, facts)

    def _read(self) -> None:
        whole = self._path.read_text(encoding="utf-8")
        kept = whole[: whole.rfind("\n") + 1]
        if kept != whole:
            self._path.write_text(kept, encoding="utf-8")
        lines = [json.loads(line) for line in kept.splitlines()]
        if lines and lines[0].get("heading") != self._heading:
            raise BadInput(
                f"{str(self._path)!r} belongs to another run ({lines[0].get('heading', 'unknown')}, now"
                f" {self._heading}); give another folder with --out, or remove the file"
            )
        for entry in lines[1:]:
            self._done[entry["run"]] = (Measured(**entry["measured"]), entry["facts"])
