"""A plan as small DuckDB tables, which a recoding query joins."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from diva.relation.types import distinct_rows

if TYPE_CHECKING:
    import duckdb

    from diva.relation.engine import Fragments, Layout
    from diva.relation.types import Types

HOMES, WHOLE, SPLIT, FRAGMENTS = "diva_homes", "diva_whole", "diva_split", "diva_fragments"
GROUPS = "diva_groups"


@dataclass(frozen=True)
class PlanTables:
    """The fragments of a plan that have records, by type, and the tables that are made of them."""

    connection: duckdb.DuckDBPyConnection
    types: Types
    plan: Fragments
    layout: Layout
    text_columns: frozenset[str]
    """The columns of the table that are text."""

    @cached_property
    def kept(self) -> np.ndarray:
        """The fragments that have records, by type."""
        some = np.flatnonzero(self.plan.count > 0)
        return some[np.argsort(self.plan.type[some], kind="stable")]

    @cached_property
    def whole(self) -> np.ndarray:
        """Which of these are all of their type."""
        whole: np.ndarray = self.plan.count[self.kept] == self.types.counts[self.plan.type[self.kept]]
        return whole

    @cached_property
    def home(self) -> np.ndarray:
        """Which of these are the largest of their type, the first of equals."""
        type_, count = self.plan.type[self.kept], self.plan.count[self.kept]
        order = np.lexsort((np.arange(len(count)), -count, type_))
        home = np.zeros(len(count), dtype=bool)
        home[order[np.unique(type_[order], return_index=True)[1]]] = True
        return home

    @property
    def leaving(self) -> int:
        """How many records are not in the home of their type."""
        return int(self.plan.count[self.kept][~self.home].sum())

    def starred(self, i: int) -> bool:
        """Whether a QI column has stars."""
        return bool((self.plan.levels[self.kept, i] > 0).any())

    def published_as_text(self, i: int) -> bool:
        """Whether a QI column is text in the release: it was text, or has stars."""
        was_text = self.types.attributes[i] in self.text_columns
        return was_text or (self.layout.star is not None and self.starred(i))

    def hand_over(self, *, coded: bool) -> None:
        """Create the tables of whole types, of split types and of the fragments of split types."""
        type_, whole = self.plan.type[self.kept], self.whole
        flags = self._flags()
        if coded:
            flags |= self._cells(type_)
        self._create(WHOLE, self._keys(type_[whole]) | {n: f[whole] for n, f in flags.items()})
        if not whole.all():
            self._split(flags, ~whole)

    def hand_over_groups(self) -> None:
        """Create a table of the groups, with what they publish and for how many records."""
        group = self._flags()["g"]
        first = np.unique(group, return_index=True)[1]
        counts = np.zeros(len(first), dtype=np.int64)
        np.add.at(counts, group, self.plan.count[self.kept])
        cells = self._cells(self.plan.type[self.kept])
        self._create(GROUPS, {n: c[first] for n, c in cells.items()} | {"g": group[first], "n": counts})

    def hand_over_homes(self) -> None:
        """Create a table of all types with their homes, and tables of what leaves them."""
        type_, home = self.plan.type[self.kept], self.home
        flags = self._flags()
        self._create(HOMES, self._keys(type_[home]) | {n: f[home] for n, f in flags.items()})
        if not home.all():
            self._split(flags, ~home)

    def _split(self, flags: dict[str, np.ndarray], listed: np.ndarray) -> None:
        """Create the tables of the types that are split, and of those of their fragments that are listed."""
        type_, count = self.plan.type[self.kept], self.plan.count[self.kept]
        first = np.unique(type_, return_index=True)[1]
        total = np.cumsum(count)
        before = np.repeat(total[first] - count[first], np.diff(np.append(first, len(count))))
        upto = total - before
        split = np.unique(type_[~self.whole])
        self._create(SPLIT, self._keys(split) | {"type": split})
        pieces = {"type": type_, "after": upto - count, "upto": upto} | flags
        self._create(FRAGMENTS, {n: f[listed] for n, f in pieces.items()})

    def _flags(self) -> dict[str, np.ndarray]:
        """For each fragment which QI cells are suppressed, and the number of its group."""
        type_, levels = self.plan.type[self.kept], self.plan.levels[self.kept]
        group = distinct_rows(np.where(levels > 0, -1, self.types.codes[type_]))[1]
        return {f"s{i}": levels[:, i] > 0 for i in range(levels.shape[1])} | {"g": group}

    def _keys(self, type_: np.ndarray) -> dict[str, np.ndarray]:
        """What a record of these types looks like: QI values as text, then conditions."""
        texts = {
            f"k{i}": np.array(values, dtype=object)[self.types.codes[type_, i]]
            for i, values in enumerate(self.types.values)
        }
        return texts | {f"b{i}": self.types.met[type_, i] for i in range(len(self.types.conditions))}

    def _cells(self, type_: np.ndarray) -> dict[str, np.ndarray]:
        """What fragments publish, as text that becomes an ENUM: sorting moves small numbers instead of texts."""
        levels = self.plan.levels[self.kept]
        cells = {}
        for i, values in enumerate(self.types.values):
            if self.published_as_text(i):
                texts = np.array((*values, self.layout.star), dtype=object)
                cells[f"e{i}"] = texts[np.where(levels[:, i] > 0, len(values), self.types.codes[type_, i])]
        self._create_enum(
            [text for i, values in enumerate(self.types.values) if f"e{i}" in cells for text in values]
        )
        return cells

    def _create_enum(self, texts: list[str | None]) -> None:
        """All texts that can be published in QI columns, as one type; tables that used an earlier one are gone."""
        for table in (WHOLE, FRAGMENTS):
            self.connection.execute(f"DROP TABLE IF EXISTS {table}")
        self.connection.execute("DROP TYPE IF EXISTS diva_cell")
        distinct = dict.fromkeys((*texts, self.layout.star))
        members = [text for text in distinct if text is not None] or [""]
        query = "SELECT unnest($1::VARCHAR[])"
        self.connection.execute("CREATE OR REPLACE TEMP TABLE diva_cells AS " + query, [members])
        self.connection.execute("CREATE TYPE diva_cell AS ENUM (SELECT * FROM diva_cells)")

    def _create(self, name: str, arrays: dict[str, np.ndarray]) -> None:
        kinds = {"k": "VARCHAR", "e": "diva_cell"}
        casts = ", ".join(f"CAST({c} AS {kinds[c[0]]}) AS {c}" if c[0] in kinds else c for c in arrays)
        self.connection.register("diva_plan", {c: np.ascontiguousarray(a) for c, a in arrays.items()})
        try:
            self.connection.execute(f"CREATE OR REPLACE TEMP TABLE {name} AS SELECT {casts} FROM diva_plan")
        finally:
            self.connection.unregister("diva_plan")
