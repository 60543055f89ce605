"""A plan under change, as the kernels want it, and the way back to fragments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from diva.relation.engine import Fragments
from diva.solve.lattice import kernels
from diva.solve.lattice.kernels import FREE, GROUP, ROOM, TYPE, TYPE_NEXT, Pairs, State

if TYPE_CHECKING:
    from diva.lattice.groups import Lattice


@dataclass(frozen=True)
class Assignment:
    """Which records are in which groups of a lattice."""

    type: np.ndarray
    """int64 [F]"""
    group: np.ndarray
    """int64 [F]"""
    count: np.ndarray
    """int64 [F], positive."""
    cost: float

    def open(self, groups: int) -> np.ndarray:
        """Bool [G]: the groups that have members."""
        opened = np.zeros(groups, dtype=bool)
        opened[self.group] = True
        return opened

    def renumbered(self, number: np.ndarray) -> Assignment:
        """The same on another numbering of the groups."""
        return Assignment(self.type, number[self.group], self.count, self.cost)

    def fragments(self, lattice: Lattice) -> Fragments:
        """The plan, in order of types and then of groups."""
        order = np.lexsort((self.group, self.type))
        levels = lattice.patterns[lattice.pattern[self.group[order]]].astype(np.uint8)
        return Fragments(self.type[order].astype(np.int32), levels, self.count[order])


@dataclass(frozen=True)
class Ranges:
    """Σ as a walk sees it: every record that a count lies outside its range costs a penalty."""

    preserves: np.ndarray
    """bool [G, Σ]"""
    met: np.ndarray
    """bool [D, Σ]"""
    low: np.ndarray
    """int64 [Σ]"""
    high: np.ndarray
    """int64 [Σ]"""
    penalty: np.ndarray
    """float64 [Σ]"""


def pairs_of(lattice: Lattice, ranges: Ranges | None = None) -> Pairs:
    """Return the lattice as the kernels read it."""
    ranges = ranges or _no_ranges(lattice)
    return Pairs(
        np.ascontiguousarray(lattice.cost, dtype=np.float64),
        lattice.start,
        lattice.member,
        lattice.type_start,
        lattice.group,
        lattice.counts,
        lattice.k,
        np.concatenate([[0], np.cumsum(ranges.preserves.sum(axis=1))]).astype(np.int64),
        np.nonzero(ranges.preserves)[1].astype(np.int32),
        ranges.met,
        ranges.low,
        ranges.high,
        ranges.penalty,
    )


def _no_ranges(lattice: Lattice) -> Ranges:
    none = np.zeros(0, dtype=np.int64)
    nowhere = np.zeros((lattice.groups, 0), dtype=bool)
    return Ranges(nowhere, np.zeros((len(lattice.counts), 0), dtype=bool), none, none, np.zeros(0))


def empty_state(lattice: Lattice, seed: int, ranges: Ranges | None = None) -> State:
    """Return a state in which nobody has a group yet."""
    ranges = ranges or _no_ranges(lattice)
    D, G = len(lattice.counts), lattice.groups
    room = 2 * D + 4096
    node = np.full((room, 6), -1, dtype=np.int32)
    node[:-1, TYPE_NEXT] = np.arange(1, room)
    scalar = np.zeros(3, dtype=np.int64)
    scalar[FREE], scalar[ROOM] = 0, room
    return State(
        size=np.zeros(G, dtype=np.int64),
        node=node,
        records=np.zeros(room, dtype=np.int64),
        type_head=np.full(D, -1, dtype=np.int32),
        group_head=np.full(G, -1, dtype=np.int32),
        log=np.zeros((4 * D + 20_000, 4), dtype=np.int64),
        scalar=scalar,
        total=np.array([float(ranges.penalty @ np.maximum(0, ranges.low))]),
        heap=np.zeros(room + 1, dtype=np.int32),
        amount=np.zeros(room, dtype=np.int64),
        key=np.zeros(room),
        random=np.random.default_rng(seed).integers(1, 2**63, size=1, dtype=np.uint64),
        mark=np.zeros(D + 1, dtype=np.int64),
        published=np.zeros(len(ranges.low), dtype=np.int64),
    )


def state_of(
    lattice: Lattice, pairs: Pairs, assignment: Assignment, seed: int, ranges: Ranges | None = None
) -> State:
    """Return a state with the given members."""
    state = empty_state(lattice, seed, ranges)
    kernels.enter(pairs, state, assignment.type, assignment.group, assignment.count)
    return state


def assignment_of(lattice: Lattice, state: State) -> Assignment:
    """Read the members of all groups from a state."""
    used = np.flatnonzero(state.records > 0)
    group = state.node[used, GROUP].astype(np.int64)
    count = state.records[used]
    return Assignment(
        state.node[used, TYPE].astype(np.int64), group, count, float(lattice.cost[group] @ count)
    )
