"""Anonymize (the paper's Algorithm DIVA, lines 4 and 5): the rows in no cluster, by any algorithm for k-anonymity."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from diva.solve.plans import renumbered

if TYPE_CHECKING:
    from diva.relation.engine import Fragments
    from diva.solve.anonymizers import Anonymizer
    from diva.solve.diva.rows import Clustering, Rows


def anonymize(R: Rows, S: Clustering, algorithm: Anonymizer, random: np.random.Generator) -> Fragments | None:
    """Anonymize(R ∖ 𝒮, k); None where every row is in a cluster."""
    counts = np.bincount(R.type[R.left(S)], minlength=len(R.problem.counts))  # 4
    types = np.flatnonzero(counts)
    if not len(types):
        return None
    codes = np.ascontiguousarray(R.problem.codes[types])
    rest = replace(R.problem, codes=codes, counts=counts[types])
    return renumbered(algorithm(rest, random), types)  # 5
