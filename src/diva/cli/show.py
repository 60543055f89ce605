"""Results for people (tables) and for programs (JSON) on stdout; warnings and progress on stderr."""

from __future__ import annotations

import json
import sys
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any

from diva.cli import interruption
from diva.cli.streams import emit, tell
from diva.progress import Observer

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from diva.constraints.model import Constraint


def as_json(content: dict[str, Any]) -> None:
    """Print one JSON object; with escapes where stdout can't show every letter."""
    escaped = (sys.stdout.encoding or "").lower().replace("-", "") != "utf8"
    line(json.dumps(content, ensure_ascii=escaped, indent=2))


def line(text: str = "") -> None:
    """Print a line of the result."""
    emit(f"{text}\n")


def table(header: Sequence[str], rows: Iterable[Sequence[str]], *, left: int = 1) -> None:
    """Print a table: the first `left` columns aligned left, the others, numbers, right."""
    cells = [tuple(header), *(tuple(map(visible, row)) for row in rows)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(header))]
    for row in cells:
        padded = (
            c.ljust(w) if i < left else c.rjust(w) for i, (c, w) in enumerate(zip(row, widths, strict=True))
        )
        line("  ".join(padded).rstrip())


def facts(pairs: Iterable[tuple[str, str]]) -> None:
    """Print names and values, aligned."""
    listed = list(pairs)
    width = max((len(name) for name, _ in listed), default=0)
    for name, value in listed:
        line(f"{name.ljust(width)}  {value}".rstrip())


def warn(sentence: str) -> None:
    """Print a warning."""
    tell(f"diva: warning: {sentence}\n")


def warn_of_absent(constraints: Sequence[Constraint]) -> None:
    """Warn of targets that no record carries: most often a misspelt value."""
    if constraints:
        more = f", nor {len(constraints) - 1:,} other targets" if len(constraints) > 1 else ""
        target = constraints[0].target.text
        warn(f"no record carries {visible(target)}{more}; is the value spelt as in the table?")


def visible(text: str) -> str:
    """Make control characters visible: names and values may not steer a terminal."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def number(value: float) -> str:
    """Write a number with thousands separators."""
    return f"{value:,.0f}" if abs(value - round(value)) < 1e-6 else f"{value:,.2f}"


def many(value: int, thing: str) -> str:
    """Write a number with its noun."""
    return f"{number(value)} {thing}{'' if value == 1 else 's'}"


_BAR_WIDTH = 30


class Bar(Observer):
    """Tells on stderr what a run is doing, when stderr is a terminal."""

    def __init__(self, *, patient: bool = False) -> None:
        self._shown = sys.stderr.isatty()
        self._width = 0
        self._patient = patient
        """Whether Ctrl-C during the search means: publish the best so far."""
        self._stopped = False

    def stage(self, name: str) -> None:
        """Show what begins."""
        interruption.check()
        interruption.patient(self._patient and name == "searching")
        self._print(f"{name} …")

    def percent(self, name: str, done: float) -> None:
        """Show how far the engine is with it."""
        full = round(done / 100 * _BAR_WIDTH)
        self._print(f"{name} … [{'#' * full}{'.' * (_BAR_WIDTH - full)}] {done:.0f} %")

    def follows(self) -> bool:
        """Only where there is somebody to see it."""
        return self._shown

    def searching(self, stars: float, bound: float) -> None:
        """Show how far the search is."""
        interruption.check()
        known = f", at least {number(bound)} needed" if bound else ""
        self._print(f"searching … {number(stars)} stars{known}")

    def stopping(self) -> bool:
        """Ctrl-C was pressed while the search had no end of its own."""
        interruption.check()
        if interruption.enough() and not self._stopped:
            self._stopped = True
            self.close()
            tell(
                "diva: stopping the search; the best release so far is verified and written (Ctrl-C again gives up)\n"
            )
        return self._stopped

    def published(self, name: str) -> None:
        """From now on an interruption changes nothing."""
        interruption.published(name)

    def close(self) -> None:
        """Leave a clean line."""
        if self._shown and self._width:
            tell("\r" + " " * self._width + "\r")
            self._width = 0

    def _print(self, text: str) -> None:
        if self._shown:
            text = text[: get_terminal_size().columns - 1]  # a line that wraps can't be taken back
            padded = text.ljust(self._width)
            self._width = len(text)
            tell("\r" + padded)
