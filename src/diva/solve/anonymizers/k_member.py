"""The k-member clustering of Byun, Kamra, Bertino and Li (2007), with suppression only.

    1  if |S| ≤ k: return {S}
    2  r = a random record
    3  while |S| ≥ k:
    4      r = the record of S furthest from r
    5      c = {r}
    6      while |c| < k:
    7          r = the record of S that costs c least information; move it to c
    8  while S isn't empty:
    9      r = a random record of S; move it to the cluster to which it costs least information

The distance of two records is the weight of the attributes on which they differ, the information loss of a cluster the
weight of its stars. Where several records are equally good, the first in the order of types is taken.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from diva.solve.anonymizers import kernels
from diva.solve.anonymizers.clustering import Clustering, require_clusters, suppress

if TYPE_CHECKING:
    from diva.lattice.problem import Problem
    from diva.relation.engine import Fragments


def k_member(problem: Problem, random: np.random.Generator) -> Fragments:
    """Anonymise by greedy clusters of k similar records. O(|R|/k · stars per cluster · m · D)."""
    return suppress(problem, clusters(problem, random))


def clusters(problem: Problem, random: np.random.Generator) -> Clustering:
    """Cluster; steps 1 and 3 are one here, since k records make one cluster either way."""
    require_clusters(problem)
    rest = _Rest(problem)
    ends = np.cumsum(problem.counts)
    r = int(np.searchsorted(ends, random.integers(ends[-1]), side="right"))  # 2
    found = []
    while rest.records >= problem.k:  # 3
        types, counts = rest.cluster(problem.codes[r], problem.codes)
        r = int(types[-1])
        found.append((types, counts))
    sizes = [len(types) for types, _ in found]
    made = Clustering(
        np.repeat(np.arange(len(found)), sizes),
        np.concatenate([types for types, _ in found]),
        np.concatenate([counts for _, counts in found]),
    )
    return _distribute(problem, made, random.permutation(rest.rows()))


class _Rest:
    """S: the records that are in no cluster yet."""

    def __init__(self, problem: Problem) -> None:
        self.k = problem.k
        self.records = int(problem.counts.sum())
        self.type = np.arange(len(problem.counts))
        D = len(self.type)
        self.S = kernels.Remaining(
            np.ascontiguousarray(problem.codes.T), problem.counts.copy(), problem.weights, np.empty(D)
        )
        self.none = np.zeros(problem.width, dtype=bool)
        self.gone = 0
        """Types of which nothing is left."""

    def cluster(self, r: np.ndarray, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Steps 4 to 7: the types of the next cluster in order of arrival, and how many records of each."""
        member, taken = np.empty(self.k, dtype=np.int64), np.empty(self.k, dtype=np.int64)
        member[0] = kernels.furthest(self.S, r, self.none)  # 4, 5
        row = codes[self.type[member[0]]]
        entries = kernels.grow(self.S, kernels.Cluster(self.none.copy(), member, taken), row, self.k)  # 6, 7
        member = member[:entries]
        types = self.type[member]
        self.records -= self.k
        self.gone += int((self.S.left[member] == 0).sum())
        if 2 * self.gone > len(self.type):
            self._forget()
        return types, taken[:entries]

    def rows(self) -> np.ndarray:
        """The type of every record."""
        return np.repeat(self.type, self.S.left)

    def _forget(self) -> None:
        """Drop the types of which nothing is left; the order stays."""
        some = self.S.left > 0
        self.type = self.type[some]
        self.S = self.S._replace(
            codes=np.ascontiguousarray(self.S.codes[:, some]),
            left=self.S.left[some],
            far=np.empty(len(self.type)),
        )
        self.gone = 0


def _distribute(problem: Problem, made: Clustering, rows: np.ndarray) -> Clustering:
    """Steps 8 and 9: fewer than k records are left; their order is random already."""
    starts = np.flatnonzero(np.diff(made.cluster, prepend=-1))
    codes = problem.codes[made.type]
    shown = codes[starts]
    hidden = np.minimum.reduceat(codes, starts) != np.maximum.reduceat(codes, starts)
    size = np.full(len(starts), problem.k)
    chosen = np.empty(len(rows), dtype=np.int64)
    for i, t in enumerate(rows):
        after = hidden | (shown != problem.codes[t])
        stars, more = ((h * problem.weights).sum(axis=1) for h in (hidden, after))
        c = int(np.argmin((size + 1) * more - size * stars))
        hidden[c], chosen[i] = after[c], c
        size[c] += 1
    cluster = np.concatenate([made.cluster, chosen])
    order = np.argsort(cluster, kind="stable")
    return Clustering(
        cluster[order],
        np.concatenate([made.type, rows])[order],
        np.concatenate([made.records, np.ones(len(rows), dtype=np.int64)])[order],
    )
