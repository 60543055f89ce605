"""Σ of one of the paper's classes on chosen targets, made satisfiable ("we generate a set of satisfiable constraints").

The ranges are those that the class gives these targets in the whole domain of their attributes. As printed they are
often unsatisfiable, which can be decided exactly. Two changes make them satisfiable, and how much they change is recorded:

1. a lower bound of 1..k−1 reads as k (erratum 6), and the upper bound follows;
2. where Σ is still unsatisfiable, the bounds are moved to the nearest that can be satisfied, by as few records
   as possible in total.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from diva.constraints.generate import GENERATORS, Choices, Frequencies
from diva.constraints.graph import conflict_graph
from diva.constraints.model import Constraint, Target
from diva.lattice.signatures import of_types, take_apart
from diva.relation.types import distinct_rows
from diva.solve.decide.signature_programme import feasible, nearest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from diva.relation.types import Types


@dataclass(frozen=True)
class Sigma:
    """Σ as an experiment uses it."""

    constraints: tuple[Constraint, ...]
    rate: float
    """cf(Σ) on the relation."""
    moved: int
    """By how many records bounds were moved from what the class says, in total."""


def make(types: Types, targets: Sequence[Target], kind: str, k: int, seed: int) -> Sigma:
    """Make Σ of a class for a relation."""
    printed = of_class(types, targets, kind, seed)
    sigma = satisfiable(types, tuple(readable(c, k) for c in printed), k)
    signatures, _ = of_types(types, take_apart(sigma, types.attributes))
    moved = sum(_distance(a, b) for a, b in zip(printed, sigma, strict=True))
    return Sigma(sigma, conflict_graph(sigma, signatures.masks()).rate, moved)


def of_class(types: Types, targets: Sequence[Target], kind: str, seed: int) -> tuple[Constraint, ...]:
    """Generate the ranges of a class over the whole domain of the targets' attributes, and keep those of the targets."""
    made: dict[Target, Constraint] = {}
    for attributes in dict.fromkeys(target.attributes for target in targets):
        choices = Choices(np.random.default_rng(seed))
        for constraint in GENERATORS[kind](frequencies(types, attributes), choices):
            made[constraint.target] = constraint
    return tuple(made[target] for target in targets)


def frequencies(types: Types, attributes: tuple[str, ...]) -> Frequencies:
    """How often each combination of values occurs, from types."""
    columns = [types.attributes.index(a) for a in attributes]
    first, number = distinct_rows(types.codes[:, columns])
    totals = np.zeros(len(first), dtype=np.int64)
    np.add.at(totals, number, types.counts)
    values = [
        tuple(types.values[c][types.codes[row, c]] for c in columns) for row in first.tolist()
    ]
    counts = tuple(zip(values, totals.tolist(), strict=True))
    return Frequencies(attributes, counts, types.rows, types.distinct_quasi())


def readable(constraint: Constraint, k: int) -> Constraint:
    """Read a lower bound of 1..k−1 as k: no group is smaller."""
    low = k if 0 < constraint.low < k else constraint.low
    high = None if constraint.high is None else max(low, constraint.high)
    return Constraint(constraint.target, low, high)


def satisfiable(types: Types, sigma: tuple[Constraint, ...], k: int) -> tuple[Constraint, ...]:
    """Return Σ itself where it can be satisfied, and with the nearest bounds that can where not."""
    signatures, _ = of_types(types, take_apart(sigma, types.attributes))
    if feasible(signatures, k) is not None:
        return sigma
    return tuple(
        Constraint(c.target, c.low - down, None if c.high is None else c.high + up)
        for c, (down, up) in zip(sigma, nearest(signatures, k).moves, strict=True)
    )


def _distance(printed: Constraint, used: Constraint) -> int:
    upper = 0 if printed.high is None or used.high is None else abs(printed.high - used.high)
    return abs(printed.low - used.low) + upper
