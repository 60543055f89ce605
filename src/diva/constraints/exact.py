"""Exact implication and satisfiability of Σ (DESIGN section 3.1 without R), each with a relation that shows it.

Σ ⊨ σ fails exactly if some relation satisfies Σ and has fewer than λl or more than λr records of σ's target. So
both questions ask for a relation whose counts lie in given ranges, which `diva.constraints.witness` decides.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from diva.constraints.axioms import Range, bounds
from diva.constraints.signatures import check_domains
from diva.constraints.witness import find

if TYPE_CHECKING:
    from collections.abc import Iterable

    from diva.constraints.model import Constraint, Target
    from diva.constraints.signatures import Domains
    from diva.constraints.witness import Witness


@dataclass(frozen=True, slots=True)
class Implication:
    """The answer to Σ ⊨ σ."""

    holds: bool
    """Whether every relation that satisfies Σ satisfies σ."""
    witness: Witness | None
    """A relation that satisfies Σ and not σ, the smaller where there are two ways; None when σ is implied."""


@dataclass(frozen=True, slots=True)
class Satisfiability:
    """The answer to whether a relation satisfies Σ."""

    satisfiable: bool
    """Whether there is one."""
    witness: Witness | None
    """Such a relation, possibly without records; None when there is none."""
    conflict: tuple[Constraint, ...]
    """When there is none: constraints of Σ that can't hold together, while any all-but-one of them can."""


def implies(
    sigma_set: Iterable[Constraint], sigma: Constraint, domains: Domains | None = None
) -> Implication:
    """Decide Σ ⊨ σ exactly; `domains` lists every value that a column can take, which implies more.

    Raises BadInput when the targets that share columns have too many signatures.
    """
    check_domains(domains)
    ranges = merge(sigma_set)
    within = ranges.get(sigma.target, Range())
    violations = [Range(0, sigma.low - 1)]
    if sigma.high is not None:
        violations.append(Range(sigma.high + 1))
    found = [find({**ranges, sigma.target: within & violation}, domains) for violation in violations]
    witness = min((w for w in found if w is not None), key=lambda w: w.rows, default=None)
    return Implication(witness is None, witness)


def satisfiable(sigma_set: Iterable[Constraint], domains: Domains | None = None) -> Satisfiability:
    """Decide exactly whether a relation satisfies Σ; if not, find constraints that conflict.

    Raises BadInput when the targets that share columns have too many signatures.
    """
    check_domains(domains)
    constraints = tuple(dict.fromkeys(sigma_set))
    witness = find(merge(constraints), domains)
    conflict = () if witness is not None else _conflict(constraints, domains)
    return Satisfiability(witness is not None, witness, conflict)


def merge(sigma_set: Iterable[Constraint]) -> dict[Target, Range]:
    """Return the intersection of the ranges of each target; equal targets become one."""
    ranges: dict[Target, Range] = {}
    for sigma in sigma_set:
        ranges[sigma.target] = ranges.get(sigma.target, Range()) & bounds(sigma)
    return ranges


def _conflict(constraints: tuple[Constraint, ...], domains: Domains | None) -> tuple[Constraint, ...]:
    """Shrink an unsatisfiable Σ to a minimal one by the deletion filter: |Σ| programmes."""
    kept = constraints
    for sigma in constraints:
        fewer = tuple(other for other in kept if other != sigma)
        if find(merge(fewer), domains) is None:
            kept = fewer
    return kept
