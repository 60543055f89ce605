"""Whatever way a table is cut into parts: the joined plan is a release, Σ holds exactly, and the bound is one."""

import numpy as np
import pytest

from diva.errors import Unsatisfiable
from diva.solve.effort import Search
from diva.solve.parts import divided
from diva.solve.parts.part import solve_part
from diva.solve.solver import solve
from tests.solve.parts.tables import flaws, sigma, split, table

HERE = {"workers": 1}


def answered(types, k, constraints, **search):
    """The solution, or None where Σ can't be satisfied."""
    try:
        return solve(types, k, constraints, Search(**search))
    except Unsatisfiable:
        return None


@pytest.mark.parametrize("seed", range(40))
def test_tiny_tables_in_parts_are_released_whenever_they_can_be(seed):
    types = table(seed, records=30 + seed, values=(3, 2, 4), conditions=1)
    constraints = sigma(types, seed, many=seed % 4)
    types = split(types, constraints)
    k = 2 + seed % 3
    whole = answered(types, k, constraints, parts=1)
    effort = "standard" if seed % 8 == 1 else "quick"
    cut = answered(types, k, constraints, parts=2 + seed % 4, effort=effort, **HERE)
    assert (whole is None) == (cut is None)
    if cut is not None:
        assert flaws(types, k, constraints, cut.plan) == []
        assert cut.lower_bound <= whole.plan.stars
        assert cut.lower_bound <= cut.plan.stars


@pytest.mark.parametrize("seed", range(6))
def test_larger_tables_in_parts_are_released(seed):
    types = table(seed, records=4_000, values=(6, 9, 4, 12, 3), conditions=1)
    constraints = sigma(types, seed, many=4)
    types = split(types, constraints)
    cut = answered(types, 8, constraints, parts=5, effort="quick", **HERE)
    whole = answered(types, 8, constraints, parts=1, effort="quick")
    assert (whole is None) == (cut is None)
    if cut is not None:
        assert flaws(types, 8, constraints, cut.plan) == []


@pytest.mark.parametrize("k", [5, 20])
def test_cutting_costs_little(k):
    types = table(1, records=8_000, values=(6, 9, 4, 12, 3))
    whole = solve(types, k, (), Search(parts=1, effort="quick"))
    cut = solve(types, k, (), Search(parts=4, effort="quick", **HERE))
    assert flaws(types, k, (), cut.plan) == []
    assert cut.plan.stars <= 1.05 * whole.plan.stars
    assert cut.lower_bound <= whole.plan.stars


def test_borders_solved_again_are_never_dearer(monkeypatch):
    types = table(2, records=6_000, values=(6, 9, 4, 12, 3))
    search = Search(parts=40, effort="quick", **HERE)
    mended = solve(types, 10, (), search)
    monkeypatch.setattr(divided, "_ROUNDS", {"quick": 0})
    left = solve(types, 10, (), search)
    assert mended.plan.stars < left.plan.stars


def test_what_can_not_hold_is_said_before_any_part_is_solved():
    types = table(3, records=2_000, values=(5, 5, 5))
    constraints = sigma(types, 3, many=2)
    impossible = type(constraints[0])(constraints[0].target, 10**6, None)
    solved = []
    with pytest.raises(Unsatisfiable, match="only"):
        solve(types, 5, (impossible,), Search(parts=4, elsewhere=lambda parts: solved.append(parts) or []))
    assert solved == []


def test_targets_too_rare_to_be_cut_stay_together():
    types = table(4, records=3_000, values=(7, 7, 7, 7))
    random = np.random.default_rng(0)
    rare = sorted(sigma(types, 4, many=12), key=lambda c: (len(c.target.attributes), c.text))[-3:]
    k = 6
    constraints = tuple(type(c)(c.target, 0, None) for c in rare)
    found = [carried for c in rare if (carried := int(types.counts[types.carries(c.target)].sum())) >= k]
    assert found
    constraints = tuple(
        type(c)(c.target, n, n) for c in rare if (n := int(types.counts[types.carries(c.target)].sum())) >= k
    )
    cut = answered(types, k, constraints, parts=int(random.integers(6, 9)), effort="quick", **HERE)
    whole = answered(types, k, constraints, parts=1, effort="quick")
    assert (whole is None) == (cut is None)
    assert cut is None or flaws(types, k, constraints, cut.plan) == []


def test_parts_can_be_solved_elsewhere():
    types = table(5, records=5_000, values=(6, 9, 4, 12, 3))
    sent = []

    def elsewhere(parts):
        sent.append(len(parts))
        return [solve_part(part) for part in parts]

    there = solve(types, 10, (), Search(parts=4, effort="quick", elsewhere=elsewhere))
    here = solve(types, 10, (), Search(parts=4, effort="quick", **HERE))
    assert sent[0] == 4
    assert there.plan.stars == here.plan.stars
    assert np.array_equal(there.plan.levels, here.plan.levels)


def test_a_table_that_can_not_be_cut_is_solved_whole():
    types = table(6, records=50, values=(1, 1))
    assert flaws(types, 5, (), solve(types, 5, (), Search(parts=4, **HERE)).plan) == []


def test_a_search_that_is_stopped_still_returns_a_release():
    types = table(7, records=5_000, values=(6, 9, 4, 12, 3))
    constraints = tuple(c for c in sigma(types, 7, many=1) if c.low == 0)
    cut = solve(types, 10, constraints, Search(parts=4, stop=lambda: True, **HERE))
    assert flaws(types, 10, constraints, cut.plan) == []
    assert cut.lower_bound <= cut.plan.stars
