"""What the verifier accepts, counts and says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import duckdb
import pytest

from diva.constraints.model import Constraint, Target
from diva.errors import BadInput, VerificationFailed
from diva.relation.duck import DuckTable, connect, open_table
from diva.verify import Verification, verify
from tests.metrics.tables import COLUMNS, QI
from tests.paper import TABLES
from tests.verify.tables import FORMATS, Row, frame, write

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

ORDERS = ("keep", "shuffle")


def sigma(*constraints: tuple[str, str, int, int]) -> list[Constraint]:
    return [Constraint(Target((a,), (v,)), low, high) for a, v, low, high in constraints]


PAPER = sigma(("ETH", "Asian", 2, 5), ("ETH", "African", 1, 3), ("CTY", "Vancouver", 2, 4))


def table(columns: Sequence[str], rows: Sequence[Row]) -> DuckTable:
    return open_table(frame(columns, rows))


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("ending", FORMATS)
@pytest.mark.parametrize(
    ("name", "k", "groups", "stars"), [("1a", 1, 10, 0), ("1b", 3, 3, 31), ("1c", 2, 5, 26)]
)
def test_table_1(name: str, k: int, groups: int, stars: int, ending: str, order: str, tmp_path: Path) -> None:
    published = TABLES[name] if order == "keep" else TABLES[name][::-1]
    found = verify(
        open_table(write(tmp_path / f"release.{ending}", COLUMNS, published)),
        quasi=QI,
        k=k,
        original=open_table(write(tmp_path / f"original.{ending}", COLUMNS, TABLES["1a"])),
        published_columns=COLUMNS,
        order=order,
    )
    assert found.ok, found.problems
    assert (found.rows, found.cells, found.groups, found.stars) == (10, 50, groups, stars)
    assert found.k_achieved == k
    found.require()


def test_constraints_count_what_is_published() -> None:
    both = Constraint(Target(("DIAG", "ETH"), ("Seizure", "Asian")), 0, 0)
    sensitive = Constraint(Target(("DIAG",), ("Seizure",)), 2, 2)
    hidden = Constraint(Target(("AGE",), ("*",)), 0, 0)
    sigma_ = [*PAPER, both, sensitive, hidden]
    found = verify(table(COLUMNS, TABLES["1c"]), quasi=QI, k=2, constraints=sigma_)
    assert found.ok
    assert [tuple(c) for c in found.constraints] == [
        (c, n, True) for c, n in zip(sigma_, (2, 2, 2, 0, 2, 0), strict=True)
    ]
    found = verify(table(COLUMNS, TABLES["1b"]), quasi=QI, k=3, constraints=PAPER)
    assert found.problems == (
        "ETH[African] in 1..3 does not hold: 0 published records carry it",
        "CTY[Vancouver] in 2..4 does not hold: 0 published records carry it",
    )


def test_a_constraint_on_a_column_that_is_not_published_cant_hold() -> None:
    constraints = sigma(("WARD", "4", 0, 9), ("AGE", "80", 0, 9))
    found = verify(table(("GEN", "DIAG"), [("F", "flu")]), quasi=("GEN", "AGE"), k=1, constraints=constraints)
    assert [c[1:] for c in found.constraints] == [(0, False), (0, False)]
    assert found.problems == (
        "quasi-identifying column 'AGE' is missing from the release",
        "WARD[4] in 0..9 can't hold: column 'WARD' is not published",
        "AGE[80] in 0..9 can't hold: column 'AGE' is not published",
    )


def test_groups_are_not_split_by_what_constraints_count() -> None:
    rows = [("F", "flu"), ("F", "ill"), ("*", "ill"), ("*", "flu")]
    found = verify(
        table(("GEN", "DIAG"), rows), quasi=("GEN",), k=2, constraints=sigma(("DIAG", "flu", 2, 2))
    )
    assert found.ok
    assert (found.groups, found.k_achieved) == (2, 2)


def test_the_all_star_group_needs_k_members_too_and_null_and_empty_text_are_values() -> None:
    rows: list[Row] = [("*",), ("",), ("",), (None,), (None,), ("x",), ("x",)]
    found = verify(table(("A",), rows), quasi=("A",), k=2)
    assert (found.groups, found.k_achieved, found.stars) == (4, 1, 1)
    assert found.problems == ("1 of 4 groups has fewer than 2 members; the smallest has 1",)


@pytest.mark.parametrize("order", ORDERS)
def test_an_empty_table(order: str) -> None:
    empty = table(COLUMNS, [])
    found = verify(empty, quasi=QI, k=2, original=empty, order=order)
    assert found.ok
    assert (found.rows, found.groups, found.k_achieved, found.stars) == (0, 0, 0, 0)
    missing = verify(empty, quasi=QI, k=2, original=table(COLUMNS, TABLES["1a"]), order=order)
    assert missing.problems == (
        "the release has 0 records and the original 10; records are never added or removed",
    )


@pytest.mark.parametrize("order", ORDERS)
def test_null_marks_suppressed_cells(order: str) -> None:
    original = duckdb.sql(
        "SELECT * FROM (VALUES (1, DATE '2020-01-02', 'x'), (1, DATE '2021-01-02', 'y')) t(A, B, Z)"
    )
    release = duckdb.sql("SELECT * FROM (VALUES (1, NULL::DATE, 'x'), (1, NULL, 'y')) t(A, B, Z)")
    found = verify(
        open_table(release), quasi=("A", "B"), k=2, star=None, original=open_table(original), order=order
    )
    assert found.ok, found.problems
    assert found.stars == 2
    found = verify(
        open_table(release), quasi=("A", "B"), k=2, star=None, original=open_table(release), order=order
    )
    assert found.problems == (
        "column 'B' of the original has NULLs, so suppressed cells can't be told from missing values",
    )


@pytest.mark.parametrize("order", ORDERS)
def test_an_original_that_looks_suppressed(order: str) -> None:
    original = table(("A", "Z"), [("*", "x"), ("b", "*")])
    found = verify(original, quasi=("A",), k=1, original=original, order=order)
    assert found.problems == (
        "column 'A' of the original has cells that read '*', so suppressed cells can't be told from them",
    )
    assert verify(original, quasi=("A",), k=1, star="-", original=original, order=order).ok


@pytest.mark.parametrize("order", ORDERS)
def test_a_typed_table_published_as_text(order: str, tmp_path: Path) -> None:
    query = (
        "SELECT i AS id, i % 3 AS a, (i % 2) / 3 AS b, DATE '2020-02-28' + i::INTEGER AS c, i % 2 = 0 AS d,"
        " NULLIF(i, 4)::DECIMAL(9, 2) AS e, NULLIF('', repeat('x', i::INTEGER)) AS f, i::FLOAT / 7 AS g FROM range(8) t(i)"
    )
    duckdb.sql(f"COPY ({query}) TO '{tmp_path}/original.parquet'")
    columns = (
        "a::VARCHAR AS a, CASE WHEN c > DATE '2020-03-01' THEN '*' ELSE b::VARCHAR END AS b, c, d, e, f, g"
    )
    for ending in FORMATS:
        duckdb.sql(f"COPY (SELECT {columns} FROM ({query})) TO '{tmp_path}/release.{ending}'")
        found = verify(
            open_table(tmp_path / f"release.{ending}"),
            quasi=("a", "b", "c"),
            k=1,
            original=open_table(tmp_path / "original.parquet"),
            identifying=["id"],
            order=order,
        )
        assert found.ok, found.problems
        assert found.stars == 5


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("untouched", [0, 1, 2, 7])
def test_any_number_of_untouched_columns_with_any_name(untouched: int, order: str, tmp_path: Path) -> None:
    names = ("select", 'we"ird, name', "k0", "z0", "m", "n", "here")
    columns = ("count", *names[:untouched])
    rows: list[Row] = [
        (str(i % 3), *(None if i == 4 else f"; -- {i // 2}" for _ in names[:untouched])) for i in range(12)
    ]
    release: list[Row] = [("*" if i % 4 else row[0], *row[1:]) for i, row in enumerate(rows)]
    original, path = (
        write(tmp_path / f"{n}.csv", columns, r) for n, r in (("original", rows), ("release", release))
    )
    found = verify(open_table(path), quasi=("count",), k=1, original=open_table(original), order=order)
    assert found.ok, found.problems
    release[0] = ("2", *release[0][1:])  # as two other records have it, with other untouched values
    write(path, columns, release)
    found = verify(open_table(path), quasi=("count",), k=1, original=open_table(original), order=order)
    assert found.ok == (order == "shuffle" and untouched == 0), found.problems


@pytest.mark.parametrize("order", ORDERS)
def test_tables_in_memory_are_compared_wherever_they_are(order: str, tmp_path: Path) -> None:
    def check(published: DuckTable, original: DuckTable) -> Verification:
        return verify(published, quasi=QI, k=2, original=original, order=order)

    good, bad, original = (frame(COLUMNS, TABLES[name]) for name in ("1c", "1a", "1a"))
    bad = bad.set_column(0, "GEN", frame(COLUMNS, TABLES["1c"])["GEN"].take(list(range(9, -1, -1))))
    file = write(tmp_path / "original.parquet", COLUMNS, TABLES["1a"])
    one = connect()
    assert check(open_table(good, one), open_table(original, one)).ok
    assert check(open_table(good), open_table(original)).ok
    assert check(open_table(good), open_table(file)).ok
    assert check(open_table(write(tmp_path / "release.csv", COLUMNS, TABLES["1c"])), open_table(original)).ok
    assert not check(open_table(bad, one), open_table(original, one)).ok
    assert not check(open_table(bad), open_table(original)).ok


def test_questions_that_make_no_sense() -> None:
    release = table(COLUMNS, TABLES["1c"])
    for options, culprit in (
        ({"quasi": ()}, "no quasi-identifying"),
        ({"quasi": ("GEN", "GEN")}, "'GEN' is named twice"),
        ({"quasi": ("SEX",)}, "none of the quasi-identifying"),
        ({"quasi": QI, "k": 0}, "k must be at least 1"),
        ({"quasi": QI, "order": "sorted"}, "'sorted'"),
    ):
        with pytest.raises(BadInput, match=culprit):
            verify(release, **{"k": 1, **options})  # type: ignore[arg-type]


def test_an_error_names_the_first_problems() -> None:
    found = verify(
        table(COLUMNS, TABLES["1b"]), quasi=QI, k=5, constraints=[*PAPER, *sigma(("PRV", "BC", 9, 9))]
    )
    assert len(found.problems) == 4
    with pytest.raises(VerificationFailed) as error:
        found.require()
    assert str(error.value) == "; ".join(found.problems[:3]) + "; and 1 more"
