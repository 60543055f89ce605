"""Every part's share of Σ: ranges for each part whose sums lie within the ranges of Σ.

    n[P,σ] records of part P count for σ, by a skeleton of its own:
    Σ_T z[P,s,T] = count(P,s);   Σ_s z[P,s,T] = 0 or ≥ k;   λl ≤ Σ_P n[P,σ] ≤ λr;   |n[P,σ] - wish[P,σ]| smallest

So every part is feasible by itself. What is then left between Σ_P n[P,σ] and λl or λr widens the parts' ranges.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from diva.constraints.model import Constraint
from diva.programme import INFINITY, Programme, ProgrammeError
from diva.solve.decide.closed import ClosedSets
from diva.solve.decide.signature_programme import Whole, counts_for, empty_or_large

if TYPE_CHECKING:
    from collections.abc import Sequence

    from diva.lattice.signatures import Signatures

_SECONDS = 30.0
"""A programme that takes longer counts as a no: there are other divisions."""


@dataclass(frozen=True)
class Demand:
    """What Σ asks of the parts together."""

    signatures: Signatures
    """Of the whole."""
    counts: np.ndarray
    """int64 [parts, signatures]: the records of each part by signature."""
    k: int

    @property
    def constraints(self) -> tuple[Constraint, ...]:
        """Σ."""
        return self.signatures.parts.constraints

    def relevant(self) -> np.ndarray:
        """int64 [parts, Σ]: |I_σ| in each part."""
        every = range(self.counts.shape[1])
        carried = np.array(
            [[self.signatures.carries(c, s) for s in every] for c in range(len(self.constraints))]
        )
        relevant: np.ndarray = self.counts @ carried.T.reshape(len(every), -1).astype(np.int64)
        return relevant


def quotas(demand: Demand, wish: np.ndarray) -> np.ndarray | None:
    """int64 [parts, Σ]: how many records of each part may count for each constraint; None where no such shares are found."""
    programme = Programme()
    closed = ClosedSets(demand.signatures.parts.quasi)
    terms: dict[tuple[int, int], list[tuple[int, float]]] = {}
    for part in range(len(demand.counts)):
        _skeleton(programme, demand, closed, part, terms)
    for (part, c), counting in terms.items():
        over, under = programme.variable(cost=1.0), programme.variable(cost=1.0)
        wished = float(wish[part, c])
        programme.row([*counting, (over, -1.0), (under, 1.0)], wished, wished)
    for c, constraint in enumerate(demand.constraints):
        counting = [term for (_, of), some in terms.items() if of == c for term in some]
        high = INFINITY if constraint.high is None else constraint.high
        programme.row(counting, constraint.low, high)
    try:
        x = programme.solve(seconds=_SECONDS)
    except ProgrammeError:
        return None
    if x is None:
        return None
    found = np.zeros(wish.shape, dtype=np.int64)
    for (part, c), counting in terms.items():
        found[part, c] = sum(int(x[variable]) for variable, _ in counting)
    return found


def _skeleton(
    programme: Programme,
    demand: Demand,
    closed: ClosedSets,
    part: int,
    terms: dict[tuple[int, int], list[tuple[int, float]]],
) -> None:
    """Add the skeleton of one part, and note which variables count for which constraint."""
    members: dict[int, list[int]] = {}
    capacity: dict[int, int] = {}
    for s, n in enumerate(demand.counts[part].tolist()):
        if not n:
            continue
        sets = closed.few(demand.signatures.carried[s])
        variables = [programme.variable(0, n) for _ in sets]
        programme.row([(v, 1.0) for v in variables], n, n)
        for t, variable in zip(sets, variables, strict=True):
            members.setdefault(t, []).append(variable)
            capacity[t] = capacity.get(t, 0) + n
            for c in range(len(demand.constraints)):
                if counts_for(demand.signatures, c, s, t):
                    terms.setdefault((part, c), []).append((variable, 1.0))
    for t, held in members.items():
        empty_or_large(programme, held, capacity[t], demand.k, Whole.RECORDS)


def ranges(
    constraints: Sequence[Constraint], quota: np.ndarray, relevant: np.ndarray, elsewhere: np.ndarray
) -> list[tuple[Constraint, ...]]:
    """Σ for each part: around its quota, with its share of what the whole range leaves; what says nothing is left out.

    `elsewhere` counts for Σ too, and stays as it is. With it, the lower bounds of all parts add up to at least λl and
    the upper ones to at most λr.
    """
    shares: list[list[Constraint]] = [[] for _ in range(len(quota))]
    for c, constraint in enumerate(constraints):
        n, most = quota[:, c], relevant[:, c]
        total = int(n.sum() + elsewhere[c])
        down, up = _shared(total - constraint.low, most), most
        if constraint.high is not None and constraint.high < int(most.sum() + elsewhere[c]):
            up = _shared(constraint.high - total, most)
        for part in range(len(quota)):
            low = max(0, int(n[part] - down[part]))
            high = None if n[part] + up[part] >= most[part] else int(n[part] + up[part])
            if low or high is not None:
                shares[part].append(Constraint(constraint.target, low, high))
    return [tuple(share) for share in shares]


def _shared(amount: int, by: np.ndarray) -> np.ndarray:
    """Share an amount out in proportion, rounded down."""
    total = max(1, int(by.sum()))
    shared: np.ndarray = np.array([amount * int(b) // total for b in by], dtype=np.int64)
    return shared
