"""OKA, the one-pass k-means of Lin and Wei (2008), with suppression only.

    1  choose ⌊|R|/k⌋ records at random; each begins a cluster
    2  in the order of their QI values, move every other record to the cluster with the nearest centroid
    3  while a cluster has more than k records: take the one furthest from its centroid away
    4  in random order, move the records taken away to the nearest cluster with fewer than k members,
       and where all have k, to the nearest of all

The centroid of a cluster is its mode, attribute by attribute, and the distance of a record from it the weight of the
attributes on which they differ. Step 4 looks at clusters below k only as long as there is one, so that none is left
below k: there are |R| ≥ k·⌊|R|/k⌋ records.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from diva.solve.anonymizers import kernels
from diva.solve.anonymizers.clustering import Clustering, require_clusters, suppress

if TYPE_CHECKING:
    from diva.lattice.problem import Problem
    from diva.relation.engine import Fragments

_ANY = 2**62
_AT_ONCE = 4096
"""Types in one call of a kernel, between which an interruption gets through."""


def oka(problem: Problem, random: np.random.Generator) -> Fragments:
    """Anonymise by clusters around random records. O((D + |R|) · |R|/k · m)."""
    return suppress(problem, clusters(problem, random))


def clusters(problem: Problem, random: np.random.Generator) -> Clustering:
    """Cluster; the records of a type follow each other in step 2, so they go to one cluster together."""
    require_clusters(problem)
    rows = np.repeat(np.arange(len(problem.counts)), problem.counts)
    seeds = rows[random.choice(len(rows), size=len(rows) // problem.k, replace=False)]  # 1
    one = np.ones(len(seeds), dtype=np.int64)
    around = _Around(problem, len(seeds))
    around.place(Clustering(np.arange(len(seeds)), seeds, one))
    left = problem.counts - np.bincount(seeds, minlength=len(problem.counts))
    types = np.flatnonzero(left)
    around.assign(types, left[types], _ANY)  # 2
    kept, away = around.trimmed()  # 3
    around = _Around(problem, len(seeds))
    around.place(kept)
    missing = int((problem.k - around.centres.size).clip(0).sum())
    away = random.permutation(away)  # 4
    one = np.ones(len(away), dtype=np.int64)
    around.assign(away[:missing], one[:missing], problem.k)
    around.assign(away[missing:], one[missing:], _ANY)
    return around.clustering()


class _Around:
    """Clusters and their centroids."""

    def __init__(self, problem: Problem, number: int) -> None:
        self.problem = problem
        m, entries = problem.width, number + len(problem.counts) + int(problem.counts.sum())
        self.centres = kernels.Centres(
            mode=np.full((number, m), -1, dtype=np.int32),
            votes=np.zeros((number, m), dtype=np.int64),
            size=np.zeros(number, dtype=np.int64),
            head=np.full(number, -1, dtype=np.int64),
            next=np.empty(entries, dtype=np.int64),
            cluster=np.empty(entries, dtype=np.int64),
            type=np.empty(entries, dtype=np.int64),
            records=np.empty(entries, dtype=np.int64),
            used=np.zeros(1, dtype=np.int64),
        )

    def place(self, members: Clustering) -> None:
        """Put entries where they belong."""
        kernels.place(self.centres, self.problem.codes, *members)

    def assign(self, types: np.ndarray, counts: np.ndarray, limit: int) -> None:
        """Put entries into the nearest cluster with fewer than `limit` members."""
        for i in range(0, len(types), _AT_ONCE):
            part = slice(i, i + _AT_ONCE)
            kernels.assign(
                self.centres, self.problem.codes, self.problem.weights, types[part], counts[part], limit
            )

    def clustering(self) -> Clustering:
        """The entries by cluster, in order of arrival."""
        C = self.centres
        order = np.argsort(C.cluster[: C.used[0]], kind="stable")
        return Clustering(C.cluster[order], C.type[order], C.records[order])

    def trimmed(self) -> tuple[Clustering, np.ndarray]:
        """Of each cluster the k records that are nearest to its centroid, and the types of all others."""
        cluster, types, counts = self.clustering()
        differ = self.problem.codes[types] != self.centres.mode[cluster]
        far = (differ * self.problem.weights).sum(axis=1)
        order = np.lexsort((far, cluster))
        cluster, types, counts = cluster[order], types[order], counts[order]
        before = np.cumsum(counts) - counts
        before -= before[np.flatnonzero(np.diff(cluster, prepend=-1))][cluster]
        stay = (self.problem.k - before).clip(0, counts)
        kept = stay > 0
        return Clustering(cluster[kept], types[kept], stay[kept]), np.repeat(types, counts - stay)
