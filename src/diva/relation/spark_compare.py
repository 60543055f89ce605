"""A published table beside its original, in Spark, as multisets."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from diva.relation.engine import Members
from diva.relation.spark_faults import told
from diva.relation.spark_frames import keys, named, small
from diva.relation.sql_spark import SparkSql

if TYPE_CHECKING:
    from collections.abc import Sequence

    from diva.relation.spark import SparkTable
    from diva.relation.types import Types

SQL = SparkSql()


def members(
    published: SparkTable, original: SparkTable, types: Types, of_original: Types, untouched: Sequence[str]
) -> Members:
    """Count records by component and type: one scan of each table."""
    session = published.session
    names = (*types.attributes, *untouched)
    frames = {}
    for side, (table, its_types) in enumerate(((original, of_original), (published, types))):
        everyone = np.arange(len(its_types))
        frames[f"rows{side}"] = table.source(names)
        frames[f"types{side}"] = small(session, keys(its_types, everyone) | {"id": everyone})
    with told(session, published.origin):
        with named(frames) as views:
            sides = []
            for side, table in enumerate((original, published)):
                texts = table.texts(names)
                same = [f"{texts[a]} IS NOT DISTINCT FROM w.k{i}" for i, a in enumerate(types.attributes)]
                scan = SQL.scan(views[f"rows{side}"], [f"x{i}" for i in range(len(names))])
                sides.append(
                    SQL.numbered(scan, [texts[c] for c in untouched], same, views[f"types{side}"], side)
                )
            counted = all(table.counts_of(names) is not None for table in (original, published))
            query = session.sql(SQL.member_lists(sides, len(untouched), counted=counted))
        answer = query.toArrow()
    lists = answer.column("members").combine_chunks()
    flat = lists.flatten()
    lengths = np.asarray(lists.value_lengths())
    number = np.asarray(flat.field("m"))
    return Members(
        component=np.repeat(np.arange(len(lists)), lengths),
        published=number % 2 == 1,
        type=number // 2,
        count=np.asarray(flat.field("n")) * np.repeat(answer.column("copies").to_numpy(), lengths),
    )
