"""The questions about Σ from Python, in texts; that the answers are right is tested in tests/constraints."""

from __future__ import annotations

import pytest

import diva
from tests.cli.shell import PATIENTS


def test_implication_shows_a_table() -> None:
    sigma = ["A,B[a,b] in 3..", "A,B[a,c] in 3.."]
    assert diva.implies(sigma, "A[a] in 6..").holds
    answer = diva.implies(sigma, diva.Constraint(diva.Target(("A",), ("a",)), 7, None))
    assert not answer.holds
    assert answer.witness is not None
    assert answer.witness.rows == 6


def test_satisfiability_names_a_conflict_and_knows_domains() -> None:
    sigma = ["A[a] in 0", "A[b] in 0", "B[x] in 3"]
    assert diva.satisfiable(sigma).satisfiable
    answer = diva.satisfiable(sigma, domains={"A": ["a", "b"]})
    assert not answer.satisfiable
    assert [c.text for c in answer.conflict] == sigma


def test_cover_leaves_out_what_follows() -> None:
    assert [c.text for c in diva.cover(["A[a] in 2..", "A[a] in 1.."])] == ["A[a] in 2.."]
    with pytest.raises(diva.BadInput, match="unsatisfiable"):
        diva.cover(["A[a] in 2", "A[a] in 3"])


def test_graph_and_generators(tmp_path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(PATIENTS, encoding="utf-8")
    sigma = diva.generate(path, kind="share", on=[["ETH"]], percent=20)
    assert [c.text for c in sigma] == ["ETH[African] in 2", "ETH[Asian] in 3", "ETH[Caucasian] in 4..6"]
    assert diva.conflict_graph(path, constraints=sigma).rate == 0
    with pytest.raises(diva.BadInput, match="on 'ETH' must be a list"):
        diva.generate(path, kind="share", on=["ETH"])
    with pytest.raises(diva.BadInput, match="seed -1"):
        diva.generate(path, kind="minimum", on=[["ETH"]], qi=["ETH"], seed=-1)
