"""A shuffled release that holds QI columns only is written from its groups: the same bytes as by sorting records."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import diva
from diva.relation.duck_recode import DuckRecoding

CASES: dict[str, dict[str, Any]] = {
    "stars": {},
    "another star": {"star": "x, y"},
    "null": {"suppressed": "null"},
    "another seed": {"seed": 7},
    "sigma": {"constraints": ["A[a1] in 2.."]},
    "split": {"solver": "k-member"},
}


def table(seed: int) -> pl.DataFrame:
    draw = random.Random(seed)
    columns = {
        name: [draw.choice([f"{name.lower()}{i}" for i in range(4)] + [""]) for _ in range(90)]
        for name in "ABC"
    }
    return pl.DataFrame(columns)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("name", ["r.csv", "r.parquet"])
def test_the_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: str, name: str) -> None:
    source = table(len(case))
    ways = []
    monkeypatch.setattr(
        DuckRecoding,
        "_multiply",
        lambda self, *rest, plain=DuckRecoding._multiply: (ways.append("groups"), plain(self, *rest)),
    )
    diva.anonymize(source, qi=["A", "B", "C"], k=4, output=tmp_path / f"groups-{name}", **CASES[case])
    monkeypatch.setattr(DuckRecoding, "_in_groups", property(lambda _: False))
    diva.anonymize(source, qi=["A", "B", "C"], k=4, output=tmp_path / f"sorted-{name}", **CASES[case])
    assert ways == ["groups"]
    assert (tmp_path / f"groups-{name}").read_bytes() == (tmp_path / f"sorted-{name}").read_bytes()


def test_numbers_that_stay_numbers_are_sorted_as_records(tmp_path: Path) -> None:
    source = pl.DataFrame({"A": [1, 1, 1, 2, 2, 2], "B": [1.5, 1.5, 1.5, 2.5, 2.5, 2.5]})
    diva.anonymize(source, qi=["A", "B"], k=3, output=tmp_path / "r.parquet")
    assert sorted(pl.read_parquet(tmp_path / "r.parquet").rows()) == sorted(source.rows())
