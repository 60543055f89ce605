import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from diva.errors import BadInput
from diva.metrics import classes_of
from diva.metrics.risk import Risk, journalist, marketer, population_sizes, prosecutor
from tests.metrics import twins
from tests.metrics.strategies import Release, releases
from tests.metrics.tables import QI, TABLE_1A, TABLE_1B, TABLE_1C, types_of

CLASSES_B, CLASSES_C = (classes_of(types_of(table, QI)) for table in (TABLE_1B, TABLE_1C))


def test_prosecutor_and_marketer_in_the_papers_table_1() -> None:
    assert prosecutor(CLASSES_B, 3) == Risk(highest=1 / 3, mean=3 / 10, share_above=0.0)
    assert prosecutor(CLASSES_B, 4) == Risk(highest=1 / 3, mean=3 / 10, share_above=6 / 10)
    assert prosecutor(CLASSES_C, 2) == Risk(highest=1 / 2, mean=5 / 10, share_above=0.0)
    assert (marketer(CLASSES_B), marketer(CLASSES_C)) == (3 / 10, 5 / 10)


def test_the_papers_relation_as_its_own_population() -> None:
    # What each class of Table 1(c) shows fits that many of t1 … t10: Vancouver 4, Caucasian women 2, Asian ones 3,
    # African men 2, Caucasian men 3. In the order of the classes, star first.
    population = types_of(TABLE_1A, QI)
    assert population_sizes(CLASSES_C, population).tolist() == [4, 3, 2, 2, 3]
    found = journalist(CLASSES_C, 3, population)
    assert (found.highest, found.share_above) == (1 / 2, 4 / 10)
    assert found.mean == pytest.approx((2 / 4 + 2 / 3 + 2 / 2 + 2 / 2 + 2 / 3) / 10)
    assert marketer(CLASSES_C, population) == found.mean


@given(releases(), st.integers(1, 6))
def test_without_a_population_everybody_is_a_prosecutor(release: Release, k: int) -> None:
    classes = classes_of(release.published_types, star=release.star)
    sizes = [release.published.count(row) for row in release.published]
    found = prosecutor(classes, k)
    assert (found.highest, found.mean, found.share_above) == pytest.approx(twins.risk(sizes, k))
    assert journalist(classes, k) == found
    assert marketer(classes) == found.mean


@given(releases(), st.integers(1, 6), st.booleans())
def test_risk_in_a_population_agrees_with_its_twin(release: Release, k: int, reverse: bool) -> None:
    classes = classes_of(release.published_types, star=release.star)
    turn = -1 if reverse else 1  # the population's columns may come in any order, with others among them
    people = [("x", *person[::turn]) for person in release.population]
    population = types_of(people, ("other", *release.attributes[::turn]))
    found = journalist(classes, k, population)
    fitting = twins.lookalikes(release.published, release.star, release.population)
    assert (found.highest, found.mean, found.share_above) == pytest.approx(twins.risk(fitting, k))
    assert marketer(classes, population) == found.mean
    assert found.highest <= prosecutor(classes, k).highest


def test_an_empty_table_risks_nothing() -> None:
    empty, population = types_of([], ("A",)), types_of([("a",)], ("A",))
    nothing = Risk(0.0, 0.0, 0.0)
    assert prosecutor(classes_of(empty), 2) == journalist(classes_of(empty), 2) == nothing
    assert journalist(classes_of(empty), 2, population) == journalist(classes_of(empty), 2, empty) == nothing
    assert marketer(classes_of(empty)) == marketer(classes_of(empty), population) == 0.0


def test_one_record_is_found_unless_the_population_hides_it() -> None:
    one = classes_of(types_of([("*",)], ("A",)))
    assert prosecutor(one, 2) == Risk(1.0, 1.0, 1.0)
    assert journalist(one, 2, types_of([("a",), ("b",)], ("A",))) == Risk(0.5, 0.5, 0.0)


@pytest.mark.parametrize(
    ("people", "message"),
    [
        (
            [("a", "x")],
            "2 records that show A='a', the population 1; a population table must contain everybody",
        ),
        ([("b", "x")], "2 records that show A='a', the population 0"),
        ([], "2 records that show A='a', the population 0"),
    ],
)
def test_a_population_without_the_people_is_refused(people: list[tuple[str, ...]], message: str) -> None:
    classes = classes_of(types_of([("a", "*"), ("a", "*")], ("A", "B")))
    with pytest.raises(BadInput, match=message):
        marketer(classes, types_of(people, ("A", "B")))


def test_the_refusal_names_what_is_shown() -> None:
    classes = classes_of(types_of([(None, "*")], ("A", "B")))
    with pytest.raises(BadInput, match=r"show A=NULL, the population 0"):
        marketer(classes, types_of([("a", "b")], ("A", "B")))
    with pytest.raises(BadInput, match=r"show all suppressed, the population 0"):
        marketer(classes_of(types_of([("*",)], ("A",))), types_of([], ("A",)))


def test_a_population_without_a_column_is_refused() -> None:
    with pytest.raises(BadInput, match="the population table has no column 'GEN'"):
        marketer(CLASSES_C, types_of([("x",)], ("ETH",)))


@pytest.mark.parametrize("k", [0, True, 1.5])
def test_levels_that_are_no_levels_are_refused(k: int) -> None:
    with pytest.raises(BadInput, match="k must be a whole number of at least 1"):
        prosecutor(CLASSES_B, k)


def test_large_levels_compare_exactly() -> None:
    assert prosecutor(CLASSES_B, 10**12).share_above == 1.0
    assert np.array_equal(CLASSES_B.sizes, np.array([3, 3, 4]))
