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
