"""A release that becomes a table of a database: seen by others when it is whole and verified, or never."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from diva.recode.atomic import uninterrupted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from diva.relation.engine import NewTable


@dataclass(frozen=True, slots=True)
class TableDestination:
    """A name in a database."""

    target: NewTable

    @property
    def name(self) -> str:
        """The table with its schema."""
        return self.target.name

    def refuse_unwritable(self) -> None:
        """Say now what would make writing there fail."""
        self.target.refuse_unwritable()

    @contextmanager
    def staged(self) -> Iterator[NewTable]:
        """Work within the database's transaction; what isn't settled vanishes with it."""
        yield self.target
        with uninterrupted(f"{self.name!r} was in place already, whole and verified"):
            self.target.settle()
