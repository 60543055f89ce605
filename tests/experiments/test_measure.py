"""A run is solved, recounted and held against what it promised."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from diva.constraints.model import Constraint
from diva.errors import GaveUp, OverBudget, VerificationFailed
from diva.experiments import measure as measuring
from diva.experiments.measure import as_published, check, line_of, measure, seed_of
from diva.experiments.points import Run, points
from diva.experiments.problems import Problems
from diva.experiments.spec import LINES
from diva.relation.engine import Fragments
from tests.experiments.specs import small

POINT = next(points(small().full))
POSED = Problems(small().full, 0.2).pose(POINT, 0)


@pytest.mark.parametrize("line", [*LINES, "sample 0", "sample 1", "sample 2", "sample 3"])
def test_every_line_solves_and_is_recounted(line: str) -> None:
    found = measure(Run(POINT, line, 0), POSED, limit=30.0)
    assert found.outcome == "found"
    assert found.stars is not None
    assert found.discernibility is not None
    assert found.seconds > 0
    assert found.groups is not None
    assert POSED.types.rows * POSED.k <= found.discernibility <= POSED.types.rows**2
    assert found.groups * POSED.k <= POSED.types.rows
    assert (found.lower_bound is not None) == (line == "lattice")
    if found.lower_bound is not None:
        assert found.lower_bound <= found.stars


@pytest.mark.parametrize(("end", "outcome"), [(GaveUp, "gave up"), (OverBudget, "over budget")])
def test_who_gives_up_has_no_release(
    end: type[GaveUp], outcome: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gives_up(*_: object) -> None:
        raise end("no colouring")

    monkeypatch.setattr(measuring, "diva", gives_up)
    found = measure(Run(POINT, "naive", 0), POSED, limit=30.0)
    assert (found.outcome, found.stars, found.discernibility) == (outcome, None, None)
    assert measure(Run(POINT, "naive", 0), POSED, limit=0.0).outcome == "out of time"


def everything_shown() -> Fragments:
    types = POSED.types
    return Fragments(
        np.arange(len(types), dtype=np.int32), np.zeros(types.codes.shape, dtype=np.uint8), types.counts
    )


def test_a_broken_promise_is_not_counted() -> None:
    with pytest.raises(VerificationFailed, match="fewer than k members"):
        check(POSED, everything_shown(), diverse=False)
    hidden = replace(everything_shown(), levels=np.ones(POSED.types.codes.shape, dtype=np.uint8))
    check(POSED, hidden, diverse=False)
    target = POSED.sigma.constraints[0].target
    wanting = replace(POSED, sigma=replace(POSED.sigma, constraints=(Constraint(target, 5),)))
    with pytest.raises(VerificationFailed, match="doesn't hold"):
        check(wanting, hidden, diverse=True)


def test_types_as_published() -> None:
    plan = everything_shown()
    plan.levels[:, 0] = 1
    found = as_published(POSED.types, plan)
    assert found.rows == POSED.types.rows
    assert {found.values[0][code] for code in found.codes[:, 0]} == {"*"}
    assert np.array_equal(found.codes[:, 1:], POSED.types.codes[:, 1:])


def test_sampled_releases_have_seeds_and_solvers_of_their_own() -> None:
    seeds = {seed_of(Run(POINT, line, r)) for line in ("naive", "sample 0", "sample 1") for r in range(5)}
    assert len(seeds) == 15
    lines = [line_of(Run(POINT, f"sample {i}", 0)) for i in range(12)]
    assert len({(line.strategy, line.anonymizer) for line in lines}) == 12
