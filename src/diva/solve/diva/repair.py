"""The programme behind Integrate: which records of R' to suppress further, and where.

A *unit* is so many records of one group of R' that count for the same constraints; a *move* publishes some of them with
further attributes starred. x[u, A] records of unit u get the stars A:

    minimise  Σ x[u, A] · weight(A)
    such that Σ_A x[u, A] ≤ records of u
              every group, with those that stay and those that come, is empty or has at least k
              λl ≤ records that still count for σ ≤ λr

Without the rows about k the least cost is a bound for all ways of suppressing R' further, for what a move stars beyond
the attributes of targets that are published too often costs more and helps no range. So a repair that costs as little
is minimal, and with moves that star anything the programme itself is exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from diva.programme import Programme
from diva.relation.types import distinct_rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from diva.relation.engine import Fragments
    from diva.solve.diva.rows import Rows

Stars = frozenset[int]
"""A: the attributes that a move stars."""
Move = tuple[int, Stars]
"""(unit, A)"""
Values = tuple[int, ...]
"""What a group publishes: the code of each attribute, −1 for a star."""


@dataclass(frozen=True)
class Units:
    """R' as the programme sees it."""

    values: list[Values]
    """For each group what it publishes."""
    group: np.ndarray
    """int64 [U]: the group of each unit."""
    records: np.ndarray
    """int64 [U]"""
    counts_for: list[int]
    """For each unit the constraints that its records count for, as a mask."""
    of: np.ndarray
    """int64 [F]: the unit of each fragment of the plan."""


def units(R: Rows, plan: Fragments) -> Units:
    """Take a plan apart into units."""
    starred = plan.levels > 0
    shown = np.where(starred, -1, R.problem.codes[plan.type])
    first, group = distinct_rows(shown)
    hides = [
        sum(1 << v for v in R.vertices if R.columns[v] & set(np.flatnonzero(s).tolist())) for s in starred
    ]
    masks = [R.carried[t] & R.met[t] & ~hidden for t, hidden in zip(plan.type.tolist(), hides, strict=True)]
    numbers: dict[tuple[int, int], int] = {}
    of = np.array(
        [numbers.setdefault(key, len(numbers)) for key in zip(group.tolist(), masks, strict=True)],
        dtype=np.int64,
    )
    return Units(
        [tuple(row) for row in shown[first].tolist()],
        np.array([g for g, _ in numbers], dtype=np.int64),
        np.bincount(of, weights=plan.count, minlength=len(numbers)).astype(np.int64),
        [mask for _, mask in numbers],
        of,
    )


def counted(R: Rows, found: Units) -> dict[int, int]:
    """How many records count for each constraint."""
    return {
        v: sum(n for mask, n in zip(found.counts_for, found.records.tolist(), strict=True) if mask >> v & 1)
        for v in R.vertices
    }


def hitting(R: Rows, mask: int, exceeded: Iterable[int]) -> list[Stars]:
    """The ways to hide some of the exceeded targets that a unit shows, one attribute for each."""
    found: dict[Stars, None] = {frozenset(): None}
    for v in exceeded:
        if mask >> v & 1:
            found |= {stars | {a}: None for stars in list(found) for a in sorted(R.columns[v])}
    return [stars for stars in found if stars]


def joining(R: Rows, found: Units, u: int, exceeded: Iterable[int]) -> list[Stars]:
    """The cheapest ways to a coarser group that is there already, where also fewer than k are enough to hide a target."""
    values = np.array(found.values)
    mine = values[found.group[u]]
    coarser = np.flatnonzero(((values == mine) | (values < 0)).all(axis=1))
    best: dict[int, Stars] = {}
    for row in values[coarser].tolist():
        stars = frozenset(a for a, code in enumerate(row) if code < 0 <= mine[a])
        hidden = sum(1 << v for v in R.vertices if found.counts_for[u] >> v & 1 and stars & R.columns[v])
        if any(hidden >> v & 1 for v in exceeded):
            best[hidden] = min(stars, best.get(hidden, stars), key=lambda A: (_weight(R, A), sorted(A)))
    return list(best.values())


def any_stars(values: Values) -> list[Stars]:
    """All ways to star what a group still shows."""
    shown = [a for a, code in enumerate(values) if code >= 0]
    return [frozenset(chosen) for n in range(1, len(shown) + 1) for chosen in combinations(shown, n)]


def least(
    R: Rows,
    found: Units,
    moves: Iterable[Move],
    *,
    grouped: bool,
    settled: Mapping[Move, int] | None = None,
) -> dict[Move, int] | None:
    """The cheapest repair by some moves, or None where there is none; not grouped leaves out k.

    Settled moves are among them, with the number of records given.
    """
    programme, given = Programme(), settled or {}
    x: dict[Move, int] = {}
    for move in dict.fromkeys([*moves, *given]):
        most = given.get(move, int(found.records[move[0]]))
        x[move] = programme.variable(given.get(move, 0), most, cost=_weight(R, move[1]))
    by_unit: dict[int, list[int]] = {}
    for (u, _), variable in x.items():
        by_unit.setdefault(u, []).append(variable)
    for u, variables in by_unit.items():
        programme.row([(variable, 1) for variable in variables], high=int(found.records[u]))
    for v, n in counted(R, found).items():
        terms = [(x[u, A], -1.0) for u, A in x if found.counts_for[u] >> v & 1 and A & R.columns[v]]
        sigma = R.constraints[v]
        high = float("inf") if sigma.high is None else sigma.high - n
        if terms:
            programme.row(terms, sigma.low - n, high)
        elif not sigma.low <= n <= n + high:
            return None
    if grouped:
        _groups(R, found, programme, x)
    solution = programme.solve()
    if solution is None:
        return None
    return {move: int(solution[variable]) for move, variable in x.items() if solution[variable] > 0}


def cost(R: Rows, repair: dict[Move, int]) -> float:
    """The weighted stars of a repair."""
    return sum(n * _weight(R, stars) for (_, stars), n in repair.items())


def _weight(R: Rows, stars: Stars) -> float:
    return float(sum(R.problem.weights[a] for a in sorted(stars)))


def _groups(R: Rows, found: Units, programme: Programme, x: dict[Move, int]) -> None:
    """Every group that records leave or come to is empty or has k."""
    number = {values: g for g, values in enumerate(found.values)}
    before = np.bincount(found.group, weights=found.records, minlength=len(number)).astype(np.int64)
    leaving: dict[Values, list[tuple[int, float]]] = {}
    coming: dict[Values, list[tuple[int, float]]] = {}
    for (u, stars), variable in x.items():
        values = found.values[found.group[u]]
        leaving.setdefault(values, []).append((variable, -1.0))
        there = tuple(-1 if a in stars else code for a, code in enumerate(values))
        coming.setdefault(there, []).append((variable, 1.0))
    for values in dict.fromkeys([*leaving, *coming]):
        base = int(before[number[values]]) if values in number else 0
        if values not in leaving and base >= R.k:
            continue
        terms = leaving.get(values, []) + coming.get(values, [])
        is_open = programme.variable(0, 1)
        programme.row([*terms, (is_open, -R.k)], low=-base)
        programme.row([*terms, (is_open, -len(R))], high=-base)
