"""Where the records of a split type are cut into fragments, found by counting: no task ever sees all records of a type.

Records of a split type are put in order by their turn u, the first 60 bits of md5(seed ‖ record), and fragments take them
from the front. u is spread evenly, so the record of rank n lies near the fraction n / count. One scan counts the records in
buckets of u, and by u itself in the few buckets around each expected cut. A cut that isn't found there (records that are
equal in all that is published have the same u) is found by a second scan, of its own bucket alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from diva.relation.sql_spark import TURN_BITS

if TYPE_CHECKING:
    from collections.abc import Callable

_RECORDS_A_BUCKET = 16
_MOST_BUCKET_BITS = 14
_DEVIATIONS = 5.0
"""A cut lies so many standard deviations around its expected place, but for one in a million."""
_WIDEST_WINDOW = 64
"""Buckets; a wider one is left to the second scan."""


@dataclass(frozen=True)
class Split:
    """The split types of a plan and their fragments, in the order of the plan."""

    type: np.ndarray
    """int64 [S]: the types that are split."""
    records: np.ndarray
    """int64 [S]: how many records they have."""
    owner: np.ndarray
    """int64 [P]: for each fragment the index of its type in `type`."""
    after: np.ndarray
    """int64 [P]: how many records of its type come before it."""
    upto: np.ndarray
    """int64 [P]: and how many come before the next."""

    @property
    def shift(self) -> np.ndarray:
        """int32 [S]: u >> shift is the bucket of a record."""
        bits = np.ceil(np.log2(np.maximum(1, self.records / _RECORDS_A_BUCKET)))
        return (TURN_BITS - np.clip(bits, 0, _MOST_BUCKET_BITS)).astype(np.int32)

    @property
    def cuts(self) -> np.ndarray:
        """The fragments that another one of their type follows."""
        return np.flatnonzero(self.upto < self.records[self.owner])


@dataclass(frozen=True)
class Segments:
    """Counts of the records of split types, in the order of their turns."""

    type: np.ndarray
    """int64: the index in Split.type."""
    bucket: np.ndarray
    low: np.ndarray
    """int64: the least turn in it."""
    high: np.ndarray
    count: np.ndarray

    def ordered(self) -> Segments:
        """Sorted by type and turn."""
        order = np.lexsort((self.low, self.type))
        return Segments(*(a[order] for a in (self.type, self.bucket, self.low, self.high, self.count)))


@dataclass(frozen=True)
class Cuts:
    """Which turns each fragment takes, and which records of equal turn are shared between fragments."""

    low: np.ndarray
    """int64 [P]: the least turn that a fragment takes whole; above `high` where it takes none."""
    high: np.ndarray
    tie: np.ndarray
    """int64: for each shared turn and each fragment that takes of it, the fragment."""
    turn: np.ndarray
    """int64: the turn."""
    copies: np.ndarray
    """int64: how many of its records go to the fragment."""


def find(split: Split, count: Callable[[np.ndarray, np.ndarray, bool], Segments]) -> Cuts:
    """Find the cuts. `count(types, buckets, only)` counts once, by turns in these buckets, and there only if asked."""
    types, buckets = _windows(split)
    segments = count(types, buckets, False).ordered()
    found = _segment_of(split, segments)
    open_ = segments.low[found] != segments.high[found]
    if open_.any():
        again = np.unique(
            np.column_stack([segments.type[found[open_]], segments.bucket[found[open_]]]), axis=0
        )
        finer = count(again[:, 0], again[:, 1], True)
        segments = _replaced(segments, again, finer).ordered()
        found = _segment_of(split, segments)
    return _cuts(split, segments, found)


def constant(split: Split, turn: int) -> Cuts:
    """The cuts where all records of a type have the same turn, since nothing is published but QI columns."""
    which = np.arange(len(split.type))
    turns = np.full(len(which), turn)
    segments = Segments(which, turns >> split.shift, turns, turns, split.records)
    return _cuts(split, segments, _segment_of(split, segments))


def _windows(split: Split) -> tuple[np.ndarray, np.ndarray]:
    """The buckets around the expected place of each cut."""
    cut = split.cuts
    owner, n, total = split.owner[cut], split.upto[cut], split.records[split.owner[cut]]
    buckets = np.left_shift(1, TURN_BITS - split.shift[owner]).astype(np.float64)
    share = n / total
    slack = (_DEVIATIONS * np.sqrt(n * (1 - share)) + 4) / total
    first = np.floor(np.clip(share - slack, 0, 1) * buckets).astype(np.int64)
    last = np.minimum(np.floor(np.clip(share + slack, 0, 1) * buckets), buckets - 1).astype(np.int64)
    width = np.where(last - first < _WIDEST_WINDOW, last - first + 1, 0)
    begin = np.repeat(first - (np.cumsum(width) - width), width)
    pairs = np.column_stack([np.repeat(owner, width), begin + np.arange(width.sum())])
    pairs = np.unique(pairs, axis=0)
    return pairs[:, 0], pairs[:, 1]


def _segment_of(split: Split, segments: Segments) -> np.ndarray:
    """For each cut the segment that holds its last record."""
    upto = np.cumsum(segments.count)
    starts = np.cumsum(split.records) - split.records
    cut = split.cuts
    found: np.ndarray = np.searchsorted(upto, starts[split.owner[cut]] + split.upto[cut], side="left")
    return found


def _replaced(segments: Segments, again: np.ndarray, finer: Segments) -> Segments:
    """Segments of some buckets, counted again by turns."""
    width = np.int64(1 << (_MOST_BUCKET_BITS + 1))
    known = np.isin(segments.type * width + segments.bucket, again[:, 0] * width + again[:, 1])
    names = ("type", "bucket", "low", "high", "count")
    return Segments(*(np.concatenate([getattr(segments, n)[~known], getattr(finer, n)]) for n in names))


def _cuts(split: Split, segments: Segments, found: np.ndarray) -> Cuts:
    """The turns of every fragment. A cut between two turns is clean; one among records of equal turn shares them."""
    cut = split.cuts
    starts = np.cumsum(split.records) - split.records
    before = (np.cumsum(segments.count) - segments.count)[found] - starts[split.owner[cut]]
    size, turn = segments.count[found], segments.low[found]
    clean = split.upto[cut] == before + size
    low = np.zeros(len(split.upto), dtype=np.int64)
    high = np.full(len(split.upto), np.int64(1) << TURN_BITS)
    high[cut] = np.where(clean, turn, turn - 1)
    low[cut + 1] = turn + 1
    ties = np.unique(np.column_stack([split.owner[cut], turn, before, size])[~clean], axis=0)
    return Cuts(low, high, *_shared(split, ties))


def _shared(split: Split, ties: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What each fragment takes of shared turns; `ties` has their type, turn, records before them, and records."""
    owner, turn, before, size = ties.T
    first = np.searchsorted(split.owner, owner, side="left")
    width = np.searchsorted(split.owner, owner, side="right") - first
    tie = np.repeat(np.arange(len(ties)), width)
    fragment = np.arange(len(tie)) + np.repeat(first - (np.cumsum(width) - width), width)
    begin = np.maximum(split.after[fragment], before[tie])
    copies = np.minimum(split.upto[fragment], before[tie] + size[tie]) - begin
    some = copies > 0
    return fragment[some], turn[tie[some]], copies[some]
