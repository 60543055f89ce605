from hypothesis import given
from hypothesis import strategies as st

from diva.constraints import exact
from diva.constraints.axioms import Range, bounds, conflict, derived, implies
from diva.constraints.model import Constraint, Target
from diva.constraints.text import parse


def sigma_of(*texts: str) -> list[Constraint]:
    return [parse(text) for text in texts]


def test_axiom_1_fixed_attributes() -> None:
    assert implies(sigma_of("GEN[Female] in 2..4"), parse("GEN[Female] in 1..5"))
    assert not implies(sigma_of("GEN[Female] in 1..5"), parse("GEN[Female] in 2..4"))


def test_axiom_2_attribute_extension() -> None:
    sigma_set = sigma_of("GEN[Female] in 1..5")
    assert implies(sigma_set, parse("GEN,ETH[Female,Caucasian] in ..5"))
    assert not implies(sigma_set, parse("GEN,ETH[Female,Caucasian] in 1..5"))


def test_axiom_3_attribute_reduction() -> None:
    sigma_set = sigma_of("GEN,ETH[Female,Caucasian] in 1..5")
    assert implies(sigma_set, parse("GEN[Female] in 1.."))
    assert not implies(sigma_set, parse("GEN[Female] in ..5"))


def test_axiom_4_range_intersection() -> None:
    sigma_set = sigma_of("GEN[Female] in 1..5", "GEN[Female] in 3..7")
    assert implies(sigma_set, parse("GEN[Female] in 3..5"))


def test_erratum_3_a_range_inside_the_intersection_does_not_follow() -> None:
    sigma_set = sigma_of("GEN[Female] in 1..5", "GEN[Female] in 3..7")
    assert not implies(sigma_set, parse("GEN[Female] in 4..5"))
    assert implies(sigma_set, parse("GEN[Female] in 2..6"))


def test_erratum_1_each_bound_comes_from_the_right_side() -> None:
    target = parse("A,B[a,b] in 0..").target
    assert derived(sigma_of("A[a] in 2..9"), target) == Range(0, 9)
    assert derived(sigma_of("A,B,C[a,b,c] in 2..9"), target) == Range(2, None)
    assert derived(sigma_of("A[x] in 2..9", "C[c] in 2..9"), target) == Range()


def test_erratum_2_example_imply_answers_no() -> None:
    sigma_set = sigma_of("CTY[Calgary] in 2..10", "GEN,ETH,CTY[Female,Caucasian,Calgary] in 4..7")
    sigma = parse("ETH,CTY[Caucasian,Calgary] in 5..8")
    assert derived(sigma_set, sigma.target) == Range(4, 10)
    assert not implies(sigma_set, sigma)
    assert not exact.implies(sigma_set, sigma).holds
    assert implies(sigma_set, parse("ETH,CTY[Caucasian,Calgary] in 4..10"))


def test_erratum_4_the_axioms_are_not_complete() -> None:
    sigma_set = sigma_of("A,B[a,b] in 3..", "A,B[a,c] in 3..")
    assert not implies(sigma_set, parse("A[a] in 6.."))
    assert implies(sigma_set, parse("A[a] in 3.."))


def test_the_calgary_example_is_in_conflict() -> None:
    sigma_set = sigma_of("ETH,CTY[Caucasian,Calgary] in 6..8", "CTY[Calgary] in 1..5")
    assert derived(sigma_set, sigma_set[1].target).empty
    assert conflict(sigma_set) == tuple(sigma_set)
    assert conflict(sigma_set[::-1]) == tuple(sigma_set)
    assert conflict(sigma_set[:1]) is None
    assert implies(sigma_set, parse("CTY[Calgary] in 100..200"))


def test_an_empty_sigma_implies_only_what_always_holds() -> None:
    assert implies([], parse("A[a] in 0.."))
    assert not implies([], parse("A[a] in ..1000"))


def test_the_order_of_attributes_does_not_matter() -> None:
    assert implies(sigma_of("A,B[a,b] in 2..3"), parse("B,A[b,a] in 2..3"))


RANGES = st.builds(Range, st.integers(0, 4), st.none() | st.integers(0, 4))


@given(RANGES, RANGES, st.integers(0, 6))
def test_ranges_are_sets_of_counts(one: Range, other: Range, count: int) -> None:
    assert (count in one & other) == (count in one and count in other)
    if one <= other and count in one:
        assert count in other
    if not one <= other:
        assert any(n in one and n not in other for n in range(7))
    assert one.empty == all(n not in one for n in range(7))


TINY = st.builds(
    lambda values, low, width: Constraint(
        Target(tuple(values), tuple(values.values())), low, None if width is None else low + width
    ),
    st.dictionaries(st.sampled_from("AB"), st.sampled_from("ab"), min_size=1),
    st.integers(0, 3),
    st.none() | st.integers(0, 3),
)


@given(st.lists(TINY, max_size=4), TINY)
def test_what_the_axioms_derive_holds(sigma_set: list[Constraint], sigma: Constraint) -> None:
    if implies(sigma_set, sigma):
        assert exact.implies(sigma_set, sigma).holds
    if conflict(sigma_set):
        assert not exact.satisfiable(sigma_set).satisfiable


@given(TINY, TINY)
def test_between_two_constraints_without_domains_the_axioms_miss_nothing(
    one: Constraint, other: Constraint
) -> None:
    assert implies([one], other) == exact.implies([one], other).holds


@given(TINY)
def test_a_constraint_implies_itself(sigma: Constraint) -> None:
    assert implies([sigma], sigma)
    assert bounds(sigma) <= derived([sigma], sigma.target)
