"""Giving up, and the settings of the solver: none is accepted and ignored."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import polars as pl
import pytest

import diva
from diva.errors import BadInput, OverBudget
from diva.job import Job
from diva.job_file import read_job
from diva.solve.diva import coloring
from diva.solve.diva.build_graph import build_graph
from diva.solve.diva.strategies import STRATEGIES, max_fanout
from tests import paper
from tests.metrics.tables import QI
from tests.paper import SIGMA
from tests.solve.diva.example import example

PATIENTS = {"qi": QI, "sensitive": ["DIAG"], "identifying": ["ID"], "k": 2}


def test_erratum_12_giving_up_is_no_proof():
    # (★, b) twice is a release; but Suppress stars only what differs, so the pair shows a too.
    table = pl.DataFrame({"A": ["a", "a"], "B": ["b", "b"]})
    run = {"qi": ["A", "B"], "k": 2, "constraints": ["A[a] in 0", "B[b] in 2.."]}
    assert diva.anonymize(table, **run).stars == 2
    for strategy in STRATEGIES:
        with pytest.raises(diva.GaveUp, match=r"no colouring among all .* there are releases that satisfy Σ"):
            diva.anonymize(table, solver="diva", strategy=strategy, **run)


def test_the_budget_is_kept_and_named():
    R = example(*SIGMA)
    done = coloring.Coloring(R, build_graph(R), max_fanout, np.random.default_rng(0), 2).run()
    assert (done.end, done.tried) == ("over budget", 2)
    with pytest.raises(OverBudget, match="used up its budget of 1 candidate clusterings"):
        diva.anonymize(paper.PATIENTS, constraints=SIGMA, solver="diva", budget=1, **PATIENTS)


def test_a_time_limit_ends_the_colouring():
    R = example(*SIGMA)
    done = coloring.Coloring(
        R, build_graph(R), max_fanout, np.random.default_rng(0), 100, stop=lambda: True
    ).run()
    assert done.end == "stopped"
    with pytest.raises(diva.GaveUp, match="stopped after 0 candidate"):
        diva.anonymize(paper.PATIENTS, constraints=SIGMA, solver="diva", time_limit=1e-9, **PATIENTS)


@pytest.mark.parametrize(
    ("setting", "sentence"),
    [
        ({"strategy": "greedy"}, "strategy 'greedy' is not one of naive, min-choice, max-fanout"),
        ({"anonymizer": "arx"}, "anonymizer 'arx' is not one of k-member, oka, mondrian, lattice"),
        ({"budget": 0}, "budget 0 must be a whole number of at least 1"),
        ({"workers": 1.5}, "workers 1.5 must be a whole number of at least 1"),
        ({"split": "entropy"}, "split is a setting of mondrian, and anonymizer k-member would ignore it"),
        ({"effort": "best"}, "effort is a setting of lattice, and solver diva would ignore it"),
        ({"solver": "lattice", "strategy": "naive"}, "strategy is a setting of diva"),
        ({"solver": "oka", "workers": 2}, "workers is a setting of lattice and diva"),
    ],
)
def test_settings_that_cannot_be_meant_are_refused(setting, sentence):
    with pytest.raises(BadInput, match=sentence):
        Job(source="t.csv", qi=("A",), k=2, **({"solver": "diva"} | setting))


def test_settings_of_diva_have_defaults():
    job = {"source": "t.csv", "qi": ("A",), "k": 2, "solver": "diva"}
    own = {
        "strategy": "max-fanout",
        "anonymizer": "k-member",
        "budget": 2_000,
        "workers": 1,
        "time_limit": None,
    }
    assert Job(**job).settings == own
    mondrian = Job(**job, anonymizer="mondrian", split="entropy").settings
    assert mondrian == own | {"anonymizer": "mondrian", "split": "entropy"}


def test_a_job_file_and_the_manifest_name_the_settings(tmp_path):
    (tmp_path / "t.csv").write_text("A,B\nx,1\nx,2\ny,1\ny,2\n", encoding="utf-8")
    (tmp_path / "job.toml").write_text(
        '[input]\npath = "t.csv"\n[columns]\nquasi = ["A", "B"]\n[privacy]\nk = 2\n[output]\npath = "r.csv"\n'
        '[diversity]\nconstraints = ["A[x] in 2..", "A[y] in 2.."]\n'
        '[solve]\nsolver = "diva"\nstrategy = "naive"\nanonymizer = "mondrian"\nsplit = "entropy"\n'
        "budget = 50\nworkers = 2\nseed = 3\n",
        encoding="utf-8",
    )
    release = diva.run(Job(**read_job(tmp_path / "job.toml")))
    assert [c.count for c in release.constraints] == [2, 2]
    manifest = json.loads((tmp_path / "r.csv.diva.json").read_text(encoding="utf-8"))
    assert manifest["job"]["solve"] == {
        "solver": "diva", "strategy": "naive", "anonymizer": "mondrian", "split": "entropy", "budget": 50,
        "time_limit": None, "seed": 3, "weights": {},
    }  # fmt: skip


def test_anonymizers_and_splits_matter():
    rng = np.random.default_rng(5)
    table = pl.DataFrame({c: rng.zipf(1.5, 500).clip(1, 12).astype(str) for c in "abcd"})
    run = {"qi": list("abcd"), "k": 5, "constraints": ["a[2] in 20..40"], "solver": "diva"}
    stars = {
        name: diva.anonymize(table, anonymizer=name, **run).stars for name in ("k-member", "oka", "lattice")
    }
    stars |= {
        split: diva.anonymize(table, anonymizer="mondrian", split=split, **run).stars
        for split in ("span", "entropy")
    }
    assert len(set(stars.values())) == 5
    assert min(stars, key=stars.get) == "lattice"


def test_a_large_table_in_a_script_without_the_guard_is_refused_and_not_waited_for(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import diva, polars as pl\n"
        "table = pl.DataFrame({'A': ['a', 'b'] * 40_000, 'B': [str(i % 20_000) for i in range(80_000)]})\n"
        "diva.anonymize(table, qi=['A', 'B'], k=2, constraints=['A[a] in 4..9', 'A[b] in 4..9'], solver='diva', workers=2)\n"
    )
    done = subprocess.run(
        [sys.executable, script], capture_output=True, text=True, timeout=120, cwd=tmp_path, check=False
    )
    assert "workers could not be started or died" in done.stderr
