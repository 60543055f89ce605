"""Every algorithm against its plain twin and against what a release must be."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diva.errors import BadInput
from diva.lattice.problem import Problem, Taboo
from diva.solve.anonymizers import anonymizer, k_member, kernels, mondrian, oka
from diva.solve.anonymizers.clustering import Clustering, suppress
from tests.solve.anonymizers import twins
from tests.solve.lattice.oracle import optimum, problem_of, table

NAMES = ("k-member", "oka", "mondrian", "lattice")


def instance(seed: int, most: int = 40) -> Problem:
    """A small problem with ties, repeated types, weights that floating point adds exactly, and attributes that agree."""
    random = np.random.default_rng(seed)
    m, n = int(random.integers(1, 6)), int(random.integers(1, most + 1))
    rows = random.integers(0, random.integers(1, 6, size=m), size=(n, m))
    codes, counts = np.unique(rows, axis=0, return_counts=True)
    if random.random() < 0.3:
        counts = counts * random.integers(1, 9, len(counts))
    if random.random() < 0.2:  # Types that differ only in what isn't a QI attribute.
        codes, counts = np.concatenate([codes, codes[:1]]), np.concatenate([counts, [2]])
    weights = random.choice([np.ones(m), random.integers(0, 9, m) / 4.0])
    visible = (codes == codes[0]).all(axis=0) & (random.random(m) < 0.5)
    k = int(random.integers(1, min(9, counts.sum() + 1)))
    return Problem(codes.astype(np.int32), counts.astype(np.int64), k, weights, visible)


def listed(clustering: Clustering) -> list[list[int]]:
    """The clusters as sorted lists of types."""
    found: dict[int, list[int]] = {}
    for c, t, n in zip(*(part.tolist() for part in clustering), strict=True):
        found.setdefault(c, []).extend([t] * n)
    assert list(found) == list(range(len(found)))
    return [sorted(types) for types in found.values()]


@settings(max_examples=300)
@given(st.integers(0, 2**32 - 1))
def test_k_member_makes_the_clusters_of_its_twin(seed):
    problem = instance(seed)
    found = listed(k_member.clusters(problem, np.random.default_rng(seed)))
    assert found == [sorted(c) for c in twins.k_member(problem, np.random.default_rng(seed))]


@settings(max_examples=300)
@given(st.integers(0, 2**32 - 1))
def test_oka_makes_the_clusters_of_its_twin(seed):
    problem = instance(seed)
    found = listed(oka.clusters(problem, np.random.default_rng(seed)))
    assert found == [sorted(c) for c in twins.oka(problem, np.random.default_rng(seed))]
    assert min(len(c) for c in found) >= problem.k


@pytest.mark.parametrize("algorithm", [k_member, oka])
def test_the_kernels_are_their_python(algorithm, monkeypatch):
    problem = table(3, 150, 4, 5, k=4)
    compiled = algorithm.clusters(problem, np.random.default_rng(1))
    for name in dir(kernels):
        if hasattr(getattr(kernels, name), "py_func"):
            monkeypatch.setattr(kernels, name, getattr(kernels, name).py_func)
    plain = algorithm.clusters(problem, np.random.default_rng(1))
    assert all(np.array_equal(a, b) for a, b in zip(compiled, plain, strict=True))


def test_k_member_forgets_types_without_changing_anything():
    problem = table(5, 300, 3, 6, k=7)
    found = listed(k_member.clusters(problem, np.random.default_rng(2)))
    assert found == [sorted(c) for c in twins.k_member(problem, np.random.default_rng(2))]


def cuts(problem: Problem, cluster: list[int]) -> list[tuple[int, frozenset[int]]]:
    """All allowable cuts of one value from the others: the attribute, and the types on one side."""
    found = []
    for j in range(problem.width):
        for value in {problem.codes[t, j] for t in cluster}:
            side = frozenset(t for t in cluster if problem.codes[t, j] == value)
            inside = sum(problem.counts[t] for t in side)
            outside = sum(problem.counts[t] for t in cluster) - inside
            if inside >= problem.k and outside >= problem.k:
                found.append((j, side))
    return found


@settings(max_examples=200)
@given(st.integers(0, 2**32 - 1), st.sampled_from(["span", "entropy"]))
def test_mondrian_cuts_where_its_score_says_and_as_long_as_it_can(seed, split):
    problem = instance(seed)
    values = problem.codes.max(axis=0) + 1

    def score(part, j):
        records = Counter()
        for t in part:
            records[problem.codes[t, j]] += int(problem.counts[t])
        if split == "span":
            return len(records) / values[j] * problem.weights[j]
        share = np.array(list(records.values())) / sum(records.values())
        return problem.weights[j] / -(share * np.log2(share)).sum()

    def leaves(part):
        found = cuts(problem, part)
        if not found:
            return [sorted(part)]
        best = max(score(part, j) for j, _ in found)
        j = next(j for j, _ in found if score(part, j) >= best * (1 - 1e-12))
        records = {side: sum(problem.counts[t] for t in side) for i, side in found if i == j}
        sides = [side for side, n in records.items() if n == max(records.values())]
        side = min(sides, key=lambda s: problem.codes[min(s), j])
        return leaves(side) + leaves([t for t in part if t not in side])

    clustering = mondrian.clusters(problem, split)
    expected = sorted(leaves(list(range(len(problem.counts)))))
    assert sorted(sorted(set(c)) for c in listed(clustering)) == expected


@settings(max_examples=120)
@given(st.integers(0, 2**32 - 1), st.sampled_from(NAMES), st.sampled_from(["span", "entropy"]))
def test_every_plan_is_sound_and_repeats(seed, name, split):
    problem = instance(seed)
    run = anonymizer(name, split=split)
    plan = run(problem, np.random.default_rng(seed))
    assert not problem.flaws(plan)
    again = run(problem, np.random.default_rng(seed))
    assert np.array_equal(plan.type, again.type)
    assert np.array_equal(plan.levels, again.levels)
    assert np.array_equal(plan.count, again.count)
    assert len({(t, *row) for t, row in zip(plan.type.tolist(), plan.levels.tolist(), strict=True)}) == len(
        plan
    )


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_cheaper_than_the_optimum(name):
    for seed in range(60):
        problem = instance(seed, most=6)
        if problem.width < 4 and problem.counts.sum() <= 6:
            best = optimum(problem)
            found = problem.cost(anonymizer(name)(problem, np.random.default_rng(0)))
            assert best is not None
            assert found >= best - 1e-9


@settings(max_examples=100)
@given(st.integers(0, 2**32 - 1))
def test_suppress_stars_what_differs_and_no_more(seed):
    problem = instance(seed)
    clustering = k_member.clusters(problem, np.random.default_rng(seed))
    plan = suppress(problem, clustering)
    assert problem.cost(plan) == twins.stars(problem, listed(clustering))


@pytest.mark.parametrize("name", NAMES)
def test_too_few_records_are_refused(name):
    with pytest.raises(BadInput, match="3 records"):
        anonymizer(name)(problem_of([[0], [1]], [1, 2], 4), np.random.default_rng(0))


@pytest.mark.parametrize("name", NAMES[:3])
def test_taboos_are_refused(name):
    taboo = Taboo(np.array([True]), np.array([True, False]))
    problem = problem_of([[0], [1]], [2, 2], 2)
    problem = Problem(problem.codes, problem.counts, 2, problem.weights, problem.visible, (taboo,))
    with pytest.raises(BadInput, match="lattice"):
        anonymizer(name)(problem, np.random.default_rng(0))
