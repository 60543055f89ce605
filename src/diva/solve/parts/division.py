"""Cut a set of types into parts by their values, in the manner of a k-d tree.

A cut sends some values of one attribute to one side and the others to the other. Groups that show the attribute
lie on one side, so a cut touches only groups that hide it: the attribute to cut by is one that a quick plan
seldom hides, and whose values can be shared out evenly.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import numpy as np

_EVEN = 0.4
"""Sides with at least this share of the types are as good as halves."""


@dataclass(frozen=True)
class Cloud:
    """What is to be cut: types, or groups with their published values."""

    codes: np.ndarray
    """int32 [N, m]"""
    load: np.ndarray
    """int64 [N]: what an entry adds to the work of its part."""
    records: np.ndarray
    """int64 [N]"""
    hidden: np.ndarray
    """int64 [N, m]: how many records hide each attribute in a quick plan …"""
    seen: np.ndarray
    """int64 [N]: … and how many there are in it, which need not be all."""


@dataclass(frozen=True)
class Division:
    """Entries by part."""

    part: np.ndarray
    """int32 [N]"""
    cut: np.ndarray
    """bool [parts, m]: the attributes by which each part was cut off."""

    @property
    def parts(self) -> int:
        """How many parts there are."""
        return len(self.cut)

    def members(self) -> list[np.ndarray]:
        """The entries of each part, ascending."""
        order = np.argsort(self.part, kind="stable")
        return np.split(order, np.cumsum(np.bincount(self.part, minlength=self.parts))[:-1])


def divide(cloud: Cloud, *, parts: int, least: int) -> Division:
    """Cut the part with the most work in two until there are `parts`; each keeps at least `least` records.

    There may be fewer, where values don't allow another cut. O(N · m · depth).
    """
    m = cloud.codes.shape[1]
    whole = np.arange(len(cloud.load))
    waiting = [(-int(cloud.load.sum()), 0, whole, np.zeros(m, dtype=bool))]
    whole_ones: list[tuple[np.ndarray, np.ndarray]] = []
    made = 1
    while waiting and len(waiting) + len(whole_ones) < parts:
        _, _, members, cut = heapq.heappop(waiting)
        halves = _halves(cloud, members, least)
        if halves is None:
            whole_ones.append((members, cut))
            continue
        attribute, left = halves
        finer = cut.copy()
        finer[attribute] = True
        for half in (members[left], members[~left]):
            heapq.heappush(waiting, (-int(cloud.load[half].sum()), made, half, finer))
            made += 1
    pieces = sorted([*whole_ones, *((w[2], w[3]) for w in waiting)], key=lambda piece: int(piece[0][0]))
    part = np.empty(len(cloud.load), dtype=np.int32)
    for number, (members, _) in enumerate(pieces):
        part[members] = number
    return Division(part, np.array([cut for _, cut in pieces]).reshape(len(pieces), m))


def _halves(cloud: Cloud, members: np.ndarray, least: int) -> tuple[int, np.ndarray] | None:
    """The best cut: its attribute, and which members go to the first side."""
    load, records = cloud.load[members], cloud.records[members]
    shown = 1.0 - cloud.hidden[members].sum(axis=0) / max(1, int(cloud.seen[members].sum()))
    best, found = 0.0, None
    for attribute in range(cloud.codes.shape[1]):
        codes = cloud.codes[members, attribute]
        side = _sides(np.bincount(codes, weights=load))
        left = side[codes]
        held = int(records[left].sum())
        if min(held, int(records.sum()) - held) < max(1, least):
            continue
        even = min(float(load[left].sum()), float(load[~left].sum())) / float(load.sum())
        score = (0.01 + max(0.0, float(shown[attribute]))) * min(1.0, even / _EVEN)
        if score > best:
            best, found = score, (attribute, left)
    return found


def _sides(load: np.ndarray) -> np.ndarray:
    """Bool [values]: share values out, the heaviest first, each to the side that has less so far."""
    first = np.zeros(len(load), dtype=bool)
    balance = 0.0
    for value in np.argsort(-load, kind="stable").tolist():
        if balance <= 0:
            first[value] = True
            balance += load[value]
        else:
            balance -= load[value]
    return first
