"""Types: the distinct combinations of quasi-identifier values of a relation, integer-coded, with their counts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from diva.constraints.model import Target

type_code = np.int32


@dataclass(frozen=True)
class Types:
    """Π_QI(R) with counts. Sorted by value, NULL first, so that equal relations have equal types in equal order."""

    attributes: tuple[str, ...]
    """The QI attributes."""
    values: tuple[tuple[str | None, ...], ...]
    """For each attribute its distinct values as text, by code; None is NULL."""
    codes: np.ndarray
    """int32 [D, m]: the code of each type's value."""
    conditions: tuple[Target, ...]
    """Targets on columns that are no QI; types are split by whether their records carry them."""
    met: np.ndarray
    """bool [D, conditions]."""
    counts: np.ndarray
    """int64 [D]: how many records there are of each type."""

    def __len__(self) -> int:
        return len(self.counts)

    @cached_property
    def rows(self) -> int:
        """|R|."""
        return int(self.counts.sum())

    def code(self, attribute: str, value: str) -> int:
        """The code of a value, or -1 where no record has it."""
        return self._codes_by_value[self.attributes.index(attribute)].get(value, -1)

    @cached_property
    def _codes_by_value(self) -> tuple[dict[str | None, int], ...]:
        return tuple({value: code for code, value in enumerate(values)} for values in self.values)

    def carries(self, target: Target) -> np.ndarray:
        """Bool [D]: which types carry a target on QI attributes."""
        carried = np.ones(len(self), dtype=bool)
        for attribute, value in target.items:
            carried &= self.codes[:, self.attributes.index(attribute)] == self.code(attribute, value)
        return carried

    def distinct_quasi(self) -> int:
        """|Π_QI(R)|: how many types there are when conditions don't split them."""
        if not self.conditions:
            return len(self)
        changes = (self.codes[1:] != self.codes[:-1]).any(axis=1)
        return int(changes.sum()) + 1 if len(self) else 0


def sorted_types(
    attributes: Sequence[str],
    values: Sequence[Sequence[str | None]],
    codes: np.ndarray,
    conditions: Sequence[Target],
    met: np.ndarray,
    counts: np.ndarray,
) -> Types:
    """Make Types from an engine's answer, whose codes and rows may come in any order."""
    ordered_values = []
    codes = np.ascontiguousarray(codes, dtype=type_code)
    for column, texts in enumerate(values):
        order = sorted(range(len(texts)), key=lambda i, t=texts: (t[i] is not None, t[i] or ""))  # type: ignore[misc]
        rank = np.empty(len(texts), dtype=type_code)
        rank[order] = np.arange(len(texts), dtype=type_code)
        codes[:, column] = rank[codes[:, column]]
        ordered_values.append(tuple(texts[i] for i in order))
    keys = (*met.T[::-1], *codes.T[::-1])
    order_of_rows = np.lexsort(keys) if keys else np.arange(len(counts))
    return Types(
        attributes=tuple(attributes),
        values=tuple(ordered_values),
        codes=codes[order_of_rows],
        conditions=tuple(conditions),
        met=met[order_of_rows],
        counts=np.asarray(counts, dtype=np.int64)[order_of_rows],
    )


class Numbered:
    """Types as an engine's groups come in, batch by batch: their texts are numbered in the order of appearance."""

    def __init__(self, attributes: Sequence[str], conditions: Sequence[Target]) -> None:
        self._attributes, self._conditions = tuple(attributes), tuple(conditions)
        self._number = [_Numbers() for _ in attributes]
        self._codes: list[np.ndarray] = []
        self._rest: list[np.ndarray] = []

    def add(self, rows: Sequence[tuple[Any, ...]]) -> None:
        """Take in groups: a text for each attribute, a truth for each condition, and how many records."""
        columns = list(zip(*rows, strict=True))
        width = len(self._attributes)
        numbered = zip(self._number, columns[:width], strict=True)
        codes = [
            np.fromiter(map(number.__getitem__, texts), type_code, len(rows)) for number, texts in numbered
        ]
        self._codes.append(np.column_stack(codes) if codes else np.zeros((len(rows), 0), dtype=type_code))
        self._rest.append(np.column_stack([np.array(c, dtype=np.int64) for c in columns[width:]]))

    def types(self) -> Types:
        """All of them."""
        width, many = len(self._attributes), len(self._conditions)
        codes = np.concatenate([np.zeros((0, width), dtype=type_code), *self._codes])
        rest = np.concatenate([np.zeros((0, many + 1), dtype=np.int64), *self._rest])
        values = [list(number) for number in self._number]
        met, counts = rest[:, :many].astype(bool), rest[:, many]
        return sorted_types(self._attributes, values, codes, self._conditions, met, counts)


class _Numbers(dict[str | None, int]):
    """Numbers from 0 in the order in which texts are asked for."""

    def __missing__(self, text: str | None) -> int:
        self[text] = number = len(self)
        return number


def distinct_rows(matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Number the distinct rows of an integer matrix: (index of one row of each, number of every row), in sorted order."""
    if not matrix.shape[1]:
        return np.zeros(min(1, len(matrix)), dtype=np.int64), np.zeros(len(matrix), dtype=np.int64)
    order = np.lexsort(matrix.T[::-1])
    ordered = matrix[order]
    new = np.ones(len(matrix), dtype=bool)
    new[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    number = np.empty(len(matrix), dtype=np.int64)
    number[order] = np.cumsum(new) - 1
    return order[new], number
