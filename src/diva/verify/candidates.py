"""Which types a published group could be made of: those that have the value of each of its visible cells."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from diva.relation.types import distinct_rows

if TYPE_CHECKING:
    from collections.abc import Iterator

STAR = -1
"""The code of a suppressed cell."""

_COMMON = 64
"""A value that at least one type in so many has gets a bit map; there are at most so many of them per column."""
_TYPES_PER_GROUP = 512
"""Joining a pattern's groups with more types each than this is slower than looking for each group's types by itself."""
_LARGEST_KEY = 2**62


@dataclass(frozen=True)
class Candidates:
    """The edges between types and groups, found when they are asked for and never stored.

    There may be as many as types × patterns. Within a pattern a type fits into one group at most, so a pattern
    is a join on the visible values. Where a pattern has few groups (with forty columns nearly every group has a
    pattern of its own) the types of one group are found from inverted lists, or bit maps for values that are
    common, at D/64 steps per visible cell. Nothing subquadratic is known for that: it is orthogonal vectors.
    """

    types: np.ndarray
    """int32 [D, m]: the code of each value of each type."""
    groups: np.ndarray
    """int32 [G, m]: the code of each visible value of each group, or STAR. Groups differ from one another."""

    @cached_property
    def _patterns(self) -> tuple[np.ndarray, np.ndarray]:
        """The number of each group's pattern, finest patterns first, and bool [P, m]: what patterns show."""
        visible = self.groups != STAR
        first, number = distinct_rows(visible)
        shown = visible[first]
        finest_first = np.argsort(-shown.sum(axis=1), kind="stable")
        rank = np.empty(len(shown), dtype=np.int64)
        rank[finest_first] = np.arange(len(shown))
        return rank[number], shown[finest_first]

    @cached_property
    def _columns(self) -> tuple[np.ndarray, np.ndarray]:
        """The two matrices column by column."""
        return np.ascontiguousarray(self.types.T), np.ascontiguousarray(self.groups.T)

    @cached_property
    def _sizes(self) -> list[int]:
        """A number above every code of each column."""
        both = (matrix.max(axis=0, initial=0) for matrix in (self.types, self.groups))
        return [int(size) + 1 for size in np.maximum(*both)]

    @cached_property
    def _lists(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """For each column the types sorted by their value, and where each value's types start."""
        lists = []
        for column, size in zip(self._columns[0], self._sizes, strict=True):
            order = np.argsort(column, kind="stable").astype(np.int32)
            lists.append((order, np.searchsorted(column[order], np.arange(size + 1))))
        return lists

    @cached_property
    def _bits(self) -> dict[tuple[int, int], np.ndarray]:
        """Bit maps of the types that have a common value, made at first use."""
        return {}

    def edges(self, groups: np.ndarray, live: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield (types, groups) of the edges between some groups and the types of the mask `live`, finest patterns first.

        In one yield no type comes twice. The mask is read anew for each, so the caller may change it in between.
        """
        pattern, shown = self._patterns
        ordered = groups[np.argsort(pattern[groups], kind="stable")]
        starts = np.flatnonzero(np.diff(pattern[ordered], prepend=-1, append=-1))
        for start, end in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True):
            members = ordered[start:end]
            columns = np.flatnonzero(shown[pattern[members[0]]]).tolist()
            types = np.flatnonzero(live)
            if not columns or len(types) <= _TYPES_PER_GROUP * len(members):
                yield self._join(columns, types, members)
                continue
            for group in members.tolist():
                found = self._fitting(columns, group)
                found = found[live[found]]
                yield found, np.full(len(found), group)

    def _join(
        self, columns: list[int], types: np.ndarray, groups: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        of_types, of_groups = self._keys(columns, types, groups)
        order = np.argsort(of_groups)
        ordered = of_groups[order]
        place = np.minimum(np.searchsorted(ordered, of_types), len(ordered) - 1)
        hit = ordered[place] == of_types
        return types[hit], groups[order[place[hit]]]

    def _keys(
        self, columns: list[int], types: np.ndarray, groups: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """One number for the values that some types and groups have in some columns; equal where the values are."""
        keys = np.zeros(len(types) + len(groups), dtype=np.int64)
        distinct = 1
        of_types, of_groups = self._columns
        for column in columns:
            size = self._sizes[column]
            if distinct > _LARGEST_KEY // size:
                kept, keys = np.unique(keys, return_inverse=True)
                distinct = len(kept)
            keys *= size
            keys[: len(types)] += of_types[column][types]
            keys[len(types) :] += of_groups[column][groups]
            distinct *= size
        return keys[: len(types)], keys[len(types) :]

    def _fitting(self, columns: list[int], group: int) -> np.ndarray:
        """The types that have all visible values of one group."""
        cells = [(column, int(self.groups[group, column])) for column in columns]
        lists = [self._list(cell) for cell in cells]
        rarest = min(lists, key=len)
        if len(rarest) * _COMMON >= len(self.types):
            bits = self._map(cells[0])
            for cell in cells[1:]:
                bits = bits & self._map(cell)
            return np.flatnonzero(np.unpackbits(bits, count=len(self.types)))
        for column, value in cells:
            rarest = rarest[self._columns[0][column][rarest] == value]
        return rarest

    def _list(self, cell: tuple[int, int]) -> np.ndarray:
        """The types that have a value in a column."""
        column, value = cell
        order, starts = self._lists[column]
        return order[starts[value] : starts[value + 1]]

    def _map(self, cell: tuple[int, int]) -> np.ndarray:
        """The same as a bit map."""
        if cell not in self._bits:
            has = np.zeros(len(self.types), dtype=bool)
            has[self._list(cell)] = True
            self._bits[cell] = np.packbits(has)
        return self._bits[cell]
