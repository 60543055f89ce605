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
        pa.table([["1"], ["2"]], names=["a", "A"]).to_reader(),
        pa.table([["1"], ["2"]], names=["a", "A"]).to_batches()[0],
    ]
    for source in sources:
        with pytest.raises(diva.BadInput, match="two columns"):
            open_table(source)


@pytest.mark.parametrize(
    "other", [{"A": ["1"], "B": ["x"], "C": ["y"]}, {"A": ["1"]}, {"A": [1], "B": ["x"]}]
)
def test_parquet_files_of_different_columns_are_no_table(tmp_path: Path, other: dict[str, list[str]]) -> None:
    pl.DataFrame({"A": ["007"], "B": ["x"]}).write_parquet(tmp_path / "p1.parquet")
    pl.DataFrame(other).write_parquet(tmp_path / "p2.parquet")
    with pytest.raises(
        diva.BadInput, match=r"p1\.parquet' and .*p2\.parquet' have different columns or types"
    ):
        open_table(tmp_path / "p*.parquet")


def test_parquet_files_may_have_their_columns_in_any_order(tmp_path: Path) -> None:
    pl.DataFrame({"A": ["a"], "B": ["b"]}).write_parquet(tmp_path / "p1.parquet")
    pl.DataFrame({"B": ["b"], "A": ["a"]}).write_parquet(tmp_path / "p2.parquet")
    assert open_table(tmp_path / "p*.parquet").types(("A", "B")).counts.tolist() == [2]


@pytest.mark.parametrize(
    "kind", ["INTERVAL 1 microsecond * i", "union_value(number := i)", "[INTERVAL 1 day]"]
)
@pytest.mark.parametrize("role", ["qi", "keep"])
def test_what_parquet_cannot_hold_is_refused_and_csv_holds_it(tmp_path: Path, kind: str, role: str) -> None:
    source = duckdb.sql(f"SELECT {kind} AS odd, i AS a FROM range(6) t(i)")
    columns = {"qi": ["a"], role: ["odd", "a"] if role == "qi" else ["odd"]}
    release = diva.anonymize(source, k=1, **columns)
    release.write(tmp_path / "r.csv")
    with pytest.raises(diva.BadInput, match=r"column 'odd' is of type '.*', which Parquet can't hold"):
        release.write(tmp_path / "r.parquet")
    with pytest.raises(diva.BadInput, match=r"column 'odd' is of type '.*', which Parquet can't hold"):
        diva.anonymize(source, k=1, output=tmp_path / "r.parquet", **columns)
    assert {p.name for p in tmp_path.iterdir()} == {"r.csv", "r.csv.diva.json"}


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
