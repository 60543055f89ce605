"""The kernels, compiled and as plain Python, against slow twins."""

import itertools

import numpy as np
import pytest

from diva.lattice import kernels as lattice_kernels
from diva.lattice.complete import complete_lattice
from diva.lattice.frontier import frontier_lattice
from diva.solve.anonymizers import anonymizer
from diva.solve.lattice import kernels
from diva.solve.lattice.greedy import fine_to_coarse, in_clusters
from diva.solve.lattice.state import assignment_of, pairs_of, state_of
from tests.solve.lattice.oracle import instance, optimum, table


@pytest.mark.parametrize("compiled", [True, False])
def test_refine_numbers_groups_that_reach_k(compiled, monkeypatch):
    if not compiled:
        monkeypatch.setattr(lattice_kernels, "refine_into", lattice_kernels.refine_into.py_func)
    refine = lattice_kernels.refine
    random = np.random.default_rng(0)
    for _ in range(20):
        parent = random.integers(-1, 4, 30).astype(np.int32)
        column = random.integers(0, 5, 30)
        counts = random.integers(1, 4, 30)
        with np.errstate(over="ignore"):
            group, found = refine(parent, column, 5, counts, 6)
        expected = {}
        for p, v, c in zip(parent, column, counts, strict=True):
            if p >= 0:
                expected[p, v] = expected.get((p, v), 0) + c
        reached = {key for key, total in expected.items() if total >= 6}
        assert found == len(reached)
        named = {}
        for t, (p, v) in enumerate(zip(parent, column, strict=True)):
            assert (group[t] >= 0) == ((p, v) in reached)
            if group[t] >= 0:
                assert named.setdefault((p, v), group[t]) == group[t]
        assert len(set(named.values())) == len(named)


def groups_of(problem):
    """All groups with k records in reach, as sets of types with their cost, without the dominated ones."""
    found = {}
    for choice in itertools.product((False, True), repeat=problem.width):
        hidden = np.array(choice)
        if (hidden & problem.visible).any():
            continue
        values = {}
        for t, row in enumerate(problem.codes):
            if not any(taboo.types[t] and not (hidden & taboo.attributes).any() for taboo in problem.taboos):
                values.setdefault(tuple(np.where(hidden, -1, row)), set()).add(t)
        for types in values.values():
            if problem.counts[list(types)].sum() >= problem.k:
                cost = problem.weights[hidden].sum()
                found[frozenset(types)] = min(cost, found.get(frozenset(types), np.inf))
    return found


def test_the_complete_lattice_lists_every_group_worth_having():
    for seed in range(200):
        problem = instance(seed)
        if optimum(problem) is None:
            continue
        lattice = complete_lattice(problem)
        listed = {}
        for g in range(lattice.groups):
            types = frozenset(lattice.member[lattice.start[g] : lattice.start[g + 1]].tolist())
            listed[types] = min(lattice.cost[g], listed.get(types, np.inf))
        assert listed == pytest.approx(groups_of(problem))
        assert (np.diff(lattice.cost) >= 0).all()
        for t in range(len(problem.counts)):
            mine = lattice.group[lattice.type_start[t] : lattice.type_start[t + 1]]
            assert (np.diff(mine) > 0).all()
            assert all(t in lattice.member[lattice.start[g] : lattice.start[g + 1]] for g in mine)


def test_frontier_groups_are_groups_of_the_problem():
    for seed in range(200):
        problem = instance(seed)
        if optimum(problem) is None:
            continue
        lattice = frontier_lattice(problem, trees=3)
        for g in range(lattice.groups):
            types = lattice.member[lattice.start[g] : lattice.start[g + 1]]
            shown = ~lattice.patterns[lattice.pattern[g]]
            assert (problem.codes[types][:, shown] == problem.codes[types[0]][shown]).all()
            assert problem.counts[types].sum() >= problem.k
            assert shown[problem.visible].all()
            for taboo in problem.taboos:
                assert not (taboo.types[types].any() and not (taboo.attributes & ~shown).any())
        sizes = np.diff(lattice.start)
        assert sizes.max() == len(problem.counts)


def test_the_clusters_of_a_part_of_the_lattice_are_mondrians():
    for seed in range(60):
        problem = instance(seed)
        if optimum(problem) is None or problem.taboos or problem.visible.any():
            continue
        lattice = frontier_lattice(problem, trees=3)
        plan = in_clusters(lattice).fragments(lattice)
        assert problem.flaws(plan) == []
        known = anonymizer("mondrian", split="entropy")(problem, np.random.default_rng(0))
        if (problem.weights == 1).all():  # others weigh attributes of no weight differently
            assert problem.cost(plan) <= problem.cost(known)


def test_cuts_in_plain_python():
    problem = table(3, 80, 4, 3, k=4)
    none = np.zeros((0, 4), dtype=bool), np.zeros((0, len(problem.counts)), dtype=bool)
    mask = np.array([lattice_kernels.OPEN, lattice_kernels.HIDDEN, 0, 0], dtype=np.int8)
    asked = (problem.codes, problem.counts, problem.k, np.ones(4), mask, *none)
    order, segments, shown, leaf = lattice_kernels.cut(*asked)
    plain = lattice_kernels.cut.py_func(*asked)
    for compiled, slow in zip((order, segments, shown, leaf), plain, strict=True):
        assert np.array_equal(compiled, slow)
    assert not shown[:, 1].any()
    leaves = [order[begin:end] for begin, end in segments[leaf]]
    assert np.array_equal(np.sort(np.concatenate(leaves)), np.arange(len(problem.counts)))
    assert all(problem.counts[types].sum() >= problem.k for types in leaves)


def check_state(lattice, pairs, state):
    """The invariants of a state, recomputed plainly."""
    assignment = assignment_of(lattice, state)
    assert len({*zip(assignment.type, assignment.group, strict=True)}) == len(assignment.type)
    assert np.array_equal(np.bincount(assignment.type, assignment.count, len(lattice.counts)), lattice.counts)
    sizes = np.bincount(assignment.group, assignment.count, lattice.groups)
    assert np.array_equal(sizes, state.size)
    assert ((sizes == 0) | (sizes >= lattice.k)).all()
    assert state.total[0] == pytest.approx(assignment.cost)
    for t, g in zip(assignment.type, assignment.group, strict=True):
        assert t in lattice.member[lattice.start[g] : lattice.start[g + 1]]
    return assignment


def test_annealing_keeps_the_books():
    problem = table(0, 400, 4, 5, k=6)
    lattice = complete_lattice(problem)
    pairs = pairs_of(lattice)
    state = state_of(lattice, pairs, fine_to_coarse(lattice), 1)
    for hot in (5.0, 2.0, 0.5):
        assert kernels.anneal(pairs, state, np.arange(lattice.groups), 2000, hot, hot) > 0
        check_state(lattice, pairs, state)


def test_the_plain_twin_walks_the_same_way(monkeypatch):
    problem = table(1, 60, 3, 4, k=4)
    lattice = complete_lattice(problem)
    pairs = pairs_of(lattice)
    start = fine_to_coarse(lattice)
    compiled = state_of(lattice, pairs, start, 7)
    kernels.anneal(pairs, compiled, np.arange(lattice.groups), 300, 3.0, 0.5)
    for name in dir(kernels):
        if hasattr(getattr(kernels, name), "py_func"):
            monkeypatch.setattr(kernels, name, getattr(kernels, name).py_func)
    plain = state_of(lattice, pairs, start, 7)
    with np.errstate(over="ignore"):
        kernels.anneal(pairs, plain, np.arange(lattice.groups), 300, 3.0, 0.5)
    one, two = check_state(lattice, pairs, compiled), check_state(lattice, pairs, plain)
    assert np.array_equal(one.fragments(lattice).levels, two.fragments(lattice).levels)
    assert np.array_equal(one.fragments(lattice).count, two.fragments(lattice).count)
