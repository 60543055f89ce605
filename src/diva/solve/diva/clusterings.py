"""Clusterings(σ, R) (Section 4.1): the candidates of a vertex, all of them or a stream.

A candidate is made of clusters of k to 2k−1 rows that carry the target. The records that count are within
[max(k, λl), λr]; where λl = 0, publishing none is a candidate too. (Erratum 6: a lower bound of 1 to k−1 reads as k by
itself, since no smaller cluster exists.)
"""

from __future__ import annotations

from functools import cache
from itertools import combinations
from math import comb, lgamma
from typing import TYPE_CHECKING

from diva.solve.diva.rows import Cluster, Clustering

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from diva.solve.diva.build_graph import Graph
    from diva.solve.diva.rows import Rows

MOST = 2_000
"""Up to so many candidates are listed; more come as a stream."""
_ROWS = 200
"""With more rows than this a target is never listed."""


def clusterings(R: Rows, v: int, most: int = MOST) -> list[Clustering] | None:
    """Return all candidates of σ where there are at most `most`, and None where there are more."""
    carriers, relevant = R.carriers(v), R.relevant(v)
    others = sorted(set(carriers) - set(relevant))
    many = _number(R, v, len(relevant), len(others), most)
    return None if many is None else list(_all(R, v, relevant, others))


def _number(R: Rows, v: int, relevant: int, others: int, most: int) -> int | None:
    """How many candidates there are, or None where they are more than `most`."""
    sigma, total = R.constraints[v], 0
    if relevant + others > _ROWS and sigma.low <= relevant and sigma.high != 0:
        return None
    for counted, more in _sizes(R, v, relevant, others):
        total += comb(relevant, counted) * comb(others, more) * _partings(counted + more, R.k)
        if total > most:
            return None
    return total + (not sigma.low)


def _sizes(R: Rows, v: int, relevant: int, others: int) -> Iterator[tuple[int, int]]:
    """How many relevant and how many other carriers a candidate that publishes any can have."""
    sigma = R.constraints[v]
    most = relevant if sigma.high is None else min(sigma.high, relevant)
    for counted in range(max(1, sigma.low), most + 1):
        for more in range(max(0, R.k - counted), others + 1):
            yield counted, more


@cache
def _partings(n: int, k: int) -> int:
    """In how many ways n rows are parted into clusters of k to 2k−1."""
    if not n:
        return 1
    return sum(comb(n - 1, size - 1) * _partings(n - size, k) for size in range(k, min(2 * k - 1, n) + 1))


def _all(R: Rows, v: int, relevant: Sequence[int], others: Sequence[int]) -> Iterator[Clustering]:
    if not R.constraints[v].low:
        yield Clustering()
    for counted, more in _sizes(R, v, len(relevant), len(others)):
        for chosen in combinations(relevant, counted):
            for besides in combinations(others, more):
                yield from map(Clustering, _parted((*chosen, *besides), R.k))


def _parted(rows: tuple[int, ...], k: int) -> Iterator[tuple[Cluster, ...]]:
    """All ways of parting rows into clusters of k to 2k−1. The cluster of the first row is taken off."""
    if not rows:
        yield ()
        return
    first, rest = rows[0], rows[1:]
    sizes = [n for n in range(k, min(2 * k - 1, len(rows)) + 1) if _partings(len(rows) - n, k)]
    for size in sizes:
        for company in combinations(rest, size - 1):
            gone = set(company)
            for others in _parted(tuple(r for r in rest if r not in gone), k):
                yield (frozenset((first, *company)), *others)


def logarithm(R: Rows, v: int, left: int) -> float:
    """How many candidates a vertex whose list is too long has, roughly, as a logarithm; `left` rows are free for it.

    The ways of choosing the fewest rows that do. Only comparisons between vertices use it.
    """
    least = max(R.k, R.constraints[v].low)
    if left < least:
        return 0.0
    return lgamma(left + 1) - lgamma(least + 1) - lgamma(left - least + 1)


def overlap(R: Rows, graph: Graph, v: int, clustering: Clustering) -> int:
    """The overlapping tuples of a candidate (Section 4.2): for each neighbour its carriers in the clusters, together."""
    return sum(R.carries(r, u) for cluster in clustering.clusters for r in cluster for u in graph.adjacent[v])


def in_order(R: Rows, graph: Graph, v: int, candidates: Iterable[Clustering]) -> list[Clustering]:
    """In ascending order of overlap; equals stay in their order."""
    return sorted(candidates, key=lambda clustering: overlap(R, graph, v, clustering))
