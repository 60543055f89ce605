"""Greedy starts: open groups one after the other for the records that have none yet."""

from __future__ import annotations

from dataclasses import dataclass
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
    plan = _Filling(lattice, group, sizes, np.zeros_like(lattice.counts), np.full(len(group), -1))
    for root in np.unique(coarsest).tolist():
        if 0 < sizes[root] < lattice.k:
            plan.fill(root)
    return plan.assignment()


@dataclass(frozen=True)
class _Filling:
    """A plan in which some groups have too few members yet; it never puts a type where it can't be."""

    lattice: Lattice
    group: np.ndarray
    """int64 [D]: where each type is."""
    sizes: np.ndarray
    """int64 [G]"""
    given: np.ndarray
    """int64 [D]: how many records of each type are elsewhere …"""
    to: np.ndarray
    """int64 [D]: … and where; -1 for nowhere."""

    def fill(self, root: int) -> None:
        """Bring a group to k members, if its types allow it.

        Donors come from groups with more than k, the cheapest first; if they don't suffice, whole groups follow.
        """
        lattice, sizes = self.lattice, self.sizes
        members = lattice.member[lattice.start[root] : lattice.start[root + 1]]
        for t in members[np.argsort(-lattice.cost[self.group[members]], kind="stable")].tolist():
            home = self.group[t]
            need, spare = lattice.k - sizes[root], sizes[home] - lattice.k
            if need > 0 and spare > 0 and home != root and self.given[t] == 0:
                self.given[t] = min(need, spare, lattice.counts[t])
                self.to[t] = root
                sizes[home] -= self.given[t]
                sizes[root] += self.given[t]
        others = np.unique(self.group[members])
        dearer = (lattice.cost[root] - lattice.cost[others]) * sizes[others]
        for g in others[np.argsort(dearer, kind="stable")].tolist():
            if sizes[root] >= lattice.k:
                break
            if g != root and self._fits(g, root, members):
                self._follow(g, root)

    def _fits(self, g: int, root: int, members: np.ndarray) -> bool:
        """Whether all that a group holds can be in another, and nobody else counts on it."""
        held = np.flatnonzero(self.group == g)
        return bool(
            np.isin(held, members).all()
            and np.isin(self.to[held], (-1, root)).all()
            and not (self.to == g).any()
        )

    def _follow(self, g: int, root: int) -> None:
        moved = self.group == g
        self.sizes[root] += self.sizes[g]
        self.sizes[g] = 0
        self.given[moved], self.to[moved] = 0, -1
        self.group[moved] = root

    def assignment(self) -> Assignment:
        """The plan as it is."""
        some, cost = np.flatnonzero(self.given), self.lattice.cost
        type_ = np.concatenate([np.arange(len(self.given)), some])
        to = np.concatenate([self.group, self.to[some]])
        records = np.concatenate([self.lattice.counts - self.given, self.given[some]])
        kept = records > 0
        return Assignment(type_[kept], to[kept], records[kept], float((cost[to] * records).sum()))


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
