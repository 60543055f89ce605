"""A table that a release becomes: refused early, made within the transaction, seen all at once."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from diva.errors import BadInput
from diva.relation import sql_postgres
from diva.relation.postgres import SQL, PostgresTable, identifier, named
from diva.relation.postgres_faults import told
from diva.relation.postgres_recode import PostgresRecoding

if TYPE_CHECKING:
    from collections.abc import Mapping

    from diva.relation.engine import Rows, Table
    from diva.relation.postgres_session import Session

_LONGEST = 63
"""Bytes of a name; PostgreSQL would cut off the rest."""


@dataclass(frozen=True, slots=True)
class Place:
    """A name that a release can get."""

    schema: str
    table: str
    replaced: int | None
    """The oid of the release that has this name now."""


@dataclass(frozen=True)
class PostgresTarget:
    """Where the release of a table goes: a new table, or one in the place of an earlier release."""

    source: PostgresTable
    into: str
    """The name as the user wrote it."""
    replaces: bool
    """Whether it may take the place of an earlier release."""

    @property
    def name(self) -> str:
        """What people call it."""
        return f"{self._place.schema}.{self._place.table}"

    @property
    def origin(self) -> str:
        """What to call it in messages."""
        return f"table {self.name}"

    def refuse_unwritable(self) -> None:
        """Say now what would make a release there fail."""
        _ = self._place

    def produce(self, rows: Rows) -> Table:
        """Make the table, which nobody else sees yet, under its own name or, if that is taken, another."""
        if not isinstance(rows, PostgresRecoding):
            raise BadInput(f"only what lives in {self._session.name} can become {self.origin} there")
        self._session.run(SQL.create(self._made, rows.query()), self.origin)
        made = replace(named(self._session, self._made), origin=self.origin)
        return made.focused(made.names)

    def identity(self) -> Mapping[str, Any]:
        """What the manifest says of it."""
        return {"table": self.name, "database": self._session.connection.info.dbname}

    def attach(self, manifest: str) -> None:
        """Give the table its manifest, as its comment."""
        self._session.run(SQL.comment(self._made, manifest), self.origin)

    def settle(self) -> None:
        """Put the table in its place, with the grants of the one that it replaces, and let everybody see it."""
        if self._place.replaced is not None:
            self._take_over(self._place.replaced)
        try:
            with told(self.origin):
                self._session.commit()
        except BadInput as error:
            if not self._session.connection.broken:
                raise
            raise BadInput(
                f"the connection to the database was lost in the very moment of finishing {self.origin};"
                " look whether it is there: if it is, it is whole and verified"
            ) from error

    def _take_over(self, replaced: int) -> None:
        grants = self._session.rows(sql_postgres.GRANTS, self.origin, [self._made, replaced])
        self._session.run(SQL.drop(SQL.qualified(self._place.schema, self._place.table)), self.origin)
        for (grant,) in grants:
            self._session.run(grant, self.origin)
        self._session.run(SQL.rename(self._made, self._place.table), self.origin)

    @property
    def _session(self) -> Session:
        return self.source.session

    @property
    def _made(self) -> str:
        """The table as it is called until it is in its place."""
        place = self._place
        name = f"diva_{self._session.connection.info.backend_pid}_{place.replaced}"
        return SQL.qualified(place.schema, place.table if place.replaced is None else name)

    @cached_property
    def _place(self) -> Place:
        parts = identifier(self._session, self.into)
        schema, table = (None, *parts) if len(parts) == 1 else parts
        if any(len(part.encode()) > _LONGEST for part in parts):
            raise BadInput(f"table {self.into!r} has a name of over {_LONGEST} bytes; choose a shorter one")
        schema = self._require_schema(schema)
        return Place(schema, table, self._taken(schema, table))

    def _require_schema(self, asked: str | None) -> str:
        """The schema that the release goes to, which must be one where we may make tables."""
        session = self._session
        found = session.rows(sql_postgres.PLACE, f"table {self.into!r}", [asked])[0]
        schema, may_create, may_have_temporary, read_only = found
        if read_only:
            raise BadInput(
                f"{session.name} is read-only, so no release can be made there; use the primary server"
            )
        if schema is None:
            what = f"there is no schema {asked!r}" if asked else "no schema of the search path exists"
            raise BadInput(
                f"table {self.into!r} can't be made in {session.name}: {what}; name one that is there"
            )
        if not may_create:
            raise BadInput(
                f"no permission to make table {self.into!r}; DIVA needs CREATE on schema {schema!r}"
            )
        if not may_have_temporary:
            raise BadInput(
                f"no permission for temporary tables in {session.name}; DIVA needs TEMPORARY on it"
            )
        return str(schema)

    def _taken(self, schema: str, table: str) -> int | None:
        """The oid of the release that is to be replaced. Nothing else is ever replaced."""
        name, place = f"{schema}.{table}", SQL.qualified(schema, table)
        there = self._session.rows(sql_postgres.RELATION, f"table {name}", [place])
        if not there:
            return None
        oid, _, _, kind, comment, owned = there[0]
        if place == self.source.source:
            raise BadInput(f"the output {name} is the input; a release never overwrites its original")
        if not self.replaces:
            raise BadInput(f"table {name} is there already; --replace replaces it if it is a release")
        if kind != "r" or not _is_manifest(comment):
            raise BadInput(f"{name} is no release of DIVA's, so it isn't replaced; choose another name")
        if not owned:
            raise BadInput(f"no permission to replace table {name}: only its owner may")
        return int(oid)


def _is_manifest(comment: str | None) -> bool:
    try:
        content = json.loads(comment or "")
    except ValueError:
        return False
    return isinstance(content, dict) and {"diva", "verified"} <= content.keys()
