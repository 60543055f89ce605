"""`diva experiments` and `diva datasets` as a user runs them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path

import pytest

from diva.experiments.journal import Journal
from diva.experiments.measure import Measured
from diva.experiments.points import runs
from diva.experiments.spec import load
from diva.version import __version__
from tests.cli.shell import COMMAND, diva
from tests.datasets.server import serving

NOWHERE = {"DIVA_DATA": ""}


def test_experiments_are_listed(tmp_path: Path) -> None:
    done = diva("experiments", "list", folder=tmp_path)
    assert (done.code, done.err) == (0, "")
    assert [line.split()[0] for line in done.out.splitlines()] == ["name", *(f"exp{i}" for i in range(1, 10))]


def test_an_experiment_without_its_table_says_how_to_get_it(tmp_path: Path) -> None:
    done = diva(
        "experiments",
        "run",
        "exp8",
        "--quick",
        "--out",
        "out",
        folder=tmp_path,
        XDG_CACHE_HOME=str(tmp_path),
        **NOWHERE,
    )
    assert done.code == 2
    assert done.err.splitlines()[-1] == (
        "diva: the data set credit is not on this machine; get it with: diva datasets get credit"
    )


def test_an_experiment_that_is_none(tmp_path: Path) -> None:
    done = diva("experiments", "run", "exp99", "--out", "out", folder=tmp_path)
    assert done.code == 2
    assert "there is no experiment 'exp99'" in done.err
    assert not (tmp_path / "out").exists()


def test_an_interrupted_experiment_keeps_what_it_has_and_says_so(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [*COMMAND, "experiments", "run", "exp5", "--quick", "--out", "out"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ | {"NO_COLOR": "1"},
    )
    assert process.stderr is not None
    while b"runs" not in process.stderr.readline():
        pass
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 130
    assert out == b""
    assert err.decode().splitlines()[-1] == (
        "diva: interrupted; what was run is kept in 'out', and the same command goes on from there"
    )


def test_what_is_done_is_not_run_again(tmp_path: Path) -> None:
    """With a journal of all runs no table is needed, and everything is made from it."""
    (tmp_path / "out" / "experiments").mkdir(parents=True)
    journal = Journal(tmp_path / "out" / "experiments" / "exp8.jsonl", f"exp8 quick, diva {__version__}")
    wanted = runs(load("exp8"), "quick")
    for i, run in enumerate(wanted):
        facts = {"rows": 1000, "types": 86, "rate": 0.2, "moved": 0}
        journal.add(run, Measured("found", 0.5, 0.75, 100 + i, 40_000 + i, 50, 90.0), facts)
    done = diva("experiments", "run", "exp8", "--quick", "--out", "out", folder=tmp_path, **NOWHERE)
    assert (done.code, done.out) == (0, f"exp8  {len(wanted)} runs in out/experiments/exp8.csv\n")
    assert f"exp8: {len(wanted)} runs, {len(wanted)} of them done before" in done.err
    made = {p.name for p in (tmp_path / "out" / "experiments").iterdir()}
    assert made >= {"exp8.csv", "exp8.parquet", "exp8.vl.json", "exp8.jsonl"}
    page = diva("experiments", "page", "--quick", "--out", "out", folder=tmp_path, **NOWHERE)
    assert page.code == 2
    assert "no repetition of exp1 is whole in 'out/experiments'" in page.err
    other = diva("experiments", "run", "exp8", "--out", "out", folder=tmp_path, **NOWHERE)
    assert other.code == 2
    assert "belongs to another run" in other.err


def test_tables_are_listed_with_where_they_are(tmp_path: Path) -> None:
    (tmp_path / "pantheon.csv").write_text("x\n")
    done = diva(
        "datasets",
        "list",
        "--json",
        folder=tmp_path,
        DIVA_DATA=str(tmp_path),
        XDG_CACHE_HOME=str(tmp_path / "c"),
    )
    found = {d["name"]: d for d in json.loads(done.out)["datasets"]}
    assert found["pantheon"]["path"] == str(tmp_path / "pantheon.csv")
    assert found["census"]["path"] is None
    assert (found["census"]["rows"], found["census"]["columns"]) == (299_285, 42)
    table = diva(
        "datasets", "list", folder=tmp_path, DIVA_DATA=str(tmp_path), XDG_CACHE_HOME=str(tmp_path / "c")
    ).out
    assert [line.split()[:2] for line in table.splitlines() if line.startswith(("pantheon", "census"))] == [
        ["census", "no"],
        ["pantheon", "DIVA_DATA"],
    ]


def test_offline_is_one_sentence(tmp_path: Path) -> None:
    with serving(tmp_path) as address:
        pass
    done = diva(
        "datasets",
        "get",
        "credit",
        "--mirror",
        address,
        folder=tmp_path,
        XDG_CACHE_HOME=str(tmp_path),
        **NOWHERE,
    )
    assert (done.code, done.out) == (2, "")
    assert done.err.splitlines()[-1].startswith(f"diva: can't download credit from {address}/german.data: ")
    assert "Traceback" not in done.err


@pytest.mark.parametrize("words", [["experiments", "--help"], ["datasets", "get", "--help"]])
def test_help(words: list[str], tmp_path: Path) -> None:
    assert diva(*words, folder=tmp_path).code == 0
