"""An engine's errors as plain sentences that never show values of the data."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import duckdb

from diva.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Iterator

from contextlib import contextmanager

_CSV = (
    (r"not utf-8", "is not UTF-8{where}; save it as UTF-8"),
    (
        r"Expected Number of Columns: (?P<want>\d+) Found: (?P<found>\d+)",
        "has {found} cells{where} where the header has {want}; give every line as many",
    ),
    (
        r"unterminated quote",
        "has a quote{where} that is never closed, or is followed by more text; double quotes inside a value",
    ),
    (r"Maximum line size", "has a line of over 2 MB{where}, which is more than can be read"),
    (
        r"state machine reached an invalid state|CSV Error",
        "is not valid CSV{where}: look for stray quotes or mixed line ends",
    ),
)
_GENERAL = (
    (
        r"max_temp_directory_size|duckdb_temp|temp_directory|Failed to create directory",
        "no space left for the temporary files that {origin} needs; free some, or name another folder with --temp-dir",
    ),
    (
        r"No space left on device|Could not write|File too large|disk quota|No more space",
        "no space left while writing {origin}; free some or write elsewhere",
    ),
    (
        r"Out of Memory|failed to (?:allocate|pin|offload)",
        "not enough memory for {origin}; allow more (--memory-limit) or fewer --threads, close other programs, or use a machine with more",
    ),
    (r"Permission denied", "no permission for {origin}"),
    (
        r"No magic bytes|not a Parquet|Parquet|too small to be|footer|metadata",
        "{origin} is not a readable Parquet file",
    ),
    (
        r"ArrowTypeError|ArrowInvalid",
        "{origin} has a column that mixes kinds of values; give every column one type",
    ),
    (
        r"no validity bitmap",  # DuckDB can't read polars' columns of type Null
        "{origin} has a column of missing values only, without a type; cast it to text",
    ),
    (r"must have at least one column", "{origin} has no columns"),
    (r"ZSTD|zstd|GZIP|gzip|decompress|inflate", "{origin} is compressed but damaged"),
)


@contextmanager
def told(origin: str, *, delimited: bool = False, reading: str | None = None) -> Iterator[None]:
    """Turn what DuckDB raises into an error of ours: a sentence about `origin`.

    `reading` is another table that is read meanwhile: what is wrong with delimited text is wrong with that.
    """
    try:
        yield
    except duckdb.Error as error:
        sentence = _of_text(str(error), reading or origin, delimited=delimited)
        raise BadInput(sentence or _of_anything(str(error), origin)) from error
    except RuntimeError as error:
        if "interrupted" in str(error).lower():
            raise KeyboardInterrupt from error
        raise


def _of_text(message: str, origin: str, *, delimited: bool) -> str | None:
    """What is wrong with delimited text, if that is it."""
    line = re.search(r"CSV Error on Line: (\d+)", message)
    where = f" in line {line[1]}" if line else ""
    for pattern, sentence in _CSV if delimited or line else ():
        found = re.search(pattern, message, re.IGNORECASE)
        if found:
            return f"{origin} " + sentence.format(where=where, **found.groupdict())
    return None


def _of_anything(message: str, origin: str) -> str:
    for pattern, sentence in _GENERAL:
        if re.search(pattern, message, re.IGNORECASE):
            return sentence.format(origin=origin)
    return f"{origin} can't be processed: DuckDB refused it ({message.split(':', 1)[0]})"
