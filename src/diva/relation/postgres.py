"""PostgreSQL: the walk where the data lives. What comes out are distinct types, what goes in is a plan.

A run asks about the same columns again and again: how many of each type, of each signature, in each group. So the first
question groups the table by all columns that are published (`focused`) into a temporary table of distinct records with
their counts, and everything after that is asked of it: one scan of the table, however many questions.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import psycopg

from diva.errors import BadInput
from diva.relation import files, postgres_compare, sql_postgres
from diva.relation.engine import Column, Differences, Fragments, Kind, Layout, Library, Members, Table
from diva.relation.postgres_recode import PostgresRecoding
from diva.relation.postgres_session import Session, open_session
from diva.relation.sql_postgres import PostgresSql
from diva.relation.types import Types, sorted_types

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from diva.constraints.model import Target
    from diva.relation.places import InDatabase

SQL = PostgresSql()
_KINDS: dict[int, Kind] = {
    25: "text", 1043: "text", 16: "boolean", 20: "integer", 21: "integer", 23: "integer", 1700: "decimal",
    700: "float", 701: "float", 1082: "date", 1114: "timestamp", 1184: "instant",
}  # fmt: skip
"""By the oid of a type. Everything else is text as PostgreSQL writes it."""


_SAMPLE = 20_000
_NEARLY_ALL = 0.9
"""Where more of a sample's records are distinct, counting them together would cost more than it saves."""


@dataclass(frozen=True, slots=True)
class Declared:
    """How a column was declared."""

    type: str
    """As in CREATE TABLE."""
    collation: str | None
    """Quoted, with its schema; None where the type has none."""


@dataclass(frozen=True, slots=True)
class Scan:
    """Rows whose columns c0, c1 … are texts, n records each."""

    query: str
    names: tuple[str, ...]
    kept: bool
    """Whether the rows were kept from an earlier scan, counted together where that makes them fewer."""

    @property
    def texts(self) -> dict[str, str]:
        """The expressions of the columns over this scan called r."""
        return {name: f"r.c{i}" for i, name in enumerate(self.names)}


@dataclass(frozen=True)
class PostgresTable:
    """A table, a view or the answer of a query, within a session."""

    session: Session
    source: str
    """What stands after FROM."""
    columns: tuple[Column, ...]
    declared: dict[str, Declared] = field(repr=False)
    origin: str
    focus: tuple[str, ...] = ()
    """The columns that will be asked about."""
    _grouped: list[str] = field(default_factory=list, repr=False)
    """The table of distinct records, once there is one."""

    @property
    def names(self) -> tuple[str, ...]:
        """The column names."""
        return tuple(column.name for column in self.columns)

    @property
    def paths(self) -> tuple[Path, ...]:
        """No files."""
        return ()

    @property
    def folders(self) -> bool:
        """It writes no files at all."""
        return False

    def refuse(self, order: str) -> None:
        """Refuse an order of rows; a job has done so before it connects."""
        if order == "keep":
            raise BadInput("a table of a database has no order to keep; leave out --order keep")

    def identity(self) -> list[dict[str, Any]]:
        """Say for a manifest what was read."""
        return [
            {"table": self.origin.removeprefix("table "), "database": self.session.connection.info.dbname}
        ]

    def focused(self, columns: Sequence[str]) -> PostgresTable:
        """The same table, which from now on is asked about these columns only."""
        return replace(self, focus=tuple(name for name in self.names if name in columns), _grouped=[])

    def machines(self) -> None:
        """None: a server calls no functions of ours."""

    def close(self) -> None:
        """End the session; what isn't committed is rolled back."""
        self.session.end()

    def row_count(self) -> int:
        """|R|."""
        return int(self._rows(SQL.row_count(self.source))[0][0])

    def types(self, quasi: Sequence[str], conditions: Sequence[Target] = ()) -> Types:
        """Count the types, split by which conditions their records meet: at most one scan of the table."""
        scan = self.scan(quasi, conditions)
        texts = scan.texts
        query = SQL.types(scan.query, [texts[c] for c in quasi], [SQL.carries(c, texts) for c in conditions])
        values: list[list[str | None]] = [[] for _ in quasi]
        types: list[tuple[Any, ...]] = []
        words: list[tuple[Any, ...]] = []
        for row in self._rows(query):
            (types if row[0] < 0 else words).append(row)
        for kind, text, _, *_ in sorted(words, key=lambda row: row[2]):  # row[2] is the code
            values[kind].append(text)
        answer = np.array([row[2:] for row in types], dtype=np.int64).reshape(
            -1, 1 + len(quasi) + len(conditions)
        )
        return sorted_types(
            quasi,
            values,
            answer[:, 1 : 1 + len(quasi)],
            conditions,
            answer[:, 1 + len(quasi) :].astype(bool),
            answer[:, 0],
        )

    def signatures(self, targets: Sequence[Target]) -> list[tuple[int, int]]:
        """Count records by the set of targets they carry: at most one scan of the table."""
        scan = self.scan((), targets)
        rows = self._rows(SQL.signatures(scan.query, [SQL.carries(t, scan.texts) for t in targets]))
        found = [(sum(mask << (60 * i) for i, mask in enumerate(row[:-1])), int(row[-1])) for row in rows]
        return sorted((mask, count) for mask, count in found if count)

    def counts(self, targets: Sequence[Target]) -> list[int]:
        """Count the records that carry each target: at most one scan for all."""
        if not targets:
            return []
        scan = self.scan((), targets)
        row = self._rows(SQL.count_targets(scan.query, [SQL.carries(t, scan.texts) for t in targets]))[0]
        return [int(count) for count in row]

    def count_query(self, target: Target) -> str:
        """The query that counts the records carrying a target, for people to run."""
        texts = {
            c.name: SQL.as_text(SQL.name(c.name), c.kind) for c in self.columns if c.name in target.attributes
        }
        return SQL.count_target(self.source, target, texts)

    def frequencies(self, attributes: Sequence[str]) -> list[tuple[tuple[str, ...], int]]:
        """How often each combination of values of some columns occurs, NULLs left out."""
        scan = self.scan(attributes)
        rows = self._rows(SQL.frequencies(scan.query, [scan.texts[a] for a in attributes]))
        return sorted((tuple(row[:-1]), int(row[-1])) for row in rows)

    def recode(self, types: Types, plan: Fragments, layout: Layout) -> PostgresRecoding:
        """Prepare the release that a plan describes."""
        if layout.order == "keep":
            raise BadInput("a table in PostgreSQL has no order to keep; leave out --order keep")
        return PostgresRecoding(self, types, plan, layout)

    def row_differences(
        self,
        original: Table,  # noqa: ARG002 - neither has an order, whatever is compared
        quasi: Sequence[str],  # noqa: ARG002
        untouched: Sequence[str],  # noqa: ARG002
        star: str | None,  # noqa: ARG002
    ) -> Differences:
        """Rows of tables in PostgreSQL have no places."""
        raise BadInput(
            f"{self.origin} has no order, so it can't be compared with its original row by row; leave out --order keep"
        )

    def members(self, original: Table, types: Types, of_original: Types, untouched: Sequence[str]) -> Members:
        """Count the records of this published table and its original by component and type."""
        if not isinstance(original, PostgresTable) or original.session is not self.session:
            raise BadInput(
                f"{self.origin} and {original.origin} live in different engines; compare them in one"
            )
        return postgres_compare.members(self, original, types, of_original, untouched)

    def export(self, library: Library) -> Any:
        """Rows stay in the database."""
        raise BadInput(f"the rows of {self.origin} stay in the database; read them there, not into {library}")

    def write(self, path: Path, *, like: Path) -> Table:  # noqa: ARG002 - nothing is written
        """Rows stay in the database."""
        raise BadInput(
            f"the rows of {self.origin} stay in the database; name a table there with --into, not the file {str(like)!r}"
        )

    def scan(self, quasi: Sequence[str], targets: Sequence[Target] = ()) -> Scan:
        """A scan that has at least the columns that QI and targets name."""
        wanted = {*quasi, *(a for t in targets for a in t.attributes)}
        if self.focus and wanted <= {*self.focus}:
            return Scan(f"SELECT * FROM {self._records()}", self.focus, kept=True)
        return self._direct(tuple(name for name in self.names if name in wanted))

    def _direct(self, names: tuple[str, ...]) -> Scan:
        kinds = {c.name: c.kind for c in self.columns}
        return Scan(SQL.text_scan(self.source, [(name, kinds[name]) for name in names]), names, kept=False)

    def _records(self) -> str:
        if not self._grouped:
            name = self.session.fresh_name("records")
            query = self._direct(self.focus).query
            seen, distinct = self._rows(SQL.sampled(query, len(self.focus), _SAMPLE))[0]
            if distinct <= _NEARLY_ALL * seen:
                query = SQL.distinct_records(query, len(self.focus))
            self.session.run(SQL.temporary(name, query), self.origin)
            self.session.run(SQL.analyze(name), self.origin)
            self._grouped.append(name)
        return self._grouped[0]

    def _rows(self, query: str) -> list[tuple[Any, ...]]:
        return self.session.rows(query, self.origin)


def open_postgres(place: InDatabase, near: Session | None = None) -> PostgresTable:
    """Open a table by its name, or the answer of a query, which is asked once; in a session that is there, if it fits."""
    session = near if near is not None and near.source == place.database else open_session(place.database)
    if place.table is not None:
        return named(session, place.table)
    name = session.fresh_name("query")
    session.run(SQL.temporary(name, str(place.query).strip().rstrip(";").rstrip()), "the query")
    session.run(SQL.analyze(name), "the query")
    return replace(named(session, name), origin="the query")


def named(session: Session, name: str) -> PostgresTable:
    """Open a table of a session by its name, written as in SQL."""
    what = f"table {name!r}"
    parts = identifier(session, name)
    found = session.rows(sql_postgres.RELATION, what, [".".join(map(SQL.name, parts))])
    if not found:
        hint = " (without double quotes, names are read in lower case)" if name != name.lower() else ""
        raise BadInput(f"there is no {what} in {session.name}{hint}; name one that is there, with its schema")
    oid, schema, relation, kind, *_ = found[0]
    if kind not in "rvmfp":
        raise BadInput(f"{name!r} in {session.name} is no table or view; name one")
    described = session.rows(sql_postgres.COLUMNS, what, [oid])
    if not described:
        raise BadInput(
            f"no permission for {what} in {session.name}; DIVA needs SELECT on the columns it works with"
        )
    files.check_distinct(what, tuple(row[0] for row in described))
    return PostgresTable(
        session=session,
        source=SQL.qualified(schema, relation),
        columns=tuple(Column(row[0], row[1], _KINDS.get(row[2], "other")) for row in described),
        declared={row[0]: Declared(row[1], row[3]) for row in described},
        origin=f"table {schema}.{relation}",
    )


def identifier(session: Session, name: str) -> tuple[str, ...]:
    """Read a table's name as SQL does: at most a schema and a name."""
    try:
        parts = tuple(session.rows(sql_postgres.IDENTIFIER, f"table {name!r}", [name])[0][0])
    except BadInput as error:
        if not isinstance(error.__cause__, psycopg.DataError):
            raise
        parts = ()
    if not 1 <= len(parts) <= 2:
        raise BadInput(
            f"table {name!r} is not a name that SQL can read; write NAME or SCHEMA.NAME, odd ones in double quotes"
        )
    return parts
