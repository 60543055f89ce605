"""Greedy starts: open groups one after the other for the records that have none yet."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from diva.solve.lattice import kernels
from diva.solve.lattice.state import Assignment, assignment_of, empty_state, pairs_of

if TYPE_CHECKING:
    from diva.lattice.groups import Lattice

_FRESH = 0.9
"""A group whose population fell below this share of what it was listed with waits for the next list."""


def fine_to_coarse(lattice: Lattice) -> Assignment:
    """By rising cost, open the group with the most records that have no group, as long as it has k of them.

    The order among groups of equal cost is kept up to a tenth of the population. O(pairs · lists).
    """
    pairs, state = pairs_of(lattice), empty_state(lattice, 0)
    for level in np.split(np.arange(lattice.groups), np.flatnonzero(np.diff(lattice.cost)) + 1):
        left = level
        while len(left):
            free = np.where(state.type_head < 0, lattice.counts, 0)
            population = _population(lattice, left, free)
            left, population = left[population >= lattice.k], population[population >= lattice.k]
            order = np.argsort(-population, kind="stable")
            kernels.claim(pairs, state, left[order], population[order], _FRESH)
    kernels.finish(pairs, state, root(lattice))
    return assignment_of(lattice, state)


def by_value(lattice: Lattice, value: np.ndarray) -> Assignment:
    """Open groups in order of rising dual value per record, as long as they have k records without a group."""
    pairs, state = pairs_of(lattice), empty_state(lattice, 0)
    order = np.argsort(value, kind="stable")
    kernels.claim(pairs, state, order, np.zeros(len(order), dtype=np.int64), 0.0)
    kernels.finish(pairs, state, root(lattice))
    return assignment_of(lattice, state)


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
