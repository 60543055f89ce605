"""Tables as lists of rows: written as files, and compared by a matching algorithm that no product code uses."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

Row = tuple[str | None, ...]
FORMATS = ("csv", "parquet")


def write(path: Path, columns: Sequence[str], rows: Sequence[Row]) -> Path:
    """Write text columns; in CSV NULL is an empty cell and empty text a quoted one."""
    if path.suffix == ".parquet":
        pq.write_table(frame(columns, rows), path)
        return path
    lines = io.StringIO()
    for row in (tuple(columns), *rows):
        lines.write(
            ",".join("" if cell is None else '"' + cell.replace('"', '""') + '"' for cell in row) + "\n"
        )
    path.write_text(lines.getvalue(), encoding="utf-8", newline="")
    return path


def frame(columns: Sequence[str], rows: Sequence[Row]) -> pa.Table:
    """A table in memory."""
    return pa.table({c: pa.array([row[i] for row in rows], pa.string()) for i, c in enumerate(columns)})


def suppresses(original: Row, published: Row, width: int, star: str | None = "*") -> bool:
    """Whether a record is another with some of its first `width` cells suppressed."""
    visible = all(p in (o, star) for o, p in zip(original[:width], published[:width], strict=True))
    return visible and original[width:] == published[width:]


def most_matched(originals: Sequence[Any], published: Sequence[Any], fits: Callable[[Any, Any], bool]) -> int:
    """The most pairs that fit, each record in one pair at most: Kuhn's algorithm, one record at a time."""
    partner: dict[int, int] = {}

    def place(p: int, tried: set[int]) -> bool:
        for o, original in enumerate(originals):
            if o not in tried and fits(original, published[p]):
                tried.add(o)
                if o not in partner or place(partner[o], tried):
                    partner[o] = p
                    return True
        return False

    return sum(place(p, set()) for p in range(len(published)))
