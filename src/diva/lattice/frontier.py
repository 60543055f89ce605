"""A part of the lattice for many attributes: groups near the frontier of finest patterns that reach k.

Several top-down specialisations (`kernels.grow`), each with another taste for attributes, yield nested groups from the
coarsest to the frontier. Groups that show the same are one. The search combines them as it likes, so it is at least
as good as the best tree. Memory is proportional to the pairs kept; 2^m is never touched.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
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
    leaf: np.ndarray
    """bool [G]: the clusters of one tree, which part the types."""
    clusters: np.ndarray | None = None
    """int64 [D]: the cluster of each type."""

    def only(self, kept: np.ndarray) -> _Listing:
        """Some of the groups."""
        member = self.member[np.repeat(kept, self.sizes)]
        return _Listing(self.shown[kept], self.sizes[kept], member, self.leaf[kept])


def frontier_lattice(problem: Problem, *, trees: int) -> Lattice:
    """List groups near the frontier. O(trees · D · m · depth) time; about PAIRS pairs of memory at most.

    Trees that cut in two and trees that split by all frequent values take turns. The clusters of the first, Mondrian's by
    lowest entropy, are listed whatever happens. Where Σ speaks of attributes, some trees never show all of these.
    """
    random = np.random.default_rng(0)
    positive = problem.weights[problem.weights > 0]
    typical = float(positive.mean()) if len(positive) else 1.0
    base = np.maximum(problem.weights, 1e-3 * typical)
    best = np.full(len(problem.counts), np.inf)
    listings: list[_Listing] = []
    pairs = 0
    for tree in range(trees):
        taste = np.ones(problem.width)
        if tree > 1:
            taste = np.exp(_TASTE * random.standard_normal(problem.width))
        grown = _grown(problem, base * taste, _mask(problem, tree, random), cutting=tree % 2 == 0)
        if tree:
            grown = replace(grown, leaf=np.zeros_like(grown.leaf))
        grown = _thinned(problem, grown, best, _NEAR * typical)
        if listings and pairs + len(grown.member) > PAIRS:
            break
        listings.append(grown)
        pairs += len(grown.member)
    return _lattice(problem, _united(problem, listings))


def _mask(problem: Problem, tree: int, random: np.random.Generator) -> np.ndarray:
    """What the root shows and never shows: of the attributes that Σ speaks of now none, now all, now some are hidden."""
    mask = np.where(problem.visible, kernels.SHOWN, kernels.OPEN).astype(np.int8)
    spoken = np.array([a for a in problem.spoken if not problem.visible[a]], dtype=np.int64)
    turn = tree // 2 % 3
    hidden = spoken[random.random(len(spoken)) < 0.5] if turn == 2 else spoken if turn == 1 else spoken[:0]
    mask[hidden] = kernels.HIDDEN
    return mask


def _grown(problem: Problem, appeal: np.ndarray, mask: np.ndarray, *, cutting: bool) -> _Listing:
    """One tree."""
    D, m = problem.codes.shape
    codes = np.ascontiguousarray(problem.codes)
    attributes = np.array([t.attributes for t in problem.taboos], dtype=bool).reshape(-1, m)
    types = np.array([t.types for t in problem.taboos], dtype=bool).reshape(-1, D)
    if cutting:
        order, segments, shown, leaf = kernels.cut(
            codes, problem.counts, problem.k, appeal, mask, attributes, types
        )
    else:
        order, segments, shown = kernels.grow(
            codes, problem.counts, problem.k, appeal, mask, attributes, types
        )
        leaf = np.zeros(len(segments), dtype=bool)
    sizes = segments[:, 1] - segments[:, 0]
    return _Listing(shown, sizes, order[_ranges(segments[:, 0], sizes)], leaf)


def _thinned(problem: Problem, listing: _Listing, best: np.ndarray, near: float) -> _Listing:
    """Keep groups near the best that their types can reach, some milestones, clusters and the coarsest; `best` is updated."""
    cost = ~listing.shown @ problem.weights
    np.minimum.at(best, listing.member, np.repeat(cost, listing.sizes))
    starts = np.concatenate([[0], np.cumsum(listing.sizes)[:-1]])
    slack = cost - np.maximum.reduceat(best[listing.member], starts)
    kept = (slack <= near) | (np.arange(len(cost)) % _MILESTONES == 0) | listing.leaf
    return listing.only(kept | (listing.sizes == len(problem.counts)))


def _united(problem: Problem, listings: list[_Listing]) -> _Listing:
    """Make one listing, in which no two groups show the same."""
    shown = np.concatenate([part.shown for part in listings])
    sizes = np.concatenate([part.sizes for part in listings])
    member = np.concatenate([part.member for part in listings])
    leaf = np.concatenate([part.leaf for part in listings])
    starts = np.cumsum(sizes) - sizes
    values = np.where(shown, problem.codes[member[starts]] + 1, 0)
    _, group = np.unique(_fingerprints(values), return_inverse=True)
    representative = np.zeros(int(group.max()) + 1, dtype=np.int64)
    representative[group[::-1]] = np.arange(len(group))[::-1]
    alike = (values == values[representative[group]]).all(axis=1)
    if not alike.all():  # Two groups with one fingerprint: leave the second out.
        return _united(problem, [_Listing(shown, sizes, member, leaf).only(alike)])
    clusters = np.full(len(problem.counts), -1)
    clusters[member[np.repeat(leaf, sizes)]] = np.repeat(group[leaf], sizes[leaf])
    # Sorted here: NumPy's unique would put each pair into a hash table, which takes ten times as long.
    pairs = np.sort(np.repeat(group, sizes).astype(np.int64) * len(problem.counts) + member)
    pairs = pairs[np.diff(pairs, prepend=-1) > 0]
    owner = pairs // len(problem.counts)
    united = np.bincount(owner, minlength=len(representative)).astype(np.int64)
    return _Listing(
        shown[representative],
        united,
        (pairs % len(problem.counts)).astype(np.int32),
        np.zeros(len(representative), dtype=bool),
        clusters if (clusters >= 0).all() else None,
    )


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
    number = np.empty(len(order), dtype=np.int64)
    number[order] = np.arange(len(order))
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
        clusters=None if listing.clusters is None else number[listing.clusters],
    )
