"""Files as DuckDB scans them: the call that reads them, and the columns they have."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from diva.errors import BadInput
from diva.relation import files
from diva.relation.duck_recode import SQL, copy_options
from diva.relation.engine import Column, Kind
from diva.relation.faults import told
from diva.relation.folders import Parts, parts_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import duckdb

_KINDS: dict[str, Kind] = {
    "VARCHAR": "text", "BOOLEAN": "boolean", "FLOAT": "float", "DOUBLE": "float", "DATE": "date",
    "TIMESTAMP": "timestamp", "TIMESTAMP WITH TIME ZONE": "instant",
    **{sign + size: "integer" for sign in ("", "U") for size in ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT")},
}  # fmt: skip


def kind_of(type_: str) -> Kind:
    """What a column of one of DuckDB's types holds."""
    return "decimal" if type_.startswith("DECIMAL") else _KINDS.get(type_, "other")


class Scan(NamedTuple):
    """How files are scanned."""

    source: str
    """What stands after FROM."""
    columns: tuple[Column, ...]
    paths: tuple[Path, ...]
    delimited: bool


def scan_of(
    connection: duckdb.DuckDBPyConnection, path: str | Path, form: files.Format | None, origin: str
) -> Scan:
    """Open one file, or several of one format by a glob pattern or in a folder."""
    parts = parts_of(path)
    form = form or files.common_format(parts.paths)
    if not form.parquet:
        return _of_text(connection, parts, form, origin)
    _require_alike(connection, parts.paths)
    source = _call("read_parquet", parts, ())
    inside = _parquet_names(connection, parts.paths[0], origin)
    known = {column.name: column for column in described(connection, source, origin)}
    columns = (*(known[name] for name in inside), *_keys(parts, inside, origin))
    return Scan(source, columns, parts.paths, delimited=False)


def _of_text(connection: duckdb.DuckDBPyConnection, parts: Parts, form: files.Format, origin: str) -> Scan:
    """Open delimited text."""
    headers = {_header(connection, p, form) for p in parts.paths}
    if len(headers) > 1:
        raise BadInput(f"the files of {origin} have different headers; they must be parts of one table")
    header = headers.pop()
    kinds = ", ".join(f"{SQL.text(name)}: 'VARCHAR'" for name in header.names)
    options = [
        "auto_detect=false, header=true, quote='\"', escape='\"', nullstr='', allow_quoted_nulls=false, strict_mode=true",
        f"delim={SQL.text(header.delimiter)}, columns={{{kinds}}}",
    ]
    if form.compression:
        options.append(f"compression={SQL.text(form.compression)}")
    inside = (Column(name, "VARCHAR", "text") for name in header.names)
    columns = (*inside, *_keys(parts, header.names, origin))
    return Scan(_call("read_csv", parts, options), columns, parts.paths, delimited=True)


def _call(reader: str, parts: Parts, options: Sequence[str]) -> str:
    """The call that scans files; what stands in the names of folders is text, and only read where we say so."""
    listed = "[" + ", ".join(SQL.text(_escaped(p)) for p in parts.paths) + "]"
    hive = "hive_partitioning=true, hive_types_autocast=false" if parts.keys else "hive_partitioning=false"
    return f"{reader}({', '.join([listed, *options, hive])})"


def _keys(parts: Parts, inside: Sequence[str], origin: str) -> Iterator[Column]:
    """The columns in the names of folders, which come after those in the files."""
    known = {name.lower(): name for name in inside}
    for key in parts.keys:
        if key.lower() in known:
            raise BadInput(
                f"column {known[key.lower()]!r} of {origin} is in the files and in the names of their folders; leave one out"
            )
        yield Column(key, "VARCHAR", "text")
    files.check_distinct(origin, parts.keys)


def described(connection: duckdb.DuckDBPyConnection, source: str, origin: str) -> tuple[Column, ...]:
    """The columns of whatever can stand after FROM."""
    with told(origin):
        rows = connection.execute(f"DESCRIBE SELECT * FROM {source}").fetchall()
    columns = tuple(Column(row[0], row[1], kind_of(row[1])) for row in rows)
    files.check_distinct(origin, tuple(c.name for c in columns))
    return columns


def _require_alike(connection: duckdb.DuckDBPyConnection, paths: Sequence[Path]) -> None:
    """Refuse Parquet files of different columns: DuckDB leaves out those that the first lacks, and converts types."""
    shapes: dict[frozenset[tuple[str, str]], Path] = {}
    for path in paths:
        origin = repr(str(path))
        files.check_distinct(origin, _parquet_names(connection, path, origin))
        if len(paths) > 1:
            columns = described(connection, _call("read_parquet", Parts((path,)), ()), origin)
            shapes.setdefault(frozenset((c.name, c.type) for c in columns), path)
    if len(shapes) > 1:
        some, other, *_ = shapes.values()
        raise BadInput(
            f"{str(some)!r} and {str(other)!r} have different columns or types; they must be parts of one table"
        )


def _parquet_names(connection: duckdb.DuckDBPyConnection, path: Path, origin: str) -> tuple[str, ...]:
    """The column names as a Parquet file has them: DuckDB renames those it can't tell apart. The schema lists columns depth first, so children of nested ones are skipped."""
    with told(origin):
        query = f"SELECT name, COALESCE(num_children, 0) FROM parquet_schema({SQL.text(_escaped(path))})"
        schema = connection.execute(query).fetchall()
    names, at = [], 1
    while at < len(schema):
        names.append(schema[at][0])
        left, at = schema[at][1], at + 1
        while left:
            left, at = left - 1 + schema[at][1], at + 1
    return tuple(names)


def _escaped(path: Path) -> str:
    """A path that DuckDB doesn't take for a pattern."""
    return "".join(f"[{c}]" if c in "*?[" else c for c in str(path))


def _header(connection: duckdb.DuckDBPyConnection, path: Path, form: files.Format) -> files.Header:
    if form.compression != "zstd":
        return files.read_header(path, form)
    query = (
        f"SELECT line FROM read_csv({SQL.text(_escaped(path))}, auto_detect=false, header=false, delim=chr(1), quote='',"
        " escape='', compression='zstd', strict_mode=false, columns={'line': 'VARCHAR'}) LIMIT 100"
    )
    with told(repr(str(path))):
        lines = connection.execute(query).fetchall()
    return files.read_header(path, form, "\n".join(line or "" for (line,) in lines).encode())


def folder_options(form: files.Format, pieces: files.Pieces, ending: str) -> str:
    """How DuckDB divides what it writes among the files of a folder."""
    options = [copy_options(form), f"FILE_EXTENSION {SQL.text(ending)}", "FILENAME_PATTERN 'part-{i}'"]
    if pieces.partition_by:
        options.append(f"PARTITION_BY ({', '.join(map(SQL.name, pieces.partition_by))})")
    if pieces.size is not None:
        options.append(f"FILE_SIZE_BYTES {pieces.size}")
    return ", ".join(options)


def number_files(folder: Path) -> None:
    """Give files that DuckDB numbered as many digits each, so that sorting their names keeps their order."""
    for path in sorted(folder.rglob("part-*")):
        number, _, ending = path.name.removeprefix("part-").partition(".")
        path.rename(path.with_name(f"part-{int(number):05}.{ending}"))
