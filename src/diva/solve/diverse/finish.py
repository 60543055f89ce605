"""The exact finish: move records between groups until every count of Σ lies in its range, as cheaply as it goes.

Three kinds of moves, each of which lowers the total violation:

* *shift* records of a type from one open group to another,
* *found* a group with at least k records from groups that can spare them,
* *dissolve* a group into others.

The violation is a convex, piecewise linear function of the counts, so a move is judged by the counts it would lead to.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from diva.lattice.groups import Lattice
    from diva.solve.diverse.sigma import Sigma
    from diva.solve.lattice.state import Assignment

_ROUNDS = 400


class Finish:
    """A plan on its way to Σ."""

    def __init__(self, lattice: Lattice, sigma: Sigma, plan: Assignment) -> None:
        self.lattice = lattice
        self.sigma = sigma
        self.size = np.zeros(lattice.groups, dtype=np.int64)
        np.add.at(self.size, plan.group, plan.count)
        self.held: dict[tuple[int, int], int] = {}
        for t, g, n in zip(plan.type.tolist(), plan.group.tolist(), plan.count.tolist(), strict=True):
            self.held[t, g] = self.held.get((t, g), 0) + n
        self.counts = sigma.of(plan)

    def run(self, stop: Callable[[], bool]) -> bool:
        """Move records until Σ holds; False when no move helps any more."""
        for _ in range(_ROUNDS):
            if not self._violated().any():
                return True
            if stop() or not (self._shift() or self._found()):
                return False
        return not self._violated().any()

    def plan(self) -> Assignment:
        """The plan as it is now."""
        from diva.solve.lattice.state import Assignment as Plan  # noqa: PLC0415 - loads the kernels

        held = [(t, g, n) for (t, g), n in self.held.items() if n]
        type_, group, count = (np.array(column, dtype=np.int64) for column in zip(*held, strict=True))
        return Plan(type_, group, count, float(self.lattice.cost[group] @ count))

    def _violated(self) -> np.ndarray:
        return self.sigma.violation(self.counts)

    def _total(self, counts: np.ndarray) -> int:
        return int(np.abs(self.sigma.violation(counts)).sum())

    def _fragments(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        keys = np.array(list(self.held), dtype=np.int64).reshape(-1, 2)
        return keys[:, 0], keys[:, 1], np.array(list(self.held.values()), dtype=np.int64)

    def _gain(self, change: np.ndarray) -> np.ndarray:
        """int64 [n]: by how much one record less violates Σ for each row of changes in the counts (-1, 0 or 1)."""
        counts, sigma = self.counts, self.sigma
        rise = np.where(counts < sigma.low, 1, np.where(counts >= sigma.high, -1, 0))
        fall = np.where(counts > sigma.high, 1, np.where(counts <= sigma.low, -1, 0))
        gain: np.ndarray = (change > 0) @ rise + (change < 0) @ fall
        return gain

    def _moves(self, opened: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """All moves of a fragment to a group of `opened` that lower the violation: type, from, to, gain, cost."""
        lattice, sigma = self.lattice, self.sigma
        type_, source, _ = self._fragments()
        lengths = np.diff(lattice.type_start)[type_]
        fragment = np.repeat(np.arange(len(type_)), lengths)
        place = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        target = lattice.group[lattice.type_start[type_[fragment]] + place].astype(np.int64)
        wanted = opened[target] & (target != source[fragment])
        fragment, target = fragment[wanted], target[wanted]
        t, g = type_[fragment], source[fragment]
        change = (sigma.preserves[target].astype(np.int8) - sigma.preserves[g].astype(np.int8)) * sigma.met[t]
        gain = self._gain(change)
        good = gain > 0
        cost = lattice.cost[target[good]] - lattice.cost[g[good]]
        return t[good], g[good], target[good], gain[good], cost

    def _shift(self) -> bool:
        """Shift records to open groups, the cheapest per unit of violation first; return whether any moved."""
        type_, source, target, gain, cost = self._moves(self.size > 0)
        moved = False
        for i in np.argsort(cost / gain, kind="stable").tolist():
            t, g, h = int(type_[i]), int(source[i]), int(target[i])
            n = min(self.held.get((t, g), 0), int(self.size[g]) - self.lattice.k)
            if n > 0:
                moved |= self._move_up_to(t, g, h, n)
        return moved

    def _move_up_to(self, t: int, g: int, h: int, most: int) -> bool:
        """Move as many of up to `most` records as lower the violation."""
        change = self._change(t, g, h)
        n = self._useful(change, most)
        if n:
            self._move(t, g, h, n)
        return n > 0

    def _change(self, t: int, g: int, h: int) -> np.ndarray:
        preserves = self.sigma.preserves
        change: np.ndarray = (preserves[h].astype(np.int64) - preserves[g].astype(np.int64)) * self.sigma.met[
            t
        ]
        return change

    def _useful(self, change: np.ndarray, most: int) -> int:
        """The largest n up to `most` until which every record lowers the violation."""
        if self._gain(change[None, :])[0] <= 0:
            return 0
        counts, sigma = self.counts, self.sigma
        room = most
        for c in np.flatnonzero(change):
            # The gain of a constraint changes where its count enters or leaves its range.
            edges = (sigma.low[c], sigma.high[c])
            ahead = [int((e - counts[c]) * change[c]) for e in edges if (e - counts[c]) * change[c] > 0]
            room = min([room, *ahead])
        return room

    def _move(self, t: int, g: int, h: int, n: int) -> None:
        self.counts = self.counts + n * self._change(t, g, h)
        left = self.held[t, g] - n
        if left:
            self.held[t, g] = left
        else:
            del self.held[t, g]
        self.held[t, h] = self.held.get((t, h), 0) + n
        self.size[g] -= n
        self.size[h] += n

    def _found(self) -> bool:
        """Found the closed group that lowers the violation most cheaply; return whether there was one."""
        type_, source, target, gain, cost = self._moves(self.size == 0)
        if not len(type_):
            return False
        order = np.lexsort((cost / gain, target))
        starts = np.flatnonzero(np.diff(target[order], prepend=-1))
        ends = np.append(starts[1:], len(order))
        appeal = np.array([cost[order[a]] / gain[order[a]] for a in starts])
        for j in np.argsort(appeal, kind="stable")[:200].tolist():
            h = int(target[order[starts[j]]])
            if self._try_founding(h, [(int(type_[i]), int(source[i])) for i in order[starts[j] : ends[j]]]):
                return True
        return False

    def _try_founding(self, h: int, useful: list[tuple[int, int]]) -> bool:
        """Bring group h to k records: those that lower the violation first, then the cheapest that don't raise it."""
        before = self._total(self.counts)
        undo = (self.counts, dict(self.held), self.size.copy())
        for t, g in useful:
            spare = self._spare(t, g)
            if spare > 0:
                self._move_up_to(t, g, h, spare)
        if 0 < self.size[h] < self.lattice.k:
            self._fill(h)
        if self.size[h] >= self.lattice.k and self._total(self.counts) < before:
            return True
        self.counts, self.held, self.size = undo
        return False

    def _spare(self, t: int, g: int) -> int:
        return min(self.held.get((t, g), 0), int(self.size[g]) - self.lattice.k)

    def _fill(self, h: int) -> None:
        """Fill group h up to k with records of its types, first those whose move changes no count."""
        lattice = self.lattice
        members = set(lattice.member[lattice.start[h] : lattice.start[h + 1]].tolist())
        offers = [
            (int(np.abs(self._change(t, g, h)).sum()), float(lattice.cost[h] - lattice.cost[g]), t, g)
            for (t, g) in self.held
            if t in members and g != h
        ]
        for _, _, t, g in sorted(offers):
            n = min(self._spare(t, g), lattice.k - int(self.size[h]))
            if n > 0:
                self._move(t, g, h, n)
            if self.size[h] >= lattice.k:
                return
