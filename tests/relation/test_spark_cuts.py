"""Where split types are cut, against sorting all records; the counting engine is a plain function here."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from diva.relation.sql_spark import TURN_BITS

spark_cuts = pytest.importorskip("diva.relation.spark_cuts")


@st.composite
def split_types(draw: st.DrawFn) -> list[tuple[list[int], list[int]]]:
    """For each split type the turns of its records, and the sizes of its fragments."""
    types = []
    for _ in range(draw(st.integers(1, 4))):
        rng = np.random.default_rng(draw(st.integers(0, 999)))
        records = draw(st.integers(2, 400))
        distinct = draw(st.sampled_from([1, 2, 5, records, 4 * records]))
        values = rng.integers(0, 1 << TURN_BITS, distinct)
        turns = values[rng.integers(0, distinct, records)] if distinct < records else values[:records]
        cuts = sorted({int(c) for c in rng.integers(1, records, draw(st.sampled_from([1, 2, 3, 9])))})
        sizes = np.diff([0, *cuts, records]).tolist()
        types.append((turns.tolist(), sizes))
    return types


def plan_of(types: list[tuple[list[int], list[int]]]) -> Any:
    sizes = [np.array(s, dtype=np.int64) for _, s in types]
    return spark_cuts.Split(
        type=np.arange(len(types)),
        records=np.array([len(t) for t, _ in types]),
        owner=np.repeat(np.arange(len(types)), [len(s) for s in sizes]),
        after=np.concatenate([np.cumsum(s) - s for s in sizes]),
        upto=np.concatenate([np.cumsum(s) for s in sizes]),
    )


def counter(types: list[tuple[list[int], list[int]]], split: Any, asked: list[int]) -> Any:
    """What an engine answers, computed row by row."""

    def count(which: np.ndarray, buckets: np.ndarray, only: bool) -> Any:
        asked.append(len(which))
        windows = set(zip(which.tolist(), buckets.tolist(), strict=True))
        found: dict[tuple[int, int, int | None], list[int]] = {}
        for i, (turns, _) in enumerate(types):
            for u in turns:
                bucket = u >> int(split.shift[i])
                if (i, bucket) in windows:
                    found.setdefault((i, bucket, u), []).append(u)
                elif not only:
                    found.setdefault((i, bucket, None), []).append(u)
        rows = [(i, b, min(us), max(us), len(us)) for (i, b, _), us in found.items()]
        np.random.default_rng(0).shuffle(rows)
        return spark_cuts.Segments(*np.array(rows, dtype=np.int64).reshape(-1, 5).T)

    return count


def check(types: list[tuple[list[int], list[int]]], split: Any, cuts: Any) -> None:
    """Every fragment gets the turns that sorting would give it."""
    piece = 0
    for turns, sizes in types:
        ordered = sorted(turns)
        for size in sizes:
            expected = ordered[split.after[piece] : split.upto[piece]]
            got = [u for u in ordered if cuts.low[piece] <= u <= cuts.high[piece]]
            for which in np.flatnonzero(cuts.tie == piece):
                got += [int(cuts.turn[which])] * int(cuts.copies[which])
            assert sorted(got) == expected
            assert len(got) == size
            piece += 1


@given(split_types())
def test_fragments_get_what_sorting_would_give_them(types: list[tuple[list[int], list[int]]]) -> None:
    split, asked = plan_of(types), list[int]()
    check(types, split, spark_cuts.find(split, counter(types, split, asked)))
    assert len(asked) <= 2


def test_records_that_are_all_alike_need_no_count() -> None:
    types = [([7 << 50] * 10, [3, 3, 4]), ([7 << 50] * 5, [1, 4])]
    split = plan_of(types)
    check(types, split, spark_cuts.constant(split, 7 << 50))


def test_a_cut_among_distinct_records_is_found_in_one_scan_of_few_turns() -> None:
    turns = np.random.default_rng(5).integers(0, 1 << TURN_BITS, 200_000).tolist()
    types, asked = [(turns, [20, 199_980])], list[int]()
    split = plan_of(types)
    cuts = spark_cuts.find(split, counter(types, split, asked))
    assert len(asked) == 1
    assert asked[0] < 10
    assert sum(u <= cuts.high[0] for u in turns) == 20
