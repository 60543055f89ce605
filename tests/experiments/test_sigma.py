"""Σ is of the class, at the conflict rate that was wanted, and satisfiable."""

from __future__ import annotations

import numpy as np
import pytest

from diva.constraints.graph import conflict_graph
from diva.constraints.model import Constraint, Target
from diva.datasets import popsyn
from diva.errors import BadInput
from diva.experiments.points import points
from diva.experiments.problems import Problems
from diva.experiments.relations import sample
from diva.experiments.sigma import Wanted, frequencies, make, of_class, readable, relax
from diva.experiments.targets import choose, pool
from diva.lattice.signatures import of_types, take_apart
from diva.solve.decide import decide
from tests.experiments.specs import small

PEOPLE = popsyn.types("zipfian", rows=2_000)
POOL = pool(PEOPLE, popsyn.TARGETS, 40)


def rate(targets: tuple[Target, ...]) -> float:
    sigma = tuple(Constraint(t, 0) for t in targets)
    signatures, _ = of_types(PEOPLE, take_apart(sigma, PEOPLE.attributes))
    return conflict_graph(sigma, signatures.masks()).rate


def test_the_pool_has_targets_of_the_paper_that_enough_records_carry() -> None:
    assert len(set(POOL.targets)) == len(POOL.targets)
    for i, target in enumerate(POOL.targets):
        assert set(target.attributes) & set(popsyn.TARGETS)
        assert int(PEOPLE.counts[PEOPLE.carries(target)].sum()) >= 40
        for j in range(0, len(POOL.targets), 97):
            one, other = PEOPLE.carries(target), PEOPLE.carries(POOL.targets[j])
            both, either = PEOPLE.counts[one & other].sum(), PEOPLE.counts[one | other].sum()
            assert POOL.similar[i, j] == pytest.approx(0 if i == j else both / either)


@pytest.mark.parametrize("wanted", [0.0, 0.1, 0.2, 0.3])
@pytest.mark.parametrize("seed", [0, 1])
def test_the_conflict_rate_is_as_wanted(wanted: float, seed: int) -> None:
    found = choose(POOL, [8], wanted, np.random.default_rng(seed))[8]
    assert len(set(found)) == 8
    assert rate(found) == pytest.approx(wanted, abs=0.03)


def test_a_smaller_set_is_part_of_a_larger_one() -> None:
    found = choose(POOL, [12, 4, 8], 0.2, np.random.default_rng(0))
    assert set(found[4]) < set(found[8]) < set(found[12])


def test_a_table_without_enough_targets_says_so() -> None:
    with pytest.raises(BadInput, match="no target is carried by 3000 records"):
        pool(PEOPLE, popsyn.TARGETS, 3_000)
    with pytest.raises(BadInput, match="and 99999 constraints are wanted"):
        choose(POOL, [99_999], 0.2, np.random.default_rng(0))


@pytest.mark.parametrize("kind", ["minimum", "average", "proportion"])
@pytest.mark.parametrize("tightness", [0.0, 0.2])
def test_sigma_is_satisfiable(kind: str, tightness: float) -> None:
    targets = choose(POOL, [6], 0.2, np.random.default_rng(0))[6]
    sigma = make(PEOPLE, targets, Wanted(kind, 20, tightness, 0))
    signatures, _ = of_types(PEOPLE, take_apart(sigma.constraints, PEOPLE.attributes))
    assert decide(signatures, 20).feasible
    assert tuple(c.target for c in sigma.constraints) == targets
    assert sigma.rate == pytest.approx(rate(targets))


def test_ranges_are_those_of_the_whole_domain() -> None:
    targets = (Target(("race",), ("Asian",)), Target(("race", "gender"), ("Black", "Male")))
    found = of_class(PEOPLE, targets, "proportion", 0)
    published = PEOPLE.rows - len(PEOPLE)
    for constraint in found:
        share = published * int(PEOPLE.counts[PEOPLE.carries(constraint.target)].sum()) / PEOPLE.rows
        assert constraint.low <= share <= (constraint.high or 0) <= constraint.low + 1


def test_frequencies_are_counted_from_types() -> None:
    found = frequencies(PEOPLE, ("race", "gender"))
    assert (found.rows, found.types, len(found.counts)) == (PEOPLE.rows, len(PEOPLE), 10)
    for values, n in found.counts:
        target = Target(("race", "gender"), (values[0] or "", values[1] or ""))
        assert n == int(PEOPLE.counts[PEOPLE.carries(target)].sum())


def test_a_lower_bound_below_k_reads_as_k_and_widening_keeps_it() -> None:
    target = Target(("race",), ("Asian",))
    assert readable(Constraint(target, 1, 1), 20) == Constraint(target, 20, 20)
    assert readable(Constraint(target, 0, 5), 20) == Constraint(target, 0, 5)
    frequency = int(PEOPLE.counts[PEOPLE.carries(target)].sum())
    wide = relax(PEOPLE, Constraint(target, 20, 20), Wanted("minimum", 20, 0.5, 0))
    assert wide == Constraint(target, 20, min(frequency, 20 + frequency // 2))
    assert relax(PEOPLE, Constraint(target, 100, 120), Wanted("minimum", 20, 0.0, 0)) == Constraint(
        target, 100, 120
    )


def test_samples_have_the_size_that_is_wanted() -> None:
    some = sample(PEOPLE, 500, np.random.default_rng(0))
    assert some.rows == 500
    assert (some.counts > 0).all()
    assert sample(PEOPLE, 0, np.random.default_rng(0)) is PEOPLE
    assert sample(PEOPLE, 5_000, np.random.default_rng(0)) is PEOPLE


def test_a_point_always_poses_the_same_problem() -> None:
    experiment = small()
    first, *_, last = points(experiment.full)
    problems = Problems(experiment.full, 0.2)
    posed = problems.pose(first, 1)
    assert problems.pose(first, 1) is posed
    other = problems.pose(last, 1)
    again = Problems(experiment.full, 0.2).pose(first, 1)
    assert again.sigma == posed.sigma
    assert np.array_equal(again.types.counts, posed.types.counts)
    # k differs, the relation and the targets don't
    assert np.array_equal(other.types.codes, posed.types.codes)
    assert [c.target for c in other.sigma.constraints] == [c.target for c in posed.sigma.constraints]
    assert problems.pose(first, 0).sigma != posed.sigma
