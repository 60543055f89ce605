"""The matching against Kuhn's algorithm, and on shapes that are made to be hard."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from diva.verify import candidates
from diva.verify.candidates import STAR
from diva.verify.matching import Rows, unmatched
from tests.verify.tables import most_matched

Record = tuple[int, ...]
"""A component, then codes."""
WAYS = {
    "join": {},
    "join with long keys": {"_LARGEST_KEY": 4},
    "bit maps": {"_TYPES_PER_GROUP": 0},
    "lists": {"_TYPES_PER_GROUP": 0, "_COMMON": 0},
}


def rows(records: list[Record], width: int) -> Rows:
    distinct = sorted(Counter(records).items())
    matrix = np.array([record for record, _ in distinct], dtype=np.int64).reshape(len(distinct), width + 1)
    counts = np.array([count for _, count in distinct], dtype=np.int64)
    return Rows(matrix[:, 0], matrix[:, 1:].astype(np.int32), counts)


def fits(original: Record, published: Record) -> bool:
    same = all(p in (o, STAR) for o, p in zip(original[1:], published[1:], strict=True))
    return same and original[0] == published[0]


@st.composite
def tables(draw: st.DrawFn) -> tuple[int, list[Record], list[Record]]:
    """Components with as many original as published records, which may or may not be their suppressions."""
    width = draw(st.integers(1, 4))
    values = st.integers(0, draw(st.integers(0, 3)))
    row = st.tuples(*[values] * width)
    originals, published = [], []
    for component in range(draw(st.integers(0, 3))):
        records = draw(st.lists(row, max_size=9))
        sources = (
            records
            if draw(st.booleans())
            else draw(st.lists(row, min_size=len(records), max_size=len(records)))
        )
        originals += [(component, *record) for record in records]
        for source in sources:
            mask = draw(st.tuples(*[st.booleans()] * width))
            published.append(
                (component, *(STAR if hide else v for hide, v in zip(mask, source, strict=True)))
            )
    return width, originals, published


@pytest.mark.parametrize("way", WAYS)
@given(table=tables())
def test_leaves_as_few_as_kuhns_algorithm(way: str, table: tuple[int, list[Record], list[Record]]) -> None:
    width, originals, published = table
    with pytest.MonkeyPatch.context() as patch:
        for name, value in WAYS[way].items():
            patch.setattr(candidates, name, value)
        left = unmatched(rows(originals, width), rows(published, width))
    assert left == len(published) - most_matched(originals, published, fits)


def chain(length: int) -> tuple[list[Record], list[Record]]:
    """Types that fit into two groups each, of which a first choice that is wrong anywhere is wrong everywhere.

    Types (i, i) and (i, i + 1); groups (i, *) and (*, j), of one record each, so that types and groups are a path.
    """
    types = [(0, i, i + d) for i in range(length) for d in (0, 1)]
    groups = [(0, i, STAR) for i in range(length)] + [(0, STAR, j) for j in range(length + 1)]
    return types, groups


@pytest.mark.parametrize("end", [0, -1])
@pytest.mark.parametrize("copies", [1, 1000])
def test_a_path_has_one_solution_whichever_end_is_cut(end: int, copies: int) -> None:
    types, groups = chain(200)
    groups.remove((0, STAR, 0 if end == 0 else 200))
    original, published = rows(types, 2), rows(groups, 2)
    scaled = (Rows(r.component, r.codes, r.count * copies) for r in (original, published))
    assert unmatched(*scaled) == 0


def test_a_path_cut_in_the_wrong_place_misses_one() -> None:
    types, groups = chain(200)
    groups.remove((0, STAR, 100))
    groups.remove((0, 50, STAR))
    groups.append((0, 50, 7))
    assert unmatched(rows(types, 2), rows(groups, 2)) == 1


@pytest.mark.parametrize("way", WAYS)
def test_records_must_be_moved_many_at_a_time(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in WAYS[way].items():
        monkeypatch.setattr(candidates, name, value)
    # 10^9 records of (0, 0) fit into both groups of their pattern level, but only they fit the last one.
    original = Rows(
        np.zeros(3, dtype=np.int64), np.array([[0, 0], [0, 1], [1, 0]], dtype=np.int32), np.array([10**9] * 3)
    )
    groups = np.array([[0, STAR], [STAR, 0], [STAR, STAR]], dtype=np.int32)
    published = Rows(np.zeros(3, dtype=np.int64), groups, np.array([2 * 10**9 - 5, 10**9 + 3, 2]))
    assert unmatched(original, published) == 0


def test_forty_columns_with_a_pattern_for_every_record() -> None:
    rng = np.random.default_rng(5)
    codes = np.unique(rng.integers(0, 3, (3000, 40)), axis=0).astype(np.int32)
    one = np.zeros(len(codes), dtype=np.int64)
    original = Rows(one, codes, one + 1)
    for share in (0.3, 0.9):
        masked, counts = np.unique(
            np.where(rng.random(codes.shape) < share, STAR, codes), axis=0, return_counts=True
        )
        assert unmatched(original, Rows(one[: len(masked)], masked, counts)) == 0
        wrong = masked.copy()
        wrong[len(wrong) // 2] = 5  # no type has this value
        assert unmatched(original, Rows(one[: len(masked)], wrong, counts)) == counts[len(wrong) // 2]


def test_equal_records_and_no_records() -> None:
    same = [(0, 1, 1)] * 50
    assert unmatched(rows(same, 2), rows([(0, STAR, 1)] * 30 + [(0, STAR, STAR)] * 20, 2)) == 0
    assert unmatched(rows(same, 2), rows([(0, STAR, 2)] * 30 + [(0, STAR, STAR)] * 20, 2)) == 30
    assert unmatched(rows([], 2), rows([], 2)) == 0
