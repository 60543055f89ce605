"""What programs rely on: the fields of --json, what goes to stdout, and exit codes, as the design fixes them."""

from __future__ import annotations

import json
from pathlib import Path

import duckdb
import pytest

from tests.cli.shell import COLUMNS, PATIENTS, diva

SIGMA = ["-c", "ETH[Asian] in 2..5", "-c", "CTY[Vancouver] in 2..4"]
CONSTRAINT = ["text", "low", "high", "before", "count", "satisfied", "price"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "patients.csv").write_text(PATIENTS, encoding="utf-8")
    return tmp_path


def test_anonymize(folder: Path) -> None:
    ended = diva(
        "anonymize", "patients.csv", "-o", "r.csv", *COLUMNS, "--k", "2", *SIGMA, "--json", folder=folder
    )
    assert ended.code == 0, ended.err
    found = json.loads(ended.out)
    fixed = [
        "rows", "cells", "types", "groups", "stars", "k_achieved", "lower_bound", "gap", "solver", "seed", "dropped_columns",
        "constraints", "seconds",
    ]  # fmt: skip
    assert [name for name in found if name in fixed] == fixed, "there may be more, but these in this order"
    assert all(set(CONSTRAINT) <= c.keys() for c in found["constraints"])
    assert {"read", "search", "bound", "write", "verify", "total"} <= found["seconds"].keys()
    assert found["dropped_columns"] == ["ID"]
    assert found["lower_bound"] <= found["stars"]


def test_a_no_of_anonymize_and_of_decide_is_the_same_object(folder: Path) -> None:
    asked = ["patients.csv", *COLUMNS, "--k", "3", *SIGMA, "--json"]
    decided = diva("decide", *asked, folder=folder)
    refused = diva("anonymize", *asked, "-o", "r.csv", folder=folder)
    assert decided.code == refused.code == 3
    found = json.loads(decided.out)
    assert list(found) == ["feasible", "k", "conflict", "nearest", "largest_k", "explanation", "seconds"]
    assert [list(n) for n in found["nearest"]] == [["text", "low", "high"]]
    assert found | {"seconds": 0} == json.loads(refused.out) | {"seconds": 0}
    assert refused.err == f"diva: {found['explanation']}\n"
    assert not (folder / "r.csv").exists()


def test_check_and_its_queries(folder: Path) -> None:
    ended = diva("check", "patients.csv", *SIGMA, "-c", "GEN[Male] in 9", "--json", folder=folder)
    assert ended.code == 4
    found = json.loads(ended.out)
    assert list(found) == ["satisfied", "constraints"]
    assert [list(c) for c in found["constraints"]] == [["text", "low", "high", "count", "satisfied"]] * 3
    sql = diva("check", "patients.csv", *SIGMA, "-c", "GEN[Male] in 9", "--sql", folder=folder)
    assert sql.code == 0
    queries = sql.out.replace("'patients.csv'", f"'{folder}/patients.csv'").splitlines()
    counts = [duckdb.sql(query).fetchall() for query in queries]
    assert counts == [[(c["count"],)] for c in found["constraints"]]


def test_verify(folder: Path) -> None:
    words = ["verify", "patients.csv", "--qi", "GEN,ETH", "--k", "2", *SIGMA, "--original", "patients.csv"]
    ended = diva(*words, "--json", folder=folder)
    assert ended.code == 0, ended.err
    found = json.loads(ended.out)
    assert list(found)[:9] == [
        "ok", "k", "rows", "cells", "groups", "stars", "k_achieved", "constraints", "problems"
    ]  # fmt: skip
    tampered = diva(*words, "--id", "ID", "--json", folder=folder)
    assert tampered.code == 4
    assert "'ID'" in json.loads(tampered.out)["problems"][0]


def test_the_command_line_wins_over_the_job_file(folder: Path) -> None:
    (folder / "jobs").mkdir()
    (folder / "jobs" / "job.toml").write_text(
        '[input]\npath = "../patients.csv"\n'
        '[columns]\nquasi = ["GEN", "ETH"]\nsensitive = ["DIAG"]\nidentifying = ["ID"]\nkeep = ["PRV"]\n'
        '[privacy]\nk = 2\n[diversity]\nconstraints = ["ETH[Asian] in 2.."]\nfile = "sigma.txt"\n'
        '[solve]\nsolver = "lattice"\neffort = "quick"\nseed = 3\ntime_limit = 20.5\n'
        '[output]\npath = "r.csv"\norder = "keep"\nstar = "?"\n',
        encoding="utf-8",
    )
    (folder / "jobs" / "sigma.txt").write_text("GEN[Male] in 5 # all of them\n", encoding="utf-8")
    assert diva("run", "jobs/job.toml", folder=folder).code == 0
    declared = json.loads((folder / "jobs" / "r.csv.diva.json").read_text(encoding="utf-8"))["job"]
    assert declared["privacy"] == {"k": 2}
    assert declared["columns"]["keep"] == ["PRV"]
    assert declared["columns"]["not_published"] == ["ID", "AGE", "CTY"]
    assert declared["diversity"]["constraints"] == ["ETH[Asian] in 2..", "GEN[Male] in 5"]
    assert {"effort": "quick", "seed": 3, "time_limit": 20.5}.items() <= declared["solve"].items()
    assert {"order": "keep", "star": "?"}.items() <= declared["output"].items()
    words = ["--k", "1", "-c", "ETH[African] in 2", "--seed", "4", "--star", "*", "--order", "shuffle", "--keep", "AGE"]  # fmt: skip
    assert diva("run", "jobs/job.toml", *words, "-o", "other.csv", folder=folder).code == 0
    given = json.loads((folder / "other.csv.diva.json").read_text(encoding="utf-8"))["job"]
    assert given["privacy"] == {"k": 1}
    assert given["columns"]["keep"] == ["AGE"]
    assert given["diversity"]["constraints"] == ["ETH[African] in 2"]
    assert {"effort": "quick", "seed": 4}.items() <= given["solve"].items()
    assert {"order": "shuffle", "star": "*"}.items() <= given["output"].items()
