"""How the engine suite talks to each engine. Another engine adds a class here, and all tests run on it."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

import polars as pl

import diva
from diva.relation.duck import DuckTable
from diva.relation.engine import Table
from diva.relation.opening import open_table

Row = tuple[str | None, ...]


class Harness(Protocol):
    """One engine under test."""

    name: str

    def source(self, frame: pl.DataFrame) -> Any:
        """Put a table into the engine; what is returned can be given to diva.anonymize."""
        ...

    def rows(self, release: diva.Release) -> list[Row]:
        """The published rows of a release, with every cell in its canonical text."""
        ...


class DuckFiles:
    """DuckDB over a Parquet file."""

    name = "duckdb"

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.made = 0

    def source(self, frame: pl.DataFrame) -> Path:
        self.made += 1
        path = self.folder / f"table{self.made}.parquet"
        frame.write_parquet(path)
        return path

    def rows(self, release: diva.Release) -> list[Row]:
        assert isinstance(release.table, DuckTable)
        return texts(release.table)


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
