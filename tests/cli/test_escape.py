"""Names and values that try to escape come out byte for byte, or suppressed."""

from __future__ import annotations

import csv
from pathlib import Path

import duckdb
import pytest

from tests.cli.shell import diva

NASTY = [
    '"', '""', "'", ";", "--", "-- x", "a\nb", "a\r\nb", "\r", "\t", ",", " outer ", "<script>alert(1)</script>", "=cmd()",
    "@SUM(A1)", "+1", "\\", "\\n", "{}", "%s", "$1", "😀", "\u202eabc", "a\u200bb", "é", "e\u0301", "x" * 10_000, "NULL", "null",
    "None", "NaN", "0", "007", "1.0", "1e5", "true", "2020-01-01", "#", "[", "]", "c0", "r.c0", "'); DROP TABLE t; --", "",
]  # fmt: skip
NAMES = [
    "select",
    "count",
    'quo"te',
    "semi;colon",
    "new\nline",
    "--",
    "<script>",
    "emoji 😀",
    "c0",
    "w.type",
    " outer ",
    "[x]",
    "a,b",
]


def quoted(names: list[str]) -> str:
    return ",".join('"' + name.replace('"', '""') + '"' for name in names)


def write_table(path: Path, names: list[str], rows: list[tuple[str, ...]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, quoting=csv.QUOTE_ALL, lineterminator="\n")
        writer.writerow(names)
        writer.writerows(rows)


def read_csv(path: Path) -> list[tuple[str, ...]]:
    with path.open(encoding="utf-8", newline="") as stream:
        return [tuple(row) for row in csv.reader(stream)]


@pytest.mark.parametrize("ending", ["csv", "parquet", "csv.gz", "csv.zst", "tsv"])
def test_values_come_out_byte_for_byte(tmp_path: Path, ending: str) -> None:
    rows = [(value, value, str(i)) for i, value in enumerate(NASTY)]
    write_table(tmp_path / "t.csv", ["qi", "kept", "n"], rows)
    ended = diva(
        "anonymize",
        "t.csv",
        "-o",
        f"out.{ending}",
        "--qi",
        "qi",
        "--keep",
        "kept,n",
        "--k",
        "1",
        "--order",
        "keep",
        folder=tmp_path,
    )
    assert ended.code == 0, ended.err
    if ending == "csv":
        assert read_csv(tmp_path / "out.csv") == [("qi", "kept", "n"), *rows]
    elif ending == "parquet":
        assert duckdb.execute(f"SELECT * FROM '{tmp_path}/out.parquet'").fetchall() == rows
    ended = diva("verify", f"out.{ending}", "--qi", "qi", "--k", "1", "--original", "t.csv", folder=tmp_path)
    assert ended.code == 0, ended.out + ended.err


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_values_come_out_or_are_suppressed(tmp_path: Path, ending: str) -> None:
    rows = [(value, "same", value) for value in NASTY] + [("twice", "same", "x")] * 2
    write_table(tmp_path / "t.csv", ["rare", "common", "kept"], rows)
    ended = diva(
        "anonymize",
        "t.csv",
        "-o",
        f"out.{ending}",
        "--qi",
        "rare,common",
        "--keep",
        "kept",
        "--k",
        "2",
        folder=tmp_path,
    )
    assert ended.code == 0, ended.err
    out = (
        duckdb.execute(f"SELECT * FROM '{tmp_path}/out.parquet'").fetchall()
        if ending == "parquet"
        else read_csv(tmp_path / "out.csv")[1:]
    )
    assert sorted(row[2] for row in out) == sorted(row[2] for row in rows)
    assert {row[0] for row in out} == {"*", "twice"}
    assert {row[1] for row in out} == {"same"}


def test_names_come_out_byte_for_byte(tmp_path: Path) -> None:
    rows = [tuple(f"{name}{i % 2}" for name in NAMES) for i in range(6)]
    write_table(tmp_path / "t.csv", NAMES, rows)
    sigma = "".join(
        f'{quoted([name])}["{NAMES[2]}"] in 0..\n'.replace(f'"{NAMES[2]}"', '"x"') for name in NAMES
    )
    (tmp_path / "sigma.txt").write_text(sigma, encoding="utf-8")
    words = [
        "anonymize",
        "t.csv",
        "-o",
        "out.csv",
        "--qi",
        quoted(NAMES),
        "--k",
        "2",
        "--constraints",
        "sigma.txt",
    ]
    ended = diva(*words, folder=tmp_path)
    assert ended.code == 0, ended.err
    out = read_csv(tmp_path / "out.csv")
    assert out[0] == tuple(NAMES)
    assert sorted(out[1:]) == sorted(rows)


def test_terminal_controls_are_made_visible(tmp_path: Path) -> None:
    write_table(tmp_path / "t.csv", ["qi", "\x1b[31mred"], [("a", "b")] * 2)
    ended = diva("anonymize", "t.csv", "-o", "out.csv", "--qi", "qi", "--k", "2", folder=tmp_path)
    assert ended.code == 0, ended.err
    assert "\x1b" not in ended.out + ended.err


def test_null_and_empty_text_stay_apart(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text('qi,kept\n,\n,\n"",""\n"",""\n', encoding="utf-8")
    ended = diva(
        "anonymize",
        "t.csv",
        "-o",
        "out.csv",
        "--qi",
        "qi",
        "--keep",
        "kept",
        "--k",
        "2",
        "--order",
        "keep",
        folder=tmp_path,
    )
    assert ended.code == 0, ended.err
    assert (tmp_path / "out.csv").read_text(encoding="utf-8") == 'qi,kept\n,\n,\n"",""\n"",""\n'
