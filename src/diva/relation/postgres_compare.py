"""A published table beside its original, in PostgreSQL, as multisets."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from diva.relation.engine import Members
from diva.relation.postgres_known import SQL, Known

if TYPE_CHECKING:
    from collections.abc import Sequence

    from diva.relation.postgres import PostgresTable
    from diva.relation.types import Types


def members(
    published: PostgresTable,
    original: PostgresTable,
    types: Types,
    of_original: Types,
    untouched: Sequence[str],
) -> Members:
    """Count records by component and type: at most one scan of each table."""
    sides = []
    session, origin = published.session, published.origin
    for side, (table, its_types) in enumerate(((original, of_original), (published, types))):
        known = Known(its_types)
        every = np.arange(len(its_types))
        rows = known.hand_over(session, "rows", every, {"id": every}, origin)
        on = known.matches([f"r.k{i}" for i in range(len(types.attributes))])
        sides.append(SQL.side(_records(table, types.attributes, untouched), len(untouched), rows, on, side))
    found = session.rows(SQL.members(sides, len(untouched)), origin)
    lengths = [len(row[0]) for row in found]
    number = np.array([m for row in found for m in row[0]], dtype=np.int64)
    count = np.array([n for row in found for n in row[1]], dtype=np.int64)
    copies = np.repeat(np.array([row[2] for row in found], dtype=np.int64), lengths)
    return Members(
        component=np.repeat(np.arange(len(found)), lengths),
        published=number % 2 == 1,
        type=number // 2,
        count=count * copies,
    )


def _records(table: PostgresTable, quasi: Sequence[str], untouched: Sequence[str]) -> str:
    """The records of a table as a query: untouched values z0 …, QI values k0 …, n of each; counted together unless they were."""
    scan = table.scan((*quasi, *untouched))
    named = {f"z{i}": scan.texts[c] for i, c in enumerate(untouched)}
    named |= {f"k{i}": scan.texts[a] for i, a in enumerate(quasi)}
    if scan.kept and len(scan.names) == len(named):
        return SQL.renamed(scan.query, named)
    return SQL.grouped(scan.query, named)
