"""The bound: the kernel against a plain twin, valid at every pass, valid for many attributes."""

import numpy as np
import pytest

from diva.lattice.complete import complete_lattice
from diva.lattice.problem import Problem
from diva.solve.bounds import blocks as blocks_module
from diva.solve.bounds import kernels, lower_bound
from diva.solve.bounds.lagrange import Ascent
from diva.solve.lattice import solve
from tests.solve.lattice.oracle import instance, optimum, problem_of, table


def value_of_group(cost, prices, counts, k):
    """V_g by sorting: the plain twin of `kernels.relax`."""
    gains = np.sort(np.repeat(cost - prices, counts))
    return float(min(gains[:n].sum() for n in range(k, len(gains) + 1)))


@pytest.mark.parametrize("jit", [True, False])
def test_relax_is_the_sum_over_groups(jit, monkeypatch):
    if not jit:
        for name in ("_sift_down", "_sift_up"):
            monkeypatch.setattr(kernels, name, getattr(kernels, name).py_func)
    relax = kernels.relax if jit else kernels.relax.py_func
    random = np.random.default_rng(0)
    for seed in range(20):
        problem = table(seed, 40, 3, 4, k=5)
        lattice = complete_lattice(problem)
        prices = random.random(len(problem.counts)) * 3
        taken, load = np.empty(len(prices)), np.empty(lattice.groups)
        slack, drift = np.full(lattice.groups, -1.0), np.zeros(lattice.groups)
        heap = np.empty(len(prices) + 1, dtype=np.int32)
        total = relax(
            lattice.cost, lattice.start, lattice.member, lattice.counts, lattice.k, prices, slack, drift, taken, load, heap
        )  # fmt: skip
        values = []
        for g in range(lattice.groups):
            types = lattice.member[lattice.start[g] : lattice.start[g + 1]]
            values.append(value_of_group(lattice.cost[g], prices[types], problem.counts[types], problem.k))
        assert total == pytest.approx(sum(min(0.0, v) for v in values))
        assert taken.sum() == pytest.approx(load.sum())
        for value, s in zip(values, slack, strict=True):
            assert value < 1e-9 if s < 0 else s == pytest.approx(value / problem.k)


def test_lazy_evaluation_misses_nothing():
    lattice = complete_lattice(table(1, 400, 4, 5, k=6))
    ascent = Ascent(lattice, 1000.0)
    for _ in range(150):
        current = ascent._current.copy()
        _, lazy = ascent._evaluate(current)
        fresh = Ascent(lattice, 1000.0)
        _, full = fresh._evaluate(current)
        assert lazy == pytest.approx(full)
        ascent.step()


def test_valid_at_every_pass_whatever_the_target():
    for seed in range(150):
        problem = instance(seed)
        least = optimum(problem)
        if least is None:
            continue
        for target in (0.0, least, 10 * least + 5, 1e9):
            ascent = Ascent(complete_lattice(problem), target, bool((problem.weights % 1 == 0).all()))
            for _ in range(60):
                ascent.step()
                assert ascent.bound().value <= least + 1e-9


def test_blocks_of_attributes_bound_the_whole(monkeypatch):
    monkeypatch.setattr(blocks_module, "WIDTH", 1)
    for seed in range(300):
        problem = instance(seed)
        least = optimum(problem)
        if least is not None:
            assert lower_bound(problem).value <= least + 1e-9


def test_many_attributes():
    random = np.random.default_rng(0)
    problem = problem_of(random.integers(0, 3, (300, 40)), np.ones(300), 5)
    bound = lower_bound(problem)
    assert 0 < bound.value <= problem.cost(solve(problem).plan)
    assert len(bound.prices) == len(problem.counts)


def test_weights_and_counts_scale_the_bound():
    problem = table(2, 300, 4, 5, k=4)
    larger = Problem(problem.codes, problem.counts * 10**6, 4 * 10**6, problem.weights, problem.visible)
    assert lower_bound(larger).value == pytest.approx(lower_bound(problem).value * 10**6, rel=0.02)


def test_nothing_to_bound():
    assert lower_bound(problem_of(np.zeros((0, 2)), [], 3)).value == 0
    assert lower_bound(problem_of([[0], [1]], [3, 3], 3)).value == 0
