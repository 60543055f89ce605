"""A release as one DuckDB query over the original and a small plan.

A release in the order of the table is streamed: every record is joined with its type, and the few that leave the home of
their type are found by their position. A shuffled one, and one that stays in memory, is sorted: as finished lines where it
becomes delimited text. Where it holds nothing besides texts of QI columns, the groups are all of it, and are written out as
often as they have records.
"""

from __future__ import annotations

import itertools
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from diva.errors import BadInput
from diva.relation import duck_plan, files
from diva.relation.duck_plan import PlanTables
from diva.relation.faults import told
from diva.relation.names import shown
from diva.relation.settings import size
from diva.relation.sql import RecodeParts, Sql

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    import duckdb

    from diva.relation.duck import DuckTable
    from diva.relation.engine import Column, Fragments, Layout
    from diva.relation.types import Types

SQL = Sql()
EXCEPTIONS = "diva_exceptions"
QUOTE = '"'
_ORDERED = "diva_groups_in_order"
_serial = itertools.count()
_TYPE_BYTES, _EXCEPTION_BYTES = 400, 64
"""What a type, and a record that leaves the home of its type, take in the hash table of a join, generously."""


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
    """Whether QI cells come from the plan as an ENUM: sorting moves small numbers instead of texts."""

    def write(self, path: Path, *, like: Path) -> DuckTable:
        """Write the release to `path`, in the format that the name of `like` tells, and open it."""
        form = files.format_of(like)
        if form.parquet:
            require_storable([c for c in self.table.columns if self._keeps_type(c.name)], like)
        with self._told(repr(str(like))):
            if self.layout.order == "keep" and self._fits():
                self._stream(path, form)
            elif self._in_groups:
                self._multiply(path, form)
            elif self.layout.order == "shuffle" and not form.parquet and len(self.layout.published) > 1:
                replace(self, coded=True).sort_lines(path, form)
            else:
                replace(self, coded=True).sort("COPY (", f") TO {SQL.text(str(path))} ({copy_options(form)})")
        return self.table.reopened(path, like=like)

    def materialise(self) -> DuckTable:
        """Produce the release as a temporary table."""
        name = f"diva_release_{next(_serial)}"  # its own: a connection may hold several releases
        with self._told(self.table.origin):
            self.sort(f"CREATE TEMP TABLE {name} AS ")
        return self.open(self.table.connection, name, "the release")

    def _told(self, origin: str) -> AbstractContextManager[None]:
        return told(origin, delimited=self.table.delimited, reading=self.table.origin)

    def sort(self, before: str, after: str = "") -> None:
        """Run a statement over the release in its order; the query stands between the two parts."""
        self._tables.hand_over(coded=self.coded)
        kept = str(self.layout.order == "keep").lower()
        with self._set(f"SET preserve_insertion_order = {kept}", "RESET preserve_insertion_order"):
            self.table.connection.execute(f"{before}{self._sorted}{after}")

    def _fits(self) -> bool:
        """Whether what is joined fits into a quarter of the memory: a join that spills would lose the order."""
        limit = self.table.connection.execute("SELECT current_setting('memory_limit')").fetchall()[0][0]
        needed = len(self.types) * _TYPE_BYTES + self._tables.leaving * _EXCEPTION_BYTES
        return needed < size(limit, "memory limit") // 4

    def _stream(self, path: Path, form: files.Format) -> None:
        """Copy records as they come. The table is the left side of every join, which keeps its order."""
        self._tables.hand_over_homes()
        with self._set(
            "SET disabled_optimizers = 'join_order,build_side_probe_side'", "RESET disabled_optimizers"
        ):
            if self._tables.leaving:
                parts, flags = self._parts(keep=True), [f"s{i}" for i in range(len(self.types.attributes))]
                query = f"CREATE OR REPLACE TEMP TABLE {EXCEPTIONS} AS {SQL.exceptions(parts, flags)}"
                self.table.connection.execute(query)
            options = f"{copy_options(form)}, PRESERVE_ORDER true"
            self.table.connection.execute(f"COPY ({self._in_order}) TO {SQL.text(str(path))} ({options})")

    @property
    def _in_groups(self) -> bool:
        """Whether the plan alone says what is published, in an order that doesn't depend on the table."""
        quasi = self.types.attributes
        shuffled = self.layout.order == "shuffle" and bool(self.layout.published)
        return shuffled and all(
            name in quasi and self._tables.published_as_text(quasi.index(name))
            for name in self.layout.published
        )

    def sort_lines(self, path: Path, form: files.Format) -> None:
        """Copy a shuffled release as lines: sorting moves one text for each record, not each of its cells."""
        published, delimiter = self.layout.published, form.delimiters[0]
        self._tables.hand_over(coded=self.coded)
        cells = [f"p{i}" for i in range(len(published))]
        lines = SQL.lines(self._unsorted, cells, delimiter, (self._hash, "g"))
        header = SQL.name(delimiter.join(quoted(name, delimiter) for name in published))
        options = f"FORMAT csv, HEADER, DELIMITER '\x01', QUOTE '', ESCAPE '', NULLSTR '', COMPRESSION {form.compression or 'none'}"
        with self._set("SET preserve_insertion_order = false", "RESET preserve_insertion_order"):
            self.table.connection.execute(
                f"COPY (SELECT l0 AS {header} FROM ({lines}) t) TO {SQL.text(str(path))} ({options})"
            )

    def _multiply(self, path: Path, form: files.Format) -> None:
        """Copy the groups, sorted as a shuffled release is, as often as they have records."""
        self._tables.hand_over_groups()
        quasi, connection = self.types.attributes, self.table.connection
        order = SQL.in_order(duck_plan.GROUPS, self._shuffled())
        connection.execute(f"CREATE OR REPLACE TEMP TABLE {_ORDERED} AS {order}")
        cells = {name: f"CAST(e{quasi.index(name)} AS VARCHAR)" for name in self.layout.published}
        query = SQL.repeated(_ORDERED, cells)
        connection.execute(f"COPY ({query}) TO {SQL.text(str(path))} ({copy_options(form)})")

    @contextmanager
    def _set(self, before: str, after: str) -> Iterator[None]:
        self.table.connection.execute(before)
        try:
            yield
        finally:
            self.table.connection.execute(after)

    @cached_property
    def _tables(self) -> PlanTables:
        text = frozenset(c.name for c in self.table.columns if c.text)
        return PlanTables(self.table.connection, self.types, self.plan, self.layout, text)

    @property
    def _in_order(self) -> str:
        """The query of a release that is streamed."""
        leave = bool(self._tables.leaving)
        parts = self._parts(keep=leave)  # where nothing leaves its home no position is needed
        cells = tuple(
            self._cell(name, "COALESCE(x.s{0}, w.s{0})" if leave else "w.s{0}") + f" AS {SQL.name(name)}"
            for name in self.layout.published
        )
        parts = replace(parts, cells=cells, whole=duck_plan.HOMES)
        return SQL.recode_in_order(parts, EXCEPTIONS if leave else None)

    @property
    def _sorted(self) -> str:
        """The query of a release that is sorted."""
        renamed = ", ".join(
            f"{self._decoded(name, f'p{i}')} AS {SQL.name(name)}"
            for i, name in enumerate(self.layout.published)
        )
        order = "pos" if self.layout.order == "keep" else self._shuffled()
        return f"SELECT {renamed} FROM ({self._unsorted}) q ORDER BY {order}"

    @property
    def _unsorted(self) -> str:
        """The records as published, cells p0 … and what they are sorted by, before they are."""
        keep = self.layout.order == "keep"
        published, tables = self.layout.published, self._tables
        cells = (self._cell(name, "w.s{0}") + f" AS p{i}" for i, name in enumerate(published))
        parts = replace(
            self._parts(keep=keep),
            cells=(*cells, "pos" if keep else "w.g"),
            whole=duck_plan.WHOLE if tables.whole.any() else None,
        )
        if tables.whole.all():
            parts = replace(parts, split=None, fragments=None)
        return SQL.recode(parts)

    def _decoded(self, name: str, cell: str) -> str:
        """A cell behind the sort; Parquet would show an ENUM."""
        quasi = self.types.attributes
        coded = self.coded and name in quasi and self._tables.published_as_text(quasi.index(name))
        return f"CAST({cell} AS VARCHAR)" if coded else cell

    @cached_property
    def _names(self) -> tuple[str, ...]:
        """The columns that are read, in the order of the table."""
        table = self.table
        needed = {*self.layout.published, *table.used(self.types.attributes, self.types.conditions)}
        return tuple(name for name in table.names if name in needed)

    def _parts(self, *, keep: bool) -> RecodeParts:
        """What both queries are made of."""
        table, quasi = self.table, self.types.attributes
        texts = table.texts(self._names)
        scan = SQL.scan(table.source, self._names)
        matches = [f"{texts[c]} IS NOT DISTINCT FROM w.k{i}" for i, c in enumerate(quasi)]
        matches += [f"{SQL.carries(c, texts)} = w.b{i}" for i, c in enumerate(self.types.conditions)]
        # Without QI columns: they are equal within a type, and a suppressed one must not decide anything visible.
        visible = [texts[c] for c in self.layout.published if c not in quasi]
        return RecodeParts(
            scan=SQL.scan(table.source, self._names, position=table.position) if keep else scan,
            cells=(),
            on=" AND ".join(matches),
            turn=SQL.turn(self.layout.seed, visible) + (", pos" if keep else ""),
            whole=None,
            split=duck_plan.SPLIT,
            fragments=duck_plan.FRAGMENTS,
        )

    def _shuffled(self) -> str:
        """By a hash of the published row alone: not even the seed can bring the order of the table back."""
        return f"{self._hash}, g"

    @property
    def _hash(self) -> str:
        quasi = set(self.types.attributes)
        others = "".join(f", p{i}" for i, name in enumerate(self.layout.published) if name not in quasi)
        return f"hash({self.layout.seed}, g{others})"

    def _cell(self, name: str, starred: str) -> str:
        """A published cell; `starred` tells, with the number of a QI column, whether it is suppressed."""
        column = f"r.c{self._names.index(name)}"
        if name not in self.types.attributes:
            return column
        i = self.types.attributes.index(name)
        if self.coded and self._tables.published_as_text(i):
            return f"w.e{i}"
        if not self._tables.starred(i):
            return column
        if self.layout.star is None:
            return f"CASE WHEN {starred.format(i)} THEN NULL ELSE {column} END"
        text = self.table.texts(self._names)[name]
        return f"CASE WHEN {starred.format(i)} THEN {SQL.text(self.layout.star)} ELSE {text} END"

    def _keeps_type(self, name: str) -> bool:
        """Whether a column is published with the type it has in the table."""
        quasi = self.types.attributes
        return name in self.layout.published and not (
            name in quasi and self._tables.published_as_text(quasi.index(name))
        )


def require_storable(columns: Sequence[Column], like: Path) -> None:
    """Refuse what DuckDB writes to Parquet as something else: fractions of a second get lost, unions become structures."""
    for column in columns:
        if any(kind in column.type for kind in ("INTERVAL", "UNION")):
            raise BadInput(
                f"column {shown(column.name)} is of type {shown(column.type)}, which Parquet can't hold as it is, so {str(like)!r}"
                " can't be written; write CSV, or cast the column to text"
            )


def quoted(name: str, delimiter: str) -> str:
    """A name as the first line of delimited text has it; names have no ends of lines."""
    odd = any(mark in name for mark in (QUOTE, "#", delimiter))
    return f"{QUOTE}{name.replace(QUOTE, 2 * QUOTE)}{QUOTE}" if odd else name


def copy_options(form: files.Format) -> str:
    """How DuckDB writes a format so that every value comes back byte for byte, and NULL apart from empty text."""
    if form.parquet:
        return "FORMAT parquet, COMPRESSION zstd"
    delimiter = SQL.text(form.delimiters[0])
    return f"FORMAT csv, HEADER, DELIMITER {delimiter}, QUOTE '\"', ESCAPE '\"', NULLSTR '', COMPRESSION {form.compression or 'none'}"
