"""A rest of fewer than k rows: it joins clusters, since it can't be a group (erratum 11)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from diva.solve.diva.rows import Clustering

if TYPE_CHECKING:
    from diva.solve.diva.rows import Rows


def placed(R: Rows, clustering: Clustering) -> Clustering | None:
    """Return a clustering that leaves no row or at least k, and satisfies Σ as before.

    A rest of 1 to k−1 rows joins one cluster whole: of those with which Σ still holds the one that costs the fewest
    stars more. None where there is none.
    """
    rest = np.flatnonzero(R.left(clustering))
    if not 0 < len(rest) < R.k:
        return clustering
    for place in _by_stars(R, clustering, rest):
        clusters = list(clustering.clusters)
        clusters[place] = clusters[place].union(rest.tolist())
        joined = Clustering(tuple(clusters))
        if R.satisfies(joined, R.vertices):
            return joined
    return None


def _by_stars(R: Rows, clustering: Clustering, rest: np.ndarray) -> list[int]:
    """The clusters by how many stars more it costs that the rest joins them."""
    more = [_stars(R, [*cluster, *rest]) - _stars(R, list(cluster)) for cluster in clustering.clusters]
    return sorted(range(len(more)), key=more.__getitem__)


def _stars(R: Rows, rows: list[int]) -> float:
    codes = R.problem.codes[R.type[rows]]
    return len(rows) * float((codes != codes[0]).any(axis=0) @ R.problem.weights)
