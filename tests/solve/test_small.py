"""Tiny instances with and without Σ through the public interface: optimal and proven at `best`, close at `standard`, valid always."""

import pytest

from tests.solve.small import judge, small_case


@pytest.mark.parametrize("first", range(0, 100, 20))
def test_agrees_with_brute_force(first):
    verdicts = [
        judge(small_case(seed, diverse=seed % 4 > 0), impatience=(seed % 7, 11 * (seed % 5)))
        for seed in range(first, first + 20)
    ]
    assert [v.faults for v in verdicts if v.faults] == []
    optimum = sum(v.optimum for v in verdicts if v.optimum is not None)
    assert sum(v.standard for v in verdicts) <= 1.03 * optimum
