"""Clusterings(σ, R) where there are too many to list: a lazy, seeded stream of good ones.

A candidate keeps the clusters of the colours chosen so far that preserve σ, and adds fresh clusters of k to 2k−1 rows
that are in none yet, until the records that count are within [max(k, λl), λr]:

    1  n = how many records must still count
    2  the pool: rows of I_σ in no cluster, those first that the fewest neighbours want
    3  a cluster begins with a random row of the pool and takes the most similar ones
    4  where this would publish more for a neighbour than its range leaves room for, the cluster begins anew and takes
       the most similar row that doesn't carry the neighbour's target besides

Under `naive` candidates come as they come: any rows of the pool, and no look at neighbours in steps 2 to 4.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from diva.solve.diva.growth import Growth
from diva.solve.diva.rows import Clustering

if TYPE_CHECKING:
    from collections.abc import Iterator

    from diva.solve.diva.build_graph import Graph
    from diva.solve.diva.consistency import Colours
    from diva.solve.diva.rows import Cluster, Rows

WIDTH = 8
"""How many candidates of a vertex are tried before the colouring goes back."""


def stream(
    R: Rows, graph: Graph, v: int, colours: Colours, random: np.random.Generator, *, careful: bool
) -> Iterator[Clustering]:
    """Yield up to WIDTH candidates; careful ones look at what neighbours want."""
    kept = tuple(c for c in colours.merged.clusters if R.shows(c) >> v & 1)
    for n in _wanted(R, v, colours.counts[v], random):
        growth = Growth(R, v, colours, careful=careful)
        pool = _pool(R, graph, v, growth, n, careful=careful)
        fresh = _fresh(growth, pool, n, random)
        if fresh is not None:
            yield Clustering((*kept, *fresh))


def _wanted(R: Rows, v: int, published: int, random: np.random.Generator) -> Iterator[int]:
    """Step 1: as few as possible at first, then also some more."""
    sigma = R.constraints[v]
    least = max(0, sigma.low - published)
    room = len(R) if sigma.high is None else sigma.high - published
    if least and not R.conditional >> v & 1:
        least = max(least, R.k)
    for attempt in range(WIDTH if least <= room else 0):
        n = least + int(random.integers(min(room - least, R.k) + 1)) * (attempt % 2)
        yield n if n >= R.k or R.conditional >> v & 1 else least


def _fresh(growth: Growth, pool: np.ndarray, n: int, random: np.random.Generator) -> list[Cluster] | None:
    """Clusters in which n records count for σ, or None where that came to nothing."""
    if int(growth.left[pool].sum()) < n:
        return None
    found: list[Cluster] = []
    while n > 0:
        cluster = growth.cluster(pool, n, random)
        if cluster is None:
            return None
        found.append(cluster)
        n -= growth.counted(cluster)
    return found


def _pool(R: Rows, graph: Graph, v: int, growth: Growth, n: int, *, careful: bool) -> np.ndarray:
    """Step 2: bool [D]."""
    usable: np.ndarray = growth.meets & (growth.left > 0)
    neighbours = sum(1 << u for u in graph.adjacent[v])
    asked = np.array([(mask & neighbours).bit_count() for mask in R.carried])
    for most in range(int(asked[usable].max(initial=0)) if careful else 0):
        pool: np.ndarray = usable & (asked <= most)
        if int(growth.left[pool].sum()) >= n:
            return pool
    return usable
