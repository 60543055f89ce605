import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from diva.errors import BadInput
from diva.metrics import loss
from diva.metrics.classes import classes_of
from diva.relation.types import Types
from tests.metrics import twins
from tests.metrics.strategies import Release, releases
from tests.metrics.tables import QI, TABLE_1B, TABLE_1C, Row, types_of


@pytest.mark.parametrize(
    ("table", "by_attribute", "disc", "average"),
    [
        # (b): classes of 3, 4, 3 with 2, 4, 3 stars each
        (TABLE_1B, [3, 4, 10, 7, 7], 9 + 16 + 9, 10 / 3),
        # (c): five classes of 2; the first has 1 star, the others 3
        (TABLE_1C, [2, 2, 10, 6, 6], 5 * 4, 2.0),
    ],
)
def test_the_papers_table_1(table: list[Row], by_attribute: list[int], disc: int, average: float) -> None:
    classes = classes_of(types_of(table, QI))
    assert loss.stars_by_attribute(classes) == dict(zip(QI, by_attribute, strict=True))
    assert loss.stars(classes) == sum(by_attribute) == {34: 31, 20: 26}[disc]
    assert loss.star_share(classes) == sum(by_attribute) / 50
    assert loss.discernibility(classes) == disc
    assert loss.normalised_discernibility(classes) == disc / 100
    assert loss.average_class_size(classes) == average
    assert loss.normalised_average_class_size(classes, 2) == average / 2


def test_weights_on_table_1c() -> None:
    classes = classes_of(types_of(TABLE_1C, QI))
    assert loss.weighted_stars(classes, {}) == 26
    assert loss.weighted_stars(classes, {"AGE": 0.2}) == 26 - 10 + 2
    assert loss.weighted_stars(classes, {"AGE": 0, "GEN": 3}) == 26 - 10 + 4


@given(releases(), st.integers(1, 5), st.data())
def test_loss_agrees_with_its_twins(release: Release, k: int, data: st.DataObject) -> None:
    classes = classes_of(release.published_types, star=release.star)
    rows, n = release.published, len(release.published)
    weights = data.draw(st.dictionaries(st.sampled_from(release.attributes), st.floats(0, 1e6)))
    all_weights = [weights.get(attribute, 1) for attribute in release.attributes]

    assert loss.stars(classes) == twins.stars(rows, release.star)
    assert loss.weighted_stars(classes, weights) == pytest.approx(
        twins.weighted_stars(rows, release.star, all_weights), rel=1e-9, abs=1e-300
    )
    assert loss.star_share(classes) * n * len(release.attributes) == pytest.approx(
        twins.stars(rows, release.star)
    )
    assert loss.discernibility(classes) == twins.discernibility(rows, release.star)
    assert loss.normalised_discernibility(classes) * n * n == pytest.approx(
        twins.discernibility(rows, release.star)
    )
    assert loss.average_class_size(classes) * len(set(rows)) == pytest.approx(n)
    assert loss.normalised_average_class_size(classes, k) * len(set(rows)) * k == pytest.approx(n)


def test_a_suppressed_record_costs_as_much_as_the_table_has_records() -> None:
    classes = classes_of(types_of([("*", "*"), ("*", "*"), ("*", "b"), ("*", "b"), ("*", "b")], ("A", "B")))
    assert loss.discernibility(classes) == 2 * 5 + 3 * 3


def test_the_star_of_a_table_without_stars_of_its_own() -> None:
    types = types_of([(None, "*"), ("x", "*")], ("A", "B"))
    assert loss.stars(classes_of(types)) == 2
    assert loss.stars(classes_of(types, star=None)) == 1
    assert loss.stars(classes_of(types, star="x")) == 1
    assert loss.stars(classes_of(types, star="?")) == 0


@pytest.mark.parametrize("attributes", [("A",), ("A", "B")])
def test_an_empty_table_costs_nothing(attributes: tuple[str, ...]) -> None:
    classes = classes_of(types_of([], attributes))
    assert loss.stars(classes) == loss.discernibility(classes) == 0
    assert loss.star_share(classes) == loss.normalised_discernibility(classes) == 0.0
    assert loss.average_class_size(classes) == loss.normalised_average_class_size(classes, 3) == 0.0
    assert loss.weighted_stars(classes, {"A": 2}) == 0.0


def test_types_without_records_make_no_class() -> None:
    types = Types(
        attributes=("A",),
        values=(("*", "a"),),
        codes=np.array([[0], [1]], dtype=np.int32),
        conditions=(),
        met=np.zeros((2, 0), dtype=bool),
        counts=np.array([0, 4]),
    )
    classes = classes_of(types)
    assert (len(classes), classes.rows, loss.average_class_size(classes)) == (1, 4, 4.0)


def test_discernibility_of_very_many_records_is_exact() -> None:
    many = 5 * 10**9 + 1
    types = Types(
        attributes=("A",),
        values=(("*",),),
        codes=np.zeros((1, 1), dtype=np.int32),
        conditions=(),
        met=np.zeros((1, 0), dtype=bool),
        counts=np.array([many]),
    )
    assert loss.discernibility(classes_of(types)) == many**2
    assert loss.normalised_discernibility(classes_of(types)) == 1.0


@pytest.mark.parametrize("weight", [-1, -0.001, math.nan, math.inf, 1e13])
def test_weights_that_are_no_weights_are_refused(weight: float) -> None:
    classes = classes_of(types_of(TABLE_1C, QI))
    with pytest.raises(
        BadInput, match=r"the weight .* of column 'AGE' must be a number between 0 and 1e\+12"
    ):
        loss.weighted_stars(classes, {"AGE": weight})


def test_weights_of_other_columns_are_refused() -> None:
    classes = classes_of(types_of(TABLE_1C, QI))
    with pytest.raises(BadInput, match="column 'DIAG' is no quasi-identifier and can't be used for weights"):
        loss.weighted_stars(classes, {"DIAG": 1})


@pytest.mark.parametrize("k", [0, -3, True, 2.0])
def test_levels_that_are_no_levels_are_refused(k: int) -> None:
    with pytest.raises(BadInput, match="k must be a whole number of at least 1"):
        loss.normalised_average_class_size(classes_of(types_of(TABLE_1C, QI)), k)
