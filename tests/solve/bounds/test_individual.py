"""The individual bound against the definition, and never above the optimum."""

import itertools

import numpy as np
import pytest

from diva.solve.bounds.individual import added_up, individual_costs
from tests.solve.lattice.oracle import instance, optimum, table


def by_definition(problem):
    """The cheapest pattern of each type in which the types that agree on it, and may show it, have k records."""
    costs = np.full(len(problem.counts), np.inf)
    for suppressed in itertools.product((False, True), repeat=problem.width):
        hidden = np.array(suppressed)
        if (hidden & problem.visible).any():
            continue
        may = np.ones(len(costs), dtype=bool)
        for taboo in problem.taboos:
            may &= ~taboo.types | bool((taboo.attributes & hidden).any())
        for t in np.flatnonzero(may):
            alike = (problem.codes[:, ~hidden] == problem.codes[t, ~hidden]).all(axis=1)
            if problem.counts[alike & may].sum() >= problem.k:
                costs[t] = min(costs[t], problem.weights[hidden].sum())
    return costs


@pytest.mark.parametrize("seed", range(150))
def test_follows_the_definition_and_bounds_the_optimum(seed):
    problem = instance(seed)
    best = optimum(problem)
    if best is None:
        return
    costs = individual_costs(problem)
    assert costs == pytest.approx(by_definition(problem))
    assert added_up(costs, problem) <= best + 1e-9


def test_stopped_it_proves_nothing():
    assert added_up(individual_costs(table(1, 300, 4, 5, k=9), lambda: True), table(1, 300, 4, 5, k=9)) == 0
