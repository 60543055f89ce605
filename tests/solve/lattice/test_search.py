"""Search: every plan is flawless, `best` is optimal where exhaustion can tell, hostile shapes end well."""

import numpy as np
import pytest

from diva.errors import BadInput
from diva.lattice.problem import Problem, Taboo
from diva.solve.lattice import search, solve
from tests.solve.lattice.agreement import judge
from tests.solve.lattice.oracle import problem_of, table

EFFORTS = ("quick", "standard", "best")


@pytest.mark.parametrize("first", range(0, 600, 50))
def test_agrees_with_exhaustion(first):
    verdicts = [v for seed in range(first, first + 50) if (v := judge(seed)) is not None]
    assert [v.faults for v in verdicts if v.faults] == []
    assert sum(v.standard for v in verdicts) <= 1.03 * sum(v.optimum for v in verdicts)


@pytest.mark.parametrize("effort", EFFORTS)
@pytest.mark.parametrize(
    "problem",
    [
        problem_of([[0], [1], [2]], [1, 1, 1], 3),
        problem_of([[0, 0, 0]], [7], 7),
        problem_of(np.zeros((1, 40)), [5], 2),
        problem_of(np.arange(60).reshape(20, 3), np.ones(20), 20),
        problem_of(np.arange(200)[:, None], np.ones(200), 7),
        problem_of(np.random.default_rng(0).integers(0, 3, (80, 40)), np.ones(80), 5),
        problem_of([[0, 0], [0, 1], [1, 0]], [10**8, 3, 10**8], 10),
        problem_of([[0, 0], [0, 1], [1, 0]], [10**8, 3, 10**8], 10**8 + 2),
        table(1, 3000, 6, 5, k=17),
    ],
)
def test_hostile_shapes(problem, effort):
    outcome = solve(problem, effort=effort, time_limit=1.0)
    assert problem.flaws(outcome.plan) == []
    assert problem.cost(outcome.plan) == pytest.approx(outcome.cost)
    assert outcome.bound is None or outcome.bound.value <= outcome.cost


def test_no_records():
    problem = problem_of(np.zeros((0, 3)), [], 5)
    assert len(search(problem)) == 0


def test_every_value_stays_at_k_1():
    assert search(table(2, 500, 4, 6, k=1)).stars == 0


def test_taboo_forces_stars_at_k_1():
    problem = problem_of([[0, 0], [1, 0]], [4, 4], 1)
    taboo = Taboo(np.array([True, False]), np.array([True, False]))
    problem = Problem(problem.codes, problem.counts, 1, problem.weights, problem.visible, (taboo,))
    plan = search(problem)
    assert problem.flaws(plan) == []
    assert plan.stars == 4


def test_weights_of_zero_cost_nothing():
    problem = table(3, 300, 4, 6, k=5)
    problem = Problem(problem.codes, problem.counts, 5, np.zeros(4), problem.visible)
    outcome = solve(problem)
    assert problem.flaws(outcome.plan) == []
    assert outcome.cost == 0
    assert outcome.optimal


def test_what_must_stay_visible_stays_visible():
    problem = table(4, 400, 4, 4, k=6)
    of_one = problem.codes[:, 0] == 1
    visible = np.array([True, False, False, False])
    problem = Problem(problem.codes[of_one], problem.counts[of_one], 6, problem.weights, visible)
    assert problem.flaws(search(problem)) == []


def test_too_few_records_are_refused():
    with pytest.raises(BadInput, match="2 records"):
        search(problem_of([[0], [1]], [1, 1], 3))


def test_a_taboo_on_what_must_stay_visible_is_refused():
    problem = problem_of([[0, 0]], [4], 2)
    taboo = Taboo(np.array([True, False]), np.array([True]))
    visible = np.array([True, False])
    with pytest.raises(BadInput, match="may not be shown"):
        search(Problem(problem.codes, problem.counts, 2, problem.weights, visible, (taboo,)))


@pytest.mark.parametrize("effort", ["quick", "standard"])
def test_the_seed_decides(effort):
    problem = table(5, 2000, 5, 6, k=9)
    one, two = (search(problem, effort=effort, seed=3) for _ in range(2))
    assert np.array_equal(one.type, two.type)
    assert np.array_equal(one.levels, two.levels)
    assert np.array_equal(one.count, two.count)


def test_more_effort_costs_no_more():
    problem = table(6, 2000, 5, 8, k=12)
    costs = [problem.cost(search(problem, effort=effort, time_limit=5)) for effort in EFFORTS]
    assert costs == sorted(costs, reverse=True)


def test_stop_returns_the_best_so_far():
    problem = table(7, 3000, 6, 8, k=12)
    polls = iter(range(40))
    plan = search(problem, effort="best", stop=lambda: next(polls, None) is None)
    assert problem.flaws(plan) == []


def test_progress_closes_in():
    problem = table(8, 1500, 5, 6, k=9)
    told = []
    search(problem, effort="best", time_limit=3, progress=lambda stars, bound: told.append((stars, bound)))
    stars, bounds = zip(*told, strict=True)
    assert list(stars) == sorted(stars, reverse=True)
    assert list(bounds) == sorted(bounds)
    assert bounds[-1] <= stars[-1]
