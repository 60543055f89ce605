"""How names and values are written in text: the quoting that column lists and Σ share."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from diva.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Sequence

# Possessive: a doubled quote must never be taken apart to close an item that isn't closed.
_QUOTED = re.compile(r'"([^"]*+(?:""[^"]*+)*+)"')
_BLANKS = re.compile(r"\s*")
_LONGEST_SHOWN = 200
_MOST_SHOWN = 20


def quote(name: str) -> str:
    """Write a column or value so that it reads back: quoted when it must be, quotes doubled inside."""
    needs = not name or name != name.strip() or any(c in name for c in ',[]"\r\n')
    return '"' + name.replace('"', '""') + '"' if needs else name


def split_list(text: str) -> tuple[str, ...]:
    """Read a comma list of columns, as in `a,"b, c",d`; the reverse of joining quoted names with commas."""
    names, _ = Scanner(text, f"column list {shown(text)}").items(0, stops=",")
    return names


def shown(text: str) -> str:
    """Return `text` as an error sentence shows it: in quotes, on one line, cut where it is very long."""
    return repr(text if len(text) <= _LONGEST_SHOWN else text[:_LONGEST_SHOWN] + "…")


def listed(names: Sequence[str]) -> str:
    """Return the first of many names as an error sentence shows them."""
    more = len(names) - _MOST_SHOWN
    return ", ".join(map(shown, names[:_MOST_SHOWN])) + (f" and {more:,} more" if more > 0 else "")


@dataclass(frozen=True, slots=True)
class Scanner:
    """Reads comma-separated items, each bare or in double quotes; linear in the length of the text."""

    text: str
    """What is read."""
    subject: str
    """What an error sentence calls the text."""

    def items(self, start: int, *, stops: str, close: str = "") -> tuple[tuple[str, ...], int]:
        """Read items from `start` up to the bracket `close`, or to the end of the text if that is empty.

        A character of `stops` ends a bare item. Returns the items and the position behind `close`.
        """
        found: list[str] = []
        while True:
            item, start = self._item(start, stops, number=len(found) + 1)
            found.append(item)
            stop = self.text[start : start + 1]
            if stop == close:
                return tuple(found), start + len(close)
            if stop != ",":
                raise BadInput(f"{self.subject}: {self._misplaced(stop, close)}")
            start += 1

    def _misplaced(self, stop: str, close: str) -> str:
        if not stop:
            return (
                f"the closing {close} is missing" if close == "]" else "[value] is missing behind the column"
            )
        return f"a {stop} stands where it can't; write names and values that contain it in double quotes"

    def _item(self, start: int, stops: str, *, number: int) -> tuple[str, int]:
        start = self._behind_blanks(start)
        if self.text.startswith('"', start):
            return self._quoted(start, stops)
        end = next((i for i in range(start, len(self.text)) if self.text[i] in stops), len(self.text))
        item = self.text[start:end].strip()
        if '"' in item:
            raise BadInput(
                f'{self.subject}: {shown(item)} contains a quote; write it in double quotes and double the quote, as in "a""b"'
            )
        if not item:
            raise BadInput(f"{self.subject}: {self._empty(start, number)}")
        return item, end

    def _quoted(self, start: int, stops: str) -> tuple[str, int]:
        match = _QUOTED.match(self.text, start)
        if match is None:
            raise BadInput(f"{self.subject}: a double quote is opened and never closed; close it")
        end = self._behind_blanks(match.end())
        if end < len(self.text) and self.text[end] not in stops:
            raise BadInput(
                f'{self.subject}: text follows a closing double quote; double the quotes inside a name or value, as in "a""b"'
            )
        return match[1].replace('""', '"'), end

    def _behind_blanks(self, start: int) -> int:
        match = _BLANKS.match(self.text, start)
        return start if match is None else match.end()

    def _empty(self, start: int, number: int) -> str:
        before = self.text[:start].rstrip()
        if before.endswith("["):
            return f'the value is empty; write {before}""] for the empty text'
        return f'item {number} is empty; leave out the extra comma, or write "" for the empty text'
