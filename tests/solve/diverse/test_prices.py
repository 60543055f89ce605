"""Prices: what a constraint is said to cost is by how much the bound falls without it, and on tiny tables what it does cost."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import diva
from tests.metrics.tables import QI
from tests.oracles.release import fewest_stars, releases
from tests.paper import PATIENTS, SIGMA
from tests.solve.small import SLACK, small_case


def without(case, left_out):
    sigma = [s for c, s in enumerate(case.instance.sigma) if c not in left_out]
    return replace(case, instance=replace(case.instance, sigma=sigma))


def optimum(case):
    return fewest_stars(releases(case.instance, case.weights), case.instance)


def test_on_tiny_tables_a_price_is_what_the_constraint_costs():
    priced = 0
    for seed in range(120):
        case = small_case(seed, diverse=True)
        least = optimum(case)
        if least is None:
            continue
        release = diva.anonymize(case.frame, **case.options)
        assert release.bound_without_constraints <= optimum(without(case, range(9))) + SLACK
        for c, published in enumerate(release.constraints):
            assert published.price == pytest.approx(least - optimum(without(case, {c})), abs=SLACK)
            priced += published.price > 0
    assert priced > 10


def people(rows=4000):
    random = np.random.default_rng(0)
    columns = {
        "age": random.integers(18, 70, rows),
        "city": random.geometric(0.15, rows),
        "job": random.geometric(0.2, rows),
        "origin": np.where(random.random(rows) < 0.02, "rare", random.choice(["x", "y"], rows)),
    }
    return pl.DataFrame({name: pl.Series(values).cast(pl.String) for name, values in columns.items()})


ASKED = {"qi": ["age", "city", "job", "origin"], "k": 10, "effort": "quick"}


def test_without_a_proof_a_price_is_the_fall_of_the_bound():
    table = people()
    rare = table.filter(pl.col("origin") == "rare").height
    sigma = [f"origin[rare] in {rare - 2}..", "origin[x] in 1..", "city[1] in ..300"]
    release = diva.anonymize(table, **ASKED, constraints=sigma)
    prices = [p.price for p in release.constraints]
    assert prices[0] > 0
    assert prices[1] == 0
    for c, price in enumerate(prices):
        rest = diva.anonymize(table, **ASKED, constraints=sigma[:c] + sigma[c + 1 :])
        fall = release.lower_bound - rest.lower_bound
        # Both ascents end near the same value, on which side can't be told.
        assert price == pytest.approx(fall, abs=0.02 * release.lower_bound)
    free = diva.anonymize(table, **ASKED)
    assert release.bound_without_constraints <= free.stars
    assert release.bound_without_constraints <= release.lower_bound


def test_a_condition_on_another_column_has_no_price_in_the_dual():
    table = people().with_columns(sick=pl.Series(np.arange(4000) % 7 == 0).cast(pl.String))
    sigma = ["origin,sick[rare,true] in 3..", "sick[true] in 1.."]
    release = diva.anonymize(table, **ASKED, sensitive=["sick"], constraints=sigma)
    assert [p.price for p in release.constraints] == [None, 0]


def test_baselines_know_no_prices():
    release = diva.anonymize(
        PATIENTS,
        qi=QI,
        k=2,
        sensitive=["DIAG"],
        identifying=["ID"],
        constraints=["GEN[Male] in 0.."],
        solver="mondrian",
    )
    assert [p.price for p in release.constraints] == [None]


def test_the_papers_example():
    asked = {"qi": QI, "k": 2, "sensitive": ["DIAG"], "identifying": ["ID"]}
    release = diva.anonymize(PATIENTS, **asked, constraints=SIGMA)
    assert (release.stars, release.lower_bound, release.bound_without_constraints) == (22, 22, 20)
    assert [p.price for p in release.constraints] == [0, 2, 0]
    figures = release.to_dict()
    assert figures["bound_without_constraints"] == 20
    assert [c["price"] for c in figures["constraints"]] == [0, 2, 0]
