"""DuckDB, the embedded engine: CSV and Parquet files, in-memory frames and DuckDB relations."""

from __future__ import annotations

import os
import secrets
from dataclasses import dataclass, replace
from itertools import count as counting
from pathlib import Path
from tempfile import gettempdir
from typing import TYPE_CHECKING, Any

import duckdb

from diva.errors import BadInput
from diva.relation import duck_compare, files
from diva.relation.duck_files import described, folder_options, number_files, scan_of
from diva.relation.duck_recode import SQL, DuckRecoding, copy_options, require_storable
from diva.relation.faults import told
from diva.relation.settings import DEFAULTS
from diva.relation.types import Numbered, Types

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from diva.constraints.model import Target
    from diva.relation.engine import Column, Differences, Fragments, Frame, Layout, Library, Members, Table
    from diva.relation.settings import Settings

_serial = counting()
_BATCH = 50_000
"""Types taken over at a time."""
_SETTINGS = (
    "SET autoinstall_known_extensions = false",
    "SET autoload_known_extensions = false",
    "SET TimeZone = 'UTC'",  # the text of an instant may not depend on where it is written
    "SET enable_progress_bar = false",  # DuckDB prints a bar of its own where Python is interactive
)


def connect(settings: Settings = DEFAULTS) -> duckdb.DuckDBPyConnection:
    """Open a private in-memory DuckDB that never fetches an extension and keeps to the settings."""
    config: dict[str, str | bool | int | float | list[str]] = {}
    if settings.bytes is not None:
        config["memory_limit"] = f"{settings.bytes}B"
    if settings.threads is not None:
        config["threads"] = settings.threads
    spilled = f"diva-{os.getpid()}-{secrets.token_hex(4)}"  # made when something is spilled, removed with the connection
    config["temp_directory"] = str((settings.temp_dir or Path(gettempdir())) / spilled)
    connection = duckdb.connect(":memory:", config=config)
    for setting in _SETTINGS:
        connection.execute(setting)
    return connection


@dataclass(frozen=True)
class DuckTable:
    """A table that DuckDB can scan."""

    connection: duckdb.DuckDBPyConnection
    source: str
    """What stands after FROM."""
    columns: tuple[Column, ...]
    origin: str
    delimited: bool = False
    paths: tuple[Path, ...] = ()
    folders: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """The column names."""
        return tuple(column.name for column in self.columns)

    def focused(self, columns: Sequence[str]) -> DuckTable:  # noqa: ARG002 - columns are read as they are asked for
        """The same table: columns are read as they are asked for."""
        return self

    def machines(self) -> None:
        """None: an embedded engine runs here."""

    def close(self) -> None:
        """Nothing: an embedded engine ends with the last table that lives in it."""

    def followed(self) -> Callable[[], float]:
        """Something that tells how many percent of the running query are done, below 0 where that isn't known."""
        for setting in (
            "enable_progress_bar = true",
            "enable_progress_bar_print = false",
            "progress_bar_time = 0",
        ):
            self.connection.execute(f"SET {setting}")
        return self.connection.query_progress

    def row_count(self) -> int:
        """|R|."""
        return int(self._rows(f"SELECT count(*) FROM {self.source}")[0][0])

    def types(self, quasi: Sequence[str], conditions: Sequence[Target] = ()) -> Types:
        """Count the types, split by which conditions their records meet: one scan."""
        names = self.used(quasi, conditions)
        texts = self.texts(names)
        query = SQL.types(
            SQL.scan(self.source, names),
            [texts[c] for c in quasi],
            [SQL.carries(c, texts) for c in conditions],
        )
        found = Numbered(quasi, conditions)
        with told(self.origin, delimited=self.delimited):
            answer = self.connection.execute(query)
            while rows := answer.fetchmany(_BATCH):
                found.add(rows)
        return found.types()

    def signatures(self, targets: Sequence[Target]) -> list[tuple[int, int]]:
        """Count records by the set of targets they carry: one scan."""
        names = self.used((), targets)
        texts = self.texts(names)
        rows = self._rows(SQL.signatures(self._scan(names), [SQL.carries(t, texts) for t in targets]))
        found = [(sum(mask << (60 * i) for i, mask in enumerate(row[:-1])), int(row[-1])) for row in rows]
        return sorted((mask, count) for mask, count in found if count)

    def counts(self, targets: Sequence[Target]) -> list[int]:
        """Count the records that carry each target: one scan for all."""
        if not targets:
            return []
        names = self.used((), targets)
        texts = self.texts(names)
        row = self._rows(SQL.count_targets(self._scan(names), [SQL.carries(t, texts) for t in targets]))[0]
        return [int(count) for count in row]

    def count_query(self, target: Target) -> str:
        """The query that counts the records carrying a target."""
        texts = {
            c.name: SQL.as_text(SQL.name(c.name), c.kind) for c in self.columns if c.name in target.attributes
        }
        return SQL.count_target(self.source, target, texts)

    def frequencies(self, attributes: Sequence[str]) -> list[tuple[tuple[str, ...], int]]:
        """How often each combination of values of some columns occurs, NULLs left out."""
        texts = self.texts(tuple(attributes))
        rows = self._rows(SQL.frequencies(self._scan(tuple(attributes)), [texts[a] for a in attributes]))
        return sorted((tuple(row[:-1]), int(row[-1])) for row in rows)

    def recode(self, types: Types, plan: Fragments, layout: Layout) -> DuckRecoding:
        """Prepare the release that a plan describes."""
        return DuckRecoding(self, types, plan, layout, from_source)

    def row_differences(
        self, original: Table, quasi: Sequence[str], untouched: Sequence[str], star: str | None
    ) -> Differences:
        """Compare this published table with its original row by row, as texts."""
        return duck_compare.row_differences(*_together(self, original), quasi, untouched, star)

    def members(self, original: Table, types: Types, of_original: Types, untouched: Sequence[str]) -> Members:
        """Count the records of this published table and its original by component and type."""
        return duck_compare.members(*_together(self, original), types, of_original, untouched)

    def reopened(self, path: Path, *, like: Path) -> DuckTable:
        """Open a file of the format that the name of `like` tells, on the same connection."""
        return from_files(self.connection, path, files.format_of(like), origin=repr(str(like)))

    def relation(self) -> duckdb.DuckDBPyRelation:
        """The table as a DuckDB relation."""
        return self.connection.sql(f"SELECT {self._selected} FROM {self.source}")

    @property
    def _selected(self) -> str:
        return ", ".join(map(SQL.name, self.names))

    def export(self, library: Library) -> Any:
        """The rows as a frame of a library."""
        rows = self.relation()
        frames: dict[Library, Callable[[], Any]] = {
            "arrow": rows.to_arrow_table,
            "pandas": rows.df,
            "polars": rows.pl,
        }
        if library not in frames:
            raise BadInput("this release isn't in Spark; give diva.anonymize a Spark DataFrame")
        return frames[library]()

    def refuse(self, order: str) -> None:
        """DuckDB gives every order there is."""

    def identity(self) -> list[dict[str, Any]]:
        """The files with their hashes; nothing is said of a frame."""
        return [{"path": str(path), "sha256": files.sha256(path)} for path in self.paths]

    def write(self, path: Path, *, like: Path) -> DuckTable:
        """Copy the table to a file, in the format that the name of `like` tells, and open it."""
        form = files.format_of(like)
        if form.parquet:
            require_storable(self.columns, like)
        with told(repr(str(like))):
            self.connection.execute(
                f"COPY (SELECT {self._selected} FROM {self.source}) TO {SQL.text(str(path))} ({copy_options(form)})"
            )
        return self.reopened(path, like=like)

    def spread(self, folder: Path, like: Path, pieces: files.Pieces) -> DuckTable:
        """Divide the table among the files of a new folder, by one thread: so files and their order are always the same."""
        form = files.format_of(like)
        ending = "".join(like.suffixes[-2:] if form.compression else like.suffixes[-1:])
        with told(repr(str(like))):
            before = self.connection.execute("SELECT current_setting('threads')").fetchall()[0][0]
            self.connection.execute("SET threads = 1")
            try:
                self.connection.execute(
                    f"COPY (SELECT {self._selected} FROM {self.source}) TO {SQL.text(str(folder))} ({folder_options(form, pieces, ending[1:])})"
                )
            finally:
                self.connection.execute(f"SET threads = {before}")
        number_files(folder)
        return from_files(self.connection, folder, form, origin=repr(str(like)))

    def _scan(self, names: Sequence[str]) -> str:
        return SQL.scan(self.source, names) if names else f"SELECT 1 AS c0 FROM {self.source}"

    def used(self, quasi: Sequence[str], targets: Sequence[Target]) -> tuple[str, ...]:
        """The columns that QI and targets name, in the order of the table."""
        wanted = {*quasi, *(a for t in targets for a in t.attributes)}
        return tuple(name for name in self.names if name in wanted)

    def texts(self, names: Sequence[str]) -> dict[str, str]:
        """The expressions of some columns as text, over a scan of just these columns called r."""
        kinds = {c.name: c.kind for c in self.columns}
        return {name: SQL.as_text(f"r.c{i}", kinds[name]) for i, name in enumerate(names)}

    def texts_of(self, alias: str, names: Sequence[str]) -> dict[str, str]:
        """The same over the table itself under an alias."""
        kinds = {c.name: c.kind for c in self.columns}
        return {name: SQL.as_text(f"{alias}.{SQL.name(name)}", kinds[name]) for name in names}

    @property
    def position(self) -> str:
        """What numbers the rows in the order of the table. Only delimited text has to be read by one thread for it."""
        virtual = {"rowid", "file_index", "file_row_number"}
        if self.delimited or virtual & {name.lower() for name in self.names}:
            return "row_number() OVER ()"
        return f"file_index * {1 << 40} + file_row_number" if self.paths else "rowid"

    def _rows(self, query: str) -> list[tuple[Any, ...]]:
        with told(self.origin, delimited=self.delimited):
            return self.connection.execute(query).fetchall()


def open_table(source: object, connection: duckdb.DuckDBPyConnection | None = None) -> DuckTable:
    """Open whatever holds a table: a path or glob, a frame with the Arrow C stream, a DuckDB relation."""
    connection = connection or connect()
    if isinstance(source, str | Path):
        return from_files(connection, source)
    if hasattr(source, "__arrow_c_stream__"):
        return from_frame(connection, source)
    raise BadInput(
        f"can't read a table from {type(source).__name__}: give a path, a pandas, polars or pyarrow frame, or a DuckDB relation"
    )


def from_files(
    connection: duckdb.DuckDBPyConnection,
    path: str | Path,
    form: files.Format | None = None,
    *,
    origin: str | None = None,
) -> DuckTable:
    """Open one file, or several of one format by a glob pattern or in a folder."""
    origin = origin or repr(str(path))
    scan = scan_of(connection, path, form, origin)
    return DuckTable(connection, scan.source, scan.columns, origin, scan.delimited, scan.paths)


def from_source(connection: duckdb.DuckDBPyConnection, source: str, origin: str) -> DuckTable:
    """Open a table of the connection."""
    return DuckTable(connection, source, described(connection, source, origin), origin)


def from_frame(connection: duckdb.DuckDBPyConnection, frame: Frame) -> DuckTable:
    """Copy a frame into DuckDB; a stream can be read only once, a run reads it more often."""
    origin = f"the {type(frame).__module__.split('.')[0]} table"
    name = f"diva_source_{next(_serial)}"  # its own: one connection may hold an original and its release
    files.check_distinct(origin, _names(frame))
    try:
        with told(origin):
            connection.register("diva_frame", _Stream(frame))
            connection.execute(f"CREATE TEMP TABLE {name} AS SELECT * FROM diva_frame")
            for column, kind, *_ in connection.execute(f"DESCRIBE {name}").fetchall():
                if kind == '"NULL"':  # a column without values has no type either, and can't be worked with
                    connection.execute(f"ALTER TABLE {name} ALTER {SQL.name(column)} TYPE VARCHAR")
    finally:
        connection.unregister("diva_frame")
    return from_source(connection, name, origin)


def _together(published: DuckTable, original: Table) -> tuple[DuckTable, DuckTable]:
    """Bring two tables onto one connection: files are opened anywhere, a table in memory is copied."""
    if not isinstance(original, DuckTable):
        raise BadInput(
            f"{published.origin} and {original.origin} live in different engines; compare them in one"
        )
    if original.paths or original.connection is published.connection:
        return published, replace(original, connection=published.connection)
    if published.paths:
        return replace(published, connection=original.connection), original
    copied = from_frame(published.connection, original.relation())
    return published, replace(copied, origin=original.origin)


def _names(frame: Frame) -> tuple[str, ...]:
    """The column names as the frame has them: DuckDB renames those it can't tell apart."""
    schema = getattr(frame, "schema", None)
    known = (
        getattr(frame, "column_names", None),
        getattr(frame, "columns", None),
        getattr(schema, "names", ()),
    )
    return next(tuple(map(str, names)) for names in known if names is not None)


class _Stream:
    """Shows only the Arrow C stream of a frame, so that every library's frames are read the same way."""

    def __init__(self, frame: Frame) -> None:
        self._frame = frame

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._frame.__arrow_c_stream__(requested_schema)
