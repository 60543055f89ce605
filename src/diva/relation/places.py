"""Where a table of a database is, as a value. A URI may hold a password, so it is never shown whole. Loads no driver."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote, urlsplit

from diva.errors import BadInput

_SCHEMES = ("postgresql://", "postgres://")
CONCEALED = "DIVA_CONCEALED_PASSWORDS"
"""The variable in which the command line hands passwords to itself (see `cli/concealed.py`), by their URI."""


@dataclass(frozen=True, slots=True)
class PostgresAddress:
    """A URI of libpq's. What it leaves out comes from libpq's environment, its service and password files."""

    uri: str = field(repr=False)

    def __str__(self) -> str:
        """The database, without user, password and options."""
        try:
            parts = urlsplit(self.uri)
            name, host = unquote(parts.path.lstrip("/")), unquote(parts.netloc.rpartition("@")[2])
        except ValueError:
            return "the database"
        named = [repr(name)] if name else ["of the user's name or service"]
        return " ".join(["database", *named, *([f"at {host}"] if host else [])])

    @property
    def password(self) -> str | None:
        """The password, where it was taken out of the URI."""
        known = json.loads(os.environ.get(CONCEALED, "{}"))
        found: str | None = known.get(self.uri)
        return found


@dataclass(frozen=True, slots=True)
class InDatabase:
    """A table of a database by its name as in SQL, or the answer of a query."""

    database: Any
    """An address, or a connection of psycopg's."""
    table: str | None = None
    query: str | None = None

    def __post_init__(self) -> None:
        for name, value in (("table", self.table), ("query", self.query)):
            if value is not None and (not isinstance(value, str) or not value.strip() or "\0" in value):
                raise BadInput(f"{name} {value!r} must be a text that isn't empty")
        if (self.table is None) == (self.query is None):
            raise BadInput(
                "a database holds many tables: name one with --table, or give a query with --query, not both"
            )


def located(source: object, table: str | None = None, query: str | None = None) -> object:
    """What a source and the options about it name: a table of a database, or the source as it is."""
    if isinstance(source, InDatabase):
        return source
    if is_address(source):
        return InDatabase(PostgresAddress(str(source)), table, query)
    driver = {kind.__module__.split(".")[0] for kind in type(source).__mro__}
    if "psycopg" in driver:
        return InDatabase(source, table, query)
    if driver & {"psycopg2", "adbc_driver_manager", "asyncpg", "sqlalchemy", "pg8000"}:
        raise BadInput(
            "connections to PostgreSQL are taken from psycopg 3; give one of those, or a postgresql:// URI"
        )
    for option, value in (("table", table), ("query", query)):
        if value is not None:
            raise BadInput(
                f"--{option} is about a database, and the input is none; name one by its postgresql:// URI"
            )
    return source


def is_address(source: object) -> bool:
    """Whether a source is a URI of PostgreSQL's."""
    return isinstance(source, str) and source.startswith(_SCHEMES)
