"""DIVA on generated tiny instances against exhaustion; `benchmarks/diva_agreement.py` takes more of them."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from diva.solve.diva.strategies import STRATEGIES
from tests.oracles.release import random_instance
from tests.solve.diva.agreement import judge

INSTANCES = 250


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_agrees_with_exhaustion(strategy: str) -> None:
    ends: Counter[str] = Counter()
    for seed in range(INSTANCES):
        instance = random_instance(np.random.default_rng([seed, 20261119]))
        verdict = judge(instance, strategy, seed)
        assert not verdict.faults, (seed, instance, verdict)
        ends[verdict.end] += 1
        ends["repaired"] += verdict.repaired
    assert ends["found"] > INSTANCES // 4
    assert ends["unsatisfiable"] > INSTANCES // 4
    assert ends["repaired"]
