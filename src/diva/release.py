"""A verified release: its figures, and the rows where they were produced."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from diva.errors import BadInput
from diva.recode.destination import destination_at

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import pandas as pd
    import polars as pl
    import pyarrow as pa
    from pyspark.sql import DataFrame

    from diva.constraints.model import Constraint
    from diva.relation.engine import Table


_PARTS = ("read", "search", "bound", "write", "verify", "total")


def _plain(value: float) -> float:
    """As a whole number where it is one."""
    return int(value) if float(value).is_integer() else value


@dataclass(frozen=True, slots=True)
class Published:
    """A constraint and how the release fares by it."""

    constraint: Constraint
    before: int
    """How many records of the original carry the target."""
    count: int
    """How many published records do."""
    satisfied: bool
    price: float | None = None
    """What the constraint costs: by how many (weighted) stars the lower bound falls without it; None where that isn't known."""

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        c = self.constraint
        figures = {
            "before": self.before,
            "count": self.count,
            "satisfied": self.satisfied,
            "price": None if self.price is None else _plain(self.price),
        }
        return {"text": c.text, "low": c.low, "high": c.high, **figures}


def no_manifest(_release: Release, _rows: Table, _written: Mapping[str, Any]) -> str:
    """Refuse to vouch for rows that nobody verified."""
    raise BadInput("this release was not made by anonymize, so it can't be verified as written")


@dataclass(frozen=True)
class Release:
    """A k-anonymous release that satisfies Σ, verified before anybody could hold it."""

    rows: int
    cells: int
    """Published QI cells, rows × m; stars are among them."""
    types: int
    """Distinct QI rows of the original."""
    groups: int
    """Distinct QI rows of the release."""
    stars: int
    k: int
    k_achieved: int
    """The size of the smallest group."""
    lower_bound: float
    """No release that keeps the guarantees has fewer (weighted) stars."""
    bound_without_constraints: float
    """No k-anonymous release has fewer (weighted) stars, whether or not it satisfies Σ."""
    gap: float
    """The share of the cost that a better release could save at most: (cost − bound) / cost."""
    cost: float
    """Weighted stars; the stars themselves where no weights were given."""
    solver: str
    seed: int
    dropped_columns: tuple[str, ...]
    constraints: tuple[Published, ...]
    seconds: dict[str, float]
    warnings: tuple[str, ...] = ()
    table: Table | None = field(default=None, repr=False)
    """The published rows."""
    sources: tuple[Path, ...] = field(default=(), repr=False)
    """The files it was made from, which it never overwrites."""
    vouch: Callable[[Release, Table, Mapping[str, Any]], str] = field(default=no_manifest, repr=False)
    """Verifies a file that the release was written to, which is about to get a name, and writes its manifest."""

    def to_dict(self) -> dict[str, Any]:
        """The figures as JSON, with the fields of `diva anonymize --json`."""
        plain = (
            "rows", "cells", "types", "groups", "stars", "k_achieved", "lower_bound", "gap", "solver", "seed",
        )  # fmt: skip
        return {name: getattr(self, name) for name in plain} | {
            "lower_bound": _plain(self.lower_bound),
            "bound_without_constraints": _plain(self.bound_without_constraints),
            "dropped_columns": list(self.dropped_columns),
            "constraints": [c.to_dict() for c in self.constraints],
            "seconds": {name: round(self.seconds[name], 4) for name in _PARTS},
        }

    def write(self, path: str | Path) -> None:
        """Write the rows and a manifest: a CSV or Parquet file, whole or not at all, verified as written.

        Rows that are in Spark become a folder of such files.
        """
        sources = (*self._rows.paths, *self.sources)
        destination = destination_at(Path(path), self._rows, sources)
        destination.refuse_unwritable()
        with destination.staged() as staging:
            written = staging.produce(self._rows)
            staging.attach(self.vouch(self, written, staging.identity()))

    def to_arrow(self) -> pa.Table:
        """Return the rows as a pyarrow table (needs pyarrow)."""
        table: pa.Table = self._rows.export("arrow")
        return table

    def to_pandas(self) -> pd.DataFrame:
        """Return the rows as a pandas frame (needs pandas)."""
        frame: pd.DataFrame = self._rows.export("pandas")
        return frame

    def to_polars(self) -> pl.DataFrame:
        """Return the rows as a polars frame (needs polars and pyarrow)."""
        frame: pl.DataFrame = self._rows.export("polars")
        return frame

    def to_spark(self) -> DataFrame:
        """Return the rows as a lazy Spark DataFrame, where they are in Spark."""
        frame: DataFrame = self._rows.export("spark")
        return frame

    @property
    def _rows(self) -> Table:
        if self.table is None:
            raise BadInput("this release has no rows in memory; read the file it was written to")
        return self.table
