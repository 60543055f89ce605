"""A table that a release becomes: refused early, made within the transaction, seen all at once."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from diva.errors import BadInput
from diva.relation import sql_postgres
from diva.relation.engine import Rows, Table
from diva.relation.postgres import SQL, PostgresTable, identifier, named
from diva.relation.postgres_faults import told
from diva.relation.postgres_recode import PostgresRecoding

if TYPE_CHECKING:
    from collections.abc import Mapping

    from diva.relation.postgres_session import Session

_LONGEST = 63
"""Bytes of a name; PostgreSQL would cut off the rest."""


@dataclass(frozen=True)
class PostgresTarget:
    """Where a release goes: a new table, or one in the place of an earlier release."""

    session: Session
    schema: str
    table: str
    replaces: int | None
    """The oid of the release in whose place it goes."""

    @property
    def name(self) -> str:
        """What people call it."""
        return f"{self.schema}.{self.table}"

    @property
    def origin(self) -> str:
        """What to call it in messages."""
        return f"table {self.name}"

    def create(self, rows: Rows) -> Table:
        """Make the table, which nobody else sees yet, under its own name or, if that is taken, another."""
        if not isinstance(rows, PostgresRecoding):
            raise BadInput(f"only what lives in {self.session.name} can become {self.origin} there")
        self.session.run(SQL.create(self._made, rows.query()), self.origin)
        made = named(self.session, self._made)
        return made.focused(made.names)

    def identity(self) -> Mapping[str, Any]:
        """What the manifest says of it."""
        return {"table": self.name, "database": self.session.connection.info.dbname}

    def comment(self, manifest: str) -> None:
        """Give the table its manifest, as its comment."""
        self.session.run(SQL.comment(self._made, manifest), self.origin)

    def settle(self) -> None:
        """Put the table in its place, with the grants of the one that it replaces, and let everybody see it."""
        if self.replaces is not None:
            values = [self._made, self.replaces]
            grants = self.session.rows(sql_postgres.GRANTS, self.origin, values)
            self.session.run(SQL.drop(self._place), self.origin)
            for (grant,) in grants:
                self.session.run(grant, self.origin)
            self.session.run(SQL.rename(self._made, self.table), self.origin)
        try:
            with told(self.origin):
                self.session.commit()
        except BadInput as error:
            if not self.session.connection.broken:
                raise
            raise BadInput(
                f"the connection to the database was lost in the very moment of finishing {self.origin};"
                " look whether it is there: if it is, it is whole and verified"
            ) from error

    @property
    def _place(self) -> str:
        return SQL.qualified(self.schema, self.table)

    @property
    def _made(self) -> str:
        """The table as it is called until it is in its place."""
        if self.replaces is None:
            return self._place
        return SQL.qualified(self.schema, f"diva_{self.session.connection.info.backend_pid}_{self.replaces}")


def target(source: PostgresTable, into: str, *, replace: bool) -> PostgresTarget:
    """Say now, before any work, what would make a release into a table fail."""
    session = source.session
    parts = identifier(session, into)
    schema, table = (None, *parts) if len(parts) == 1 else parts
    if any(len(part.encode()) > _LONGEST for part in parts):
        raise BadInput(f"table {into!r} has a name of over {_LONGEST} bytes; choose a shorter one")
    found = session.rows(sql_postgres.PLACE, f"table {into!r}", [schema])[0]
    _require_place(session, into, schema, found)
    schema = str(found[1])
    replaces = _taken(source, schema, table, replace=replace)
    return PostgresTarget(session, schema, table, replaces)


def _require_place(session: Session, into: str, schema: str | None, found: tuple[Any, ...]) -> None:
    _, known, may_create, may_have_temporary, read_only = found
    if read_only:
        raise BadInput(f"{session.name} is read-only, so no release can be made there; use the primary server")
    if known is None:
        what = f"there is no schema {schema!r}" if schema else "no schema of the search path exists"
        raise BadInput(f"table {into!r} can't be made in {session.name}: {what}; name one that is there")
    if not may_create:
        raise BadInput(f"no permission to make table {into!r}; DIVA needs CREATE on schema {known!r}")
    if not may_have_temporary:
        raise BadInput(f"no permission for temporary tables in {session.name}; DIVA needs TEMPORARY on it")


def _taken(source: PostgresTable, schema: str, table: str, *, replace: bool) -> int | None:
    """The oid of the release that is to be replaced. Nothing else is ever replaced."""
    place = SQL.qualified(schema, table)
    there = source.session.rows(sql_postgres.RELATION, f"table {schema}.{table}", [place])
    if not there:
        return None
    oid, _, _, kind, comment, owned, _ = there[0]
    if place == source.source:
        raise BadInput(f"the output {schema}.{table} is the input; a release never overwrites its original")
    if not replace:
        raise BadInput(f"table {schema}.{table} is there already; --replace replaces it if it is a release")
    if kind != "r" or not _is_manifest(comment):
        raise BadInput(f"{schema}.{table} is no release of DIVA's, so it isn't replaced; choose another name")
    if not owned:
        raise BadInput(f"no permission to replace table {schema}.{table}: only its owner may")
    return int(oid)


def _is_manifest(comment: str | None) -> bool:
    try:
        content = json.loads(comment or "")
    except ValueError:
        return False
    return isinstance(content, dict) and {"diva", "verified"} <= content.keys()


