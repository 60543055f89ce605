from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from diva.constraints.model import Target
from diva.errors import BadInput
from diva.metrics import classes_of, star_rates, star_rates_by_condition, survival
from diva.metrics.survival import Subgroup
from diva.relation.engine import Fragments
from tests.metrics import twins
from tests.metrics.strategies import SICK, Release, releases
from tests.metrics.tables import COLUMNS, QI, TABLE_1A, TABLE_1B, TABLE_1C, Row, plan_of, types_of

R = types_of([row[:5] for row in TABLE_1A], QI)


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        (
            TABLE_1B,
            {"Female": (5, 3), "Male": (5, 4), "African": (2, 0), "Asian": (3, 3), "Caucasian": (5, 3)}
            | {
                "AB": (3, 3),
                "BC": (4, 0),
                "MB": (3, 0),
                "Calgary": (3, 3),
                "Vancouver": (4, 0),
                "Winnipeg": (3, 0),
            },
        ),
        (
            TABLE_1C,
            {"Female": (5, 4), "Male": (5, 4), "African": (2, 2), "Asian": (3, 2), "Caucasian": (5, 4)}
            | {
                "AB": (3, 2),
                "BC": (4, 2),
                "MB": (3, 0),
                "Calgary": (3, 2),
                "Vancouver": (4, 2),
                "Winnipeg": (3, 0),
            },
        ),
    ],
)
def test_survival_in_the_papers_table_1(table: list[Row], expected: dict[str, tuple[int, int]]) -> None:
    found = survival(R, classes_of(types_of(table, QI)))
    ages = [entry for entry in found if entry.attribute == "AGE"]
    assert {entry.value: (entry.before, entry.published) for entry in found if entry not in ages} == expected
    assert [(entry.value, entry.before, entry.share) for entry in ages] == [
        (age, 1, 0.0) for age in ("29", "31", "32", "43", "46", "47", "58", "59", "71", "80")
    ]
    assert next(entry.share for entry in found if entry.value == "Female") == expected["Female"][1] / 5


@given(releases())
def test_survival_agrees_with_its_twin(release: Release) -> None:
    found = survival(release.original_types, classes_of(release.published_types, star=release.star))
    for column, attribute in enumerate(release.attributes):
        entries = [entry for entry in found if entry.attribute == attribute]
        twin = twins.survival(release.rows, release.published, column)
        assert {entry.value: (entry.before, entry.published) for entry in entries} == twin
        assert [entry.share for entry in entries] == [
            twin[entry.value][1] / twin[entry.value][0] for entry in entries
        ]


def test_star_rates_of_table_1c() -> None:
    plan = plan_of(R, [row[:5] for row in TABLE_1A], TABLE_1C, "*")
    assert plan.stars == 26
    assert star_rates(R, plan, ["ETH"]) == (
        Subgroup(("ETH",), ("African",), records=2, stars=3 + 3, cells=10),
        Subgroup(("ETH",), ("Asian",), records=3, stars=3 + 3 + 3, cells=15),
        Subgroup(("ETH",), ("Caucasian",), records=5, stars=1 + 1 + 3 + 3 + 3, cells=25),
    )
    assert [group.per_record for group in star_rates(R, plan, ["GEN"])] == [11 / 5, 15 / 5]
    (women_of_calgary,) = (
        g for g in star_rates(R, plan, ["CTY", "GEN"]) if g.values == ("Calgary", "Female")
    )
    assert (women_of_calgary.records, women_of_calgary.rate) == (2, 1 / 5)


@given(releases(), st.data())
def test_star_rates_agree_with_their_twin(release: Release, data: st.DataObject) -> None:
    columns = data.draw(st.lists(st.integers(0, len(release.attributes) - 1), unique=True))
    original = release.original_types
    plan = plan_of(original, release.rows, release.published, release.star)
    found = star_rates(original, plan, [release.attributes[column] for column in columns])
    twin = twins.star_rates(release.rows, release.published, release.star, columns)
    assert {group.values: (group.records, group.stars) for group in found} == twin
    assert all(group.cells == group.records * len(release.attributes) for group in found)
    assert [g.values for g in found] == sorted(
        twin, key=lambda values: [(v is not None, v or "") for v in values]
    )


def test_star_rates_by_diagnosis_in_table_1c() -> None:
    conditions = [Target(("DIAG",), (diagnosis,)) for diagnosis in ("Hypertension", "Plague")]
    found = star_rates_by_condition(types_of(TABLE_1C, QI, COLUMNS, conditions))
    assert found == (
        Subgroup(("DIAG",), ("Hypertension",), records=3, stars=1 + 3 + 3, cells=15),
        Subgroup(("DIAG",), ("Plague",), records=0, stars=0, cells=0),
    )
    assert [(group.per_record, group.rate) for group in found] == [(7 / 3, 7 / 15), (0.0, 0.0)]


@given(releases())
def test_star_rates_by_condition_agree_with_their_twin(release: Release) -> None:
    ill = [
        row for row, diagnosis in zip(release.published, release.diagnoses, strict=True) if diagnosis == "ill"
    ]
    (found,) = star_rates_by_condition(release.published_types, star=release.star)
    cells = len(ill) * len(release.attributes)
    assert found == Subgroup(SICK.attributes, SICK.values, len(ill), twins.stars(ill, release.star), cells)


def test_a_condition_on_a_quasi_identifier_is_refused() -> None:
    rows = [("*", "x", "a"), ("a", "y", "a")]
    condition = Target(("DIAG", "A"), ("x", "a"))
    published = types_of(rows, ("A",), ("A", "DIAG", "B"), [condition])
    with pytest.raises(BadInput, match=r"the condition DIAG,A\[x,a\] names the quasi-identifier 'A'"):
        star_rates_by_condition(published)


@pytest.mark.parametrize(
    ("original", "published", "star", "message"),
    [
        (["a", "b"], ["a"], "*", "the release has 1 records with 'A' and the original 2 records"),
        (
            ["a", "b"],
            ["a", "-"],
            "*",
            "has '-' 1 times in the release and 0 times in the original; .*name it",
        ),
        (["a", "b"], ["a", "a"], "*", "has 'a' 2 times in the release and 1 times in the original"),
        (["a", "b"], ["a", None], "*", "has NULL 1 times in the release and 0 times in the original"),
        (["a", None], ["a", None], None, "column 'A' of the original has NULL as a value"),
        (["a", "*"], ["a", "*"], "*", r"column 'A' of the original has '\*' as a value"),
    ],
)
def test_a_release_of_another_table_is_refused(
    original: list[str | None], published: list[str | None], star: str | None, message: str
) -> None:
    before, after = (types_of([(cell,) for cell in cells], ("A",)) for cells in (original, published))
    with pytest.raises(BadInput, match=message):
        survival(before, classes_of(after, star=star))


def test_a_release_with_other_quasi_identifiers_is_refused() -> None:
    with pytest.raises(BadInput, match="both must have the same records and quasi-identifiers"):
        survival(types_of([("a",)], ("A",)), classes_of(types_of([("a",)], ("B",))))


@pytest.mark.parametrize(
    ("type_", "levels", "count"),
    [
        ([0], [[0]], [3]),
        ([0, 1], [[0], [0]], [1, 1]),
        ([0, 1, 1], [[0], [0], [1]], [2, 2, -1]),
        ([0, -1], [[0], [0]], [2, 1]),
        ([0, 2], [[0], [0]], [2, 1]),
        ([0, 1], [[0, 0], [0, 0]], [2, 1]),
    ],
)
def test_a_plan_for_another_table_is_refused(
    type_: list[int], levels: list[list[int]], count: list[int]
) -> None:
    original = types_of([("a",), ("a",), ("b",)], ("A",))
    plan = Fragments(np.array(type_, dtype=np.int32), np.array(levels, dtype=np.uint8), np.array(count))
    with pytest.raises(BadInput, match="the plan doesn't publish every record of the original once"):
        star_rates(original, plan, ["A"])


def test_subgroups_by_other_columns_are_refused() -> None:
    plan = plan_of(R, [row[:5] for row in TABLE_1A], TABLE_1C, "*")
    with pytest.raises(
        BadInput, match="column 'DIAG' is no quasi-identifier and can't be used for subgroups"
    ):
        star_rates(R, plan, ["DIAG"])


def test_values_that_no_record_has_are_not_listed() -> None:
    types = types_of([("a",), ("b",), ("b",)], ("A",))
    unused = replace(types, values=(("a", "b", "never"),))
    assert [entry.value for entry in survival(unused, classes_of(types))] == ["a", "b"]
