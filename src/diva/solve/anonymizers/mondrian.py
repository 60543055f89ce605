"""Mondrian (LeFevre, DeWitt and Ramakrishnan, 2006), with suppression only.

    1  begin with all records in one part
    2  choose the attribute that the split score ranks first among those with an allowable cut
    3  cut the part there, and go on with both sides
    4  where no cut is allowable, the part is a cluster

A side of a cut shows the attribute only if it has one value of it: ranges can't be published. So a cut parts the most
frequent value from all others. It is allowable when both sides have k records; if the most frequent value doesn't allow
it, none does. Records of a type stay together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from diva.solve.anonymizers.clustering import Clustering, require_clusters, suppress

if TYPE_CHECKING:
    from collections.abc import Callable

    from diva.lattice.problem import Problem
    from diva.relation.engine import Fragments

Split = Literal["span", "entropy"]
Score = "Callable[[np.ndarray, int], float]"


def _span(records: np.ndarray, values: int) -> float:
    """Normalised span: the share of the attribute's values that occur in the part; the widest is split first."""
    return np.count_nonzero(records) / values


def _entropy(records: np.ndarray, _values: int) -> float:
    """The reciprocal of the entropy: lowest entropy first, since rare values are what stars are spent on."""
    share = records[records > 0] / records.sum()
    return float(1.0 / -(share * np.log2(share)).sum())


SCORES: dict[Split, Callable[[np.ndarray, int], float]] = {"span": _span, "entropy": _entropy}
"""From the records with each value in a part, and the number of values in R, to a score that is multiplied by the weight."""


def mondrian(problem: Problem, _random: np.random.Generator, *, split: Split = "span") -> Fragments:
    """Anonymise by cutting R into ever smaller parts; nothing is random. O(depth · m · D)."""
    return suppress(problem, clusters(problem, split))


def clusters(problem: Problem, split: Split) -> Clustering:
    """Cluster."""
    require_clusters(problem)
    values = problem.codes.max(axis=0).astype(np.int64) + 1
    parts = [np.arange(len(problem.counts))]  # 1
    leaves = []
    while parts:
        part = parts.pop()
        sides = _cut(problem, part, values, split)
        if sides is None:
            leaves.append(part)  # 4
        else:
            parts += sides  # 3
    types = np.concatenate(leaves)
    return Clustering(
        np.repeat(np.arange(len(leaves)), [len(leaf) for leaf in leaves]), types, problem.counts[types]
    )


def _cut(problem: Problem, part: np.ndarray, values: np.ndarray, split: Split) -> list[np.ndarray] | None:
    """The sides of the allowable cut that scores best (step 2); the first attribute wins ties."""
    codes, counts = problem.codes[part], problem.counts[part]
    size, best, sides = counts.sum(), -1.0, None
    for j in np.flatnonzero((codes != codes[0]).any(axis=0)):
        records = np.bincount(codes[:, j], weights=counts)
        value = int(np.argmax(records))
        if records[value] < problem.k or size - records[value] < problem.k:
            continue
        score = SCORES[split](records, int(values[j])) * problem.weights[j]
        if score > best:
            best, sides = score, codes[:, j] == value
    return None if sides is None else [part[sides], part[~sides]]
