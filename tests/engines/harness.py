"""How the engine suite talks to each engine. Another engine adds a class here, and all tests run on it."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

import polars as pl

import diva
from diva.relation.duck import DuckTable
from diva.relation.engine import Table
from diva.relation.opening import open_table
from diva.relation.places import InDatabase, PostgresAddress
from tests.engines.postgres_server import Server
from tests.engines.spark import local_session

Row = tuple[str | None, ...]


class Harness(Protocol):
    """One engine under test."""

    name: str
    keeps_order: bool
    """Whether its tables have an order."""

    def source(self, frame: pl.DataFrame) -> Any:
        """Put a table into the engine; what is returned can be given to open_table."""
        ...

    def anonymize(self, frame: pl.DataFrame, **options: Any) -> diva.Release:
        """Put a table into the engine and publish it there."""
        ...

    def rows(self, release: diva.Release) -> list[Row]:
        """The published rows of a release, with every cell in its canonical text."""
        ...


class DuckFiles:
    """DuckDB over a Parquet file."""

    name = "duckdb"
    keeps_order = True

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.made = 0

    def anonymize(self, frame: pl.DataFrame, **options: Any) -> diva.Release:
        return diva.anonymize(self.source(frame), **options)

    def source(self, frame: pl.DataFrame) -> Path:
        self.made += 1
        path = self.folder / f"table{self.made}.parquet"
        frame.write_parquet(path)
        return path

    def rows(self, release: diva.Release) -> list[Row]:
        assert isinstance(release.table, DuckTable)
        return texts(release.table)


class SparkFrames:
    """Spark over a DataFrame, in a session that all tests share."""

    name = "spark"
    keeps_order = False

    def __init__(self, folder: Path) -> None:
        self.files = DuckFiles(folder)

    def source(self, frame: pl.DataFrame) -> Any:
        from diva.relation.spark import from_path

        return from_path(local_session(), self.files.source(frame)).frame

    def anonymize(self, frame: pl.DataFrame, **options: Any) -> diva.Release:
        return diva.anonymize(self.source(frame), **options)

    def rows(self, release: diva.Release) -> list[Row]:
        from diva.relation.spark import SparkTable
        from diva.relation.spark_files import canonical

        assert isinstance(release.table, SparkTable)
        frame = canonical(release.to_spark(), [c.kind for c in release.table.columns])
        cells = frame.toArrow()
        rows = zip(*(column.to_pylist() for column in cells.columns), strict=True)
        return sorted(rows, key=lambda row: [(v is not None, v or "") for v in row])


class PostgresTables:
    """Tables of a real server."""

    name = "postgresql"
    keeps_order = False

    def __init__(self, server: Server) -> None:
        self.server = server
        self.made = 0
        self.published: dict[int, str] = {}

    def source(self, frame: pl.DataFrame) -> InDatabase:
        self.made += 1
        name = f"table{self.made}"
        with self.server.connect() as connection:
            load(connection, name, frame)
        return InDatabase(PostgresAddress(self.server.uri()), name)

    def anonymize(self, frame: pl.DataFrame, **options: Any) -> diva.Release:
        table = self.source(frame).table
        release = diva.anonymize(self.server.uri(), table=table, into=f"release_of_{table}", **options)
        self.published[id(release)] = f"release_of_{table}"
        return release

    def rows(self, release: diva.Release) -> list[Row]:
        with self.server.connect() as connection:
            described = connection.execute(f"SELECT * FROM {self.published[id(release)]} LIMIT 0").description
            columns = ", ".join(f'CAST("{c.name}" AS TEXT)' for c in described)
            found = connection.execute(f"SELECT {columns} FROM {self.published[id(release)]}").fetchall()
        return sorted(found, key=lambda row: [(v is not None, v or "") for v in row])


_TYPES = {
    pl.Boolean: "boolean", pl.Int64: "bigint", pl.Int32: "integer", pl.Float64: "double precision",
    pl.Float32: "real", pl.Date: "date",
}  # fmt: skip


def load(connection: Any, name: str, frame: pl.DataFrame) -> None:
    """Make a table of a frame."""
    types = {
        c: _TYPES.get(type(t), "timestamp" if t == pl.Datetime else "text") for c, t in frame.schema.items()
    }
    columns = ", ".join(f'"{c}" {t}' for c, t in types.items())
    connection.execute(f"DROP TABLE IF EXISTS {name}, release_of_{name}")
    connection.execute(f"CREATE TABLE {name} ({columns})")
    with connection.cursor().copy(f"COPY {name} FROM STDIN (FORMAT csv, HEADER)") as copy:
        copy.write(frame.write_csv(quote_style="non_numeric"))


def texts(table: DuckTable) -> list[Row]:
    """The rows of a DuckDB table in canonical texts, sorted."""
    columns = ", ".join(f'"{name}"::VARCHAR' for name in table.names)
    query = f"SELECT {columns} FROM {table.source}"
    return sorted(
        table.connection.execute(query).fetchall(), key=lambda row: [(v is not None, v or "") for v in row]
    )


def reference(frame: pl.DataFrame, **options: Any) -> list[Row]:
    """What the embedded engine publishes of a frame: every engine must publish the same rows."""
    release = diva.anonymize(frame, **options)
    assert isinstance(release.table, DuckTable)
    return texts(release.table)


def opened(engine: Harness, frame: pl.DataFrame) -> Table:
    """A table in an engine, opened."""
    return open_table(engine.source(frame))


def pair(engine: Harness, published: pl.DataFrame, original: pl.DataFrame) -> tuple[Table, Table]:
    """Two tables in one session of an engine."""
    places = engine.source(published), engine.source(original)
    first = open_table(places[0])
    return first, open_table(places[1], beside=first)
