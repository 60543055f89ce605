"""Tables in many files: folders, patterns, and hive folders whose names hold columns."""

from __future__ import annotations

from pathlib import Path

import duckdb
import polars as pl
import pytest

import diva
from diva.relation.opening import open_table

VALUES = ["*x", "", None, "a/b=c", "ü %", "__HIVE_DEFAULT_PARTITION__", "[1]"]


def hive(folder: Path, form: str = "parquet") -> Path:
    connection = duckdb.connect()
    connection.register("v", pl.DataFrame({"a": VALUES}))
    connection.execute(
        "CREATE TABLE t AS SELECT a, (i % 3)::VARCHAR AS year, i::VARCHAR AS n FROM v, range(12) t(i)"
    )
    connection.execute(f"COPY t TO '{folder}/h' (FORMAT {form}, PARTITION_BY (a, year))")
    return folder / "h"


@pytest.mark.parametrize("form", ["parquet", "csv"])
def test_hive_folders_hold_columns(tmp_path: Path, form: str) -> None:
    folder = hive(tmp_path, form)
    for source in (folder, f"{folder}/**/*.{form}", f"{tmp_path}/h/a=*/*/*"):
        table = open_table(source)
        assert table.names == ("n", "a", "year")
        types = table.types(("year", "a"))
        assert set(types.values[1]) == set(VALUES)
        assert types.values[0] == ("0", "1", "2")
        assert types.counts.tolist() == [4] * 21
    release = diva.anonymize(folder, qi=["a", "year"], keep=["n"], k=12)
    assert release.to_polars().columns == ["n", "a", "year"]
    assert release.stars == release.rows


def test_a_file_alone_and_folders_above_hold_no_columns(tmp_path: Path) -> None:
    inside = tmp_path / "above=1" / "data" / "year=94"
    inside.mkdir(parents=True)
    pl.DataFrame({"n": ["1"]}).write_parquet(inside / "t.parquet")
    assert open_table(inside / "t.parquet").names == ("n",)
    assert open_table(tmp_path / "above=1" / "data").names == ("n", "year")
    assert open_table(f"{tmp_path}/above=1/data/*/*.parquet").names == ("n", "year")
    kept = diva.anonymize(
        tmp_path / "above=1" / "data", qi=["year"], keep=["n"], k=1, order="keep", output=tmp_path / "o.csv"
    )
    assert kept.rows == 1
    assert (tmp_path / "o.csv").read_text().splitlines() == ["n,year", "1,94"]


def test_a_folder_is_read_in_the_order_of_its_names(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    for name, value in (
        ("b.csv", "2"),
        ("a.csv", "1"),
        ("deep/c.csv", "3"),
        ("_SUCCESS", ""),
        (".hidden.csv", "9"),
    ):
        (tmp_path / name).write_text(f"n\n{value}\n" if value else "", encoding="utf-8")
    table = open_table(tmp_path)
    assert table.export("polars")["n"].to_list() == ["1", "2", "3"]


def refusals(folder: Path) -> dict[str, tuple[Path, str]]:
    for name in ("empty", "mixed", "both/n=1", "uneven/a=1", "uneven/b=1", "nameless/=1", "formats"):
        (folder / name).mkdir(parents=True)
    for name in (
        "both/n=1/t.csv",
        "uneven/a=1/t.csv",
        "uneven/b=1/t.csv",
        "nameless/=1/t.csv",
        "formats/t.csv",
        "mixed/t.csv",
    ):
        (folder / name).write_text("n\n1\n", encoding="utf-8")
    (folder / "mixed/readme.md").write_text("about", encoding="utf-8")
    pl.DataFrame({"n": ["1"]}).write_parquet(folder / "formats/t.parquet")
    return {
        "empty": (folder / "empty", "holds no files"),
        "mixed": (folder / "mixed", "can't tell the format of .*readme.md"),
        "both": (folder / "both", "column 'n' of .* is in the files and in the names of their folders"),
        "uneven": (folder / "uneven", "lie in folders for different columns"),
        "nameless": (folder / "nameless", "without a column before its equals sign"),
        "formats": (folder / "formats", "differ in format"),
    }


@pytest.mark.parametrize("name", ["empty", "mixed", "both", "uneven", "nameless", "formats"])
def test_folders_that_are_no_table(tmp_path: Path, name: str) -> None:
    source, sentence = refusals(tmp_path)[name]
    with pytest.raises(diva.BadInput, match=sentence):
        open_table(source)
