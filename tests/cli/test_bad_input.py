"""The corpus of bad inputs: one sentence that names the culprit, the right exit code, nothing written or changed."""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.cli.shell import COLUMNS, PATIENTS, diva, snapshot

Setup = Callable[[Path], object]


@dataclass(frozen=True)
class Case:
    """A bad input."""

    name: str
    words: list[str]
    """The command; TABLE stands for patients.csv with the usual columns, k=2 and an output."""
    culprit: list[str]
    """What the sentence must name."""
    code: int = 2
    files: dict[str, str | bytes] = field(default_factory=dict)
    setup: Setup = lambda _: None


def write(name: str, content: str | bytes, *more: str, **options: object) -> dict[str, object]:
    return {
        "words": ["anonymize", name, "-o", "out.csv", "--qi", "A", "--k", "1", *more],
        "files": {name: content},
        **options,
    }


LONG = "x" * 300 + ".csv"
TABLE = ["anonymize", "patients.csv", "-o", "out.csv", *COLUMNS, "--k", "2"]
NO_K = TABLE[:-2]


def sigma(text: str, *culprit: str, code: int = 2) -> Case:
    return Case(f"sigma {text[:40]!r}", [*TABLE, "-c", text], list(culprit), code)


def with_k(k: str, *culprit: str, code: int = 2) -> Case:
    return Case(f"k {k}", [*NO_K, "--k", k], list(culprit), code)


CASES = [
    # the table
    Case("missing file", ["anonymize", "nowhere.csv", "-o", "out.csv", "--qi", "A", "--k", "2"], ["nowhere.csv"]),
    Case("directory", ["anonymize", "sub", "-o", "out.csv", "--qi", "A", "--k", "2"], ["sub", "folder", "no files"], setup=lambda f: (f / "sub").mkdir()),
    Case("no match", ["anonymize", "part-*.csv", "-o", "out.csv", "--qi", "A", "--k", "2"], ["part-*.csv"]),
    Case("unknown ending", **write("table.xlsx", "A\n1\n"), culprit=["table.xlsx", ".csv"]),
    Case("no ending", **write("table", "A\n1\n"), culprit=["table", ".csv"]),
    Case("empty file", **write("t.csv", ""), culprit=["t.csv", "empty"]),
    Case("blank header", **write("t.csv", "\n1\n"), culprit=["t.csv", "header"]),
    Case("header only", **write("t.csv", "A,B\n"), culprit=["t.csv", "no records"]),
    Case("nameless column", **write("t.csv", "A,,B\n1,2,3\n"), culprit=["t.csv", "column 2"]),
    Case("long row", **write("t.csv", "A,B\n1,2\n1,secret,3\n"), culprit=["t.csv", "line 3", "3", "2"]),
    Case("short row", **write("t.csv", "A,B\n1,2\nsecret\n"), culprit=["t.csv", "line 3"]),
    Case("duplicate header", **write("t.csv", "A,B,A\n1,2,3\n"), culprit=["t.csv", "'A'"]),
    Case("header differs in case", **write("t.csv", "A,B,a\n1,2,3\n"), culprit=["'a'", "'A'", "case"]),
    Case("broken name", **write("t.csv", b'"A\nB",C\r\n1,2\r\n3,4\r\n'), culprit=["t.csv", "line break"]),
    Case("latin-1 value", **write("t.csv", "A,B\ncaf\xe9,1\n".encode("latin-1")), culprit=["t.csv", "UTF-8"]),
    Case("latin-1 header", **write("t.csv", "A,caf\xe9\n1,2\n".encode("latin-1")), culprit=["t.csv", "UTF-8"]),
    Case("utf-16", **write("t.csv", "A,B\n1,2\n".encode("utf-16")), culprit=["t.csv", "UTF-16"]),
    Case("open quote", **write("t.csv", 'A,B\n1,"secret\n2,3\n'), culprit=["t.csv", "quote"]),
    Case("mixed line ends", **write("t.csv", b"A,B\n1,2\r\n3,4\n"), culprit=["t.csv", "line ends"]),
    Case("not parquet", **write("t.parquet", "A,B\n1,2\n"), culprit=["t.parquet", "Parquet"]),
    Case("empty parquet", **write("t.parquet", b""), culprit=["t.parquet", "Parquet"]),
    Case("cut parquet", **write("t.parquet", b"PAR1" + b"\0" * 100), culprit=["t.parquet", "Parquet"]),
    Case("not gzip", **write("t.csv.gz", "A,B\n1,2\n"), culprit=["t.csv.gz", "gzip"]),
    Case("cut gzip", **write("t.csv.gz", gzip.compress(b"A,B\n1,2\n" * 50)[:30]), culprit=["t.csv.gz"]),
    Case("not zstd", **write("t.csv.zst", "A,B\n1,2\n"), culprit=["t.csv.zst"]),
    Case("huge line", **write("t.csv", "A,B\n1," + "x" * 3_000_000 + "\n"), culprit=["t.csv", "2 MB"]),
    Case(
        "different headers",
        ["anonymize", "p*.csv", "-o", "out.csv", "--qi", "A", "--k", "1"],
        ["p*.csv", "headers"],
        files={"p1.csv": "A,B\n1,2\n", "p2.csv": "A,C\n1,2\n"},
    ),
    Case(
        "different formats",
        ["anonymize", "p*", "-o", "out.csv", "--qi", "A", "--k", "1"],
        ["format"],
        files={"p1.csv": "A,B\n1,2\n", "p2.parquet": "A,C\n1,2\n"},
    ),
    Case("text behind a quote", **write("t.csv", 'A,B\n1,"secret"x\n2,3\n'), culprit=["t.csv", "line 2", "quote"]),
    Case("no UTF-8 far down", **write("t.csv", b"A,B\n" + b"1,2\n" * 50_000 + b"1,caf\xe9\n", "--keep-rest"), culprit=["'t.csv'", "UTF-8", "line 50002"]),
    Case("long row far down", **write("t.csv", "A,B\n" + "1,2\n" * 50_000 + "1,secret,3\n", "--keep-rest"), culprit=["'t.csv'", "line 50002"]),
    Case("endless column name", **write("t.csv", "A" * 200_000 + ",B\n1,2\n"), culprit=["'t.csv'", "131,072"]),
    Case("literal star", **write("t.csv", "A,B\n*,2\nx,3\n"), culprit=["'A'", "'*'", "--star"]),
    Case("own star", **write("t.csv", "A,B\n-,2\nx,3\n", "--star", "-"), culprit=["'A'", "'-'", "--star"]),
    Case("nulls of its own", **write("t.csv", "A,B\n,2\nx,3\n", "--suppressed", "null"), culprit=["'A'", "--suppressed null"]),
    Case("no name", ["anonymize", "", "-o", "out.csv", "--qi", "A", "--k", "1"], ["path is empty"]),
    Case("pipe", ["anonymize", "pipe.csv", "-o", "out.csv", "--qi", "A", "--k", "1"], ["pipe.csv", "ordinary"], setup=lambda f: os.mkfifo(f / "pipe.csv")),
    Case("device", ["check", "/dev/null", "-c", "A[1] in 1"], ["/dev/null", "ordinary"]),
    Case("link in a circle", ["check", "loop.csv", "-c", "A[1] in 1"], ["loop.csv"], setup=lambda f: (f / "loop.csv").symlink_to("loop.csv")),
    Case("long name", ["check", LONG, "-c", "A[1] in 1"], ["too long"]),
    Case("name that is no UTF-8", ["check", os.fsdecode(b"\xff.csv"), "-c", "A[1] in 1"], ["UTF-8"], setup=lambda f: (f / os.fsdecode(b"\xff.csv")).write_text("A\n1\n")),
    Case("pattern of names that are no UTF-8", ["check", "*x.csv", "-c", "A[1] in 1"], ["UTF-8"], setup=lambda f: (f / os.fsdecode(b"\xffx.csv")).write_text("A\n1\n")),
    Case("stray quote in the header", **write("t.csv", 'A,"B"x\n1,2\n"3",4\n5,6\n'), culprit=["t.csv", "header", "quote"]),
    Case("quote behind a blank in the header", **write("t.csv", ' "A\n1\n"\n2\n'), culprit=["t.csv", "header", "quote"]),
    Case("thousand columns", **write("t.csv", ",".join(f"c{i}" for i in range(1000)) + "\n"), culprit=["'A'", "'c19' and 980 more"]),
    # columns
    Case("no qi", ["anonymize", "patients.csv", "-o", "out.csv", "--k", "2"], ["--qi"]),
    Case("unknown column", [*TABLE, "--keep", "AGGE"], ["'AGGE'", "--keep", "'AGE'"]),
    Case("unknown qi", ["anonymize", "patients.csv", "-o", "out.csv", "--k", "2", "--qi", "GENDER"], ["'GENDER'", "--qi"]),
    Case("wrong case", ["anonymize", "patients.csv", "-o", "out.csv", "--k", "2", "--qi", "gen"], ["'gen'", "'GEN'"]),
    Case("repeated column", ["anonymize", "patients.csv", "-o", "out.csv", "--k", "2", "--qi", "GEN,AGE,GEN"], ["'GEN'", "twice"]),
    Case("two roles", [*TABLE, "--keep", "DIAG"], ["'DIAG'", "--sensitive", "--keep"]),
    Case("qi and id", [*TABLE, "--id", "GEN"], ["'GEN'", "--qi", "--id"]),
    Case("open quote in columns", ["anonymize", "patients.csv", "-o", "out.csv", "--k", "2", "--qi", '"GEN'], ['"GEN', "quote"]),
    Case("empty item in columns", ["anonymize", "patients.csv", "-o", "out.csv", "--k", "2", "--qi", "GEN,,AGE"], ["GEN,,AGE"]),
    # k
    with_k("0", "k=0"),
    with_k("-3", "k=-3"),
    with_k("ten", "'ten'", "--k"),
    with_k("2.5", "'2.5'", "--k"),
    with_k("", "''", "--k"),
    with_k("1000000000", "k=1000000000", "the table has 10", code=3),
    with_k("9" * 40, "--k", "too large"),
    with_k("²", "'²'", "--k"),
    with_k("11", "k=11", "the table has 10", code=3),
    Case("no k", NO_K, ["--k"]),
    # Σ
    sigma("ETH[Asian", "ETH[Asian", "]"),
    sigma('ETH["Asian] in 2..5', "ETH", "quote"),
    sigma("ETH[Asian] in 5..2", "5", "2"),
    sigma("ETH[Asian] in -1..2", "-1", "negative"),
    sigma("ETH[Asian] in 1.5..2", "1.5"),
    sigma("ETH[Asian] in two", "two"),
    sigma("ETH[Asian]", "ETH[Asian]", "in"),
    sigma("ETH[] in 1..2", "ETH[]", '""'),
    sigma("ETH[Asian,African] in 1..2", "1 column", "2 values"),
    sigma("ETH,ETH[Asian,African] in 1..2", "'ETH'", "twice"),
    sigma("[Asian] in 1..2", "[Asian]"),
    sigma("", "empty"),
    sigma("COLOUR[red] in 1..2", "'COLOUR'"),
    sigma("ID[t1] in 1..2", "'ID'", "identifying"),
    sigma("ETH[Martian] in 1..2", "ETH[Martian]", "no record", code=3),
    sigma("ETH[African] in 5..", "ETH[African]", "2 records", code=3),
    Case("same target, no overlap", [*TABLE, "-c", "ETH[Asian] in 2", "-c", "ETH[Asian] in 3"], ["ETH[Asian] in 2", "ETH[Asian] in 3"], 3),
    Case("dropped target", ["anonymize", "patients.csv", "-o", "out.csv", "--k", "2", "--qi", "ETH", "-c", "AGE[80] in 1.."], ["'AGE'", "dropped"]),
    Case("missing sigma file", [*TABLE, "--constraints", "none.txt"], ["none.txt"]),
    Case("sigma file with a slip", [*TABLE, "--constraints", "s.txt"], ["s.txt", "line 2"], files={"s.txt": "ETH[Asian] in 2..5\nETH[Asian in 2\n"}),
    Case("sigma file is a folder", [*TABLE, "--constraints", "sub"], ["sub", "folder"], setup=lambda f: (f / "sub").mkdir()),
    Case("sigma file is no UTF-8", [*TABLE, "--constraints", "s.txt"], ["s.txt", "line 2", "UTF-8"], files={"s.txt": "# ok\nETH[caf\xe9] in 1\n".encode("latin-1")}),
    Case("sigma json with a repeated key", [*TABLE, "--constraints", "s.json"], ["s.json", "'ETH'", "twice"], files={"s.json": '[{"target": {"ETH": "a", "ETH": "b"}, "low": 1}]'}),
    Case("sigma json with NULL", [*TABLE, "--constraints", "s.json"], ["s.json", "'ETH'"], files={"s.json": '[{"target": {"ETH": null}, "low": 1}]'}),
    Case("sigma json with a negative bound", [*TABLE, "--constraints", "s.json"], ["s.json", "-1"], files={"s.json": '[{"target": {"ETH": "a"}, "low": -1}]'}),
    Case("sigma json with bounds that cross", [*TABLE, "--constraints", "s.json"], ["s.json", "3", "2"], files={"s.json": '[{"target": {"ETH": "a"}, "low": 3, "high": 2}]'}),
    Case("sigma json",  [*TABLE, "--constraints", "s.json"], ["s.json"], files={"s.json": "{"}),
    Case("sigma toml key", [*TABLE, "--constraints", "s.toml"], ["lowest"], files={"s.toml": '[[constraints]]\ntarget = {ETH = "Asian"}\nlowest = 2\n'}),
    # options
    Case("unknown option", [*TABLE, "--fast"], ["--fast"]),
    Case("unknown command", ["anonymise", "patients.csv"], ["anonymise"]),
    Case("unknown solver", [*TABLE, "--solver", "magic"], ["'magic'", "lattice"]),
    Case("effort of a baseline", [*TABLE, "--solver", "k-member", "--effort", "quick"], ["effort", "k-member", "lattice"]),
    Case("time limit of a baseline", [*TABLE, "--solver", "oka", "--time-limit", "3"], ["time limit", "oka", "lattice"]),
    Case("split of the search", [*TABLE, "--split", "span"], ["split", "mondrian", "lattice"]),
    Case("unknown split", [*TABLE, "--solver", "mondrian", "--split", "median"], ["'median'", "entropy"]),
    Case("Σ that a baseline breaks", [*TABLE, "--solver", "k-member", "-c", "CTY[Vancouver] in 0"], ["CTY[Vancouver] in 0", "k-member", "4 records", "lattice"], code=5),
    Case("Σ that nobody can satisfy", [*TABLE, "--solver", "k-member", "-c", "CTY[Vancouver] in 9"], ["CTY[Vancouver] in 9"], code=3),
    Case("unknown effort", [*TABLE, "--effort", "heroic"], ["'heroic'", "standard"]),
    Case("unknown order", [*TABLE, "--order", "sorted"], ["'sorted'", "keep"]),
    Case("unknown suppressed", [*TABLE, "--suppressed", "blank"], ["'blank'", "null"]),
    Case("seed", [*TABLE, "--seed", "-1"], ["seed", "-1"]),
    Case("seed text", [*TABLE, "--seed", "x"], ["--seed", "'x'"]),
    Case("time limit", [*TABLE, "--time-limit", "0"], ["time limit", "0"]),
    Case("time limit nan", [*TABLE, "--time-limit", "nan"], ["--time-limit", "'nan'"]),
    Case("weight", [*TABLE, "--weight", "AGE"], ["'AGE'", "AGE=0.2"]),
    Case("weight of no qi", [*TABLE, "--weight", "DIAG=2"], ["'DIAG'"]),
    Case("negative weight", [*TABLE, "--weight", "AGE=-1"], ["AGE=-1"]),
    Case("empty star", [*TABLE, "--star", ""], ["star", "empty"]),
    Case("huge weight", [*TABLE, "--weight", "AGE=1e308"], ["1e+308", "'AGE'"]),
    Case("star and null", [*TABLE, "--star", "?", "--suppressed", "null"], ["'?'", "--suppressed null"]),
    Case("star that is no UTF-8", [*TABLE, "--star", os.fsdecode(b"\xff")], ["star", "text"]),
    # the output
    Case("output in a circle", ["anonymize", "patients.csv", "-o", "loop.csv", *COLUMNS, "--k", "2"], ["loop.csv"], setup=lambda f: (f / "loop.csv").symlink_to("loop.csv")),
    Case("output is a link to nowhere", ["anonymize", "patients.csv", "-o", "link.csv", *COLUMNS, "--k", "2"], ["nowhere"], setup=lambda f: (f / "link.csv").symlink_to("nowhere/x.csv")),
    Case("long output", ["anonymize", "patients.csv", "-o", LONG, *COLUMNS, "--k", "2"], ["too long"]),
    Case("output too long for its manifest", ["anonymize", "patients.csv", "-o", LONG[-240:], *COLUMNS, "--k", "2"], ["too long"]),
    Case("output that is no UTF-8", ["anonymize", "patients.csv", "-o", os.fsdecode(b"\xff.csv"), *COLUMNS, "--k", "2"], ["UTF-8"]),
    Case("manifest is a folder", TABLE, ["out.csv.diva.json", "directory"], setup=lambda f: (f / "out.csv.diva.json").mkdir()),
    Case("output is sigma", [*TABLE, "-o", "s.txt", "--constraints", "s.txt"], ["s.txt", "--constraints"], files={"s.txt": "ETH[Asian] in 2..5\n"}),
    Case("output without a name", ["anonymize", "patients.csv", "-o", "", *COLUMNS, "--k", "2"], ["output", "name a file"]),
    Case("output in a file system without files", ["anonymize", "patients.csv", "-o", "/proc/out.csv", *COLUMNS, "--k", "2"], ["'/proc'", "out.csv"]),
    Case("no output", ["anonymize", "patients.csv", *COLUMNS, "--k", "2"], ["--output"]),
    Case("output is input", ["anonymize", "patients.csv", "-o", "patients.csv", *COLUMNS, "--k", "2"], ["patients.csv", "input"]),
    Case("output is input by a link", ["anonymize", "patients.csv", "-o", "link.csv", *COLUMNS, "--k", "2"], ["link.csv", "input"], setup=lambda f: (f / "link.csv").symlink_to("patients.csv")),
    Case("output is a folder", ["anonymize", "patients.csv", "-o", "sub", *COLUMNS, "--k", "2"], ["sub"], setup=lambda f: (f / "sub").mkdir()),
    Case("no folder", ["anonymize", "patients.csv", "-o", "sub/out.csv", *COLUMNS, "--k", "2"], ["sub"]),
    Case("folder is a file", ["anonymize", "patients.csv", "-o", "patients.csv/out.csv", *COLUMNS, "--k", "2"], ["patients.csv"]),
    Case("output ending", ["anonymize", "patients.csv", "-o", "out.docx", *COLUMNS, "--k", "2"], ["out.docx"]),
    Case("output is a device", ["anonymize", "patients.csv", "-o", "/dev/null", *COLUMNS, "--k", "2"], ["/dev/null"]),
    # the other commands
    Case("decide without k", ["decide", "patients.csv", *COLUMNS], ["--k"]),
    Case("check nothing", ["check", "patients.csv"], ["-c"]),
    Case("check unknown column", ["check", "patients.csv", "-c", "COLOUR[red] in 1"], ["'COLOUR'"]),
    Case("verify an empty star", ["verify", "patients.csv", "--qi", "GEN", "--k", "1", "--star", ""], ["--star", "empty"]),
    Case("verify an identifier that the original lacks", ["verify", "patients.csv", "--qi", "GEN", "--k", "1", "--original", "patients.csv", "--id", "IDX"], ["'IDX'", "--id"]),
    Case("verify without qi", ["verify", "patients.csv", "--k", "1"], ["--qi"]),
    Case("verify a missing original", ["verify", "patients.csv", "--qi", "GEN", "--k", "1", "--original", "none.csv"], ["none.csv"]),
    Case("decide on a dropped column", ["decide", "patients.csv", "--qi", "GEN", "--k", "2", "-c", "DIAG[Seizure] in 1.."], ["'DIAG'", "dropped"]),
    Case("verify order alone", ["verify", "patients.csv", "--qi", "GEN", "--k", "1", "--order", "keep"], ["--original"]),
    Case("verify unknown qi", ["verify", "patients.csv", "--qi", "SEX", "--k", "1"], ["'SEX'"]),
    Case("no job file", ["run", "none.toml"], ["none.toml"]),
    Case("job is not toml", ["run", "j.toml"], ["j.toml"], files={"j.toml": "k = = 2"}),
    Case("job with an unknown key", ["run", "j.toml"], ["[privacy]", "'kay'"], files={"j.toml": "[privacy]\nkay = 2\n"}),
    Case("job with an unknown section", ["run", "j.toml"], ["[private]"], files={"j.toml": "[private]\nk = 2\n"}),
    Case("job with a text k", ["run", "j.toml"], ["[privacy] k", "whole number"], files={"j.toml": '[privacy]\nk = "2"\n'}),
    Case("job without columns", ["run", "j.toml"], ["--qi"], files={"j.toml": '[input]\npath = "patients.csv"\n[privacy]\nk = 2\n[output]\npath = "out.csv"\n'}),
    Case("job without a table", ["run", "j.toml"], ["j.toml", "[input]"], files={"j.toml": '[columns]\nquasi = ["A"]\n[privacy]\nk = 2\n[output]\npath = "out.csv"\n'}),
    Case("job with a slip in sigma", ["run", "j.toml"], ["j.toml", "ETH[Asian"], files={"j.toml": '[diversity]\nconstraints = ["ETH[Asian in 2"]\n'}),
    Case("job with a NUL", ["run", "j.toml"], ["output"], files={"j.toml": '[input]\npath = "patients.csv"\n[columns]\nquasi = ["GEN"]\n[privacy]\nk = 2\n[output]\npath = "a\\u0000.csv"\n'}),
    Case("long job", ["run", LONG], ["too long"]),
    Case("graph in two forms", ["constraints", "graph", "patients.csv", "-c", "ETH[Asian] in 2..5", "--dot", "--json"], ["--dot", "--json"]),
    Case("generate over the table", ["constraints", "generate", "patients.csv", "--class", "share", "--on", "ETH", "-o", "patients.csv"], ["patients.csv", "input"]),
    Case("generate share with qi", ["constraints", "generate", "patients.csv", "--class", "share", "--on", "ETH", "--qi", "GEN"], ["--qi", "share"]),
    Case("imply nothing", ["constraints", "imply"], ["Missing"]),
    Case("domain with axioms", ["constraints", "imply", "A[a] in 1", "--domain", "A[a]", "--method", "axioms"], ["--domain"]),
    Case("generate unknown class", ["constraints", "generate", "patients.csv", "--class", "mean", "--on", "ETH"], ["mean"]),
    Case("generate huge percent", ["constraints", "generate", "patients.csv", "--class", "share", "--on", "ETH", "--percent", "1e999999"], ["'1e999999'", "--percent"]),
    Case("generate negative percent", ["constraints", "generate", "patients.csv", "--class", "share", "--on", "ETH", "--percent", "-5"], ["-5"]),
    Case("generate two forms", ["constraints", "generate", "patients.csv", "--class", "share", "--on", "ETH", "--format", "toml", "--json"], ["--format", "--json"]),
    Case("generate json to a file", ["constraints", "generate", "patients.csv", "--class", "share", "--on", "ETH", "-o", "s.json", "--json"], ["--json", "-o"]),
    Case("generate a form that the file's name contradicts", ["constraints", "generate", "patients.csv", "--class", "share", "--on", "ETH", "-o", "s.json", "--format", "toml"], ["toml", "'s.json'"]),
    Case("cover in two forms", ["constraints", "cover", "-c", "A[a] in 2", "--format", "lines", "--json"], ["--format", "--json"]),
    Case("cover of what can't hold", ["constraints", "cover", "-c", "A[a] in 2", "-c", "A[a] in 3"], ["A[a] in 2", "A[a] in 3"]),
    Case("generate percent", ["constraints", "generate", "patients.csv", "--class", "share", "--on", "ETH", "--percent", "x"], ["'x'"]),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_bad_input(case: Case, tmp_path: Path) -> None:
    (tmp_path / "patients.csv").write_text(PATIENTS, encoding="utf-8")
    for name, content in case.files.items():
        (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    case.setup(tmp_path)
    before = snapshot(tmp_path)
    ended = diva(*case.words, folder=tmp_path)
    assert ended.code == case.code, ended
    assert not ended.out
    sentence = ended.err
    assert sentence.startswith("diva: "), sentence
    assert sentence.count("\n") == 1, sentence
    assert "Traceback" not in sentence
    assert "secret" not in sentence
    for word in case.culprit:
        assert word in sentence, sentence
    assert snapshot(tmp_path) == before


def test_the_corpus_is_large_enough_and_its_names_differ() -> None:
    assert len(CASES) >= 60
    assert len({case.name for case in CASES}) == len(CASES)
