"""Whatever is changed in a sound release is noticed, in both orders and both formats, without telling the data."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diva.relation.duck import connect, open_table
from diva.verify import Verification, verify
from tests.metrics.tables import COLUMNS, QI
from tests.paper import TABLES
from tests.verify.tables import FORMATS, Row, frame, most_matched, suppresses, write

if TYPE_CHECKING:
    from pathlib import Path

SOUND = TABLES["1c"]
Table = tuple[list[str], list[Row]]


def changed(row: int, column: str, value: str | None) -> Table:
    rows = [list(cells) for cells in SOUND]
    rows[row][COLUMNS.index(column)] = value
    return list(COLUMNS), [tuple(cells) for cells in rows]


def swapped(column: str, one: int, other: int) -> Table:
    rows = [list(cells) for cells in SOUND]
    at = COLUMNS.index(column)
    rows[one][at], rows[other][at] = rows[other][at], rows[one][at]
    return list(COLUMNS), [tuple(cells) for cells in rows]


def without(column: str) -> Table:
    at = COLUMNS.index(column)
    return [c for c in COLUMNS if c != column], [(*row[:at], *row[at + 1 :]) for row in SOUND]


TAMPERED: dict[str, tuple[Table, str]] = {
    "a visible cell is another value": (changed(0, "ETH", "Asian"), "has fewer|differ|can't be had"),
    "a whole group is another value": (
        (list(COLUMNS), [("Male", *row[1:]) if row[1] == "Asian" else row for row in SOUND]),
        "differ|can't be had",
    ),
    "a visible cell is NULL": (changed(0, "CTY", None), "has fewer|differs|can't be had"),
    "a visible cell is empty": (changed(0, "CTY", ""), "has fewer|differs|can't be had"),
    "a sensitive cell is changed": (changed(0, "DIAG", "Migraine"), "differ|column 'DIAG'"),
    "a sensitive cell is starred": (changed(0, "DIAG", "*"), "differs|column 'DIAG'"),
    "a sensitive cell is NULL": (changed(0, "DIAG", None), "differs|column 'DIAG'"),
    "sensitive values change groups": (swapped("DIAG", 0, 8), "differ|can't be had"),
    "quasi-identifying cells change groups": (swapped("ETH", 0, 4), "differ|can't be had"),
    "a star is uncovered": (
        changed(0, "AGE", "80"),
        "2 of 6 groups have fewer than 2 members; the smallest has 1",
    ),
    "a star is made up": (changed(0, "AGE", "81"), "differs|can't be had"),
    "a record is missing": ((list(COLUMNS), SOUND[:-1]), "the release has 9 records and the original 10"),
    "a record is added": (
        (list(COLUMNS), [*SOUND, SOUND[0]]),
        "the release has 11 records and the original 10",
    ),
    "a record replaces another": (
        (list(COLUMNS), [*SOUND[:-1], SOUND[0]]),
        "differs|can't be had|no original record",
    ),
    "an identifying column is left": (
        (["ID", *COLUMNS], [(str(i), *row) for i, row in enumerate(SOUND)]),
        "column 'ID' identifies people",
    ),
    "an identifying column in another case": (
        (["Id", *COLUMNS], [(str(i), *row) for i, row in enumerate(SOUND)]),
        "column 'Id' identifies people",
    ),
    "a column is new": (
        (["NEW", *COLUMNS], [("x", *row) for row in SOUND]),
        "'NEW' is published and is no column",
    ),
    "a quasi-identifier is missing": (without("AGE"), "column 'AGE' is missing"),
    "a sensitive column is missing": (without("DIAG"), "column 'DIAG' is missing"),
    "columns change places": (
        ([*COLUMNS[1:], COLUMNS[0]], [(*row[1:], row[0]) for row in SOUND]),
        "stand in another order",
    ),
}


def judged(published: Table, folder: Path, ending: str, order: str) -> Verification:
    original = [(str(i), *row) for i, row in enumerate(TABLES["1a"])]
    return verify(
        open_table(write(folder / f"release.{ending}", *published)),
        quasi=QI,
        k=2,
        original=open_table(write(folder / f"original.{ending}", ["ID", *COLUMNS], original)),
        identifying=["ID"],
        published_columns=COLUMNS,
        order=order,
    )


@pytest.mark.parametrize("order", ["keep", "shuffle"])
@pytest.mark.parametrize("ending", FORMATS)
class TestTampering:
    def test_the_sound_release_is_sound(self, ending: str, order: str, tmp_path: Path) -> None:
        assert judged((list(COLUMNS), SOUND), tmp_path, ending, order).ok

    @pytest.mark.parametrize("name", TAMPERED)
    def test_is_noticed(self, name: str, ending: str, order: str, tmp_path: Path) -> None:
        published, expected = TAMPERED[name]
        problems = judged(published, tmp_path, ending, order).problems
        assert any(part in problem for part in expected.split("|") for problem in problems), problems
        told = " ".join(problems)
        assert not [
            value
            for row in TABLES["1a"]
            for value in row
            if f"'{value}'" in told or f" {value}" in told.replace(",", "")
        ]

    def test_order_matters_only_where_it_is_kept(self, ending: str, order: str, tmp_path: Path) -> None:
        within = swapped("DIAG", 0, 1)
        problems = judged(within, tmp_path, ending, order).problems
        first = "2 records differ from the original by more than suppressed QI cells; the first is record 1, in column 'DIAG'"
        assert problems == ((first,) if order == "keep" else ())


CONNECTION = connect()
CELLS = st.sampled_from(["a", "b", "", None])
NAMES = ("A", "B", "C", "Z")
WIDTH = 3


@st.composite
def releases(draw: st.DrawFn) -> tuple[list[Row], list[Row]]:
    """A tiny table, and a suppression of it in any order."""
    rows: list[Row] = draw(
        st.lists(st.tuples(CELLS, CELLS, CELLS, st.sampled_from(["x", "y", None])), min_size=1, max_size=7)
    )
    masks = [draw(st.tuples(*[st.booleans()] * WIDTH)) for _ in rows]
    published: list[Row] = [
        (*("*" if hide else cell for hide, cell in zip(mask, row, strict=False)), row[WIDTH])
        for mask, row in zip(masks, rows, strict=True)
    ]
    return rows, published


@st.composite
def mutated(draw: st.DrawFn) -> tuple[list[Row], list[Row]]:
    """The same with one change that may or may not matter."""
    rows, published = draw(releases())
    at = draw(st.integers(0, len(rows) - 1))
    change = draw(st.sampled_from(["cell", "remove", "double", "swap", "replace"]))
    other = draw(st.integers(0, len(rows) - 1))
    if change == "cell":
        column = draw(st.integers(0, WIDTH))
        cell = draw(st.sampled_from(["a", "b", "x", "", "*", None]))
        published[at] = (*published[at][:column], cell, *published[at][column + 1 :])
    elif change == "remove":
        del published[at]
    elif change == "double":
        published.append(published[at])
    elif change == "replace":
        published[other] = published[at]
    else:
        last = published[at][WIDTH], published[other][WIDTH]
        published[at] = (*published[at][:WIDTH], last[1])
        published[other] = (*published[other][:WIDTH], last[0])
    return rows, published


def truth(rows: list[Row], published: list[Row], k: int, order: str) -> bool:
    groups = [row[:WIDTH] for row in published]
    if len(rows) != len(published) or any(groups.count(group) < k for group in groups):
        return False
    if order == "keep":
        return all(suppresses(o, p, WIDTH) for o, p in zip(rows, published, strict=True))
    return most_matched(rows, published, lambda o, p: suppresses(o, p, WIDTH)) == len(rows)


@pytest.mark.parametrize("order", ["keep", "shuffle"])
@pytest.mark.parametrize("tables", [releases(), mutated()], ids=["sound", "mutated"])
@given(data=st.data(), k=st.integers(1, 3))
def test_is_sound_exactly_when_it_is(
    tables: st.SearchStrategy[tuple[list[Row], list[Row]]], order: str, data: st.DataObject, k: int
) -> None:
    rows, published = data.draw(tables)
    found = verify(
        open_table(frame(NAMES, published), CONNECTION),
        quasi=NAMES[:WIDTH],
        k=k,
        original=open_table(frame(NAMES, rows), CONNECTION),
        order=order,
    )
    assert found.ok == truth(rows, published, k, order), found.problems
    assert found.stars == sum(row[:WIDTH].count("*") for row in published)
    assert found.groups == len({row[:WIDTH] for row in published})
