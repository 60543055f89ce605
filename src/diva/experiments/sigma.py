"""Σ of one of the paper's classes on chosen targets, made satisfiable ("we generate a set of satisfiable constraints").

The ranges are those that the class gives these targets in the whole domain of their attributes. As printed they are
often unsatisfiable, which can be decided exactly, and a range of proportion is a single record wide, for which the paper's
colouring seldom finds clusters. Three changes are made:

1. a lower bound of 1..k−1 reads as k (erratum 6), and the upper bound follows;
2. each range is widened on both sides by a share of freq(a), the tightness, but not below the k of 1;
3. where Σ is still unsatisfiable, the bounds are moved to the nearest that can be satisfied, by as few records
   as possible in total. How many that are is recorded.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import floor
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
    """By how many records bounds were moved so that Σ can be satisfied, in total."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What Σ is to be like."""

    kind: str
    """The class."""
    k: int
    tightness: float
    seed: int


def make(types: Types, targets: Sequence[Target], wanted: Wanted) -> Sigma:
    """Make Σ of a class for a relation."""
    printed = of_class(types, targets, wanted.kind, wanted.seed)
    relaxed = tuple(relax(types, readable(c, wanted.k), wanted) for c in printed)
    sigma = satisfiable(types, relaxed, wanted.k)
    signatures, _ = of_types(types, take_apart(sigma, types.attributes))
    moved = sum(_distance(a, b) for a, b in zip(relaxed, sigma, strict=True))
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
    values = [tuple(types.values[c][types.codes[row, c]] for c in columns) for row in first.tolist()]
    counts = tuple(zip(values, totals.tolist(), strict=True))
    return Frequencies(attributes, counts, types.rows, types.distinct_quasi())


def readable(constraint: Constraint, k: int) -> Constraint:
    """Read a lower bound of 1..k−1 as k: no group is smaller."""
    low = k if 0 < constraint.low < k else constraint.low
    high = None if constraint.high is None else max(low, constraint.high)
    return Constraint(constraint.target, low, high)


def relax(types: Types, constraint: Constraint, wanted: Wanted) -> Constraint:
    """Widen a range on both sides, within 0 and freq(a); who was to be published at all still is."""
    frequency = int(types.counts[types.carries(constraint.target)].sum())
    step = floor(wanted.tightness * frequency)
    low = max(constraint.low - step, min(constraint.low, wanted.k))
    high = None if constraint.high is None else max(constraint.high, min(constraint.high + step, frequency))
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
