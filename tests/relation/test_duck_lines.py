"""A shuffled release becomes delimited text as finished lines: the same bytes as DuckDB writes cell by cell."""

from __future__ import annotations

import random
from pathlib import Path

import polars as pl
import pytest

import diva
from diva.relation.duck_recode import SQL, DuckRecoding, copy_options

HOSTILE = [
    "a", "", " b", "c,d", 'e"f', '"', ",", "g\nh", "i\rj", "#k", None, "ü🎉", "x\x01y", "\x1f", "'", ";", "\t", "=cmd()",
    "NULL", "\\N", "\x00z", " ",
]  # fmt: skip
NAMES = ["q1", "q2", "s 1", "s,2", 's"3', "#4", "s\t5"]


def table(rows: int = 3_000) -> pl.DataFrame:
    draw = random.Random(1)
    texts = {name: [draw.choice(HOSTILE) for _ in range(rows)] for name in NAMES}
    others = {
        "whole": [draw.choice([1, -2, None]) for _ in range(rows)],
        "float": [draw.choice([1.5, 1e300, -0.0, None]) for _ in range(rows)],
        "truth": [draw.choice([True, None]) for _ in range(rows)],
    }
    return pl.DataFrame(texts | others)


def by_cells(recoding: DuckRecoding, path: Path, form) -> None:
    recoding.sort("COPY (", f") TO {SQL.text(str(path))} ({copy_options(form)})")


@pytest.mark.parametrize("ending", ["csv", "tsv", "csv.gz"])
@pytest.mark.parametrize("suppressed", ["star", "null"])
def test_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str, suppressed: str
) -> None:
    source = table()
    if suppressed == "null":
        source = source.with_columns(pl.col("q1", "q2").fill_null("none"))
    options = {"qi": ["q1", "q2"], "keep_rest": True, "k": 5, "suppressed": suppressed, "effort": "quick"}
    diva.anonymize(source, output=tmp_path / f"lines.{ending}", **options)
    ways = []
    monkeypatch.setattr(DuckRecoding, "sort_lines", lambda *given: (ways.append("cells"), by_cells(*given)))
    diva.anonymize(source, output=tmp_path / f"cells.{ending}", **options)
    assert ways == ["cells"]
    assert (tmp_path / f"lines.{ending}").read_bytes() == (tmp_path / f"cells.{ending}").read_bytes()
