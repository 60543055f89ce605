"""Where a PostgreSQL database is, as a URI that is never shown whole: it may hold a password."""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

_SCHEMES = ("postgresql://", "postgres://")


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
        return " ".join(["database", *([repr(name)] if name else []), *([f"at {host}"] if host else [])])


def as_address(source: object) -> object:
    """A URI of PostgreSQL's as an address; anything else as it is."""
    if isinstance(source, str) and source.startswith(_SCHEMES):
        return PostgresAddress(source)
    return source
