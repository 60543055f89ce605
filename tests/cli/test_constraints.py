"""`diva constraints` as programs and files use it: what it writes reads back as the same constraints."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from diva.constraints.files import read
from diva.constraints.text import parse
from tests.cli.shell import PATIENTS, diva

AWKWARD = ['ETH[Asian] in 2..5', '"a,b"["say ""hi"""] in 3..', 'A,B["",x y] in ..4', 'A["#1"] in 0', 'A["]"] in 7']  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "patients.csv").write_text(PATIENTS, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("ending", ["txt", "toml", "json"])
def test_constraints_go_through_every_form(folder: Path, ending: str) -> None:
    words = [word for text in AWKWARD for word in ("-c", text)]
    form = {"txt": "lines"}.get(ending, ending)
    ended = diva("constraints", "cover", *words, "--format", form, folder=folder)
    assert ended.code == 0, ended.err
    (folder / f"s.{ending}").write_text(ended.out, encoding="utf-8")
    assert read(folder / f"s.{ending}") == [parse(text) for text in AWKWARD]
    again = diva("constraints", "cover", "--constraints", f"s.{ending}", "--json", folder=folder)
    (folder / "again.json").write_text(again.out, encoding="utf-8")
    assert read(folder / "again.json") == [parse(text) for text in AWKWARD]


@pytest.mark.parametrize("ending", ["txt", "toml", "json"])
def test_the_name_of_a_generated_file_tells_its_form(folder: Path, ending: str) -> None:
    words = ["constraints", "generate", "patients.csv", "--class", "share", "--on", "GEN,ETH"]
    assert diva(*words, "-o", f"s.{ending}", folder=folder).code == 0
    (folder / "out.json").write_text(diva(*words, "--json", folder=folder).out, encoding="utf-8")
    assert len(read(folder / f"s.{ending}")) == 4
    assert read(folder / f"s.{ending}") == read(folder / "out.json")
    assert diva("check", "patients.csv", "--constraints", f"s.{ending}", folder=folder).code == 0


def test_a_no_says_whether_domains_were_declared(folder: Path) -> None:
    words = ["constraints", "satisfiable", "-c", "A[a] in 0", "-c", "A[b] in 0", "-c", "B[x] in 3.."]
    ended = diva(*words, "--domain", "A[a,b]", folder=folder)
    assert ended.code == 3
    assert ended.out == (
        "Not satisfiable: A[a] in 0 and A[b] in 0 and B[x] in 3.. can't hold together in the declared domains.\n"
    )
    alone = diva("constraints", "satisfiable", "-c", "A[c] in 2..", "--domain", "A[a,b]", folder=folder)
    assert alone.out == "Not satisfiable: A[c] in 2.. can't hold in the declared domains.\n"


def test_answers_as_json(folder: Path) -> None:
    sigma = ["-c", "A,B[a,b] in 3..", "-c", "A,B[a,c] in 3.."]
    yes = json.loads(diva("constraints", "imply", "A[a] in 6..", *sigma, "--json", folder=folder).out)
    assert yes == {"implied": True, "method": "exact", "witness": None}
    no = diva("constraints", "imply", "A[a] in 7..", *sigma, "--json", folder=folder)
    assert no.code == 4
    assert sum(record["times"] for record in json.loads(no.out)["witness"]) == 6
    can = json.loads(diva("constraints", "satisfiable", *sigma, "--json", folder=folder).out)
    assert can["satisfiable"]
    assert can["conflict"] == []
