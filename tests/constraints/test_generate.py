from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from diva.constraints.generate import GENERATORS, Choices, Frequencies, average, minimum, proportion, share
from diva.constraints.text import parse
from diva.errors import BadInput


def frequencies(counts: dict[str, int], *, rows: int, types: int) -> Frequencies:
    return Frequencies(("A",), tuple(((value,), n) for value, n in counts.items()), rows, types)


def choices(seed: int = 0, percent: str = "5") -> Choices:
    return Choices(np.random.default_rng(seed), Fraction(percent))


def texts(sigma_set: object) -> list[str]:
    return [sigma.text for sigma in sigma_set]  # type: ignore[attr-defined]


def test_minimum_asks_for_one_of_each_and_gives_one_the_rest() -> None:
    # U = 20 - 12 = 8, d = 3, w = 5: only b and c occur 6 times or more.
    given_ = frequencies({"c": 8, "a": 5, "b": 7}, rows=20, types=12)
    found = {tuple(texts(minimum(given_, choices(seed)))) for seed in range(20)}
    assert found == {("A[a] in 1", "A[b] in 1..6", "A[c] in 1"), ("A[a] in 1", "A[b] in 1", "A[c] in 1..6")}


def test_minimum_leaves_the_bounds_where_no_value_has_room() -> None:
    given_ = frequencies({"a": 5, "b": 5}, rows=10, types=2)
    assert texts(minimum(given_, choices())) == ["A[a] in 1", "A[b] in 1"]


def test_minimum_with_as_many_values_as_records_to_publish() -> None:
    given_ = frequencies({"a": 5, "b": 5}, rows=10, types=8)
    assert texts(minimum(given_, choices())) == ["A[a] in 1", "A[b] in 1"]


@pytest.mark.parametrize("name", ["minimum", "average", "proportion"])
def test_with_fewer_records_than_values_random_values_are_kept(name: str) -> None:
    given_ = frequencies({"a": 4, "b": 3, "c": 3}, rows=10, types=8)
    found = {tuple(texts(GENERATORS[name](given_, choices(seed)))) for seed in range(30)}
    assert found == {
        ("A[a] in 1", "A[b] in 1", "A[c] in 0"),
        ("A[a] in 1", "A[b] in 0", "A[c] in 1"),
        ("A[a] in 0", "A[b] in 1", "A[c] in 1"),
    }


@pytest.mark.parametrize("name", ["minimum", "average", "proportion"])
@pytest.mark.parametrize("types", [10, 12])
def test_where_nothing_can_be_published_nothing_is_asked(name: str, types: int) -> None:
    given_ = frequencies({"a": 4, "b": 6}, rows=10, types=types)
    assert texts(GENERATORS[name](given_, choices())) == ["A[a] in 0", "A[b] in 0"]


def test_average() -> None:
    # U = 20, d = 3: 6 to 7 each, but a has 2 only. Σ λr = 2 + 7 + 7 = 16; the remaining 4 fit c alone.
    given_ = frequencies({"a": 2, "b": 10, "c": 18}, rows=30, types=10)
    assert texts(average(given_, choices())) == ["A[a] in 2", "A[b] in 6..7", "A[c] in 6..11"]


def test_average_without_room_for_the_remainder() -> None:
    given_ = frequencies({"a": 2, "b": 8, "c": 8}, rows=21, types=1)
    assert texts(average(given_, choices())) == ["A[a] in 2", "A[b] in 6..7", "A[c] in 6..7"]


def test_proportion() -> None:
    given_ = frequencies({"a": 1, "b": 10, "c": 19}, rows=30, types=10)
    assert texts(proportion(given_, choices())) == ["A[a] in 0..1", "A[b] in 6..7", "A[c] in 12..13"]


def test_proportion_of_whole_numbers_has_no_width() -> None:
    given_ = frequencies({"a": 10, "b": 20}, rows=30, types=15)
    assert texts(proportion(given_, choices())) == ["A[a] in 5", "A[b] in 10"]


@pytest.mark.parametrize(
    ("percent", "expected"),
    [
        ("0", ["A[a] in 1", "A[b] in 200"]),
        ("5", ["A[a] in 1", "A[b] in 190..210"]),
        ("0.5", ["A[a] in 1", "A[b] in 199..201"]),
        ("0.4", ["A[a] in 1", "A[b] in 200"]),
        ("100", ["A[a] in 0..2", "A[b] in 0..400"]),
        ("250", ["A[a] in 0..3", "A[b] in 0..700"]),
    ],
)
def test_share(percent: str, expected: list[str]) -> None:
    given_ = frequencies({"a": 1, "b": 200}, rows=201, types=9)
    assert texts(share(given_, choices(percent=percent))) == expected


def test_share_is_computed_exactly() -> None:
    # In floating point 100 * (1 - 0.07) and 100 * (1 + 0.1) round the wrong way.
    given_ = frequencies({"a": 100}, rows=100, types=1)
    assert texts(share(given_, choices(percent="7"))) == ["A[a] in 93..107"]
    assert texts(share(given_, choices(percent="10"))) == ["A[a] in 90..110"]


def test_several_attributes_and_null() -> None:
    counts = ((("F", None), 3), (("F", "x"), 4), ((None, None), 1), (("E", "x"), 4))
    given_ = Frequencies(("GEN", "ETH"), counts, 12, 2)
    assert texts(proportion(given_, choices())) == ["GEN,ETH[E,x] in 3..4", "GEN,ETH[F,x] in 3..4"]
    nothing = Frequencies(("GEN",), (((None,), 12),), 12, 2)
    assert all(generator(nothing, choices()) == () for generator in GENERATORS.values())


FREQUENCIES = st.builds(
    lambda counts, more, types: frequencies(counts, rows=sum(counts.values()) + more, types=types),
    st.dictionaries(st.sampled_from("abcdef"), st.integers(1, 30), max_size=6),
    st.integers(0, 5),
    st.integers(0, 60),
)


@pytest.mark.parametrize("name", GENERATORS)
@given(FREQUENCIES, st.integers(0, 5), st.fractions(0, 150, max_denominator=50))
def test_bounds_are_in_order_and_possible(
    name: str, given_: Frequencies, seed: int, percent: Fraction
) -> None:
    sigma_set = GENERATORS[name](given_, choices(seed, str(percent)))
    again = GENERATORS[name](given_, choices(seed, str(percent)))
    assert sigma_set == again
    assert [sigma.target for sigma in sigma_set] == [target for target, _ in given_.targets]
    for sigma, (_, freq) in zip(sigma_set, given_.targets, strict=True):
        assert sigma.high is not None
        assert sigma.low <= sigma.high
        assert sigma.low <= freq
        assert name == "share" or sigma.high <= freq
        assert parse(sigma.text) == sigma
    if name in {"minimum", "average"}:
        assert sum(sigma.low for sigma in sigma_set) <= given_.published


def test_the_order_of_the_frequencies_does_not_matter() -> None:
    counts = {"a": 9, "b": 9, "c": 9}
    one = frequencies(counts, rows=27, types=20)
    other = frequencies(dict(reversed(counts.items())), rows=27, types=20)
    for generator in GENERATORS.values():
        assert generator(one, choices(3)) == generator(other, choices(3))


@pytest.mark.parametrize(
    ("counts", "reason"),
    [
        (((("a",), 3), (("a",), 2)), "list a combination of values twice"),
        (((("a",), 0),), "list a combination of values that doesn't occur"),
        (((("a",), 13),), "add up to more than the 12 rows"),
    ],
)
def test_frequencies_that_cannot_be(counts: tuple[tuple[tuple[str], int], ...], reason: str) -> None:
    with pytest.raises(BadInput, match=reason):
        Frequencies(("A",), counts, 12, 2)


def test_a_negative_share_is_refused() -> None:
    with pytest.raises(BadInput, match="a share of ±-1 % is negative"):
        choices(percent="-1")
