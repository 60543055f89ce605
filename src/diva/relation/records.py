"""Small tables of our own, such as the figures of experiments, written as CSV or Parquet with typed columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from diva.relation.duck import connect, from_source
from diva.relation.duck_recode import SQL
from diva.relation.faults import told

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

RecordKind = Literal["VARCHAR", "BIGINT", "DOUBLE"]


def write_records(
    records: Sequence[Mapping[str, object]], kinds: Mapping[str, RecordKind], path: Path, *, like: Path
) -> None:
    """Write records with the columns that `kinds` names, in the format that the name of `like` tells; None is NULL."""
    connection = connect()
    columns = {
        f"c{i}": np.array([_text(record.get(name)) for record in records], dtype=object)
        for i, name in enumerate(kinds)
    }
    with told(repr(str(like))):
        connection.register("diva_texts", columns)
        connection.execute(f"CREATE TEMP TABLE diva_records AS {SQL.typed('diva_texts', kinds)}")
    from_source(connection, "diva_records", repr(str(like))).write(path, like=like)


def _text(value: object) -> str | None:
    """A value as a text that is read back as it was: Python writes the shortest number that does."""
    return None if value is None else str(value)
