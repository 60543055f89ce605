"""Verifying a release, as a multiple of DuckDB's own scans and copy of the same columns in the same run.

`python benchmarks/verify.py` generates 300,000 records of about 7,000 types, suppresses QI cells in two ways (one of a
dozen patterns per record, as plans do; every cell by itself, which no plan does and which is the hardest to match), and
verifies with and without 30 untouched columns, from CSV and Parquet. Then the matching alone on Census, where the data is.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import duckdb
import numpy as np

from data import CENSUS, CENSUS_QI
from diva.relation.duck import open_table
from diva.verify import verify
from timing import medians

RECORDS, TYPES, UNTOUCHED = 300_000, 7_000, 30
QUASI = tuple(f"q{i}" for i in range(6))


def generate(folder: Path, rng: np.random.Generator) -> None:
    """Write an original, and releases of it in another order."""
    sizes = (2, 5, 91, 17, 52, 9)
    types = np.column_stack([rng.zipf(1.6, TYPES) % size for size in sizes])
    weights = 1 / np.arange(1, TYPES + 1) ** 0.9
    codes = types[rng.choice(TYPES, RECORDS, p=weights / weights.sum())]
    patterns = rng.random((12, len(sizes))) < 0.3
    masks = {"patterns": patterns[rng.integers(12, size=RECORDS)], "cells": rng.random(codes.shape) < 0.15}
    others = np.minimum(rng.zipf(1.5, (RECORDS, UNTOUCHED)), 200)
    write(folder / "original", codes, others)
    shuffled = rng.permutation(RECORDS)
    for name, mask in masks.items():
        write(folder / name, np.where(mask, -1, codes)[shuffled], others[shuffled])
        write(folder / f"{name}-in-order", np.where(mask, -1, codes), others)


def write(path: Path, codes: np.ndarray, others: np.ndarray) -> None:
    columns = {f"q{i}": codes[:, i] for i in range(codes.shape[1])} | {
        f"z{i}": others[:, i] for i in range(UNTOUCHED)
    }
    connection = duckdb.connect()
    connection.register("numbers", {name: np.ascontiguousarray(column) for name, column in columns.items()})
    texts = [f"CASE WHEN {q} < 0 THEN '*' ELSE 'value ' || {q} END AS {q}" for q in QUASI]
    texts += [f"'a value ' || z{i} AS z{i}" for i in range(UNTOUCHED)]
    for width, ending in ((len(QUASI), "narrow"), (len(columns), "wide")):
        for form in ("csv", "parquet"):
            connection.execute(
                f"COPY (SELECT {', '.join(texts[:width])} FROM numbers) TO '{path}.{ending}.{form}'"
            )


def measure(folder: Path, release: str, width: str, form: str) -> None:
    original = open_table(folder / f"original.{width}.{form}")
    connection = original.connection

    def check(order: str) -> None:
        name = release if order == "shuffle" else f"{release}-in-order"
        published = open_table(folder / f"{name}.{width}.{form}", connection)
        verify(published, quasi=QUASI, k=1, original=original, order=order).require()

    seconds = medians(
        {
            "scan": lambda: connection.execute(
                f"SELECT {', '.join(f'max(hash({c}))' for c in original.names)} FROM {original.source}"
            ).fetchall(),
            "copy": lambda: connection.execute(
                f"COPY (SELECT * FROM {original.source}) TO '{folder}/copy.csv'"
            ),
            "shuffle": lambda: check("shuffle"),
            "keep": lambda: check("keep"),
        },
        times=3,
    )
    print(
        f"{release:8} {width:6} {form:7} scan {seconds['scan']:.3f} s, copy to CSV {seconds['copy']:.3f} s;"
        f" shuffled {seconds['shuffle']:.3f} s ({seconds['shuffle'] / seconds['copy']:.1f} copies),"
        f" in order {seconds['keep']:.3f} s ({seconds['keep'] / seconds['copy']:.1f} copies)"
    )


def census(folder: Path) -> None:
    """Census as it is in the wild: six QI columns, each record suppressed by one of eight patterns."""
    path = folder / "census.csv"
    quoted = [f'"{c}"' for c in CENSUS_QI]
    cells = [
        f"CASE WHEN ((hash({', '.join(quoted)}) % 8) * {37 + i * 11}) % 7 < 2 THEN '*' ELSE {c} END AS {c}"
        for i, c in enumerate(quoted)
    ]
    connection = duckdb.connect()
    connection.execute(f"COPY (SELECT {', '.join(cells)} FROM '{CENSUS}' ORDER BY random()) TO '{path}'")
    original, release = open_table(CENSUS), open_table(path)
    seconds = medians(
        {
            "copy": lambda: connection.execute(
                f"COPY (SELECT {', '.join(quoted)} FROM '{CENSUS}') TO '{folder}/copy.csv'"
            ),
            "verify": lambda: verify(release, quasi=CENSUS_QI, k=1, original=original).require(),
        }
    )
    print(
        f"Census, 6 columns: copy to CSV {seconds['copy']:.3f} s, verify {seconds['verify']:.3f} s ({seconds['verify'] / seconds['copy']:.1f} copies)"
    )


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        generate(folder, np.random.default_rng(0))
        for release in ("patterns", "cells"):
            for width in ("narrow", "wide"):
                for form in ("csv", "parquet"):
                    measure(folder, release, width, form)
        if CENSUS.exists():
            census(folder)


if __name__ == "__main__":
    main()
