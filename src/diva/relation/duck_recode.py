"""A release as one DuckDB query over the original and a small plan."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from diva.relation import files
from diva.relation.faults import told
from diva.relation.sql import RecodeParts, Sql
from diva.relation.types import distinct_rows

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import duckdb

    from diva.relation.duck import DuckTable
    from diva.relation.engine import Fragments, Layout
    from diva.relation.types import Types

SQL = Sql("duckdb")
_serial = itertools.count()


@dataclass(frozen=True)
class DuckRecoding:
    """The release that a plan describes, not yet produced."""

    table: DuckTable
    types: Types
    plan: Fragments
    layout: Layout
    open: Callable[[duckdb.DuckDBPyConnection, str, str], DuckTable]
    """Makes a table of what can stand after FROM."""
    coded: bool = False
    """Whether QI cells come from the plan as an ENUM, which delimited text doesn't show and Parquet would."""

    def write(self, path: Path, *, like: Path) -> DuckTable:
        """Write the release to `path`, in the format that the name of `like` tells, and open it."""
        form = files.format_of(like)
        ready = self if form.parquet else replace(self, coded=True)
        ready.copy(f"TO {SQL.text(str(path))} ({copy_options(form)})", repr(str(like)))
        return self.table.reopened(path, like=like)

    def copy(self, destination: str, origin: str) -> None:
        """Run the query into a destination of DuckDB's COPY."""
        self._run(f"COPY ({self._query}) {destination}", origin)

    def materialise(self) -> DuckTable:
        """Produce the release as a temporary table."""
        name = f"diva_release_{next(_serial)}"  # its own: a connection may hold several releases
        self._run(f"CREATE TEMP TABLE {name} AS {self._query}", self.table.origin)
        return self.open(self.table.connection, name, "the release")

    def _run(self, statement: str, origin: str) -> None:
        with told(origin, delimited=self.table.delimited):
            self._hand_over_plan()
            kept = str(self.layout.order == "keep").lower()
            self.table.connection.execute(f"SET preserve_insertion_order = {kept}")
            try:
                self.table.connection.execute(statement)
            finally:
                self.table.connection.execute("SET preserve_insertion_order = true")

    @cached_property
    def _kept(self) -> np.ndarray:
        """The fragments that have records, by type."""
        some = np.flatnonzero(self.plan.count > 0)
        return some[np.argsort(self.plan.type[some], kind="stable")]

    @cached_property
    def _whole(self) -> np.ndarray:
        whole: np.ndarray = self.plan.count[self._kept] == self.types.counts[self.plan.type[self._kept]]
        return whole

    def _hand_over_plan(self) -> None:
        """Create the tables that the query joins: whole types, split types, fragments of split types."""
        type_, count, whole = self.plan.type[self._kept], self.plan.count[self._kept], self._whole
        levels = self.plan.levels[self._kept]
        group = distinct_rows(np.where(levels > 0, -1, self.types.codes[type_]))[1]
        flags = {f"s{i}": levels[:, i] > 0 for i in range(levels.shape[1])} | {"g": group}
        if self.coded:
            flags |= self._cells(type_, levels)
        self._create("diva_whole", self._keys(type_[whole]) | {n: f[whole] for n, f in flags.items()})
        if whole.all():
            return
        split, first = np.unique(type_[~whole], return_index=True)
        upto = np.cumsum(count[~whole])
        upto -= np.repeat(upto[first] - count[~whole][first], np.diff(np.append(first, len(upto))))
        self._create("diva_split", self._keys(split) | {"type": split})
        pieces = {"type": type_[~whole], "after": upto - count[~whole], "upto": upto}
        self._create("diva_fragments", pieces | {n: f[~whole] for n, f in flags.items()})

    def _keys(self, type_: np.ndarray) -> dict[str, np.ndarray]:
        """What a record of these types looks like: QI values as text, then conditions."""
        texts = {
            f"k{i}": np.array(values, dtype=object)[self.types.codes[type_, i]]
            for i, values in enumerate(self.types.values)
        }
        return texts | {f"b{i}": self.types.met[type_, i] for i in range(len(self.types.conditions))}

    def _cells(self, type_: np.ndarray, levels: np.ndarray) -> dict[str, np.ndarray]:
        """What fragments publish, as text that becomes an ENUM: sorting moves small numbers instead of texts."""
        cells = {}
        for i, values in enumerate(self.types.values):
            if self._published_as_text(i):
                texts = np.array((*values, self.layout.star), dtype=object)
                cells[f"e{i}"] = texts[np.where(levels[:, i] > 0, len(values), self.types.codes[type_, i])]
        self._create_enum(
            [text for i, values in enumerate(self.types.values) if f"e{i}" in cells for text in values]
        )
        return cells

    def _create_enum(self, texts: list[str | None]) -> None:
        """All texts that can be published in QI columns, as one type; tables that used an earlier one are gone."""
        for table in ("diva_whole", "diva_fragments"):
            self.table.connection.execute(f"DROP TABLE IF EXISTS {table}")
        self.table.connection.execute("DROP TYPE IF EXISTS diva_cell")
        distinct = dict.fromkeys((*texts, self.layout.star))
        members = [text for text in distinct if text is not None] or [""]
        query = "SELECT unnest($1::VARCHAR[])"
        self.table.connection.execute("CREATE OR REPLACE TEMP TABLE diva_cells AS " + query, [members])
        self.table.connection.execute("CREATE TYPE diva_cell AS ENUM (SELECT * FROM diva_cells)")

    def _create(self, name: str, arrays: dict[str, np.ndarray]) -> None:
        connection = self.table.connection
        kinds = {"k": "VARCHAR", "e": "diva_cell"}
        casts = ", ".join(f"CAST({c} AS {kinds[c[0]]}) AS {c}" if c[0] in kinds else c for c in arrays)
        connection.register("diva_plan", {c: np.ascontiguousarray(a) for c, a in arrays.items()})
        try:
            connection.execute(f"CREATE OR REPLACE TEMP TABLE {name} AS SELECT {casts} FROM diva_plan")
        finally:
            connection.unregister("diva_plan")

    @cached_property
    def _query(self) -> str:
        table, published = self.table, self.layout.published
        needed = {*published, *table.used(self.types.attributes, self.types.conditions)}
        names = tuple(name for name in table.names if name in needed)
        texts = table.texts(names)
        keep = self.layout.order == "keep"
        scan = SQL.scan(table.source, names)
        matches = [f"{texts[c]} IS NOT DISTINCT FROM w.k{i}" for i, c in enumerate(self.types.attributes)]
        matches += [f"{SQL.carries(c, texts)} = w.b{i}" for i, c in enumerate(self.types.conditions)]
        # Without QI columns: they are equal within a type, and a suppressed one must not decide anything visible.
        visible = [texts[c] for c in published if c not in self.types.attributes]
        split = not self._whole.all()
        parts = RecodeParts(
            scan=f"SELECT *, row_number() OVER () AS pos FROM ({scan}) o" if keep else scan,
            cells=(
                *(self._cell(name, names, texts) + f" AS p{i}" for i, name in enumerate(published)),
                *(("pos",) if keep else ("w.g",)),
            ),
            on=" AND ".join(matches),
            turn=SQL.turn(self.layout.seed, visible) + (", pos" if keep else ""),
            whole="diva_whole" if self._whole.any() else None,
            split="diva_split" if split else None,
            fragments="diva_fragments" if split else None,
        )
        renamed = ", ".join(f"p{i} AS {SQL.name(name)}" for i, name in enumerate(published))
        return f"SELECT {renamed} FROM ({SQL.recode(parts)}) q ORDER BY {'pos' if keep else self._shuffled()}"

    def _shuffled(self) -> str:
        """By a hash of the published row alone: not even the seed can bring the order of the table back."""
        quasi = set(self.types.attributes)
        others = "".join(f", p{i}" for i, name in enumerate(self.layout.published) if name not in quasi)
        return f"hash({self.layout.seed}, g{others}), g"

    def _cell(self, name: str, names: tuple[str, ...], texts: dict[str, str]) -> str:
        column = f"r.c{names.index(name)}"
        if name not in self.types.attributes:
            return column
        i = self.types.attributes.index(name)
        if self.coded and self._published_as_text(i):
            return f"w.e{i}"
        if not self._starred(i):
            return column
        if self.layout.star is None:
            return f"CASE WHEN w.s{i} THEN NULL ELSE {column} END"
        return f"CASE WHEN w.s{i} THEN {SQL.text(self.layout.star)} ELSE {texts[name]} END"

    def _starred(self, i: int) -> bool:
        return bool((self.plan.levels[self._kept, i] > 0).any())

    def _published_as_text(self, i: int) -> bool:
        """Whether a QI column is text in the release: it was text, or has stars."""
        text = {c.name: c.text for c in self.table.columns}
        return text[self.types.attributes[i]] or (self.layout.star is not None and self._starred(i))


def copy_options(form: files.Format) -> str:
    """How DuckDB writes a format so that every value comes back byte for byte, and NULL apart from empty text."""
    if form.parquet:
        return "FORMAT parquet, COMPRESSION zstd"
    delimiter = SQL.text(form.delimiters[0])
    return f"FORMAT csv, HEADER, DELIMITER {delimiter}, QUOTE '\"', ESCAPE '\"', NULLSTR '', COMPRESSION {form.compression or 'none'}"
