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
        scan = table.scan((*types.attributes, *untouched))
        quasi = [scan.texts[a] for a in types.attributes]
        on = known.matches([f"r.k{i}" for i in range(len(quasi))])
        sides.append(SQL.side(scan.query, [scan.texts[c] for c in untouched], quasi, rows, (on, side)))
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
