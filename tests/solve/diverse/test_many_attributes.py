"""Σ where only a part of the lattice is listed."""

import numpy as np
import polars as pl
import pytest

import diva


def wide(rows=300, columns=16):
    values = np.minimum(np.random.default_rng(0).geometric(0.6, (rows, columns)), 4)
    return pl.DataFrame(values.astype(str).tolist(), schema=[f"q{i}" for i in range(columns)], orient="row")


@pytest.mark.parametrize("effort", ["quick", "standard"])
@pytest.mark.parametrize(
    "sigma",
    [
        ["q0[1] in 0"],
        ["q0[1] in ..40", "q1,q2[1,1] in 20.."],
        ["q3[2] in 12..13", "q4,q5[1,2] in 0", "q6[1] in 9.."],
    ],
)
def test_ranges_hold(sigma, effort):
    table = wide()
    release = diva.anonymize(table, qi=table.columns, k=5, constraints=sigma, effort=effort)
    assert all(p.satisfied for p in release.constraints)
    assert 0 < release.lower_bound <= release.stars
    assert [p.price for p in release.constraints] == [None] * len(sigma)


def test_two_records_that_agree_on_what_may_not_be_shown():
    table = pl.DataFrame({f"q{i}": ["a", "a"] for i in range(14)})
    release = diva.anonymize(
        table, qi=table.columns, k=1, constraints=["q13,q11[a,a] in 0", "q12[a] in 0..4"]
    )
    assert release.stars == 2


def test_there_is_a_bound_without_sigma_too():
    table = wide()
    release = diva.anonymize(table, qi=table.columns, k=5, effort="quick")
    assert 0 < release.lower_bound <= release.stars


@pytest.mark.parametrize("effort", ["quick", "standard"])
def test_what_must_be_shown_may_leave_a_type_too_few_companions(effort):
    """All of I_σ must show q3 and nobody these three cells: no listed group takes everybody, so a start may lack members."""
    written = """
        00000000000000 11100111101011 21100020011122 21101002200011 21012012320221 10103201302200 11104300110211
        21100203003232 21103011014323 11120111314241 12100310034221 13100231324231 31100031040214
    """
    rows = written.split()
    table = pl.DataFrame([list(row) for row in rows], schema=[f"q{i}" for i in range(14)], orient="row")
    shown = sum(row[3] == "0" for row in rows)
    release = diva.anonymize(
        table, qi=table.columns, k=2, effort=effort, seed=16, order="keep",
        constraints=[f"q3[0] in {shown}..", "q2,q6,q5[1,1,0] in 0..1"],
    )  # fmt: skip
    assert release.k_achieved >= 2
    assert all(p.satisfied for p in release.constraints)
