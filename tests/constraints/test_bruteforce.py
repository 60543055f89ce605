"""Thousands of tiny instances against exhaustion (benchmarks/fuzz_constraints.py runs as many as you like)."""

import pytest

from tests.constraints.agreement import disagreements
from tests.oracles.implication import Instance, Oracle, Rule, instance

BATCH = 2_000


@pytest.mark.parametrize("batch", range(10))
def test_agrees_with_exhaustion(batch: int) -> None:
    seeds = range(batch * BATCH, (batch + 1) * BATCH)
    assert {seed: found for seed in seeds if (found := disagreements(instance(seed)))} == {}


def test_instances_ask_every_kind_of_question() -> None:
    satisfiable = implied = domains = several = 0
    for seed in range(300):
        case = instance(seed)
        oracle = Oracle((*case.rules, case.query), case.domains)
        fewest = oracle.smallest(case.rules)
        satisfiable += fewest is not None
        implied += fewest is not None and oracle.smallest(case.rules, violating=case.query) is None
        domains += bool(case.domains)
        several += any(len(r.target) > 1 for r in case.rules)
    assert 100 < satisfiable < 280
    assert implied > 20
    assert domains > 100
    assert several > 100


def test_the_oracle_knows_erratum_4() -> None:
    rules = (Rule({"A": "a", "B": "b"}, 2, None), Rule({"A": "a", "B": "c"}, 1, None))
    oracle = Oracle((*rules, Rule({"A": "a"}, 3, None)), {})
    assert oracle.smallest(rules) == 3
    assert oracle.smallest(rules, violating=Rule({"A": "a"}, 3, None)) is None


def test_a_wrong_answer_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    case = Instance((Rule({"A": "a"}, 2, None),), Rule({"A": "a"}, 1, None), {})
    assert disagreements(case) == []
    monkeypatch.setattr("diva.constraints.exact.find", lambda *_: None)
    assert "satisfiability" in disagreements(case)
