"""The paper's example as the routines see it: rows are named as in the paper, t1 to t10."""

from __future__ import annotations

import numpy as np

from diva.constraints.text import parse
from diva.lattice.problem import Problem
from diva.lattice.signatures import take_apart
from diva.relation.opening import open_table
from diva.solve.diva.rows import Clustering, Rows, rows_of
from tests import paper
from tests.metrics.tables import QI, TABLE_1A


def example(*sigma: str, k: int = 2) -> Rows:
    """R of Table 1(a) with some constraints."""
    types = open_table(paper.PATIENTS).types(QI)
    m = len(QI)
    problem = Problem(types.codes, types.counts, k, np.ones(m), np.zeros(m, dtype=bool))
    return rows_of(problem, types, take_apart([parse(text) for text in sigma], QI))


def numbers() -> list[int]:
    """For each of our rows the paper's number; ages tell them apart."""
    types = open_table(paper.PATIENTS).types(QI)
    age = QI.index("AGE")
    ages = [row[age] for row in TABLE_1A]
    return [ages.index(types.values[age][code]) + 1 for code in types.codes[:, age]]


def named(clustering: Clustering) -> set[tuple[int, ...]]:
    """The clusters by the paper's numbers."""
    name = numbers()
    return {tuple(sorted(name[r] for r in cluster)) for cluster in clustering.clusters}


def clustered(*clusters: tuple[int, ...]) -> Clustering:
    """A clustering from the paper's numbers."""
    name = numbers()
    return Clustering(tuple(frozenset(name.index(t) for t in cluster) for cluster in clusters))
