"""A session with PostgreSQL: one transaction in one snapshot, which sees every scan of a run and its release."""

from __future__ import annotations

import itertools
import weakref
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import psycopg
from psycopg.pq import TransactionStatus
from psycopg.rows import tuple_row

from diva.errors import BadInput
from diva.relation.places import PostgresAddress
from diva.relation.postgres_faults import not_connected, told
from diva.relation.sql_postgres import SESSION

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_OLDEST = 140000


@dataclass(eq=False)
class Session:
    """A connection within its transaction. What isn't committed when it ends is rolled back."""

    connection: psycopg.Connection[Any]
    source: PostgresAddress | psycopg.Connection[Any]
    """Where it was begun."""
    name: str
    """What to call the database in sentences; no password."""
    _ending: weakref.finalize[..., Any] = field(init=False, repr=False)
    _serial: Iterator[int] = field(default_factory=itertools.count, repr=False)

    def rows(self, query: str, origin: str, values: Sequence[Any] | None = None) -> list[tuple[Any, ...]]:
        """The answer of one query. A KeyboardInterrupt cancels it in the server."""
        with told(origin), self._cursor() as cursor:
            return cursor.execute(query, values, binary=True).fetchall()

    def run(self, statement: str, origin: str) -> None:
        """Carry out one statement; asking for a binary answer makes the server refuse several."""
        with told(origin), self._cursor() as cursor:
            cursor.execute(statement, binary=True)

    def hand_over(self, statement: str, records: Iterable[Sequence[Any]], origin: str) -> None:
        """Copy records into a table."""
        with told(origin), self._cursor() as cursor, cursor.copy(statement) as copy:
            for record in records:
                copy.write_row(record)

    def fresh_name(self, stem: str) -> str:
        """A name for a temporary table that no other of this session has."""
        return f"diva_{stem}_{next(self._serial)}"

    def commit(self) -> None:
        """Make everything seen, all at once."""
        self.connection.execute("COMMIT")

    def end(self) -> None:
        """Roll back what isn't committed, and give the connection back, or close it if we opened it."""
        self._ending()

    def _cursor(self) -> psycopg.Cursor[tuple[Any, ...]]:
        """A cursor whose rows are tuples, whatever the caller's connection makes of them."""
        return psycopg.Cursor(self.connection, row_factory=tuple_row)

    def give_back(self) -> None:
        """Leave the connection open when it ends, as it was before."""
        self._ending.detach()
        again = {"autocommit": self.connection.autocommit}
        self._ending = weakref.finalize(self, _give_back, self.connection, **again)
        self.connection.autocommit = True

    def __post_init__(self) -> None:
        self._ending = weakref.finalize(self, self.connection.close)


def open_session(source: PostgresAddress | psycopg.Connection[Any]) -> Session:
    """Begin a session at an address, or on an idle connection of the caller's, which is given back idle."""
    session = _connected(source) if isinstance(source, PostgresAddress) else _borrowed(source)
    if session.connection.info.server_version < _OLDEST:
        raise BadInput(
            f"{session.name} is PostgreSQL {session.connection.info.server_version // 10000}; DIVA needs 14 or newer"
        )
    with told(session.name):
        session.connection.execute(SESSION)
    return session


def _connected(address: PostgresAddress) -> Session:
    try:
        connection = psycopg.connect(
            address.uri,
            password=address.password,
            autocommit=True,
            fallback_application_name="diva",
            client_encoding="UTF8",
        )
    except psycopg.Error as error:
        # not `from error`: a traceback must not show what libpq repeats of the URI
        raise not_connected(error, address) from None
    return Session(connection, address, _name(connection))


def _borrowed(connection: psycopg.Connection[Any]) -> Session:
    if connection.closed:
        raise BadInput("the connection to PostgreSQL is closed; open it again")
    if connection.info.transaction_status != TransactionStatus.IDLE:
        raise BadInput(
            "the connection to PostgreSQL is within a transaction; commit or roll it back first, as DIVA begins one of its own"
        )
    session = Session(connection, connection, _name(connection))
    session.give_back()
    return session


def _give_back(connection: psycopg.Connection[Any], *, autocommit: bool) -> None:
    if connection.closed:
        return
    if connection.info.transaction_status != TransactionStatus.IDLE:
        connection.execute("ROLLBACK")
    connection.autocommit = autocommit


def _name(connection: psycopg.Connection[Any]) -> str:
    info = connection.info
    return (
        f"database {info.dbname!r} at {info.host}:{info.port}" if info.host else f"database {info.dbname!r}"
    )
