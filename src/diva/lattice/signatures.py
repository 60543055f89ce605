"""Signatures: which targets a record carries. Only their counts matter for what is feasible (the paper's I_σ, all at once)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from diva.relation.types import distinct_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from diva.constraints.model import Constraint, Target
    from diva.relation.engine import Table
    from diva.relation.types import Types


@dataclass(frozen=True)
class Parts:
    """Σ taken apart: what must stay visible (QI targets), and what is published anyway (conditions on other columns)."""

    constraints: tuple[Constraint, ...]
    quasi: tuple[Target, ...]
    """The distinct QI parts of the targets, without the empty one."""
    conditions: tuple[Target, ...]
    """The distinct parts on columns that are no QI, without the empty one."""
    of: tuple[tuple[int | None, int | None], ...]
    """For each constraint its QI target and its condition, by number; None where it has none."""

    @property
    def targets(self) -> tuple[Target, ...]:
        """Everything that a record's signature tells: QI targets, then conditions."""
        return (*self.quasi, *self.conditions)


def take_apart(constraints: Sequence[Constraint], quasi_columns: Sequence[str]) -> Parts:
    """Split the targets of Σ by the role of their columns."""
    columns = frozenset(quasi_columns)
    quasi: dict[Target, int] = {}
    conditions: dict[Target, int] = {}
    of = []
    for constraint in constraints:
        visible, condition = constraint.target.only(columns), constraint.target.without(columns)
        of.append(
            (
                quasi.setdefault(visible, len(quasi)) if visible.attributes else None,
                conditions.setdefault(condition, len(conditions)) if condition.attributes else None,
            )
        )
    return Parts(tuple(constraints), tuple(quasi), tuple(conditions), tuple(of))


@dataclass(frozen=True)
class Signatures:
    """The records of a relation, counted by what they carry."""

    parts: Parts
    carried: tuple[int, ...]
    """For each signature a bit mask over the QI targets."""
    met: tuple[int, ...]
    """For each signature a bit mask over the conditions."""
    counts: tuple[int, ...]

    @cached_property
    def rows(self) -> int:
        """|R|."""
        return sum(self.counts)

    def carries(self, constraint: int, signature: int) -> bool:
        """Whether records of a signature are in I_σ."""
        quasi = self.parts.of[constraint][0]
        return (quasi is None or bool(self.carried[signature] >> quasi & 1)) and self.meets(
            constraint, signature
        )

    def meets(self, constraint: int, signature: int) -> bool:
        """Whether records of a signature meet the condition of σ (they may still lack its QI target)."""
        condition = self.parts.of[constraint][1]
        return condition is None or bool(self.met[signature] >> condition & 1)

    @cached_property
    def relevant(self) -> tuple[int, ...]:
        """|I_σ| for each constraint."""
        return tuple(
            sum(n for s, n in enumerate(self.counts) if self.carries(c, s))
            for c in range(len(self.parts.constraints))
        )

    def masks(self) -> list[tuple[int, int]]:
        """For each signature the set of constraints in whose I_σ its records are, and how many they are."""
        every = range(len(self.parts.constraints))
        return [(sum(1 << c for c in every if self.carries(c, s)), n) for s, n in enumerate(self.counts)]

    def restricted(self, chosen: Sequence[int]) -> Signatures:
        """The same records as a part of Σ sees them."""
        columns = {a for target in self.parts.quasi for a in target.attributes}
        parts = take_apart([self.parts.constraints[c] for c in chosen], tuple(columns))
        quasi = [self.parts.quasi.index(t) for t in parts.quasi]
        conditions = [self.parts.conditions.index(t) for t in parts.conditions]
        merged: dict[tuple[int, int], int] = {}
        for carried, met, n in zip(self.carried, self.met, self.counts, strict=True):
            key = (_pick(carried, quasi), _pick(met, conditions))
            merged[key] = merged.get(key, 0) + n
        return _of_counts(parts, merged)


def from_table(table: Table, parts: Parts) -> Signatures:
    """Count the signatures of a table: one scan."""
    visible = len(parts.quasi)
    merged = {
        (mask & ((1 << visible) - 1), mask >> visible): n for mask, n in table.signatures(parts.targets)
    }
    return _of_counts(parts, merged)


def of_types(types: Types, parts: Parts) -> tuple[Signatures, np.ndarray]:
    """Count signatures from types that are split by the conditions of `parts`; also tell the signature of each type."""
    carried = [types.carries(target) for target in parts.quasi]
    bits = (
        np.column_stack([*carried, types.met])
        if carried or parts.conditions
        else np.zeros((len(types), 0), bool)
    )
    packed = np.packbits(bits, axis=1, bitorder="little")
    first, number = distinct_rows(packed)
    counts = np.zeros(len(first), dtype=np.int64)
    np.add.at(counts, number, types.counts)
    visible = len(parts.quasi)
    keys = [int.from_bytes(packed[t].tobytes(), "little") for t in first]
    pairs = [(key & ((1 << visible) - 1), key >> visible) for key in keys]
    signatures = _of_counts(parts, dict(zip(pairs, counts.tolist(), strict=True)))
    place = {pair: i for i, pair in enumerate(zip(signatures.carried, signatures.met, strict=True))}
    return signatures, np.array([place[pair] for pair in pairs], dtype=np.int64)[number]


def _of_counts(parts: Parts, merged: dict[tuple[int, int], int]) -> Signatures:
    ordered = sorted(merged.items())
    return Signatures(
        parts,
        tuple(carried for (carried, _), _ in ordered),
        tuple(met for (_, met), _ in ordered),
        tuple(n for _, n in ordered),
    )


def _pick(mask: int, positions: Sequence[int]) -> int:
    return sum((mask >> position & 1) << i for i, position in enumerate(positions))
