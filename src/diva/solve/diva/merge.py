"""Merge (Section 4.1): clusters that overlap become one, the others stay."""

from __future__ import annotations

from typing import NamedTuple

from diva.solve.diva.rows import Cluster, Clustering


class Change(NamedTuple):
    """What a clustering becomes by merging another one into it."""

    gone: frozenset[Cluster]
    """Its clusters that are swallowed."""
    new: tuple[Cluster, ...]
    """The clusters that it didn't have."""


def merge(first: Clustering, second: Clustering) -> Clustering:
    """Merge(𝒮, 𝒮')."""
    return applied(first, change(first, second))


def applied(clustering: Clustering, change: Change) -> Clustering:
    """Carry out a change."""
    if not change.new:
        return clustering
    kept = clustering.clusters
    if change.gone:
        kept = tuple(cluster for cluster in kept if cluster not in change.gone)
    return Clustering((*kept, *change.new))


def change(first: Clustering, second: Clustering) -> Change:
    """What merging changes. Linear in the rows of those clusters of the second that the first doesn't have."""
    owner = first.owner
    new: list[Cluster] = []
    gone: set[Cluster] = set()
    by_touched: dict[int, int] = {}
    for cluster in second.clusters:
        if cluster in first.members:
            continue
        touched = {owner[r] for r in cluster if r in owner}
        linked = {by_touched[c] for c in touched if c in by_touched}
        swallowed = [first.clusters[c] for c in touched] + [new[i] for i in linked]
        for i in linked:
            new[i] = frozenset()
        gone.update(first.clusters[c] for c in touched)
        for c in touched | {c for c, i in by_touched.items() if i in linked}:
            by_touched[c] = len(new)
        new.append(cluster.union(*swallowed) if swallowed else cluster)
    return Change(frozenset(gone), tuple(cluster for cluster in new if cluster))
