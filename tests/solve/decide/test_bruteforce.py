"""The exact decision against every release of a tiny table."""

from __future__ import annotations

import numpy as np
import pytest

from tests.oracles.release import Instance, random_instance
from tests.solve.decide.agreement import agree

BATCH = 1_300


@pytest.mark.parametrize("seed", range(10))
def test_decision_agrees_with_brute_force(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for number in range(BATCH):
        agree(random_instance(rng), thoroughly=number % 5 == 0)


def test_no_constraints_and_one_record() -> None:
    agree(Instance(("A", "S"), 1, (("a", "x"),), 1, []), thoroughly=True)
    agree(Instance(("A", "S"), 1, (("a", "x"),), 2, []), thoroughly=True)
