"""Suppress (Section 4): in every cluster star the attributes on which its rows differ."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from diva.relation.engine import Fragments
from diva.solve.anonymizers import clustering as by_type

if TYPE_CHECKING:
    from diva.solve.diva.rows import Clustering, Rows


def suppress(R: Rows, S: Clustering) -> Fragments:
    """Suppress(𝒮), as a plan: every cluster has k rows, so the result is k-anonymous."""
    if not S.clusters:
        m = R.problem.width
        return Fragments(np.zeros(0, np.int32), np.zeros((0, m), np.uint8), np.zeros(0, np.int64))
    sizes = [len(cluster) for cluster in S.clusters]
    rows = np.fromiter((r for cluster in S.clusters for r in cluster), dtype=np.int64, count=sum(sizes))
    pairs = np.column_stack([np.repeat(np.arange(len(sizes)), sizes), R.type[rows]])
    entries, records = np.unique(pairs, axis=0, return_counts=True)
    return by_type.suppress(R.problem, by_type.Clustering(entries[:, 0], entries[:, 1], records))
