"""Exact implication and satisfiability of Σ, by an integer programme over signatures (DESIGN section 3.1 without R).

Whether a relation satisfies Σ depends only on how many of its records have each signature. So the relations
that satisfy Σ are the whole-number solutions n_s ≥ 0, one for every realisable signature s, of

    λl_σ ≤ Σ_{s ∋ σ} n_s ≤ λr_σ            for every σ ∈ Σ.

Targets in different components share no attribute: any counts of one go with any counts of another, as long as
both speak of the same number N of records. So each component has signatures of its own, and Σ_s n_s = N.

N is minimised, which also bounds it: in a smallest solution no record can be taken away, hence each carries a
target whose count is exactly its λl, and N ≤ Σ λl.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from diva.constraints.axioms import Range, bounds
from diva.constraints.signatures import check_domains, components, examples
from diva.programme import Programme, ProgrammeError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from diva.constraints.model import Constraint, Target
    from diva.constraints.signatures import Domains

    Ranges = Mapping[Target, Range]
    Record = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Witness:
    """A smallest relation that shows the answer, over the attributes that the constraints mention."""

    records: tuple[tuple[Record, int], ...]
    """Each distinct record and how often it occurs. A value that no constraint mentions stands for any other."""

    @property
    def rows(self) -> int:
        """The number of records, repetitions counted."""
        return sum(times for _, times in self.records)

    def count(self, target: Target) -> int:
        """Return how many records carry the target."""
        return sum(times for record, times in self.records if target.items <= record.items())


@dataclass(frozen=True, slots=True)
class Implication:
    """The answer to Σ ⊨ σ."""

    holds: bool
    """Whether every relation that satisfies Σ satisfies σ."""
    witness: Witness | None
    """A smallest relation that satisfies Σ and not σ; None when the implication holds."""


@dataclass(frozen=True, slots=True)
class Satisfiability:
    """The answer to whether a relation satisfies Σ."""

    satisfiable: bool
    """Whether there is one."""
    witness: Witness | None
    """A smallest such relation, possibly without records; None when there is none."""
    conflict: tuple[Constraint, ...]
    """When there is none: constraints of Σ that can't hold together, while any all-but-one of them can."""


def implies(
    sigma_set: Iterable[Constraint], sigma: Constraint, domains: Domains | None = None
) -> Implication:
    """Decide Σ ⊨ σ exactly: no relation satisfies Σ with fewer than λl or with more than λr records of σ's target.

    `domains` lists every value that a column can take; implication is stronger where they are declared.
    """
    check_domains(domains)
    ranges = merge(sigma_set)
    violations = [Range(0, sigma.low - 1)]
    if sigma.high is not None:
        violations.append(Range(sigma.high + 1))
    found = []
    for violation in violations:
        within = ranges.get(sigma.target, Range()) & violation
        witness = _smallest({**ranges, sigma.target: within}, domains)
        if witness is not None:
            found.append(witness)
    return Implication(not found, min(found, key=lambda witness: witness.rows, default=None))


def satisfiable(sigma_set: Iterable[Constraint], domains: Domains | None = None) -> Satisfiability:
    """Decide exactly whether a relation satisfies Σ, with a smallest one or a minimal conflicting subset."""
    check_domains(domains)
    constraints = tuple(sigma_set)
    witness = _smallest(merge(constraints), domains)
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
    kept = tuple(dict.fromkeys(constraints))
    for sigma in kept:
        fewer = tuple(other for other in kept if other != sigma)
        if _smallest(merge(fewer), domains) is None:
            kept = fewer
    return kept


def _smallest(ranges: Ranges, domains: Domains | None) -> Witness | None:
    """Return a smallest relation whose counts lie in `ranges`, or None when there is none."""
    if any(delta.empty for delta in ranges.values()):
        return None
    largest = sum(delta.low for delta in ranges.values())
    if largest == 0:
        return Witness(())
    programme = Programme()
    total = programme.variable(0, largest, cost=1)
    columns = []
    for targets in components(list(ranges)):
        records = examples(targets, domains)
        numbers = {signature: programme.variable(0, largest) for signature in records}
        programme.row([(total, -1), *((number, 1) for number in numbers.values())], 0, 0)
        for bit, target in enumerate(targets):
            carriers = [(number, 1.0) for signature, number in numbers.items() if signature >> bit & 1]
            _bound(programme, carriers, ranges[target])
        columns.append([(records[signature], number) for signature, number in numbers.items()])
    solution = programme.solve()
    if solution is None:
        return None
    parts = [[(record, int(solution[n])) for record, n in part if solution[n]] for part in columns]
    return _checked(Witness(_join(parts)), ranges)


def _bound(programme: Programme, carriers: list[tuple[int, float]], delta: Range) -> None:
    if delta.high is None:
        programme.row(carriers, delta.low)
    else:
        programme.row(carriers, delta.low, delta.high)


def _join(parts: Sequence[Sequence[tuple[Record, int]]]) -> tuple[tuple[Record, int], ...]:
    """Join the components' records side by side; which goes with which is free. As few distinct ones as that gives."""
    joined: list[tuple[Record, int]] = [({}, sum(times for _, times in parts[0]))]
    for part in parts:
        longer: list[tuple[Record, int]] = []
        left = list(reversed(joined))
        for record, wanted in part:
            missing = wanted
            while missing:
                start, available = left.pop()
                times = min(available, missing)
                longer.append(({**start, **record}, times))
                missing -= times
                if available > times:
                    left.append((start, available - times))
        joined = longer
    return tuple(joined)


def _checked(witness: Witness, ranges: Ranges) -> Witness:
    """Return the witness after counting it anew, so that a wrong answer can't leave the solver."""
    for target, delta in ranges.items():
        if witness.count(target) not in delta:
            raise ProgrammeError(f"the witness breaks the bounds of {target.text}")
    return witness
