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


def by_value(lattice: Lattice, value: np.ndarray) -> Assignment:
    """Open groups in order of rising dual value per record, as long as they have k records without a group."""
    pairs, chosen = pairs_of(lattice), np.full(len(lattice.counts), -1, dtype=np.int32)
    order = np.argsort(value, kind="stable")
    kernels.claim(pairs, chosen, order, np.zeros(len(order), dtype=np.int64), 0.0)
    return _completed(lattice, chosen)


def _completed(lattice: Lattice, chosen: np.ndarray) -> Assignment:
    """Send those without a group to the coarsest, and bring that to k members.

    Donors come from groups with more than k, the cheapest first; if they don't suffice, whole groups follow.
    """
    coarsest = root(lattice)
    group = np.where(chosen < 0, coarsest, chosen).astype(np.int64)
    count = lattice.counts.copy()
    sizes = np.bincount(group, weights=count, minlength=lattice.groups).astype(np.int64)
    given = np.zeros_like(count)
    if 0 < sizes[coarsest] < lattice.k:
        for t in np.argsort(-lattice.cost[group], kind="stable"):
            need, spare = lattice.k - sizes[coarsest], sizes[group[t]] - lattice.k
            if need > 0 and spare > 0 and group[t] != coarsest:
                given[t] = min(need, spare, count[t])
                sizes[group[t]] -= given[t]
                sizes[coarsest] += given[t]
        for g in np.argsort((lattice.cost[coarsest] - lattice.cost) * sizes, kind="stable"):
            if sizes[coarsest] >= lattice.k:
                break
            if g != coarsest and sizes[g]:
                sizes[coarsest] += sizes[g]
                given[group == g] = 0
                group[group == g] = coarsest
    types = np.arange(len(count))
    some = np.flatnonzero(given)
    type_ = np.concatenate([types, some])
    to = np.concatenate([group, np.full(len(some), coarsest)])
    records = np.concatenate([count - given, given[some]])
    kept = records > 0
    return Assignment(type_[kept], to[kept], records[kept], float((lattice.cost[to] * records).sum()))


def root(lattice: Lattice) -> int:
    """Return the coarsest group: every type can be in it."""
    return int(np.flatnonzero(np.diff(lattice.start) == len(lattice.counts))[-1])


def _population(lattice: Lattice, groups: np.ndarray, free: np.ndarray) -> np.ndarray:
    """How many free records each of some groups could take; `groups` is ascending."""
    first, last = int(groups[0]), int(groups[-1]) + 1
    start = lattice.start[first : last + 1]
    running = np.concatenate([[0], np.cumsum(free[lattice.member[start[0] : start[-1]]])])
    population: np.ndarray = (running[start[1:] - start[0]] - running[start[:-1] - start[0]])[groups - first]
    return population
