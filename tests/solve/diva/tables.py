"""Relations for tests of the paper's routines."""

from __future__ import annotations

import numpy as np

from diva.constraints.model import Constraint, Target
from diva.lattice.problem import Problem
from diva.lattice.signatures import take_apart
from diva.relation.types import Types, sorted_types
from diva.solve.diva.rows import Rows, rows_of


def rows_from(records: np.ndarray, sigma: list[tuple[dict[int, int], int, int | None]], k: int) -> Rows:
    """R from a matrix of whole numbers; a target says which number each column must have. Columns are A, B, C …"""
    names = tuple("ABCDEFGH"[: records.shape[1]])
    constraints = [
        Constraint(Target(tuple(names[j] for j in t), tuple(str(v) for v in t.values())), low, high)
        for t, low, high in sigma
    ]
    parts = take_apart(constraints, names)
    codes, counts = np.unique(records, axis=0, return_counts=True)
    values = [[str(v) for v in range(records.max() + 1)]] * len(names)
    types: Types = sorted_types(names, values, codes, (), np.zeros((len(codes), 0), dtype=bool), counts)
    m = len(names)
    problem = Problem(types.codes, types.counts, k, np.ones(m), np.zeros(m, dtype=bool))
    return rows_of(problem, types, parts)


def skewed(seed: int, rows: int, columns: int = 3, values: int = 4) -> np.ndarray:
    """Records whose values are skewed, so that some types are frequent and some rare."""
    random = np.random.default_rng(seed)
    return np.minimum(random.geometric(0.5, size=(rows, columns)) - 1, values - 1)
