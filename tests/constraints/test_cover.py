from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diva.constraints import axioms
from diva.constraints.cover import Method, minimal_cover
from diva.constraints.model import Constraint
from diva.constraints.text import parse
from diva.errors import BadInput
from tests.constraints.test_axioms import TINY


def sigma_of(*texts: str) -> tuple[Constraint, ...]:
    return tuple(parse(text) for text in texts)


EXAMPLE = sigma_of("CTY[Calgary] in 2..10", "GEN,ETH,CTY[Female,Caucasian,Calgary] in 4..7")


@pytest.mark.parametrize("method", ["exact", "axioms"])
def test_the_example_with_erratum_2(method: Method) -> None:
    # The paper calls it minimal; with its bounds the right way round, so that 4 ≤ Calgary, it still is.
    assert minimal_cover(EXAMPLE, method) == EXAMPLE
    sigma = parse("ETH,CTY[Caucasian,Calgary] in 5..8")
    assert minimal_cover([*EXAMPLE, sigma], method)[-1] == sigma
    assert minimal_cover([*EXAMPLE, parse("ETH,CTY[Caucasian,Calgary] in 4..10")], method) == EXAMPLE


@pytest.mark.parametrize("method", ["exact", "axioms"])
def test_duplicates_go_and_the_order_stays(method: Method) -> None:
    sigma_set = sigma_of("B[b] in 1", "A[a] in 1..5", "B[b] in 1", "A[a] in 2..4", "C[c] in 0..")
    assert minimal_cover(sigma_set, method) == sigma_of("B[b] in 1", "A[a] in 2..4")


def test_only_exact_sees_sums() -> None:
    sigma_set = sigma_of("A[a] in 6..", "A,B[a,b] in 3..", "A,B[a,c] in 3..")
    assert minimal_cover(sigma_set) == sigma_set[1:]
    assert minimal_cover(sigma_set, "axioms") == sigma_set


def test_declared_domains_make_more_redundant() -> None:
    sigma_set = sigma_of("A,B[a,b] in ..3", "A,B[a,c] in ..3", "A[a] in ..6")
    assert minimal_cover(sigma_set) == sigma_set
    assert minimal_cover(sigma_set, domains={"B": ["b", "c"]}) == sigma_set[:2]


@pytest.mark.parametrize("method", ["exact", "axioms"])
def test_an_unsatisfiable_sigma_is_refused(method: Method) -> None:
    sigma_set = sigma_of("GEN[F] in 1", "ETH,CTY[Caucasian,Calgary] in 6..8", "CTY[Calgary] in 1..5")
    names = r"ETH,CTY\[Caucasian,Calgary\] in 6..8 and CTY\[Calgary\] in 1..5 can't hold together"
    with pytest.raises(BadInput, match=names):
        minimal_cover(sigma_set, method)


def test_one_constraint_against_its_domain_is_refused() -> None:
    with pytest.raises(BadInput, match=r"A\[x\] in 1.. can't hold in the declared domains"):
        minimal_cover(sigma_of("A[x] in 1.."), domains={"A": ["a"]})


def test_methods_refuse_what_they_would_ignore() -> None:
    with pytest.raises(BadInput, match="method 'best' is unknown; use exact or axioms"):
        minimal_cover(EXAMPLE, cast("Method", "best"))
    with pytest.raises(BadInput, match="the axioms make no use of declared domains"):
        minimal_cover(EXAMPLE, "axioms", {"A": ["a"]})


def test_an_empty_sigma_covers_itself() -> None:
    assert minimal_cover([]) == ()


@given(st.lists(TINY, max_size=5))
def test_an_axiom_cover_derives_what_was_removed_and_nothing_of_itself(sigma_set: list[Constraint]) -> None:
    if axioms.conflict(sigma_set):
        return
    cover = minimal_cover(sigma_set, "axioms")
    assert all(axioms.implies(cover, sigma) for sigma in sigma_set)
    for i, sigma in enumerate(cover):
        assert not axioms.implies(cover[:i] + cover[i + 1 :], sigma)
