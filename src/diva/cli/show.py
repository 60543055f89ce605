"""Results for people (tables) and for programs (JSON) on stdout; warnings and progress on stderr."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING, Any

from diva.progress import Observer

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def as_json(content: dict[str, Any]) -> None:
    """Print one JSON object."""
    line(json.dumps(content, ensure_ascii=False, indent=2))


def line(text: str = "") -> None:
    """Print a line of the result. Whoever read our output may have gone: the work goes on without them."""
    try:
        print(text, flush=True)  # noqa: T201 - the result of the command
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


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
    print(f"diva: warning: {sentence}", file=sys.stderr)  # noqa: T201 - the place for messages


def visible(text: str) -> str:
    """Make control characters visible: names and values may not steer a terminal."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def number(value: float) -> str:
    """Write a number with thousands separators."""
    return f"{value:,.0f}" if abs(value - round(value)) < 1e-6 else f"{value:,.2f}"


class Bar(Observer):
    """Tells on stderr what a run is doing, when stderr is a terminal."""

    def __init__(self) -> None:
        self._shown = sys.stderr.isatty()
        self._width = 0

    def stage(self, name: str) -> None:
        """Show what begins."""
        self._print(f"{name} …")

    def searching(self, stars: float, bound: float) -> None:
        """Show how far the search is."""
        self._print(f"searching … {number(stars)} stars, at least {number(bound)} needed")

    def close(self) -> None:
        """Leave a clean line."""
        if self._shown and self._width:
            print("\r" + " " * self._width + "\r", end="", file=sys.stderr, flush=True)  # noqa: T201
            self._width = 0

    def _print(self, text: str) -> None:
        if self._shown:
            padded = text.ljust(self._width)
            self._width = len(text)
            print("\r" + padded, end="", file=sys.stderr, flush=True)  # noqa: T201
