"""The whole lattice of a problem with few attributes: every group with k records in reach, but the dominated ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from diva.lattice import kernels
from diva.lattice.groups import Lattice

if TYPE_CHECKING:
    from diva.lattice.problem import Problem

Pattern = frozenset[int]


def complete_lattice(problem: Problem, *, limit: int = 40_000_000) -> Lattice | None:
    """List every group worth having, or None where that takes more than `limit` cells of (pattern, type).

    O(D·2^m) time and memory for m attributes that needn't stay visible.
    """
    numbered = _number_groups(problem, limit)
    if numbered is None:
        return None
    shown, group_of = numbered
    cost = ~shown @ problem.weights
    order = np.argsort(cost, kind="stable")
    shown, group_of, cost = shown[order], group_of[order], cost[order]
    return assemble(problem, shown, group_of, cost, complete=True)


def assemble(
    problem: Problem, shown: np.ndarray, group_of: np.ndarray, cost: np.ndarray, *, complete: bool
) -> Lattice:
    """Make a lattice from the group of each type in each pattern, patterns in order of rising cost."""
    kept = undominated(shown, group_of, problem.counts, problem.spoken)
    sizes = np.array([len(k) for k in kept])
    offset = np.concatenate([[0], np.cumsum([int(k.sum()) for k in kept])])
    for p, keep in enumerate(kept):
        number = np.full(sizes[p] + 1, -1, np.int32)
        number[:-1][keep] = offset[p] + np.arange(offset[p + 1] - offset[p])
        group_of[p] = number[group_of[p]]
    start, member, type_start, group = kernels.list_members(group_of, int(offset[-1]))
    per_pattern = np.diff(offset)
    return Lattice(
        patterns=~shown,
        pattern=np.repeat(np.arange(len(shown), dtype=np.int32), per_pattern),
        cost=np.repeat(cost, per_pattern),
        start=start,
        member=member,
        type_start=type_start,
        group=group,
        counts=problem.counts,
        k=problem.k,
        complete=complete,
    )


def forbidden(problem: Problem, shown: np.ndarray) -> np.ndarray:
    """Bool [D]: the types that would show a taboo target under a pattern."""
    out = np.zeros(len(problem.counts), dtype=bool)
    for taboo in problem.taboos:
        if not (taboo.attributes & ~shown).any():
            out |= taboo.types
    return out


def _number_groups(problem: Problem, limit: int) -> tuple[np.ndarray, np.ndarray] | None:
    """Depth first over sets of visible attributes; a pattern in which nothing reaches k has no finer ones."""
    free = np.flatnonzero(~problem.visible).tolist()
    values = problem.codes.max(axis=0, initial=0).astype(np.int64) + 1
    D = len(problem.counts)
    columns = np.ascontiguousarray(problem.codes.T.astype(np.int64))
    base = np.where(forbidden(problem, problem.visible), -1, 0).astype(np.int32)
    shown, groups = [problem.visible.copy()], [base]
    stack = [(problem.visible.copy(), base, 0)]
    while stack:
        pattern, parent, first = stack.pop()
        for i in range(first, len(free)):
            finer = pattern.copy()
            finer[free[i]] = True
            hidden = forbidden(problem, finer)
            allowed = np.where(hidden, -1, parent).astype(np.int32) if hidden.any() else parent
            group, found = kernels.refine(
                allowed, columns[free[i]], int(values[free[i]]), problem.counts, problem.k
            )
            if not found:
                continue
            shown.append(finer)
            groups.append(group)
            if len(groups) * D > limit:
                return None
            stack.append((finer, group, i + 1))
    return np.array(shown), np.array(groups)


def undominated(
    shown: np.ndarray, group_of: np.ndarray, counts: np.ndarray, spoken: tuple[int, ...] = ()
) -> list[np.ndarray]:
    """For each pattern bool [its groups]: false where showing one more attribute loses none of the group's records.

    Attributes that constraints speak of don't count: whether they are shown matters in itself.
    """
    where = {row.tobytes(): p for p, row in enumerate(shown)}
    populations = [np.bincount(g[g >= 0], weights=counts[g >= 0]) for g in group_of]
    kept = []
    for p, (pattern, group) in enumerate(zip(shown, group_of, strict=True)):
        keep = np.ones(len(populations[p]), dtype=bool)
        some = np.zeros(len(keep), dtype=np.int64)
        some[group[group >= 0]] = np.flatnonzero(group >= 0)
        for a in np.flatnonzero(~pattern):
            if a in spoken:
                continue
            finer = pattern.copy()
            finer[a] = True
            q = where.get(finer.tobytes())
            if q is not None:
                child = group_of[q][some]
                keep &= (child < 0) | (np.append(populations[q], -1)[child] < populations[p])
        kept.append(keep)
    return kept
