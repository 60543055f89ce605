"""Tables are looked for, downloaded, prepared and checked."""

from __future__ import annotations

import csv
import dataclasses
from pathlib import Path

import pytest

from diva.datasets import DATASETS, find, get, prepare, require
from diva.datasets.find import cache
from diva.datasets.get import write_csv
from diva.errors import BadInput
from diva.relation.duck import open_table
from tests.datasets.server import serving
from tests.datasets.test_prepare import CREDIT, shared


@pytest.fixture(autouse=True)
def nowhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """No table is here yet."""
    monkeypatch.delenv("DIVA_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "diva"


@pytest.fixture
def two_rows(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Credit as a table of two rows, with its files in a folder."""
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "german.data").write_text(f"{CREDIT}\n{CREDIT}\n")
    digest = write_csv(prepare.credit([tmp_path / "files" / "german.data"]), tmp_path / "expected.csv")
    for file in ("german_credit_kaggle.csv", "german_credit_kaggle.parquet"):
        monkeypatch.setitem(
            DATASETS, f"tiny-{file[-3:]}", dataclasses.replace(DATASETS["credit"], sha256=digest, file=file)
        )
    return tmp_path / "files"


def test_a_table_is_downloaded_once(two_rows: Path, nowhere: Path) -> None:
    with serving(two_rows) as address:
        found = get("tiny-csv", mirror=address)
    assert found.path == nowhere / "german_credit_kaggle.csv"
    assert found.path.read_text() == (two_rows.parent / "expected.csv").read_text()
    assert get("tiny-csv", mirror=address) == found  # the server is gone
    assert require("tiny-csv") == found.path
    assert [p.name for p in nowhere.iterdir()] == ["german_credit_kaggle.csv"]


def test_a_large_table_is_kept_as_parquet(two_rows: Path) -> None:
    found = get("tiny-uet", files=[two_rows / "german.data"])
    table = open_table(found.path)
    assert (table.row_count(), table.frequencies(["Sex"])) == (2, [(("male",), 2)])


def test_another_table_than_the_one_meant_is_not_kept(two_rows: Path, nowhere: Path) -> None:
    (two_rows / "german.data").write_text(f"{CREDIT}\n")
    with serving(two_rows) as address, pytest.raises(BadInput, match="is not the table that is meant"):
        get("tiny-csv", mirror=address)
    assert list(nowhere.iterdir()) == []


def test_a_file_that_is_not_there_is_told(two_rows: Path) -> None:
    (two_rows / "german.data").unlink()
    with (
        serving(two_rows) as address,
        pytest.raises(BadInput, match=r"german\.data: it answers 404; try again online"),
    ):
        get("tiny-csv", mirror=address)


def test_offline_is_told(two_rows: Path, nowhere: Path) -> None:
    with serving(two_rows) as address:
        pass
    with pytest.raises(
        BadInput, match=r"can't download credit from http://127.*; try again online, or fetch its files"
    ):
        get("tiny-csv", mirror=address)
    assert list(nowhere.iterdir()) == []


def test_a_generated_table_needs_no_network(nowhere: Path) -> None:
    found = get("pop-syn-uniform")
    assert found.path == nowhere / "pop_syn_uniform.csv"
    with found.path.open(newline="") as stream:
        assert sum(1 for _ in csv.reader(stream)) == 100_001


def test_a_folder_of_ones_own_comes_first(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "pantheon.csv").write_text("x\n")
    monkeypatch.setenv("DIVA_DATA", str(tmp_path))
    found = find(DATASETS["pantheon"])
    assert found is not None
    assert (found.path, found.where) == (tmp_path / "pantheon.csv", "DIVA_DATA")
    assert get("pantheon") == found


def test_census_is_made_from_files_as_the_publisher_has_them(tmp_path: Path) -> None:
    rows = open_table(shared("census_income_kdd.parquet")).relation().fetchall()
    for name, part in (("a", rows[:199_523]), ("b", rows[199_523:])):
        (tmp_path / name).write_text("".join(", ".join(row) + "\n" for row in part))
    found = get("census", files=[tmp_path / "a", tmp_path / "b"])
    assert open_table(found.path).relation().fetchall() == rows


@pytest.mark.parametrize(
    ("name", "options", "why"),
    [
        ("censos", {}, "there is no data set 'censos'; did you mean census"),
        ("xyz", {}, "there is no data set 'xyz'; there are adult, census"),
        (
            "pantheon",
            {},
            "can't be downloaded without an account: fetch database.csv from https://www.kaggle.com",
        ),
        ("census", {"files": [Path("a")]}, "made from 2 files"),
        ("credit", {"files": [Path("absent")]}, "there is no file 'absent'"),
        ("credit", {"mirror": "ftp://x"}, "is no address that begins with http"),
    ],
)
def test_what_is_refused(name: str, options: dict[str, object], why: str) -> None:
    with pytest.raises(BadInput, match=why):
        get(name, **options)  # type: ignore[arg-type]


def test_a_table_that_is_missing_says_how_to_get_it() -> None:
    with pytest.raises(BadInput, match="get it with: diva datasets get census"):
        require("census")


def test_a_relative_cache_is_ignored(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "here")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache() == tmp_path / ".cache" / "diva"
