"""A whole run inside PostgreSQL, as a multiple of the server's own CREATE TABLE AS SELECT of the same columns.

`python benchmarks/postgres.py` starts a server of its own (settings as installed, but for where it listens), loads a million
rows that look like Census (drawn with replacement; all columns are text) and prints medians of five runs, taken in turns: at most
4 is wanted. The search's own time doesn't depend on the rows; it is shown apart, at effort quick and standard.
`python benchmarks/postgres.py ROWS` takes another number of rows. With a column that is different in every row nothing can be
counted together: that worst case is shown last.
"""

from __future__ import annotations

import statistics
import sys
import time
from pathlib import Path
from typing import Any

import polars as pl

import diva
from data import CENSUS, CENSUS_QI, require

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.engines.harness import load
from tests.engines.postgres_server import ABSENT, Server, programs, running

TIMES = 5
PARTS = ("read", "search", "bound", "write", "verify", "total")


def table(rows: int) -> pl.DataFrame:
    """Census, drawn with replacement, with a sensitive column and one that tells all rows apart."""
    census = pl.read_parquet(require(CENSUS), columns=[*CENSUS_QI, "age"])
    return census.sample(rows, with_replacement=True, seed=1).with_columns(pl.int_range(rows).alias("number"))


def copied(connection: Any, columns: tuple[str, ...]) -> float:
    """Seconds that the server needs to copy some columns."""
    names = ", ".join(f'"{c}"' for c in columns)
    connection.execute("DROP TABLE IF EXISTS copied")
    began = time.perf_counter()
    connection.execute(f"CREATE TABLE copied AS SELECT {names} FROM census")
    return time.perf_counter() - began


def published(server: Server, keep: tuple[str, ...], effort: str) -> dict[str, float]:
    """The seconds of the parts of a run, and of all of it, its commit too, as `whole`."""
    began = time.perf_counter()
    release = diva.anonymize(
        server.uri(),
        table="census",
        into="release",
        replace=True,
        qi=CENSUS_QI,
        keep=keep,
        k=20,
        effort=effort,
    )
    return release.seconds | {"whole": time.perf_counter() - began}


def compare(server: Server, connection: Any, keep: tuple[str, ...], effort: str) -> None:
    """Print medians of both, measured in turns."""
    copies, runs = [], []
    published(server, keep, effort)
    for _ in range(TIMES):
        copies.append(copied(connection, (*CENSUS_QI, *keep)))
        runs.append(published(server, keep, effort))
    copy = statistics.median(copies)
    parts = {part: statistics.median(run[part] for run in runs) for part in runs[0]}
    search = parts["search"] + parts["bound"]
    told = ", ".join(f"{part} {parts[part]:.2f}" for part in PARTS)
    print(f"effort {effort}, published besides the QI: {', '.join(keep)}\n  {told} s")
    print(
        f"  CREATE TABLE AS {copy:.2f} s, the whole run {parts['whole']:.2f} s: ratio {parts['whole'] / copy:.2f},"
        f" without searching {(parts['whole'] - search) / copy:.2f}"
    )


def main() -> None:
    if programs() is None:
        sys.exit(ABSENT)
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    with running(durable=True) as server, server.connect() as connection:
        load(connection, "census", table(rows))
        connection.execute("VACUUM (ANALYZE) census")
        print(f"{rows:,} rows")
        for keep, effort in ((("age",), "quick"), (("age",), "standard"), (("age", "number"), "quick")):
            compare(server, connection, keep, effort)


if __name__ == "__main__":
    main()
