"""Which engine opens a source. The one place that knows all engines; each is loaded only when it is needed.

Another engine enters here: recognise its sources in `open_table`, import its module inside the branch (help and the other
engines must not load it), refuse the settings that it would ignore (`Settings.refuse`), and return its `Table`.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from diva.errors import BadInput
from diva.relation.folders import parts_of
from diva.relation.places import InDatabase
from diva.relation.settings import DEFAULTS

if TYPE_CHECKING:
    from collections.abc import Callable

    from diva.relation.engine import NewTable, Table
    from diva.relation.files import Pieces
    from diva.relation.settings import Settings


def open_table(source: object, settings: Settings = DEFAULTS, *, beside: Table | None = None) -> Table:
    """Open whatever holds a table: files, a frame with the Arrow C stream or of Spark, a DuckDB relation, a table in PostgreSQL.

    With `beside` it is to be compared with that table, so both are opened in one session of one engine where possible.
    """
    if isinstance(source, InDatabase):
        return _in_database(source, settings, beside)
    if _of_spark(source) or settings.engine == "spark":
        return _in_spark(source, settings, beside)
    from diva.relation import duck  # noqa: PLC0415 - loaded only when it is needed

    connection = beside.connection if isinstance(beside, duck.DuckTable) else duck.connect(settings)
    return duck.open_table(source, connection)


def _of_spark(source: Any) -> bool:
    """Whether it is a DataFrame of Spark, told without loading Spark."""
    home = type(source)
    return home.__name__ == "DataFrame" and home.__module__.startswith("pyspark.sql")


def _in_spark(source: Any, settings: Settings, beside: Table | None) -> Table:
    from diva.relation import spark_session  # noqa: PLC0415 - an extra, and slow to load

    settings.refuse("Spark, whose master tells how many there are", "threads")
    spark_session.require_pyspark()
    from diva.relation import spark  # noqa: PLC0415

    if _of_spark(source):
        if settings.engine == "duckdb":
            raise BadInput("a Spark DataFrame lives in Spark; leave the engine out")
        settings.refuse("a Spark session that is there already", "memory_limit", "temp_dir", "master")
        return spark.from_frame(source)
    if not isinstance(source, str | Path):
        raise BadInput(
            f"the engine spark reads files and Spark DataFrames, not {type(source).__name__}; leave the engine out"
        )
    parts_of(source)  # a path that isn't there is told before Spark starts
    near = beside.session if isinstance(beside, spark.SparkTable) else None
    return spark.from_path(near or spark_session.session(settings), source)


def open_target(table: Table, into: str, *, replace: bool) -> NewTable:
    """Name a table of the database that `table` lives in, for its release."""
    from diva.relation.postgres import PostgresTable  # noqa: PLC0415
    from diva.relation.postgres_target import PostgresTarget  # noqa: PLC0415

    if not isinstance(table, PostgresTable):
        raise BadInput(f"{table.origin} is in no database, so {into!r} can't be either; write a file with -o")
    return PostgresTarget(table, into, replaces=replace)


def _in_database(source: InDatabase, settings: Settings, beside: Table | None) -> Table:
    settings.refuse("PostgreSQL", *settings.__dataclass_fields__)
    try:
        from diva.relation import postgres  # noqa: PLC0415
    except ImportError as error:
        raise BadInput(
            "to work in PostgreSQL DIVA needs its driver: pip install 'diva-anonymizer[postgres]'"
        ) from error
    near = beside.session if isinstance(beside, postgres.PostgresTable) else None
    return postgres.open_postgres(source, near)


def followed(table: Table) -> Callable[[], float] | None:
    """What tells how many percent of a table's running query are done, from any thread; None where its engine doesn't."""
    from diva.relation import duck  # noqa: PLC0415 - loaded only when it is needed

    return table.followed() if isinstance(table, duck.DuckTable) else None


def spread(written: Table, folder: Path, like: Path, pieces: Pieces) -> Table:
    """Divide a file that any engine wrote among the files of a new folder, in the format of `like`; DuckDB does it."""
    from diva.relation import duck  # noqa: PLC0415 - loaded only when it is needed

    table = written if isinstance(written, duck.DuckTable) else duck.open_table(written.paths[0])
    return table.spread(folder, like, pieces)
