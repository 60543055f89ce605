"""Options that several commands share, and how their texts become values."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from diva.errors import BadInput
from diva.relation.names import shown, split_list

if TYPE_CHECKING:
    from collections.abc import Sequence

    from diva.constraints.model import Constraint

_MOST_DIGITS = 30
Columns = list[str]

Input = Annotated[
    str,
    typer.Argument(
        metavar="TABLE",
        help="CSV or Parquet file (also .gz, .zst), a folder of them, a pattern such as 'data/*.parquet', or postgresql://… with --table.",
    ),
]
Qi = Annotated[
    Columns | None,
    typer.Option("--qi", metavar="A,B,…", help="Quasi-identifying columns: those that are suppressed."),
]
Sensitive = Annotated[
    Columns | None,
    typer.Option("--sensitive", metavar="A,B,…", help="Sensitive columns: published as they are."),
]
Identifying = Annotated[
    Columns | None, typer.Option("--id", metavar="A,B,…", help="Identifying columns: never published.")
]
Keep = Annotated[
    Columns | None, typer.Option("--keep", metavar="A,B,…", help="Further columns to publish as they are.")
]
KeepRest = Annotated[bool, typer.Option("--keep-rest", help="Publish all columns that are declared nowhere.")]
K = Annotated[str | None, typer.Option("--k", metavar="N", help="Every record hides among at least N alike.")]
Sigma = Annotated[
    list[str] | None,
    typer.Option(
        "--constraint",
        "-c",
        metavar="σ",
        help="A diversity constraint, as in 'ETH[Asian] in 2..5'; repeat for more.",
    ),
]
SigmaFile = Annotated[
    list[Path] | None,
    typer.Option(
        "--constraints", metavar="FILE", help="Constraints from a file: one per line, .toml or .json."
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of a table.")]
Star = Annotated[
    str | None, typer.Option("--star", metavar="TEXT", help="The text of a suppressed cell. [default: *]")
]
Suppressed = Annotated[
    str | None,
    typer.Option(
        "--suppressed",
        metavar="star|null",
        help="Write suppressed cells as the star, or as NULL, which keeps column types. [default: star]",
    ),
]

MemoryLimit = Annotated[
    str | None,
    typer.Option(
        "--memory-limit",
        metavar="SIZE",
        help="How much memory the engine may use, as in 2GB; what doesn't fit goes to --temp-dir.",
    ),
]
Threads = Annotated[
    str | None,
    typer.Option(
        "--threads", metavar="N", help="How many threads the engine may use, and the search at best."
    ),
]
TempDir = Annotated[
    Path | None,
    typer.Option("--temp-dir", metavar="FOLDER", help="Where the engine puts what doesn't fit into memory."),
]
Engine = Annotated[
    str | None,
    typer.Option("--engine", metavar="duckdb|spark", help="Who reads the files. [default: duckdb]"),
]
Master = Annotated[
    str | None,
    typer.Option(
        "--master", metavar="URL", help="Where Spark runs: local[N] or spark://HOST:PORT. [default: local[*]]"
    ),
]
PartitionBy = Annotated[
    Columns | None,
    typer.Option(
        "--partition-by",
        metavar="A,B,…",
        help="Write a folder of folders named by the values of these columns, as in A=x/B=y.",
    ),
]
FileSize = Annotated[
    str | None,
    typer.Option(
        "--file-size", metavar="SIZE", help="Write a folder of files of about this size, as in 200MB."
    ),
]

InTable = Annotated[
    str | None,
    typer.Option("--table", metavar="NAME", help="The table of the database, with its schema where needed."),
]
Query = Annotated[
    str | None, typer.Option("--query", metavar="SQL", help="A query in the database, instead of a table.")
]


def place(table: str | None, query: str | None = None) -> dict[str, Any]:
    """What was said about a database, by the fields of a job."""
    return {name: value for name, value in (("table", table), ("query", query)) if value is not None}


def engine(
    memory_limit: str | None,
    threads: str | None,
    temp_dir: Path | None,
    name: str | None = None,
    master: str | None = None,
) -> dict[str, Any]:
    """What was said about the engine, by the fields of a job."""
    given = {"memory_limit": memory_limit, "threads": whole(threads, "--threads"), "temp_dir": temp_dir}
    given |= {"engine": name, "master": master}
    return {name: value for name, value in given.items() if value is not None}


def columns(lists: Sequence[str] | None) -> tuple[str, ...]:
    """Read the comma lists of a repeated option."""
    return tuple(name for text in lists or () for name in split_list(text))


def constraints(texts: Sequence[str] | None, paths: Sequence[Path] | None) -> tuple[Constraint, ...]:
    """Read Σ from options and files, in that order."""
    from diva.constraints.files import read  # noqa: PLC0415 - help must not load what it doesn't need
    from diva.constraints.text import parse  # noqa: PLC0415

    return (*map(parse, texts or ()), *(c for path in paths or () for c in read(path)))


def refuse_overwriting(output: Path | None, declarations: Sequence[Path] | None) -> None:
    """Refuse to write a release over the files that declare it."""
    for path in declarations or ():
        if output is not None and output.exists() and output.samefile(path):
            raise BadInput(
                f"the output {str(output)!r} is a file named with --constraints; name another output"
            )


def weights(texts: Sequence[str] | None) -> dict[str, float]:
    """Read weights such as AGE=0.2, the column quoted like Σ where it must be."""
    found: dict[str, float] = {}
    for text in texts or ():
        name, _, number = text.rpartition("=")
        names = split_list(name) if name else ()
        value = _number(number)
        if len(names) != 1 or not math.isfinite(value) or value < 0:
            raise BadInput(f"weight {text!r} is not COLUMN=NUMBER with a number of at least 0, as in AGE=0.2")
        if names[0] in found:
            raise BadInput(f"column {names[0]!r} has two weights; give it one")
        found[names[0]] = value
    return found


def whole(text: str | None, option: str) -> int | None:
    """Read a whole number."""
    if text is None:
        return None
    if not re.fullmatch(r"[+-]?[0-9]+", text.strip()):
        raise BadInput(f"{option} {shown(text)} is not a whole number")
    if len(text) > _MOST_DIGITS:
        raise BadInput(f"{option} {shown(text)} is too large; write fewer digits")
    return int(text)


def required_k(text: str | None) -> int:
    """Read k, which every question about privacy needs."""
    k = whole(text, "--k")
    if k is None:
        raise BadInput("--k is missing; say how many records must look alike")
    return k


def real(text: str | None, option: str) -> float | None:
    """Read a number."""
    if text is None:
        return None
    value = _number(text)
    if not math.isfinite(value):
        raise BadInput(f"{option} {text!r} is not a number")
    return value


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan
