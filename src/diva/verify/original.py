"""R ⊑ R*: whether a published table is its original with some QI cells suppressed, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from diva.errors import VerificationFailed
from diva.relation.types import distinct_rows
from diva.verify.candidates import STAR
from diva.verify.matching import Rows, unmatched
from diva.verify.verification import many

if TYPE_CHECKING:
    from collections.abc import Iterator

    from diva.relation.engine import Members, Table
    from diva.relation.types import Types
    from diva.verify.published import Published
    from diva.verify.witness import Witness


@dataclass(frozen=True)
class Comparison:
    """A published table beside its original, over the columns that both have."""

    table: Table
    published: Published
    original: Table

    @property
    def quasi(self) -> tuple[str, ...]:
        """The QI attributes that both tables have."""
        return tuple(a for a in self.published.types.attributes if a in self.original.names)

    @cached_property
    def untouched(self) -> tuple[str, ...]:
        """The columns that both tables have and that are no QI: they must be the same."""
        others = (c for c in self.table.names if c not in self.published.types.attributes)
        return tuple(c for c in others if c in self.original.names)

    def row_by_row(self) -> Iterator[str]:
        """Compare records that stand in the same place."""
        star = self.published.star
        found = self.table.row_differences(self.original, self.quasi, self.untouched, star)
        yield from map(self._star_like, found.star_like)
        if found.rows != self.published.types.rows:
            yield self._other_size(found.rows)
        elif found.count:
            differ = "record differs" if found.count == 1 else "records differ"
            yield (
                f"{found.count:,} {differ} from the original by more than suppressed QI cells;"
                f" the first is record {found.row:,}, in column {found.column!r}"
            )

    def as_multisets(self, witness: Witness | None) -> Iterator[str]:
        """Give every published record an original record of its own, in any order."""
        types = self.original.types(self.quasi)
        published = self._shared_types()
        for attribute, values in zip(self.quasi, types.values, strict=True):
            if self.published.star in values:
                yield self._star_like(attribute)
        if types.rows != published.rows:
            yield self._other_size(types.rows)
            return
        codes = self._common_codes(types, published)
        if witness is not None and not self.untouched and witness.proves(types, codes, published.counts):
            return
        original, release = self._by_component(types, published, codes)
        components = int(max(original.component.max(initial=-1), release.component.max(initial=-1))) + 1
        balance = np.zeros(components, dtype=np.int64)
        np.add.at(balance, original.component, -original.count)
        np.add.at(balance, release.component, release.count)
        surplus = int(balance[balance > 0].sum())
        if surplus:
            yield (
                f"{many(surplus, 'published record')} {'has' if surplus == 1 else 'have'} values in {self._named()}"
                " that no original record is left for; only QI cells may be changed"
            )
        even = balance == 0
        missing = unmatched(original.only(even[original.component]), release.only(even[release.component]))
        if missing:
            yield (
                f"{many(missing, 'published record')} can't be had by suppressing QI cells of original records"
                " that no other published record needs"
            )

    def _shared_types(self) -> Types:
        """The published QI rows on the attributes that the original has too."""
        types = self.published.types
        return types if self.quasi == types.attributes else self.table.types(self.quasi)

    def _by_component(self, types: Types, published: Types, codes: np.ndarray) -> tuple[Rows, Rows]:
        """Both tables by component, with codes in common."""
        if not self.untouched:
            every = np.zeros(len(types), dtype=np.int64), np.zeros(len(published), dtype=np.int64)
            return Rows(every[0], types.codes, types.counts), Rows(every[1], codes, published.counts)
        members = self.table.members(self.original, published, types, self.untouched)
        if int(members.count.sum()) != types.rows + published.rows:
            raise VerificationFailed(
                f"{self.table.origin} or its original changed while it was verified; verify again"
            )
        return (
            _added_up(members, ~members.published, types.codes),
            _added_up(members, members.published, codes),
        )

    def _common_codes(self, types: Types, published: Types) -> np.ndarray:
        """The published codes in terms of the original's: STAR, the code of the value, or one that no type has."""
        codes = np.empty_like(published.codes)
        for i, (ours, theirs) in enumerate(zip(published.values, types.values, strict=True)):
            known = {value: code for code, value in enumerate(theirs)}
            known[self.published.star] = STAR
            terms = [known.get(value, len(theirs) + code) for code, value in enumerate(ours)]
            codes[:, i] = np.array(terms, dtype=codes.dtype)[published.codes[:, i]]
        return codes

    def _named(self) -> str:
        return f"column {self.untouched[0]!r}" if len(self.untouched) == 1 else "the columns that are no QI"

    def _other_size(self, rows: int) -> str:
        return (
            f"the release has {many(self.published.types.rows, 'record')} and the original {rows:,};"
            " records are never added or removed"
        )

    def _star_like(self, attribute: str) -> str:
        if self.published.star is None:
            return f"column {attribute!r} of the original has NULLs, so suppressed cells can't be told from missing values"
        return (
            f"column {attribute!r} of the original has cells that read {self.published.star!r},"
            " so suppressed cells can't be told from them"
        )


def _added_up(members: Members, which: np.ndarray, codes: np.ndarray) -> Rows:
    """The rows of one side, each (component, type) once."""
    component, type_ = members.component[which], members.type[which]
    first, number = distinct_rows(np.column_stack([component, type_]))
    count = np.zeros(len(first), dtype=np.int64)
    np.add.at(count, number, members.count[which])
    return Rows(component[first], codes[type_[first]], count)
