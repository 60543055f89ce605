"""Can every published record be given an original record of its own? A transportation problem, solved exactly.

Types (distinct QI rows of the original, with counts) have records, groups (distinct published QI rows, with sizes)
want them, and a type may serve a group when it has every value that the group shows.

1. *Finest first*: pattern by pattern, groups take fitting records while there are any, first of the types that have most
   records left for what the coarser groups still offer them. Where patterns are nested this settles everything, for all
   types that fit into a group fit into the same coarser ones.
2. *Repair*, in waves (push-relabel with exact labels): types and groups are labelled with their distance from a group
   that still wants records, along "could join" and "is held by". From far to near, records left over push into a
   group one step nearer, and that group lets go of as many records that are nearer still.

A wave brings at least one record more to where it is wanted, for no push uses up what a nearer one needs. When no record
left over has a label, the labels are a minimum cut: then no assignment leaves fewer records over.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from diva.verify.candidates import STAR, Candidates


@dataclass(frozen=True)
class Rows:
    """The distinct QI rows of a table, by component."""

    component: np.ndarray
    """int64 [n]: records match only within their component."""
    codes: np.ndarray
    """int32 [n, m]: values, by codes that both tables share; STAR where a published cell is suppressed."""
    count: np.ndarray
    """int64 [n]: how many records of the component look like this."""

    def only(self, which: np.ndarray) -> Rows:
        """Return some of the rows."""
        return Rows(self.component[which], self.codes[which], self.count[which])

    @cached_property
    def codes_by_component(self) -> np.ndarray:
        """The codes, with the component as one more column that is always visible."""
        return np.column_stack([self.component.astype(np.int32), self.codes])


def unmatched(original: Rows, published: Rows) -> int:
    """Count the published records that the best assignment leaves without a record of the original.

    Every component must hold as many original as published records, and its rows must differ from one another.
    """
    if not len(original.count):
        return 0
    components = 1 + max(int(original.component.max()), int(published.component.max()))
    types = np.bincount(original.component, minlength=components)
    groups = np.bincount(published.component, minlength=components)
    missing = _misfits(original, published, groups == 1) + _misfits(
        published, original, (types == 1) & (groups > 1)
    )
    open_ = (types > 1) & (groups > 1)
    return missing + _unassigned(
        original.only(open_[original.component]), published.only(open_[published.component])
    )


def _misfits(many: Rows, one: Rows, components: np.ndarray) -> int:
    """Count the records of `many` that don't fit the only row that `one` has in these components."""
    at = np.flatnonzero(components[one.component])
    only = np.full(len(components), -1)
    only[one.component[at]] = at
    asking = np.flatnonzero(components[many.component])
    mine, theirs = many.codes[asking], one.codes[only[many.component[asking]]]
    fits = ((mine == theirs) | (mine == STAR) | (theirs == STAR)).all(axis=1)
    return int(many.count[asking[~fits]].sum())


def _unassigned(original: Rows, published: Rows) -> int:
    """Solve the components that have several rows on both sides, all at once."""
    if not len(original.count):
        return 0
    assignment = Assignment(
        Candidates(original.codes_by_component, published.codes_by_component),
        left=original.count.copy(),
        wanted=published.count.copy(),
    )
    assignment.finest_first()
    while assignment.left.any() and assignment.wave():
        pass
    return int(assignment.left.sum())


class Assignment:
    """Which records of which type are in which group, as far as it is known."""

    def __init__(self, candidates: Candidates, *, left: np.ndarray, wanted: np.ndarray) -> None:
        self.candidates = candidates
        self.left = left
        """int64 [D]: the records of each type that are in no group."""
        self.wanted = wanted
        """int64 [G]: the records that each group still wants."""
        self._held = np.zeros((3, 0), dtype=np.int64)
        """Columns (type, group, how many > 0), by group."""

    def finest_first(self) -> None:
        """Give every group what is left for it, groups with the fewest stars first."""
        every, live = np.arange(len(self.wanted)), self.left > 0
        offered = np.zeros_like(self.left)
        for types, groups in self.candidates.edges(every, live):
            offered[types] += self.wanted[groups]
        size, taken = self.wanted.copy(), []
        for types, groups in self.candidates.edges(every, live):
            offered[types] -= size[groups]
            pressed = np.argsort(-self.left[types] / np.maximum(offered[types], 0.5), kind="stable")
            taken.append(self._join(types[pressed], groups[pressed], self.wanted))
            live[types] = self.left[types] > 0
        self._hold(taken)

    def wave(self) -> bool:
        """Push records left over towards groups that want some; return whether there was a way."""
        of_type, of_group = self._distances()
        reach = of_type[(self.left > 0) & (of_type > 0)]
        for distance in range(int(reach.max(initial=-1)), 0, -2):
            self._push(of_type, of_group, distance)
        return bool(reach.size)

    def _distances(self) -> tuple[np.ndarray, np.ndarray]:
        """For each type and group the steps to the nearest group that wants records; -1 where there is no way.

        The walk stops when it has met every type with records left over.
        """
        of_type, of_group = np.full(len(self.left), -1), np.full(len(self.wanted), -1)
        unseen = np.ones(len(self.left), dtype=bool)
        frontier, distance = np.flatnonzero(self.wanted > 0), 0
        while frontier.size:
            of_group[frontier] = distance
            for types, _ in self.candidates.edges(frontier, unseen):
                unseen[types] = False
                of_type[types] = distance + 1
            if not (unseen & (self.left > 0)).any():
                break
            type_, group, _ = self._held
            near = (of_type[type_] == distance + 1) & (of_group[group] < 0)
            frontier, distance = np.unique(group[near]), distance + 2
        return of_type, of_group

    def _push(self, of_type: np.ndarray, of_group: np.ndarray, distance: int) -> None:
        """Move records left over at a distance one step nearer; what they displace is then left over, two steps nearer."""
        room, displaced = self.wanted, self._held[:, :0]
        if distance > 1:
            type_, group, held = self._held
            displaced = self._held[:, (of_type[type_] == distance - 2) & (of_group[group] == distance - 1)]
            room = np.zeros_like(self.wanted)
            np.add.at(room, displaced[1], displaced[2])
        before = room.copy()
        live = (of_type == distance) & (self.left > 0)
        nearer = np.flatnonzero((of_group == distance - 1) & (room > 0))
        joined = [self._join(t, g, room) for t, g in self.candidates.edges(nearer, live)]
        if distance > 1:
            type_, group, held = displaced
            gone = _poured(held, group, before - room)
            np.add.at(self.left, type_, gone)
            joined.append(np.stack([type_, group, -gone]))
        self._hold(joined)

    def _join(self, types: np.ndarray, groups: np.ndarray, room: np.ndarray) -> np.ndarray:
        """Let the records left of some types (each named once) into their groups, as far as there is room."""
        order = np.argsort(groups, kind="stable")
        types, groups = types[order], groups[order]
        count = _poured(self.left[types], groups, room)
        self.left[types] -= count
        np.subtract.at(room, groups, count)
        some = count > 0
        joined: np.ndarray = np.stack([types[some], groups[some], count[some]])
        return joined.astype(np.int64)

    def _hold(self, changes: list[np.ndarray]) -> None:
        """Add up who is held where."""
        type_, group, count = np.concatenate([self._held, *changes], axis=1)
        key, place = np.unique(group * len(self.left) + type_, return_inverse=True)
        total = np.zeros(len(key), dtype=np.int64)
        np.add.at(total, place, count)
        held = np.stack([key % len(self.left), key // len(self.left), total])
        self._held = held[:, total > 0]


def _poured(offers: np.ndarray, groups: np.ndarray, room: np.ndarray) -> np.ndarray:
    """How much of each offer its group takes: in order, until its room is full. `groups` is sorted."""
    before = np.cumsum(offers) - offers
    start = np.searchsorted(groups, groups)
    taken: np.ndarray = np.clip(room[groups] - (before - before[start]), 0, offers)
    return taken
