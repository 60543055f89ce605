"""Integrate: few cells, and provably no fewer."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diva.relation.engine import Fragments
from diva.solve.diva import integrate as module
from diva.solve.diva.integrate import integrate
from diva.solve.diva.rows import Rows
from tests.oracles import release as oracle
from tests.solve.diva.tables import rows_from


def shown(R: Rows) -> Fragments:
    """R as it is, as a plan."""
    D = len(R.problem.counts)
    return Fragments(np.arange(D, dtype=np.int32), np.zeros((D, R.problem.width), np.uint8), R.problem.counts)


def of(k: int, groups: list[tuple[tuple[int, ...], int]], sigma) -> Rows:
    records = np.array([values for values, n in groups for _ in range(n)])
    return rows_from(records, sigma, k)


def nothing(R: Rows) -> Fragments:
    m = R.problem.width
    return Fragments(np.zeros(0, np.int32), np.zeros((0, m), np.uint8), np.zeros(0, np.int64))


CASES = [
    ("nothing to do", 2, [((0, 0), 2), ((1, 0), 2)], [({0: 0}, 0, 2)], 0),
    ("two of ten leave their group", 2, [((0, 0), 10)], [({0: 0}, 0, 8)], 2),
    ("one can't leave alone, so two do", 2, [((0, 0), 4)], [({0: 0}, 0, 3)], 2),
    ("or all", 2, [((0, 0), 3)], [({0: 0}, 0, 2)], 3),
    ("one leaves for a group that is there", 2, [((0, 0), 3), ((1, 0), 2)], [({0: 0}, 2, 2)], 3),
    ("one cell hides two targets", 2, [((0, 0), 2), ((1, 1), 2)], [({0: 0}, 0, 0), ({0: 0, 1: 0}, 0, 1)], 2),
    ("but not where a lower bound needs it", 2, [((0, 0), 2)], [({0: 0, 1: 0}, 0, 0), ({0: 0}, 2, None)], 2),
]


@pytest.mark.parametrize(
    ("k", "groups", "sigma", "cells"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_how_many_cells(k, groups, sigma, cells):
    R = of(k, groups, sigma)
    done = integrate(R, nothing(R), shown(R))
    assert done.minimal
    assert done.plan.stars == cells
    assert not R.problem.flaws(done.plan)


@settings(max_examples=150)
@given(st.integers(0, 2**32 - 1))
def test_no_repair_suppresses_fewer_cells(seed):
    random = np.random.default_rng(seed)
    m, k = int(random.integers(1, 4)), int(random.integers(1, 4))
    most = {1: 7, 2: 6, 3: 4}[m]
    groups = []
    left = most
    while left >= k and len(groups) < 3:
        n = int(random.integers(k, left + 1))
        groups.append((tuple(int(v) for v in random.integers(0, 2, size=m)), n))
        left -= n
    sigma = []
    for _ in range(int(random.integers(1, 4))):
        columns = random.choice(m, size=int(random.integers(1, m + 1)), replace=False)
        high = int(random.integers(0, 5))
        sigma.append(({int(j): int(random.integers(0, 2)) for j in columns}, 0, high))
    R = of(k, groups, sigma)
    names = tuple("ABC"[:m])
    rows = tuple(tuple(str(v) for v in values) for values, n in groups for _ in range(n))
    targets = [({names[j]: str(v) for j, v in t.items()}, low, high) for t, low, high in sigma]
    instance = oracle.Instance(names, m, rows, k, targets)
    least = oracle.fewest_stars(oracle.releases(instance), instance)
    done = integrate(R, nothing(R), shown(R))
    assert done.minimal
    assert done.plan.stars == least
    assert not R.problem.flaws(done.plan)


def test_where_nothing_is_proven_it_says_so(monkeypatch):
    monkeypatch.setattr(module, "_EXACT", 0)
    R = of(2, [((0, 0), 4)], [({0: 0}, 0, 3)])
    done = integrate(R, nothing(R), shown(R))
    assert (done.plan.stars, done.minimal) == (2, False)
