"""What the walk of the data needs of an engine: a table with a handful of verbs, and where a release goes.

An engine implements `Table` and `Recoding`; one that has named tables of its own implements `Destination` and `Staging`
as well. Everything else in the project knows these protocols only. docs/engines.md says what they promise.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    from diva.constraints.model import Target
    from diva.relation.types import Types


Kind = Literal["text", "boolean", "integer", "decimal", "float", "date", "timestamp", "instant", "other"]
"""What a column holds, whatever its engine calls that; it decides how its values are written as text (`sql.Sql.as_text`)."""
Library = Literal["arrow", "pandas", "polars", "spark"]


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table, as its engine knows it."""

    name: str
    type: str
    """The engine's name of the type."""
    kind: Kind

    @property
    def text(self) -> bool:
        """Whether values are text already."""
        return self.kind == "text"


@dataclass(frozen=True)
class Fragments:
    """A plan: which records are published with which levels. A type goes to one group whole, or in fragments."""

    type: np.ndarray
    """int32 [F]: the type each fragment is of."""
    levels: np.ndarray
    """uint8 [F, m]: for each QI attribute 0 (published as it is) or 1 (suppressed)."""
    count: np.ndarray
    """int64 [F]: how many records of the type."""

    def __len__(self) -> int:
        return len(self.count)

    @property
    def stars(self) -> int:
        """How many cells the plan suppresses."""
        return int((self.levels.sum(axis=1, dtype=np.int64) * self.count).sum())


@dataclass(frozen=True, slots=True)
class Layout:
    """How a release is laid out."""

    published: tuple[str, ...]
    """The columns of the release, in order."""
    order: str = "shuffle"
    """`shuffle` (by a hash of what is published, so the original order can't be told) or `keep`."""
    star: str | None = "*"
    """The text of a suppressed cell; None writes NULL and keeps column types."""
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Differences:
    """How a published table differs from its original, row by row, beyond suppression."""

    rows: int
    """Records of the original; where the published table has another number, nothing else is said."""
    count: int
    """How many rows differ."""
    row: int | None
    """The first of them, counted from 1."""
    column: str | None
    """Its first column that differs."""
    star_like: tuple[str, ...]
    """QI columns of the original with cells that look suppressed."""


@dataclass(frozen=True)
class Members:
    """The records of an original and a published table by component: those equal in all untouched columns.

    Components that have the same members are told as one, with all their records.
    """

    component: np.ndarray
    """int64 [M]: numbers from 0."""
    published: np.ndarray
    """bool [M]: whether these are published records."""
    type: np.ndarray
    """int64 [M]: their type, of the table's own types."""
    count: np.ndarray
    """int64 [M]: how many records; a type may come several times in a component."""


class Rows(Protocol):
    """Rows that an engine can write to files: a table, or a release that isn't produced yet."""

    def write(self, path: Path, *, like: Path) -> Table:
        """Write them to `path`, in the format that the name of `like` tells, and open what was written as `like`."""
        ...


class Table(Rows, Protocol):
    """A table where it lives."""

    @property
    def columns(self) -> tuple[Column, ...]:
        """Its columns, in order."""
        ...

    @property
    def origin(self) -> str:
        """What to call it in messages."""
        ...

    @property
    def names(self) -> tuple[str, ...]:
        """The column names."""
        ...

    @property
    def paths(self) -> tuple[Path, ...]:
        """The files it is read from, which no release may overwrite."""
        ...

    @property
    def folders(self) -> bool:
        """Whether it writes a folder of files, as distributed engines do, instead of one file."""
        ...

    def refuse(self, order: str) -> None:
        """Refuse an order of rows that the engine can't give."""
        ...

    def identity(self) -> list[dict[str, Any]]:
        """Say for a manifest what was read: files with their hashes, or the name of a table. Never a password."""
        ...

    def focused(self, columns: Sequence[str]) -> Table:
        """The same table, of which only these columns will be asked about: an engine may prepare for that."""
        ...

    def machines(self) -> Machines | None:
        """Where its engine can have work done on other machines; None where there are none."""
        ...

    def close(self) -> None:
        """End what opening it began; a release that is held in memory stays readable."""
        ...

    def row_count(self) -> int:
        """|R|."""
        ...

    def types(self, quasi: Sequence[str], conditions: Sequence[Target] = ()) -> Types:
        """Count the types, split by which conditions their records meet: one scan."""
        ...

    def signatures(self, targets: Sequence[Target]) -> list[tuple[int, int]]:
        """Count records by the set of targets they carry (a bit mask): one scan."""
        ...

    def counts(self, targets: Sequence[Target]) -> list[int]:
        """Count the records that carry each target: one scan for all."""
        ...

    def count_query(self, target: Target) -> str:
        """The query that counts the records carrying a target, for people to run."""
        ...

    def frequencies(self, attributes: Sequence[str]) -> list[tuple[tuple[str, ...], int]]:
        """How often each combination of values of some columns occurs, NULLs left out, sorted."""
        ...

    def recode(self, types: Types, plan: Fragments, layout: Layout) -> Recoding:
        """Prepare the release that a plan describes; nothing is read yet."""
        ...

    def row_differences(
        self, original: Table, quasi: Sequence[str], untouched: Sequence[str], star: str | None
    ) -> Differences:
        """Compare this published table with its original row by row, as texts."""
        ...

    def members(self, original: Table, types: Types, of_original: Types, untouched: Sequence[str]) -> Members:
        """Count the records of this published table and its original by component and type: one scan of each."""
        ...

    def export(self, library: Library) -> Any:
        """The rows as a frame of a library."""
        ...


class Recoding(Rows, Protocol):
    """A release that an engine knows how to produce."""

    def materialise(self) -> Table:
        """Produce it as a table in the engine."""
        ...


class Destination(Protocol):
    """Where a release goes. It is produced hidden, checked, and put in place with its manifest, or not at all."""

    @property
    def name(self) -> str:
        """What people call it: a path, or the name of a table."""
        ...

    def refuse_unwritable(self) -> None:
        """Say now, before any work, what would make writing there fail."""
        ...

    def staged(self) -> AbstractContextManager[Staging]:
        """Make room for a release. It is put in place when the block ends well; otherwise nothing of it remains."""
        ...


class Staging(Protocol):
    """A release between being produced and being seen."""

    def produce(self, rows: Rows) -> Table:
        """Write a release where nobody sees it yet, and open it as it was written."""
        ...

    def identity(self) -> Mapping[str, Any]:
        """Say for the manifest what was produced: its name as it will be, and the hash of files."""
        ...

    def attach(self, manifest: str) -> None:
        """Give it its manifest, which is put in place together with it."""
        ...


class NewTable(Staging, Protocol):
    """A name in a database that a release gets, within the transaction that made it."""

    @property
    def name(self) -> str:
        """The table with its schema."""
        ...

    def refuse_unwritable(self) -> None:
        """Say now, before any work, what would make a release there fail."""
        ...

    def settle(self) -> None:
        """Let everybody see the release, at once."""
        ...


@dataclass(frozen=True, slots=True)
class Absent:
    """What an answer is where a machine couldn't load the function: it lacks this package, or what that needs."""

    reason: str


class Machines(Protocol):
    """Processes of an engine on other machines, which call functions of this package for us."""

    @property
    def name(self) -> str:
        """What to call them in messages."""
        ...

    def calls(
        self,
        function: str,
        arguments: Sequence[bytes],
        *,
        at_once: int | None = None,
        stop: Callable[[], bool] | None = None,
    ) -> Generator[tuple[int, bytes | Absent]]:
        """Call a function (`module:name`, from bytes to bytes) for every argument, the first ones first.

        Yields the number of an argument with its answer, in the order in which they come. At most `at_once` run at
        a time; as many as there is room for where not given. When `stop` says so, or the generator is closed, what
        isn't done is given up.
        """
        ...


class Frame(Protocol):
    """Anything with the Arrow C stream interface: pandas, polars, pyarrow, DuckDB relations."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Return a capsule with an Arrow stream."""
        ...
