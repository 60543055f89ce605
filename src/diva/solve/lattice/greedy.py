"""Greedy starts: open groups one after the other for the records that have none yet."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from diva.solve.lattice import kernels
from diva.solve.lattice.state import Assignment, pairs_of

if TYPE_CHECKING:
    from diva.lattice.groups import Lattice

_FRESH = 0.9
"""A group whose population fell below this share of what it was listed with waits for the next list."""


def fine_to_coarse(lattice: Lattice) -> Assignment:
    """By rising cost, open the group with the most records that have no group, as long as it has k of them.

    The order among groups of equal cost is kept up to a tenth of the population. O(pairs · lists).
    """
    pairs, chosen = pairs_of(lattice), np.full(len(lattice.counts), -1, dtype=np.int32)
    for level in np.split(np.arange(lattice.groups), np.flatnonzero(np.diff(lattice.cost)) + 1):
        left = level
        while len(left):
            free = np.where(chosen < 0, lattice.counts, 0)
            population = _population(lattice, left, free)
            left, population = left[population >= lattice.k], population[population >= lattice.k]
            order = np.argsort(-population, kind="stable")
            kernels.claim(pairs, chosen, left[order], population[order], _FRESH)
    return _completed(lattice, chosen)


def in_clusters(lattice: Lattice) -> Assignment | None:
    """The clusters that a part of the lattice was listed around; None where there are none."""
    if lattice.clusters is None:
        return None
    cost = float((lattice.cost[lattice.clusters] * lattice.counts).sum())
    return Assignment(np.arange(len(lattice.counts)), lattice.clusters, lattice.counts, cost)


def by_value(lattice: Lattice, value: np.ndarray) -> Assignment:
    """Open groups in order of rising dual value per record, as long as they have k records without a group."""
    pairs, chosen = pairs_of(lattice), np.full(len(lattice.counts), -1, dtype=np.int32)
    order = np.argsort(value, kind="stable")
    kernels.claim(pairs, chosen, order, np.zeros(len(order), dtype=np.int64), 0.0)
    return _completed(lattice, chosen)


def _completed(lattice: Lattice, chosen: np.ndarray) -> Assignment:
    """Send those without a group to the coarsest one they can have, and bring that to k members."""
    coarsest = roots(lattice)
    group = np.where(chosen < 0, coarsest, chosen).astype(np.int64)
    sizes = np.bincount(group, weights=lattice.counts, minlength=lattice.groups).astype(np.int64)
    given = np.zeros_like(lattice.counts)
    for root in np.unique(coarsest).tolist():
        if 0 < sizes[root] < lattice.k:
            _fill(lattice, root, np.flatnonzero(coarsest == root), group, sizes, given)
    some = np.flatnonzero(given)
    type_ = np.concatenate([np.arange(len(given)), some])
    to = np.concatenate([group, coarsest[some]])
    records = np.concatenate([lattice.counts - given, given[some]])
    kept = records > 0
    return Assignment(type_[kept], to[kept], records[kept], float((lattice.cost[to] * records).sum()))


def _fill(
    lattice: Lattice, root: int, types: np.ndarray, group: np.ndarray, sizes: np.ndarray, given: np.ndarray
) -> None:
    """Bring a coarsest group to k members.

    Donors come from groups with more than k, the cheapest first; if they don't suffice, whole groups follow.
    """
    for t in types[np.argsort(-lattice.cost[group[types]], kind="stable")]:
        need, spare = lattice.k - sizes[root], sizes[group[t]] - lattice.k
        if need > 0 and spare > 0 and group[t] != root:
            given[t] = min(need, spare, lattice.counts[t])
            sizes[group[t]] -= given[t]
            sizes[root] += given[t]
    others = np.unique(group[types])
    for g in others[np.argsort((lattice.cost[root] - lattice.cost[others]) * sizes[others], kind="stable")]:
        if sizes[root] >= lattice.k:
            break
        if g != root:
            sizes[root] += sizes[g]
            sizes[g] = 0
            given[group == g] = 0
            group[group == g] = root


def roots(lattice: Lattice) -> np.ndarray:
    """int64 [D]: the coarsest group of each type, the one that most types can be in.

    Where every type can be in it, it is one group for all; where Σ forbids pairs, the table falls apart into sets of
    types with a coarsest group each.
    """
    sizes = np.diff(lattice.start)[lattice.group]
    most = np.repeat(np.maximum.reduceat(sizes, lattice.type_start[:-1]), np.diff(lattice.type_start))
    last = np.where(sizes == most, lattice.group, -1)
    coarsest: np.ndarray = np.maximum.reduceat(last, lattice.type_start[:-1]).astype(np.int64)
    return coarsest


def _population(lattice: Lattice, groups: np.ndarray, free: np.ndarray) -> np.ndarray:
    """How many free records each of some groups could take; `groups` is ascending."""
    first, last = int(groups[0]), int(groups[-1]) + 1
    start = lattice.start[first : last + 1]
    running = np.concatenate([[0], np.cumsum(free[lattice.member[start[0] : start[-1]]])])
    population: np.ndarray = (running[start[1:] - start[0]] - running[start[:-1] - start[0]])[groups - first]
    return population
