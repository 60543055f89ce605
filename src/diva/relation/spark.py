"""Spark: files and DataFrames that are counted, recoded and compared where they lie; rows never reach this process."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from diva.errors import BadInput
from diva.relation import files, spark_compare
from diva.relation.engine import Column, Differences, Kind, Library, Members
from diva.relation.spark_faults import told
from diva.relation.spark_files import canonical, read, write
from diva.relation.spark_frames import coded, named
from diva.relation.spark_machines import SparkMachines
from diva.relation.spark_multiset import Kept, Multiset, multiset, repeats, unweighted
from diva.relation.spark_recode import SparkRecoding
from diva.relation.sql_spark import SparkSql
from diva.relation.types import Types, sorted_types

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

    from diva.constraints.model import Target
    from diva.relation.engine import Fragments, Layout, Table

SQL = SparkSql()
_KINDS: dict[str, Kind] = {
    "string": "text", "varchar": "text", "char": "text", "boolean": "boolean", "decimal": "decimal",
    "tinyint": "integer", "smallint": "integer", "int": "integer", "bigint": "integer",
    "float": "float", "double": "float", "date": "date", "timestamp_ntz": "timestamp", "timestamp": "instant",
}  # fmt: skip


@dataclass(frozen=True)
class SparkTable:
    """A table that Spark can scan."""

    frame: DataFrame
    columns: tuple[Column, ...]
    origin: str
    paths: tuple[Path, ...] = ()
    folders: bool = True
    """Every task writes a file of its own, so a release is a folder of them."""
    counted: Multiset | None = None
    """Its distinct rows with their counts, where rows repeat."""
    kept: Kept = field(default_factory=Kept, compare=False)

    @property
    def session(self) -> SparkSession:
        """The session that it lives in."""
        return self.frame.sparkSession

    @property
    def names(self) -> tuple[str, ...]:
        """The column names."""
        return tuple(column.name for column in self.columns)

    def refuse(self, order: str) -> None:
        """Refuse an order of rows that this engine can't give."""
        if order == "keep":
            raise BadInput(
                "a table in Spark has no order to keep; leave out --order keep, or use --engine duckdb"
            )

    def focused(self, columns: Sequence[str]) -> SparkTable:
        """The same table; where its rows repeat in these columns they are counted once, and only these counts are used."""
        kinds = {c.name: c.kind for c in self.columns}
        of_columns = [kinds[c] for c in columns]
        with told(self.session, self.origin):
            if not repeats(self.frame, columns, of_columns, files=bool(self.paths)):
                return self
            return replace(self, counted=multiset(self.frame, columns, of_columns, self.kept))

    def source(self, names: Sequence[str]) -> DataFrame:
        """n, how often a row comes, and some columns, called x0 …"""
        counted = self.counts_of(names)
        return unweighted(self.frame, names) if counted is None else counted.columns(names)

    def counts_of(self, names: Sequence[str]) -> Multiset | None:
        """Its distinct rows, where they are counted and have these columns."""
        return self.counted if self.counted is not None and self.counted.holds(names) else None

    def machines(self) -> SparkMachines | None:
        """The executors of a cluster; in local mode there is only this machine."""
        master = self.session.sparkContext.master
        return None if re.fullmatch(r"local(\[.*\])?", master) else SparkMachines(self.session)

    def close(self) -> None:
        """Let go of what was counted. The session stays: a lazy release needs it, and so may the next run."""
        self.kept.release()

    def identity(self) -> list[dict[str, Any]]:
        """The files with their hashes; nothing is said of a DataFrame."""
        return [{"path": str(path), "sha256": files.sha256(path)} for path in self.paths]

    def row_count(self) -> int:
        """|R|."""
        with told(self.session, self.origin):
            return int(self.frame.count())

    def types(self, quasi: Sequence[str], conditions: Sequence[Target] = ()) -> Types:
        """Count the types, split by which conditions their records meet: one scan, counted where the rows lie first."""
        if self.counted is None or not self.kept.open:
            return self._types(quasi, conditions)
        asked = tuple(quasi), tuple(conditions)
        if asked not in self.counted.types:
            self.counted.types[asked] = self._types(quasi, conditions)
        known = self.counted.types[asked]
        # Copies: what a solver does to its arrays must not reach the verifier's.
        return replace(known, codes=known.codes.copy(), met=known.met.copy(), counts=known.counts.copy())

    def _types(self, quasi: Sequence[str], conditions: Sequence[Target]) -> Types:
        names = self.used(quasi, conditions)
        texts = self.texts(names)
        carried = [SQL.carries(c, texts) for c in conditions]
        answer = self._ask(
            self.source(names), lambda scan: SQL.grouped(scan, [texts[c] for c in quasi], carried)
        )
        columns = [coded(answer.column(f"k{i}")) for i in range(len(quasi))]
        met = [_array(answer.column(f"b{i}")) for i in range(len(conditions))]
        return sorted_types(
            quasi,
            [values for _, values in columns],
            np.column_stack([codes for codes, _ in columns]),
            conditions,
            np.column_stack(met).astype(bool) if met else np.zeros((len(answer), 0), dtype=bool),
            _array(answer.column("n")),
        )

    def signatures(self, targets: Sequence[Target]) -> list[tuple[int, int]]:
        """Count records by the set of targets they carry: one scan."""
        names = self.used((), targets)
        texts = self.texts(names)
        carried = [SQL.carries(t, texts) for t in targets]
        rows = self._rows(unweighted(self.frame, names), lambda scan: SQL.signatures(scan, carried))
        found = [(sum(mask << (60 * i) for i, mask in enumerate(row[:-1])), int(row[-1])) for row in rows]
        return sorted((mask, count) for mask, count in found if count)

    def counts(self, targets: Sequence[Target]) -> list[int]:
        """Count the records that carry each target: one scan for all."""
        if not targets:
            return []
        names = self.used((), targets)
        texts = self.texts(names)
        carried = [SQL.carries(t, texts) for t in targets]
        return [
            int(n) for n in self._rows(self.source(names), lambda scan: SQL.count_targets(scan, carried))[0]
        ]

    def count_query(self, target: Target) -> str:
        """The query that counts the records carrying a target, over a view of the table called `r`."""
        texts = {
            c.name: SQL.as_text(SQL.name(c.name), c.kind) for c in self.columns if c.name in target.attributes
        }
        return SQL.count_target("r", target, texts)

    def frequencies(self, attributes: Sequence[str]) -> list[tuple[tuple[str, ...], int]]:
        """How often each combination of values of some columns occurs, NULLs left out."""
        texts = self.texts(attributes)
        grouped = [texts[a] for a in attributes]
        rows = self._rows(unweighted(self.frame, attributes), lambda scan: SQL.frequencies(scan, grouped))
        return sorted((tuple(row[:-1]), int(row[-1])) for row in rows)

    def recode(self, types: Types, plan: Fragments, layout: Layout) -> SparkRecoding:
        """Prepare the release that a plan describes."""
        self.refuse(layout.order)
        return SparkRecoding(self, types, plan, layout, from_frame)

    def row_differences(
        self,
        original: Table,
        quasi: Sequence[str],  # noqa: ARG002 - the protocol's
        untouched: Sequence[str],  # noqa: ARG002
        star: str | None,  # noqa: ARG002
    ) -> Differences:
        """Spark's tables can't be compared row by row."""
        raise BadInput(
            f"{self.origin} and {original.origin} have no order of rows in Spark; compare them with --order shuffle"
        )

    def members(self, original: Table, types: Types, of_original: Types, untouched: Sequence[str]) -> Members:
        """Count the records of this published table and its original by component and type."""
        if not isinstance(original, SparkTable):
            raise BadInput(
                f"{self.origin} and {original.origin} live in different engines; compare them in one"
            )
        return spark_compare.members(self, original, types, of_original, untouched)

    def export(self, library: Library) -> Any:
        """The rows as a frame of a library; all but Spark's are brought here first."""
        if library == "spark":
            return self.frame
        with told(self.session, self.origin):
            table = self.frame.toArrow()
        if library == "pandas":
            return table.to_pandas()
        if library == "polars":
            import polars as pl  # noqa: PLC0415 - only where it is asked for

            return pl.from_arrow(table)
        return table

    def write(self, path: Path, *, like: Path) -> SparkTable:
        """Write the table to a folder, in the format that the name of `like` tells, and open it."""
        form = files.format_of(like)
        with told(self.session, repr(str(like))):
            frame = self.frame if form.parquet else canonical(self.frame, [c.kind for c in self.columns])
            write(frame, path, form)
        return self.reopened(path, like=like)

    def reopened(self, path: Path, *, like: Path) -> SparkTable:
        """Open a folder that was written; what repeats here repeats there."""
        found = from_path(self.session, path, like=like)
        if self.counted is None:
            return found
        counted = multiset(found.frame, found.names, [c.kind for c in found.columns], self.kept)
        return replace(found, kept=self.kept, counted=counted)

    def used(self, quasi: Sequence[str], targets: Sequence[Target]) -> tuple[str, ...]:
        """The columns that QI and targets name, in the order of the table."""
        wanted = {*quasi, *(a for t in targets for a in t.attributes)}
        return tuple(name for name in self.names if name in wanted)

    def texts(self, names: Sequence[str]) -> dict[str, str]:
        """The expressions of some columns as text, over a scan of just these columns called r."""
        kinds = {c.name: c.kind for c in self.columns}
        return {name: SQL.as_text(f"r.c{i}", kinds[name]) for i, name in enumerate(names)}

    def _ask(self, source: DataFrame, query: Callable[[str], str]) -> pa.Table:
        """Run a query over a source, and bring its counts here."""
        with told(self.session, self.origin):
            with named({"table": source}) as views:
                answer = self.session.sql(query(SQL.scan(views["table"], source.columns[1:])))
            return answer.toArrow()

    def _rows(self, source: DataFrame, query: Callable[[str], str]) -> list[tuple[Any, ...]]:
        answer = self._ask(source, query)
        return list(zip(*(column.to_pylist() for column in answer.columns), strict=True))


def _array(column: pa.ChunkedArray) -> np.ndarray:
    return np.asarray(column.to_numpy())


def from_frame(
    frame: DataFrame, origin: str = "the Spark DataFrame", paths: tuple[Path, ...] = ()
) -> SparkTable:
    """Open a DataFrame of a session that runs here."""
    if type(frame).__module__.startswith("pyspark.sql.connect"):
        raise BadInput("a DataFrame of Spark Connect can't be used; give one of a classic session")
    columns = tuple(
        Column(field.name, kind, _KINDS.get(kind.split("(")[0], "other"))
        for field in frame.schema.fields
        for kind in (field.dataType.simpleString(),)
    )
    files.check_distinct(origin, tuple(c.name for c in columns))
    if not columns:
        raise BadInput(f"{origin} has no columns")
    return SparkTable(frame, columns, origin, paths)


def from_path(session: SparkSession, path: str | Path, *, like: Path | None = None) -> SparkTable:
    """Open a file, a folder of files, or files by a glob pattern."""
    origin = repr(str(path if like is None else like))
    with told(session, origin):
        frame, paths = read(session, path, origin)
    return from_frame(frame, origin, paths)
