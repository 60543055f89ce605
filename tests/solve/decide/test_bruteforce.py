"""The exact decision against every release of a tiny table."""

from __future__ import annotations

import numpy as np
import pytest

from tests.oracles.release import Instance, random_instance
from tests.solve.decide.agreement import agree

BATCH = 2_000


@pytest.mark.parametrize("seed", range(10))
def test_decision_agrees_with_brute_force(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for number in range(BATCH):
        agree(random_instance(rng), thoroughly=number % 5 == 0)


def test_instances_hold_every_kind_of_question() -> None:
    rng = np.random.default_rng(0)
    instances = [random_instance(rng) for _ in range(1_000)]
    nulls = sum(any(None in row for row in i.rows) for i in instances)
    several = sum(any(len(target) > 1 for target, _, _ in i.sigma) for i in instances)
    sensitive = sum(any("S" in target for target, _, _ in i.sigma) for i in instances)
    low = sum(any(0 < low < i.k for _, low, _ in i.sigma) for i in instances)
    high = sum(any(high is not None and high < i.k for _, _, high in i.sigma) for i in instances)
    twice = sum(len({frozenset(t.items()) for t, _, _ in i.sigma}) < len(i.sigma) for i in instances)
    assert min(nulls, several, sensitive, low, high) > 150
    assert twice > 50


def test_no_constraints_and_one_record() -> None:
    agree(Instance(("A", "S"), 1, (("a", "x"),), 1, []), thoroughly=True)
    agree(Instance(("A", "S"), 1, (("a", "x"),), 2, []), thoroughly=True)
