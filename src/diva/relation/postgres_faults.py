"""What PostgreSQL and libpq raise, as sentences: by SQLSTATE, never with a value of the data, a query or a password."""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING

import psycopg

from diva.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Iterator

_LOST = "the connection to the database was lost while working on {origin}; nothing was changed. Run it again when the server is up"
_BY_STATE = {
    "08": _LOST,
    "57P01": "the database was shut down while working on {origin}; nothing was changed. Run it again when the server is up",
    "57P02": "the database crashed while working on {origin}; nothing was changed. Run it again when the server is up",
    "57P03": "the database is starting up or shutting down; run it again when it is up",
    "57P05": _LOST,
    "25P03": _LOST,
    "57014": "the server cancelled the work on {origin} (a timeout, or an administrator); nothing was changed",
    "25006": "the database is read-only, and {origin} needs tables of its own there; use the primary server and a session that may write",
    "42501": "no permission for {origin}: {said}; DIVA needs SELECT on the table, TEMPORARY on the database and, for a release, CREATE on its schema",
    "42P01": "{origin} can't be read: {said}",
    "42703": "{origin} can't be read: {said}",
    "42601": "{origin} is not a query that PostgreSQL can read: {said}",
    "42": "{origin} can't be processed: {said}",
    "3F000": "{origin} can't be written: {said}",
    "42P07": "{origin} can't be written: {said}",
    "23505": "{origin} can't be written: something of that name was made at the same moment; run it again",
    "2BP01": "{origin} can't be replaced: other objects, such as views, depend on it; drop those first",
    "53100": "no space left on the database server while working on {origin}; nothing was changed. Free some there",
    "53200": "the database server has not enough memory for {origin}; nothing was changed",
    "53300": "the database server has no connection left; try again later, or raise its max_connections",
    "53400": "the work on {origin} exceeds a limit of the database server: {said}; raise it there",
    "58030": "the database server can't read or write its files for {origin}; nothing was changed. Look into its log",
    "40001": "{origin} was changed by somebody else at the same moment; nothing was changed. Run it again",
    "55P03": "{origin} is locked by somebody else; run it again later",
    "XX001": "the database server says that data of {origin} are corrupted; look into its log",
}
"""By SQLSTATE or its class. `said` is the server's own message, used where it can only speak of names and limits."""
_AT_CONNECTING = (
    (r"password authentication failed|no password supplied|authentication failed", "{address} refuses the user or the password; give the right one in PGPASSWORD or ~/.pgpass"),
    (r"Connection refused", "{address} can't be reached: connection refused; see that the server runs and that host and port are right"),
    (r"database .* does not exist", "there is no {address}; name one that the server has"),
    (r"role .* does not exist", "{address} doesn't know the user; name one that the server has"),
    (r"resolve|translate host name|Name or service", "{address} can't be reached: there is no such host"),
    (r"definition of service", "the service that is named is not in libpq's service file (~/.pg_service.conf)"),
    (r"timeout|timed out", "{address} can't be reached: it didn't answer in time"),
    (r"starting up|shutting down|not yet accepting", "{address} is starting up or shutting down; try again when it is up"),
    (r"too many (clients|connections)|connection slots", "{address} has no connection left; try again later"),
    (r"permission denied for database|CONNECT privilege", "the user may not connect to {address}; ask for CONNECT on it"),
    (r"no pg_hba.conf entry", "{address} refuses connections of this user from here (no entry in pg_hba.conf)"),
    (r"SSL|certificate", "{address} and this machine can't agree on a secure connection; see sslmode and the certificates"),
)  # fmt: skip


def not_connected(error: psycopg.Error, address: object) -> BadInput:
    """What to say where there is no connection. libpq gives no SQLSTATE then; its words are searched, never repeated.

    Nothing of the URI is repeated either: where it is malformed, libpq's message may quote a piece of a password.
    """
    if isinstance(error, psycopg.ProgrammingError) or "invalid integer value" in str(error):
        return BadInput(
            "the URI of the database is malformed; it reads postgresql://USER@HOST:PORT/DATABASE,"
            " with special characters in percent-encoding"
        )
    for pattern, sentence in _AT_CONNECTING:
        if re.search(pattern, str(error), re.IGNORECASE):
            return BadInput(sentence.format(address=address))
    return BadInput(f"{address} can't be reached; see that the server runs and what its log says")


@contextmanager
def told(origin: str) -> Iterator[None]:
    """Turn what psycopg raises into an error of ours: a sentence about `origin`."""
    try:
        yield
    except psycopg.Error as error:
        raise BadInput(_sentence(error, origin)) from error


def _sentence(error: psycopg.Error, origin: str) -> str:
    state = error.sqlstate
    if state is None:
        lost = isinstance(error, psycopg.OperationalError)
        return (
            _LOST.format(origin=origin)
            if lost
            else f"{origin} can't be processed ({type(error).__name__} in the driver)"
        )
    sentence = _BY_STATE.get(state) or _BY_STATE.get(state[:2])
    if sentence is None:
        return f"{origin} can't be processed: PostgreSQL refused it ({type(error).__name__})"
    return sentence.format(origin=origin, said=" ".join((error.diag.message_primary or "").split()))
