"""What a published table shows by itself: groups, stars, k and Σ."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from diva.relation.types import Types, distinct_rows
from diva.verify.verification import Counted, many

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from diva.constraints.model import Constraint, Target
    from diva.relation.engine import Table


@dataclass(frozen=True)
class Published:
    """A published table, counted in one scan."""

    split: Types
    """Its QI rows, split by the parts of targets that no QI attribute carries."""
    names: tuple[str, ...]
    """Its columns."""
    star: str | None
    """What a suppressed cell shows; None is NULL."""

    @classmethod
    def count(
        cls, table: Table, quasi: Sequence[str], constraints: Sequence[Constraint], star: str | None
    ) -> Published:
        """Scan a table; constraints on columns that it doesn't have are left out."""
        others = (c.target.without(frozenset(quasi)) for c in constraints)
        conditions = dict.fromkeys(t for t in others if t.attributes and set(t.attributes) <= {*table.names})
        return cls(table.types(quasi, tuple(conditions)), table.names, star)

    @cached_property
    def types(self) -> Types:
        """The QI rows, not split by anything."""
        first, number = distinct_rows(self.split.codes)
        counts = np.zeros(len(first), dtype=np.int64)
        np.add.at(counts, number, self.split.counts)
        unsplit = np.zeros((len(first), 0), dtype=bool)
        return Types(self.split.attributes, self.split.values, self.split.codes[first], (), unsplit, counts)

    def star_codes(self) -> list[int]:
        """For each QI attribute the code of a suppressed cell; -1 where there is none."""
        return [v.index(self.star) if self.star in v else -1 for v in self.types.values]

    @cached_property
    def stars(self) -> int:
        """How many QI cells are suppressed."""
        return int(((self.types.codes == self.star_codes()).sum(axis=1) * self.types.counts).sum())

    @cached_property
    def k(self) -> int:
        """The size of the smallest group."""
        return int(self.types.counts.min()) if len(self.types) else 0

    def too_small(self, k: int) -> Iterator[str]:
        """Say how many groups have fewer than k members."""
        small = int((self.types.counts < k).sum())
        if small:
            yield (
                f"{small:,} of {many(len(self.types), 'group')} {'has' if small == 1 else 'have'} fewer than {k} members;"
                f" the smallest has {self.k:,}"
            )

    def fares(self, constraint: Constraint) -> Counted:
        """Count the records that carry a target as published: a suppressed cell carries nothing."""
        count = self._carrying(constraint.target)
        known = set(constraint.target.attributes) <= set(self.names)
        return Counted(constraint, count, known and constraint.admits(count))

    def _carrying(self, target: Target) -> int:
        quasi = frozenset(self.split.attributes)
        visible, other = target.only(quasi), target.without(quasi)
        if self.star in visible.values or not set(other.attributes) <= set(self.names):
            return 0
        carried = self.split.carries(visible)
        if other.attributes:
            carried &= self.split.met[:, self.split.conditions.index(other)]
        return int(self.split.counts[carried].sum())

    def broken(self, counted: Counted) -> str:
        """Say why a constraint isn't satisfied."""
        constraint = counted.constraint
        for attribute in constraint.target.attributes:
            if attribute not in self.names:
                return f"{constraint.text} can't hold: column {attribute!r} is not published"
        carry = "carries" if counted.published == 1 else "carry"
        return f"{constraint.text} does not hold: {many(counted.published, 'published record')} {carry} it"
