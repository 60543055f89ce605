"""What DuckDB would do silently and we don't: rename columns, lose them, show values in errors."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import diva
from diva.relation.duck import open_table


def test_names_that_duckdb_would_rename_are_refused(tmp_path: Path) -> None:
    pl.DataFrame({"Age": ["1"], "age": ["2"]}).write_parquet(tmp_path / "t.parquet")
    sources = [
        tmp_path / "t.parquet",
        pl.DataFrame({"Age": ["1"], "age": ["2"]}),
        pd.DataFrame([["1", "2"]], columns=["a", "a"]),
        pa.table([["1"], ["2"]], names=["a", "a"]),
    ]
    for source in sources:
        with pytest.raises(diva.BadInput, match="two columns"):
            open_table(source)


def test_nested_columns_are_not_mistaken_for_columns(tmp_path: Path) -> None:
    duckdb.execute(
        f"COPY (SELECT {{'a': 1, 'b': {{'A': 2}}}} AS s, [1, 2] AS l, 'x' AS a) TO '{tmp_path}/t.parquet' (FORMAT parquet)"
    )
    assert open_table(tmp_path / "t.parquet").names == ("s", "l", "a")
    assert diva.anonymize(tmp_path / "t.parquet", qi=["a"], keep=["s", "l"], k=1).rows == 1


def test_an_empty_table_can_neither_be_decided_nor_published(tmp_path: Path) -> None:
    (tmp_path / "e.csv").write_text("A,B\n", encoding="utf-8")
    with pytest.raises(diva.BadInput, match="no records"):
        diva.decide(tmp_path / "e.csv", qi=["A"], k=1)
    with pytest.raises(diva.BadInput, match="no records"):
        diva.anonymize(tmp_path / "e.csv", qi=["A"], k=1)


def test_more_than_sixty_targets_in_one_scan(tmp_path: Path) -> None:
    rows = [{"a": str(i % 90)} for i in range(900)]
    table = open_table(pl.DataFrame(rows))
    targets = [diva.Target(("a",), (str(i),)) for i in range(90)]
    assert table.counts(targets) == [10] * 90
    assert sorted(table.signatures(targets)) == sorted((1 << i, 10) for i in range(90))
    assert table.counts([]) == []
    assert table.signatures([]) == [(0, 900)]


def test_count_queries_run_in_duckdb(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text('"a b",c\n"x\'y",1\n"x\'y",2\n', encoding="utf-8")
    query = open_table(path).count_query(diva.Target(("a b",), ("x'y",)))
    assert duckdb.execute(query).fetchall() == [(2,)]
