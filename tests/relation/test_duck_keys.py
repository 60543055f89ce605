"""One text for a row: it must differ where, and only where, rows differ, whatever their cells hold."""

from __future__ import annotations

import itertools

import pytest

from diva.relation.duck import connect
from diva.relation.duck_recode import SQL

CELLS = (
    None,
    "",
    "a",
    "0:",
    "N",
    "%",
    "\x00",
    "\x00\x1f",
    "\\",
    "\x1e",
    "\x1f",
    "\x1e\x1e",
    "\x1f\x1e",
    "a\x1fa",
    "\x1e\x1e1:a",
)


@pytest.mark.parametrize("width", [1, 2, 3])
def test_keys_differ_just_where_rows_do(width: int) -> None:
    """Every row over cells that hold the marks which join and stand for NULL, twice."""
    connection = connect()
    rows = [*itertools.product(CELLS, repeat=width)] * 2
    columns = {f"c{i}": [row[i] for row in rows] for i in range(width)}
    connection.execute(f"CREATE TABLE t ({', '.join(f'{c} VARCHAR' for c in columns)})")
    connection.executemany(f"INSERT INTO t VALUES ({', '.join('?' * width)})", rows)

    query = SQL.row_keys("SELECT * FROM t", {"z": [f"r.{c}" for c in columns]}, list(columns))
    keys = {}
    for *row, key in connection.execute(query).fetchall():
        keys.setdefault(key, set()).add(tuple(row))

    assert None not in keys
    assert all(len(same) == 1 for same in keys.values())
    assert len(keys) == len(CELLS) ** width
