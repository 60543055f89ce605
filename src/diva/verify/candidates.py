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
"""A value that at least one type in so many has gets a bit map; a column has at most so many of them."""
_TYPES_PER_GROUP = 512
"""Where there are more types per group of a pattern, looking for each group's types by itself beats joining all."""
_LARGEST_KEY = 2**62


@dataclass(frozen=True)
class Candidates:
    """The edges between types and groups, found when they are asked for and never stored.

    There may be as many as types × patterns. Within a pattern a type fits into one group at most, so a pattern
    is a join on the visible values. Where a pattern has few groups (with forty columns nearly every group has a
    pattern of its own) the types of each group are found from inverted lists, or bit maps of values that are
    common, in D/64 steps per visible cell. Nothing subquadratic is known for that: it is orthogonal vectors.
    """

    types: np.ndarray
    """int32 [D, m]: the code of each value of each type."""
    groups: np.ndarray
    """int32 [G, m]: the code of each visible value of each group, or STAR. Groups differ from one another."""

    def edges(self, groups: np.ndarray, live: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield (types, groups) of the edges between some groups and the types of the mask `live`, finest patterns first.

        In one yield no type comes twice. The mask is read anew for each, so the caller may change it in between.
        """
        pattern, shown = self._patterns
        ordered = groups[np.argsort(pattern[groups], kind="stable")]
        starts = np.flatnonzero(np.diff(pattern[ordered], prepend=-1, append=-1))
        for start, end in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True):
            members = ordered[start:end]
            columns = np.flatnonzero(shown[pattern[members[0]]])
            if not len(columns) or np.count_nonzero(live) <= _TYPES_PER_GROUP * len(members):
                yield self._join(columns, np.flatnonzero(live), members)
                continue
            for group in members.tolist():
                types = self._fitting(columns, group, live)
                yield types, np.full(len(types), group)

    @cached_property
    def _patterns(self) -> tuple[np.ndarray, np.ndarray]:
        """The number of each group's pattern, finest patterns first, and bool [P, m]: what each pattern shows."""
        visible = self.groups != STAR
        first, number = distinct_rows(visible)
        shown = visible[first]
        finest_first = np.argsort(-shown.sum(axis=1), kind="stable")
        rank = np.empty(len(shown), dtype=np.int64)
        rank[finest_first] = np.arange(len(shown))
        return rank[number], shown[finest_first]

    @cached_property
    def _sizes(self) -> np.ndarray:
        """int64 [m]: a number above every code of each column."""
        largest = (matrix.max(axis=0, initial=0) for matrix in (self.types, self.groups))
        sizes: np.ndarray = np.maximum(*largest).astype(np.int64) + 1
        return sizes

    @cached_property
    def _by_column(self) -> tuple[np.ndarray, np.ndarray]:
        """The two matrices column by column."""
        return np.ascontiguousarray(self.types.T), np.ascontiguousarray(self.groups.T)

    def _join(
        self, columns: np.ndarray, types: np.ndarray, groups: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        of_types, of_groups = self._keys(columns, types, groups)
        order = np.argsort(of_groups)
        ordered = of_groups[order]
        place = np.minimum(np.searchsorted(ordered, of_types), len(ordered) - 1)
        hit = ordered[place] == of_types
        return types[hit], groups[order[place[hit]]]

    def _keys(
        self, columns: np.ndarray, types: np.ndarray, groups: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """One number for the values that each type and group has in some columns: equal just where the values are."""
        keys = np.zeros(len(types) + len(groups), dtype=np.int64)
        distinct = 1
        of_types, of_groups = self._by_column
        for column in columns.tolist():
            size = int(self._sizes[column])
            if distinct > _LARGEST_KEY // size:
                kept, keys = np.unique(keys, return_inverse=True)
                distinct = len(kept)
            keys *= size
            keys[: len(types)] += of_types[column][types]
            keys[len(types) :] += of_groups[column][groups]
            distinct *= size
        return keys[: len(types)], keys[len(types) :]

    @cached_property
    def _first_cell(self) -> np.ndarray:
        """int64 [m]: cells, that is values in columns, are numbered column by column, from here on."""
        first: np.ndarray = np.cumsum(self._sizes) - self._sizes
        return first

    @cached_property
    def _lists(self) -> tuple[np.ndarray, np.ndarray]:
        """The types that have each cell, one list behind the other, and int64 [cells + 1]: where each list starts."""
        order = [np.argsort(column, kind="stable").astype(np.int32) for column in self._by_column[0]]
        counts = [np.bincount(c, minlength=s) for c, s in zip(self._by_column[0], self._sizes, strict=True)]
        return np.concatenate(order), np.concatenate([[0], np.cumsum(np.concatenate(counts))])

    @cached_property
    def _maps(self) -> tuple[np.ndarray, np.ndarray]:
        """Bit maps of the types that have a common cell, and int64 [cells]: the number of each cell's map."""
        lists, starts = self._lists
        common = np.flatnonzero(np.diff(starts) * _COMMON >= len(self.types))
        maps = np.empty((len(common), (len(self.types) + 7) // 8), dtype=np.uint8)
        for number, cell in enumerate(common.tolist()):
            has = np.zeros(len(self.types), dtype=bool)
            has[lists[starts[cell] : starts[cell + 1]]] = True
            maps[number] = np.packbits(has)
        numbers = np.full(len(starts) - 1, -1)
        numbers[common] = np.arange(len(common))
        return maps, numbers

    def _fitting(self, columns: np.ndarray, group: int, live: np.ndarray) -> np.ndarray:
        """The live types that have all visible values of one group."""
        lists, starts = self._lists
        values = self.groups[group, columns]
        cells = self._first_cell[columns] + values
        sizes = starts[cells + 1] - starts[cells]
        rarest = cells[np.argmin(sizes)]
        if sizes.min() * _COMMON < len(self.types):
            listed = lists[starts[rarest] : starts[rarest + 1]]
            listed = listed[live[listed]]
            types: np.ndarray = listed[(self.types[listed[:, None], columns] == values).all(axis=1)]
            return types
        maps, numbers = self._maps
        bits = np.bitwise_and.reduce(maps[numbers[cells]]) & np.packbits(live)
        some = np.flatnonzero(bits)
        at = np.flatnonzero(np.unpackbits(bits[some]))
        mapped: np.ndarray = some[at >> 3] * 8 + (at & 7)
        return mapped
