"""A published table beside its original, in DuckDB: row by row, or as multisets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from diva.relation.duck_recode import SQL
from diva.relation.engine import Differences, Members
from diva.relation.faults import told

if TYPE_CHECKING:
    from collections.abc import Sequence

    from diva.relation.duck import DuckTable
    from diva.relation.types import Types

_FEW = 4
"""With at most so many untouched columns components are expected to be large, and records are counted first."""


def row_differences(
    published: DuckTable,
    original: DuckTable,
    quasi: Sequence[str],
    untouched: Sequence[str],
    star: str | None,
) -> Differences:
    """Compare row by row: one scan of each table, side by side; tables of different size are not compared further."""
    names = (*quasi, *untouched)
    rows = original.row_count()
    if rows != published.row_count():
        return Differences(rows=rows, count=0, row=None, column=None, star_like=())
    texts = published.texts_of("p", names), original.texts_of("o", names)
    cells = [(texts[0][name], texts[1][name]) for name in names]
    asked = SQL.side_by_side(published.source, original.source), cells, len(quasi), star
    with told(published.origin, delimited=published.delimited):
        count, *stars = _first(published, SQL.row_differences(*asked))
        row, column = _first(published, SQL.first_difference(*asked)) if count else (None, None)
    return Differences(
        rows=rows,
        count=count,
        row=row,
        column=None if column is None else names[column],
        star_like=tuple(name for name, alike in zip(quasi, stars, strict=True) if alike),
    )


def _first(table: DuckTable, query: str) -> tuple[Any, ...]:
    found: list[tuple[Any, ...]] = table.connection.execute(query).fetchall()
    return found[0]


def members(
    published: DuckTable, original: DuckTable, types: Types, of_original: Types, untouched: Sequence[str]
) -> Members:
    """Count records by component and type: one scan of each table."""
    connection = published.connection
    names = (*types.attributes, *untouched)
    sides, known = [], []
    with told(published.origin, delimited=published.delimited):
        for side, (table, its_types) in enumerate(((original, of_original), (published, types))):
            texts = table.texts(names)
            known.append(f"diva_rows_{side}")
            _hand_over(connection, known[-1], its_types)
            rows = {"z": [texts[c] for c in untouched], "k": [texts[a] for a in types.attributes]}
            sides.append(SQL.keyed(SQL.row_keys(SQL.scan(table.source, names), rows), known[-1], side))
        query = SQL.components(sides, count_first=len(untouched) <= _FEW)
        answer = connection.execute(query).fetchnumpy()
        for name in known:
            connection.execute(f"DROP TABLE {name}")
    number = np.asarray(answer["m"])
    return Members(
        component=np.asarray(answer["component"]) - 1,
        published=number % 2 == 1,
        type=number // 2,
        count=np.asarray(answer["n"], dtype=np.int64) * np.asarray(answer["copies"]),
    )


def _hand_over(connection: Any, name: str, types: Types) -> None:
    """Create a table of numbered QI rows, by their keys."""
    columns = {
        f"c{i}": np.array(values, dtype=object)[types.codes[:, i]] for i, values in enumerate(types.values)
    }
    connection.register("diva_types", columns | {"id": np.arange(len(types))})
    casts = ", ".join([*(f"CAST({c} AS VARCHAR) AS {c}" for c in columns), "id"])
    keys = SQL.row_keys(f"SELECT {casts} FROM diva_types", {"k": [f"r.{c}" for c in columns]}, ["id"])
    try:
        connection.execute(f"CREATE OR REPLACE TEMP TABLE {name} AS {keys}")
    finally:
        connection.unregister("diva_types")
