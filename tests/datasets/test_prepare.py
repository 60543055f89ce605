"""A publisher's files become one table."""

from __future__ import annotations

import csv
import gzip
import hashlib
import os
from pathlib import Path

import pytest

from diva.datasets import prepare
from diva.datasets.catalogue import DATASETS
from diva.datasets.get import write_csv
from diva.errors import BadInput

SHARED = Path(os.environ.get("DIVA_DATA", Path(__file__).parents[3] / "shared" / "data"))
ADULT = "39, State-gov, 77516, Bachelors, 13, Never-married, Adm-clerical, Not-in-family, White, Male, 2174, 0, 40, United-States, <=50K"
CREDIT = "A11 6 A34 A43 1169 A65 A75 4 A93 A101 4 A121 67 A143 A152 2 A173 1 A192 A201 1"


def shared(name: str) -> Path:
    if not (SHARED / name).exists():
        pytest.skip(f"{name} is not in DIVA_DATA")
    return SHARED / name


def test_adult_loses_the_comment_the_dots_and_blank_lines(tmp_path: Path) -> None:
    (tmp_path / "adult.data").write_text(f"{ADULT}\n\n")
    (tmp_path / "adult.test").write_text(f"|1x3 Cross validator\n{ADULT.replace('39', '40')}.\n\n")
    rows = list(prepare.adult([tmp_path / "adult.data", tmp_path / "adult.test"]))
    assert [row[0] for row in rows] == ["age", "39", "40"]
    assert rows[1][1:] == rows[2][1:]
    assert rows[1][-1] == "<=50K"
    assert rows[1][1] == "State-gov"


def test_census_is_unpacked_and_kept_as_it_is(tmp_path: Path) -> None:
    line = ", ".join(str(i) for i in range(41)) + ", - 50000."
    (tmp_path / "a.gz").write_bytes(gzip.compress(f"{line}\n".encode()))
    header, row = prepare.census([tmp_path / "a.gz"])
    assert len(header) == len(row) == 42
    assert row[-1] == "- 50000."


def test_credit_has_words_for_codes(tmp_path: Path) -> None:
    (tmp_path / "german.data").write_text(f"{CREDIT}\n")
    header, row = prepare.credit([tmp_path / "german.data"])
    assert dict(zip(header, row, strict=True)) == {
        "id": "0", "Age": "67", "Sex": "male", "Job": "2", "Housing": "own", "Saving accounts": "NA",
        "Checking account": "little", "Credit amount": "1169", "Duration": "6", "Purpose": "radio/TV",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("<html>no such file</html>\n", "a line has 3 cells and not 21"),
        (CREDIT.replace("A93", "A99") + "\n", "'A99' is no code of column 9"),
        ("\xff\n", "can't be read as text"),
    ],
)
def test_a_file_that_is_something_else_is_refused(tmp_path: Path, text: str, why: str) -> None:
    (tmp_path / "german.data").write_bytes(text.encode("latin-1"))
    with pytest.raises(BadInput, match=why):
        list(prepare.credit([tmp_path / "german.data"]))


def test_a_broken_gzip_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.gz").write_bytes(gzip.compress(b"1, " * 41 + b"2\n")[:-8])
    with pytest.raises(BadInput, match="can't be read as text"):
        list(prepare.census([tmp_path / "a.gz"]))


def test_the_shared_credit_tables_agree(tmp_path: Path) -> None:
    """The table with words is made from the one with codes, byte for byte as its checksum says."""
    with shared("german_credit_uci.csv").open(newline="") as stream:
        coded = [" ".join(row) for row in csv.reader(stream)][1:]
    (tmp_path / "german.data").write_text("\n".join(coded) + "\n")
    digest = write_csv(prepare.credit([tmp_path / "german.data"]), tmp_path / "out.csv")
    assert digest == DATASETS["credit"].sha256


@pytest.mark.parametrize("name", ["adult", "credit", "pantheon"])
def test_checksums_are_those_of_the_shared_tables(name: str) -> None:
    path = shared(DATASETS[name].file)
    assert hashlib.sha256(path.read_bytes()).hexdigest() == DATASETS[name].sha256
    with path.open(newline="") as stream:
        rows = list(csv.reader(stream))
    assert (len(rows) - 1, len(rows[0])) == (DATASETS[name].rows, DATASETS[name].columns)


def test_the_shared_adult_table_comes_out_of_files_like_the_publishers(tmp_path: Path) -> None:
    with shared("adult_uci.csv").open(newline="") as stream:
        rows = list(csv.reader(stream))[1:]
    lines = [", ".join(row) for row in rows]
    (tmp_path / "adult.data").write_text("\n".join(lines[:32_561]) + "\n\n")
    (tmp_path / "adult.test").write_text("|1x3 Cross validator\n" + ".\n".join(lines[32_561:]) + ".\n\n")
    digest = write_csv(
        prepare.adult([tmp_path / "adult.data", tmp_path / "adult.test"]), tmp_path / "out.csv"
    )
    assert digest == DATASETS["adult"].sha256
