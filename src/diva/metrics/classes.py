"""The classes of a release: its groups as a reader sees them, found in the published counts alone.

A class is a set of records that are equal on all QI columns as published (the paper's groups). The all-star class
is a class like any other. What marks a suppressed cell is the star's text, or NULL for a release written with
`--suppressed null`; with a text as the star, NULL is a value like any other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from diva.errors import BadInput
from diva.relation.names import shown
from diva.relation.types import Types, distinct_rows

if TYPE_CHECKING:
    from collections.abc import Iterable

Flags = NDArray[np.bool_]
Counts = NDArray[np.int64]
Codes = NDArray[np.int32]


@dataclass(frozen=True)
class Classes:
    """The classes of a release R'; make them with `classes_of`."""

    types: Types
    """One type per class, sorted by value, without conditions; its count is the size of the class, at least 1."""
    starred: Flags
    """bool [G, m]: which cells of a class's records are suppressed."""
    star: str | None
    """What marks a suppressed cell; None is NULL."""

    def __len__(self) -> int:
        return len(self.types)

    @property
    def attributes(self) -> tuple[str, ...]:
        """The QI attributes."""
        return self.types.attributes

    @property
    def sizes(self) -> Counts:
        """int64 [G]: how many records each class has."""
        return self.types.counts

    @property
    def rows(self) -> int:
        """|R'|."""
        return self.types.rows

    @property
    def cells(self) -> int:
        """The number of QI cells, |R'|·m."""
        return self.rows * len(self.attributes)

    @property
    def suppressed(self) -> Flags:
        """Whether the records of each class are suppressed, every QI cell a star: bool [G]."""
        return np.asarray(self.starred.all(axis=1))

    def described(self, number: int) -> str:
        """Say what the records of a class show, for messages."""
        columns = np.flatnonzero(~self.starred[number])
        texts = [self.types.values[i][self.types.codes[number, i]] for i in columns]
        visible = [
            f"{self.attributes[i]}={'NULL' if text is None else shown(text)}"
            for i, text in zip(columns, texts, strict=True)
        ]
        return ", ".join(visible) or "all suppressed"


def classes_of(published: Types, *, star: str | None = "*") -> Classes:
    """Merge the types of a release, which conditions may split, into its classes."""
    some = np.flatnonzero(published.counts)
    codes, counts = published.codes[some], published.counts[some]
    first, number = distinct_rows(codes)
    merged = Types(
        attributes=published.attributes,
        values=published.values,
        codes=codes[first],
        conditions=(),
        met=np.zeros((len(first), 0), dtype=bool),
        counts=totals(number, counts, len(first)),
    )
    return Classes(merged, starred_cells(merged, star), star)


def starred_cells(published: Types, star: str | None) -> Flags:
    """Tell which cells of each published type are suppressed: bool [D, m]."""
    star_codes = [texts.index(star) if star in texts else -1 for texts in published.values]
    return np.asarray(published.codes == np.array(star_codes, dtype=published.codes.dtype))


def totals(number: Codes | Counts, amounts: Counts, length: int) -> Counts:
    """Sum the amounts that carry each number: int64 [length]. Exact, unlike a weighted `bincount`."""
    sums = np.zeros(length, dtype=np.int64)
    np.add.at(sums, number, amounts)
    return sums


def positions(attributes: tuple[str, ...], wanted: Iterable[str], purpose: str) -> list[int]:
    """Where some QI attributes stand among all, or say which of them is none."""
    found: list[int] = []
    for name in wanted:
        if name not in attributes:
            raise BadInput(
                f"column {shown(name)} is no quasi-identifier and can't be used for {purpose};"
                f" the quasi-identifiers are {', '.join(map(shown, attributes))}"
            )
        found.append(attributes.index(name))
    return found


def require_level(k: int) -> None:
    """Refuse a privacy level that isn't a whole number of at least 1."""
    if isinstance(k, bool) or not isinstance(k, int) or k < 1:
        raise BadInput(f"k must be a whole number of at least 1, not {k!r}")
