"""Files that hold a table: their format, and the header of a CSV."""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import itertools
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from diva.errors import BadInput

if TYPE_CHECKING:
    from pathlib import Path

DELIMITERS = {".csv": ",;\t|", ".tsv": "\t", ".txt": "\t,;|"}
"""Endings of delimited text, and which delimiters a header may use, the usual one first."""
PARQUET = (".parquet", ".pq")
COMPRESSIONS = {".gz": "gzip", ".zst": "zstd"}
_HEADER_BYTES = 4 << 20
_SAMPLE_BYTES, _SAMPLE_RECORDS = 1 << 16, 50
"""How much of a file is looked at to tell its delimiter."""


@dataclass(frozen=True, slots=True)
class Format:
    """What the name of a file tells about it."""

    parquet: bool
    delimiters: str
    """Possible delimiters, the usual one first; empty for Parquet."""
    compression: str | None


def format_of(path: Path) -> Format:
    """Tell the format of a file by its name."""
    suffixes = [s.lower() for s in path.suffixes]
    compression = COMPRESSIONS.get(suffixes[-1]) if suffixes else None
    if compression:
        suffixes.pop()
    ending = suffixes[-1] if suffixes else ""
    if ending in PARQUET and compression is None:
        return Format(parquet=True, delimiters="", compression=None)
    if ending in DELIMITERS:
        return Format(parquet=False, delimiters=DELIMITERS[ending], compression=compression)
    raise BadInput(
        f"can't tell the format of {str(path)!r} from its name: use .csv, .tsv, .txt (also with .gz or .zst) or .parquet"
    )


@dataclass(frozen=True, slots=True)
class Pieces:
    """How a release is divided among the files of a folder."""

    partition_by: tuple[str, ...] = ()
    """The columns whose values name the folders (`A=x/B=y/…`)."""
    size: int | None = None
    """About how many bytes a file has."""

    def __bool__(self) -> bool:
        return bool(self.partition_by) or self.size is not None


def named_as(folder: Path) -> Path:
    """A name that tells the format of the files in a folder: that of the folder, or Parquet."""
    try:
        format_of(folder)
    except BadInput:
        return folder.with_name(f"{folder.name}.parquet")
    return folder


def sha256(path: Path) -> str:
    """The hash of a file's bytes."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def common_format(paths: tuple[Path, ...]) -> Format:
    """Tell the one format that all files have."""
    forms = {format_of(path) for path in paths}
    if len(forms) > 1:
        raise BadInput(f"{str(paths[0])!r} and {str(paths[-1])!r} differ in format; name files of one format")
    return forms.pop()


def require_name(text: str, what: str) -> None:
    """Refuse a path that no engine can open."""
    if not text:
        raise BadInput(f"{what} is empty; name a file")
    if any(c == "\0" or "\ud800" <= c <= "\udfff" for c in text):
        raise BadInput(f"{what} {text!r} is not valid UTF-8; rename it")


@dataclass(frozen=True, slots=True)
class Header:
    """The first record of a delimited file."""

    delimiter: str
    names: tuple[str, ...]


def read_header(path: Path, form: Format, first_bytes: bytes | None = None) -> Header:
    """Read the column names of a delimited file, and with them its delimiter."""
    raw = _first_bytes(path, form) if first_bytes is None else first_bytes
    if not raw:
        raise BadInput(f"{str(path)!r} is empty; a table needs a header line")
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise BadInput(f"{str(path)!r} is UTF-16; save it as UTF-8")
    line = _first_record(raw)
    _check_breaks(path, line, raw[len(line) : len(line) + 2])
    try:
        text = line.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInput(f"{str(path)!r} is not UTF-8 (in the header); save it as UTF-8") from error
    delimiter = _delimiter(text, raw[len(line) :], form.delimiters)
    names = _names(path, text, delimiter)
    _check_names(path, names)
    return Header(delimiter, names)


def _names(path: Path, text: str, delimiter: str) -> tuple[str, ...]:
    """The names. A quote that is out of place is refused: engines differ in what they take for a name, and lose records."""
    name = f'(?:"(?:[^"]|"")*+"|[^"{re.escape(delimiter)}]*+)'
    if not re.fullmatch(f"{name}(?:{re.escape(delimiter)}{name})*+", text):
        raise BadInput(
            f"{str(path)!r} has a stray quote in its header; write names with quotes in double quotes, and double the quote"
        )
    try:
        return tuple(next(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter), []))
    except csv.Error:
        raise BadInput(
            f"{str(path)!r} has a column name of over {csv.field_size_limit():,} characters; shorten it"
        ) from None


def check_distinct(origin: str, names: tuple[str, ...]) -> None:
    """Refuse column names that an engine can't tell apart: engines ignore case in names."""
    seen: dict[str, str] = {}
    for name in names:
        other = seen.get(name.lower())
        seen[name.lower()] = name
        if other is not None:
            differ = "" if other == name else f" and {other!r}, which differ only in case"
            raise BadInput(f"{origin} has two columns called {name!r}{differ}; rename one")


def _check_names(path: Path, names: tuple[str, ...]) -> None:
    if not any(names):
        raise BadInput(f"{str(path)!r} has an empty header line; the first line must name the columns")
    for position, name in enumerate(names, 1):
        if not name:
            raise BadInput(f"{str(path)!r}: column {position} has no name in the header")
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise BadInput(f"{str(path)!r} has two columns called {name!r}; rename one")
        seen.add(name)
    check_distinct(repr(str(path)), names)


def _check_breaks(path: Path, line: bytes, end: bytes) -> None:
    """Refuse a column name over several lines unless all line ends are alike: DuckDB loses records otherwise."""
    if b"\r" in line or (b"\n" in line and not end.startswith(b"\n")):
        raise BadInput(f"{str(path)!r} has a line break inside a column name; rename that column")


def _first_bytes(path: Path, form: Format) -> bytes:
    try:
        if form.compression == "gzip":
            with gzip.open(path) as stream:
                return stream.read(_HEADER_BYTES)
        with path.open("rb") as stream:
            return stream.read(_HEADER_BYTES)
    except (gzip.BadGzipFile, EOFError) as error:
        raise BadInput(f"{str(path)!r} is not a whole gzip file") from error
    except OSError as error:
        raise BadInput(f"can't read {str(path)!r}: {error.strerror}") from error


def _first_record(raw: bytes) -> bytes:
    """Up to the first line end outside quotes."""
    quoted = False
    for i, byte in enumerate(raw):
        if byte == 0x22:
            quoted = not quoted
        elif byte in (0x0A, 0x0D) and not quoted:
            return raw[:i]
    return raw


def _delimiter(header: str, rest: bytes, candidates: str) -> str:
    """The delimiter: the one that most of the first records agree with; where that says nothing, the one that comes most."""
    outside = "".join(header.split('"')[::2])
    found = [c for c in candidates if c in outside]
    if len(found) < 2:
        return found[0] if found else candidates[0]
    sample = rest[:_SAMPLE_BYTES].decode("utf-8", errors="replace").lstrip("\r\n")

    def fitting(delimiter: str) -> tuple[int, int]:
        width = _widths(header, delimiter)
        return _widths(sample, delimiter).count(width[0]), outside.count(delimiter)

    return max(found, key=fitting)


def _widths(text: str, delimiter: str) -> list[int]:
    """How many cells each of the first records of a text has."""
    records = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        widths = [len(record) for record in itertools.islice(records, _SAMPLE_RECORDS) if record]
    except csv.Error:  # a cell that no reader of ours takes decides nothing
        return [0]
    return widths or [0]
