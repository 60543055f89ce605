"""A table in Spark as its distinct rows and how often each comes: taken once, and kept by Spark for the time of a run.

Where rows repeat, everything that is asked of a table is answered from these counts, and a release is written from
them, so that the table itself is read once. Where most rows differ, counting them would only make them longer.
"""

from __future__ import annotations

from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql.functions import col, count, expr, lit
from pyspark.sql.functions import sum as total
from pyspark.storagelevel import StorageLevel

from diva.relation.spark_frames import numbered

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pyspark.sql import DataFrame, SparkSession

    from diva.constraints.model import Target
    from diva.relation.engine import Kind
    from diva.relation.types import Types

_FEWER = "spark.sql.optimizer.canChangeCachedPlanOutputPartitioning"
_LOOKED_AT = 20_000
"""So many records are looked at to tell whether rows repeat."""
_EXACT: frozenset[Kind] = frozenset(
    {"text", "integer", "boolean", "decimal", "float", "date", "timestamp", "instant"}
)
"""Kinds whose values Spark takes for equal just where their texts are, but for -0.0 and 0.0, which are told apart here."""


@dataclass
class Kept:
    """What Spark keeps for a run; it is let go at the end, and then nothing is kept any more."""

    frames: list[DataFrame] = field(default_factory=list)
    open: bool = True

    def keep(self, frame: DataFrame) -> DataFrame:
        """Have a frame kept once it is computed, in memory and on disk."""
        if self.open:
            with _few_partitions(frame.sparkSession):
                frame.persist(StorageLevel.MEMORY_AND_DISK)
            self.frames.append(frame)
        return frame

    def release(self) -> None:
        """Let go of everything."""
        self.open = False
        with suppress(Py4JError, PySparkException, OSError):  # a JVM that is gone keeps nothing
            while self.frames:
                self.frames.pop().unpersist()


@contextmanager
def _few_partitions(session: SparkSession) -> Iterator[None]:
    """While it lasts, what is kept may have as few partitions as it fills; otherwise Spark keeps the hundreds that it counted in."""
    before = session.conf.get(_FEWER)
    session.conf.set(_FEWER, "true")
    try:
        yield
    finally:
        session.conf.set(_FEWER, before) if before is not None else session.conf.unset(_FEWER)


@dataclass(frozen=True)
class Multiset:
    """Distinct rows x0 … and how often each comes, n."""

    frame: DataFrame
    names: tuple[str, ...]
    types: dict[tuple[Sequence[str], Sequence[Target]], Types] = field(default_factory=dict, compare=False)
    """The types that were asked for, by QI and conditions: the same counts would give the same again."""

    def holds(self, names: Sequence[str]) -> bool:
        """Whether it has these columns."""
        return set(names) <= set(self.names)

    def columns(self, names: Sequence[str]) -> DataFrame:
        """N and some columns, called x0 …; rows may come several times.

        n comes first, for Spark lets go of what it keeps when a view is dropped that is just the same.
        """
        places = (self.names.index(name) for name in names)
        return self.frame.select("n", *(col(f"x{place}").alias(f"x{i}") for i, place in enumerate(places)))


def unweighted(frame: DataFrame, names: Sequence[str]) -> DataFrame:
    """N = 1, for each row comes once, and some columns of a frame, called x0 …"""
    return numbered(frame, names).select(lit(1).alias("n"), "*")


def repeats(frame: DataFrame, names: Sequence[str], kinds: Sequence[Kind], *, files: bool) -> bool:
    """Whether rows come twice or more on average among the first, and can be counted without changing them."""
    if not names or not _EXACT.issuperset(kinds):
        return False
    keys = [f"x{i}" for i in range(len(names))]
    some = numbered(frame, names)
    if files:
        # One task reads until it has enough, and nothing is exchanged. A frame of a user's may filter: there all must look.
        some = some.coalesce(1)
    groups = some.limit(_LOOKED_AT).groupBy(*keys).agg(count("*").alias("n"))
    found = groups.agg(count("*").alias("distinct"), total("n").alias("rows")).collect()[0]
    return 2 * int(found["distinct"]) <= int(found["rows"] or 0)


def multiset(frame: DataFrame, names: Sequence[str], kinds: Sequence[Kind], kept: Kept) -> Multiset:
    """Count the distinct rows of some columns, when they are first asked for."""
    keys = [f"x{i}" for i in range(len(names))]
    floats = [i for i, kind in enumerate(kinds) if kind == "float"]
    zeros = [expr(f"x{i} = 0 AND CAST(x{i} AS STRING) = '-0.0'").alias(f"minus{i}") for i in floats]
    counted = numbered(frame, names).groupBy(*keys, *zeros).agg(count("*").alias("n"))
    signed = [expr(f"CASE WHEN minus{i} THEN -x{i} ELSE x{i} END").alias(f"x{i}") for i in floats]
    cells = {f"x{i}": value for i, value in zip(floats, signed, strict=True)}
    return Multiset(kept.keep(counted.select(*(cells.get(key, col(key)) for key in keys), "n")), tuple(names))
