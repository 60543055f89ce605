"""A part of the lattice for many attributes: groups near the frontier of finest patterns that reach k.

Several top-down specialisations (`kernels.grow`), each with another taste for attributes, yield nested groups from the
coarsest to the frontier. Groups that show the same are one. The search combines them as it likes, so it is at least
as good as the best tree. Memory is proportional to the pairs kept; 2^m is never touched.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from diva.lattice import kernels
from diva.lattice.groups import Lattice

if TYPE_CHECKING:
    from diva.lattice.problem import Problem

PAIRS = 16_000_000
"""About how many pairs (type, group) may be kept."""
_TASTE = 0.6
"""How much the appeal of attributes varies between trees (standard deviation of its logarithm)."""
_NEAR = 3.0
"""Groups within this many typical stars of the best that one of their types can reach are kept."""
_MILESTONES = 4
"""Of the others, one in this many is kept."""


@dataclass(frozen=True)
class _Listing:
    """Groups as lists of types."""

    shown: np.ndarray
    """bool [G, m]"""
    sizes: np.ndarray
    """int64 [G]"""
    member: np.ndarray
    """int32 [P]: the types of one group after the other."""


def frontier_lattice(problem: Problem, *, trees: int) -> Lattice:
    """List groups near the frontier. O(trees · D · m · depth) time; about PAIRS pairs of memory at most."""
    random = np.random.default_rng(0)
    positive = problem.weights[problem.weights > 0]
    typical = float(positive.mean()) if len(positive) else 1.0
    base = np.maximum(problem.weights, 1e-3 * typical)
    best = np.full(len(problem.counts), np.inf)
    listings: list[_Listing] = []
    pairs = 0
    for tree in range(trees):
        taste = np.exp(_TASTE * random.standard_normal(problem.width)) if tree else np.ones(problem.width)
        grown = _thinned(problem, _grown(problem, base * taste), best, _NEAR * typical)
        if listings and pairs + len(grown.member) > PAIRS:
            break
        listings.append(grown)
        pairs += len(grown.member)
    return _lattice(problem, _united(problem, listings))


def _grown(problem: Problem, appeal: np.ndarray) -> _Listing:
    """One tree."""
    D, m = problem.codes.shape
    taboo_attributes = np.array([t.attributes for t in problem.taboos], dtype=bool).reshape(-1, m)
    taboo_types = np.array([t.types for t in problem.taboos], dtype=bool).reshape(-1, D)
    order, segments, shown = kernels.grow(
        np.ascontiguousarray(problem.codes),
        problem.counts,
        problem.k,
        appeal,
        problem.visible,
        taboo_attributes,
        taboo_types,
    )
    sizes = segments[:, 1] - segments[:, 0]
    return _Listing(shown, sizes, order[_ranges(segments[:, 0], sizes)])


def _thinned(problem: Problem, listing: _Listing, best: np.ndarray, near: float) -> _Listing:
    """Keep groups near the best that their types can reach, some milestones, and the coarsest; `best` is updated."""
    cost = ~listing.shown @ problem.weights
    np.minimum.at(best, listing.member, np.repeat(cost, listing.sizes))
    starts = np.concatenate([[0], np.cumsum(listing.sizes)[:-1]])
    slack = cost - np.maximum.reduceat(best[listing.member], starts)
    kept = (
        (slack <= near) | (np.arange(len(cost)) % _MILESTONES == 0) | (listing.sizes == len(problem.counts))
    )
    return _Listing(listing.shown[kept], listing.sizes[kept], listing.member[np.repeat(kept, listing.sizes)])


def _united(problem: Problem, listings: list[_Listing]) -> _Listing:
    """Make one listing, in which no two groups show the same."""
    shown = np.concatenate([part.shown for part in listings])
    sizes = np.concatenate([part.sizes for part in listings])
    member = np.concatenate([part.member for part in listings])
    starts = np.cumsum(sizes) - sizes
    values = np.where(shown, problem.codes[member[starts]] + 1, 0)
    _, group = np.unique(_fingerprints(values), return_inverse=True)
    representative = np.zeros(int(group.max()) + 1, dtype=np.int64)
    representative[group[::-1]] = np.arange(len(group))[::-1]
    alike = (values == values[representative[group]]).all(axis=1)
    if not alike.all():  # Two groups with one fingerprint: leave the second out.
        return _united(problem, [_subset(_Listing(shown, sizes, member), alike)])
    # Sorted here: NumPy's unique would put each pair into a hash table, which takes ten times as long.
    pairs = np.sort(np.repeat(group, sizes).astype(np.int64) * len(problem.counts) + member)
    pairs = pairs[np.diff(pairs, prepend=-1) > 0]
    owner = pairs // len(problem.counts)
    return _Listing(
        shown[representative],
        np.bincount(owner, minlength=len(representative)).astype(np.int64),
        (pairs % len(problem.counts)).astype(np.int32),
    )


def _subset(listing: _Listing, kept: np.ndarray) -> _Listing:
    return _Listing(listing.shown[kept], listing.sizes[kept], listing.member[np.repeat(kept, listing.sizes)])


def _fingerprints(values: np.ndarray) -> np.ndarray:
    """Number rows by a hash of 64 bits."""
    factors = np.random.default_rng(1).integers(1, 2**62, size=values.shape[1], dtype=np.uint64) * 2 + 1
    mixed = values.astype(np.uint64) * factors
    mixed ^= mixed >> np.uint64(29)
    fingerprints: np.ndarray = (mixed * np.uint64(0xBF58476D1CE4E5B9)).sum(axis=1, dtype=np.uint64)
    return fingerprints


def _ranges(starts: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Concatenate start, start + 1, … for each start."""
    ends = np.cumsum(sizes)
    positions: np.ndarray = np.arange(ends[-1]) + np.repeat(starts - (ends - sizes), sizes)
    return positions


def _lattice(problem: Problem, listing: _Listing) -> Lattice:
    """Sort the groups by cost and list the groups of each type."""
    cost = ~listing.shown @ problem.weights
    order = np.argsort(cost, kind="stable")
    starts = np.cumsum(listing.sizes) - listing.sizes
    sizes = listing.sizes[order]
    member = listing.member[_ranges(starts[order], sizes)]
    owner = np.repeat(np.arange(len(order), dtype=np.int32), sizes)
    by_type = np.argsort(member, kind="stable")
    per_type = np.bincount(member, minlength=len(problem.counts))
    return Lattice(
        patterns=~listing.shown[order],
        pattern=np.arange(len(order), dtype=np.int32),
        cost=cost[order].astype(np.float64),
        start=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        member=member,
        type_start=np.concatenate([[0], np.cumsum(per_type)]).astype(np.int64),
        group=owner[by_type],
        counts=problem.counts,
        k=problem.k,
        complete=False,
    )
