"""Files that Spark reads and writes: on a file system that this process and all workers see under the same path."""

from __future__ import annotations

import itertools
from glob import has_magic
from pathlib import Path
from typing import TYPE_CHECKING

from pyspark.sql.functions import expr
from pyspark.sql.types import StringType, StructField, StructType

from diva.errors import BadInput
from diva.relation import files
from diva.relation.folders import parts_of
from diva.relation.spark_frames import named
from diva.relation.sql_spark import SparkSql

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import DataFrame, DataFrameReader, SparkSession

    from diva.relation.engine import Kind

SQL = SparkSql()
_NULL = "\ue000diva: NULL\ue000"
"""What the CSV reader takes an empty cell for, to tell it from a quoted empty one; no cell reads like that."""
_MOST_COLUMNS = 20480


def read(session: SparkSession, path: str | Path, origin: str) -> tuple[DataFrame, tuple[Path, ...]]:
    """Open the files of a path: a lazy frame, and what it is made of."""
    parts = parts_of(path)
    paths = parts.paths
    form = files.common_format(paths)
    _refuse_zstd(form, origin)
    reader = session.read.option("__globPaths__", "false")  # the names are those of files, not patterns
    if parts.keys:
        reader = reader.option("basePath", _uri(_base(path)))
    uris = [_uri(p) for p in paths]
    if form.parquet:
        return reader.parquet(*uris), paths
    return _delimited(reader, session, uris, _header(paths, form, origin), origin), paths


def _base(path: str | Path) -> Path:
    """The folder below which names of folders tell values."""
    if Path(path).is_dir():
        return Path(path)
    fixed = itertools.takewhile(lambda part: not has_magic(part), Path(path).parts)
    return Path(*fixed)


def _uri(path: Path) -> str:
    return f"file:{path.absolute()}"


def _refuse_zstd(form: files.Format, origin: str) -> None:
    if form.compression == "zstd":
        raise BadInput(f"{origin}: Spark can't be relied on for CSV in zstd; use gzip, or Parquet")


def _header(paths: Sequence[Path], form: files.Format, origin: str) -> files.Header:
    headers = {files.read_header(path, form) for path in paths}
    if len(headers) > 1:
        raise BadInput(f"the files of {origin} have different headers; they must be parts of one table")
    return headers.pop()


def _delimited(
    reader: DataFrameReader, session: SparkSession, uris: list[str], header: files.Header, origin: str
) -> DataFrame:
    schema = StructType([StructField(name, StringType()) for name in header.names])
    options = {
        **_dialect(header.delimiter),
        "nullValue": _NULL,
        "emptyValue": "",
        "mode": "FAILFAST",
        "columnPruning": "false",  # or lines with too many or too few cells pass
        "unescapedQuoteHandling": "RAISE_ERROR",
        "maxColumns": str(max(_MOST_COLUMNS, len(header.names) + 1)),
        "multiLine": str(_breaks_in_cells(session, uris, len(header.names), origin)).lower(),
    }
    return reader.options(**options).schema(schema).csv(uris)


def _dialect(delimiter: str) -> dict[str, str]:
    return {
        "header": "true",
        "sep": delimiter,
        "quote": '"',
        "escape": '"',
        "encoding": "UTF-8",
        "ignoreLeadingWhiteSpace": "false",
        "ignoreTrailingWhiteSpace": "false",
    }


def _breaks_in_cells(session: SparkSession, uris: list[str], width: int, origin: str) -> bool:
    """Look at the raw lines once: whether cells have line breaks in them, for only then a file can't be split among tasks.

    Every such cell opens a quote that its line doesn't close. What Spark would read otherwise than it stands is refused.
    """
    lines = session.read.option("__globPaths__", "false").option("lineSep", "\n").text(uris).select("value")
    with named({"lines": lines}) as views:
        found = session.sql(SQL.quality(views["lines"])).collect()[0]
    if found["ill_coded"]:
        raise BadInput(f"{origin} is not UTF-8; save it as UTF-8")
    if width == 1 and found["blank"]:
        raise BadInput(
            f"{origin} has one column and empty lines, which Spark would skip; save it as Parquet, or use --engine duckdb"
        )
    breaks = bool(found["open_quotes"] or found["inner_returns"])
    if breaks and 0 < found["returns"] < found["lines"] and not found["inner_returns"]:
        raise BadInput(
            f"{origin} mixes line ends and has line breaks in cells; save it with one kind of line end"
        )
    return breaks


def canonical(frame: DataFrame, kinds: Sequence[Kind]) -> DataFrame:
    """A frame with every cell as the text that all engines write."""
    width = len(kinds)
    renamed = frame.toDF(*(f"x{i}" for i in range(width)))
    texts = [expr(SQL.as_text(f"x{i}", kind)).alias(f"x{i}") for i, kind in enumerate(kinds)]
    return renamed.select(*texts).toDF(*frame.columns)


def write(frame: DataFrame, path: Path, form: files.Format) -> None:
    """Write a frame to a folder that isn't there yet; for delimited text all its columns are texts."""
    if form.parquet:
        frame.write.option("compression", "zstd").parquet(_uri(path))
        return
    _refuse_zstd(form, repr(str(path)))
    options = {"nullValue": "", "emptyValue": '""', "compression": form.compression or "none"}
    # The writer takes single quotes off around a name, and blanks where there are none.
    named_literally = frame.toDF(*(f"'{name}'" for name in frame.columns))
    named_literally.write.options(**_dialect(form.delimiters[0]), **options).csv(_uri(path))
