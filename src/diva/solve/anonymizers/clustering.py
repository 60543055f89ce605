"""Clusterings, and what all members of a cluster show: the paper's *Suppress* (Algorithm 1, line 3)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from diva.errors import BadInput
from diva.lattice.feasibility import check
from diva.relation.engine import Fragments
from diva.relation.types import distinct_rows

if TYPE_CHECKING:
    from diva.lattice.problem import Problem


class Clustering(NamedTuple):
    """Disjoint clusters of records. Records of one type are interchangeable, so a cluster holds so many of each."""

    cluster: np.ndarray
    """int64 [E], not decreasing: the cluster of each entry, numbered from 0 without gaps."""
    type: np.ndarray
    """int64 [E]"""
    records: np.ndarray
    """int64 [E], positive."""


def suppress(problem: Problem, clustering: Clustering) -> Fragments:
    """In every cluster star the attributes on which its members differ, and no others."""
    starts = np.flatnonzero(np.diff(clustering.cluster, prepend=-1))
    codes = problem.codes[clustering.type]
    differ = np.minimum.reduceat(codes, starts) != np.maximum.reduceat(codes, starts)
    levels = differ[clustering.cluster].astype(np.uint8)
    # A type can be in several clusters that show the same.
    first, number = distinct_rows(np.column_stack([clustering.type, levels]))
    count = np.zeros(len(first), dtype=np.int64)
    np.add.at(count, number, clustering.records)
    return Fragments(clustering.type[first].astype(np.int32), levels[first], count)


def require_clusters(problem: Problem) -> None:
    """Refuse problems that clusters of similar records don't solve."""
    check(problem)
    if problem.taboos:
        raise BadInput("a clustering can't be told which targets not to show; use the lattice search")
