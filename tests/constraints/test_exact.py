import pytest

from diva.constraints.exact import implies, satisfiable
from diva.constraints.model import MAX_BOUND, Constraint, Target
from diva.constraints.text import parse
from diva.constraints.witness import Witness
from diva.errors import BadInput
from diva.programme import ProgrammeError


def sigma_of(*texts: str) -> list[Constraint]:
    return [parse(text) for text in texts]


def test_erratum_2_example_imply_answers_no_with_a_smallest_witness() -> None:
    sigma_set = sigma_of("CTY[Calgary] in 2..10", "GEN,ETH,CTY[Female,Caucasian,Calgary] in 4..7")
    answer = implies(sigma_set, parse("ETH,CTY[Caucasian,Calgary] in 5..8"))
    assert not answer.holds
    assert answer.witness == Witness((({"CTY": "Calgary", "GEN": "Female", "ETH": "Caucasian"}, 4),))


def test_erratum_4_disjoint_specialisations_add_up() -> None:
    sigma_set = sigma_of("A,B[a,b] in 3..", "A,B[a,c] in 3..")
    assert implies(sigma_set, parse("A[a] in 6..")).holds
    answer = implies(sigma_set, parse("A[a] in 7.."))
    assert answer.witness is not None
    assert answer.witness.rows == 6


def test_declared_domains_imply_more() -> None:
    sigma_set = sigma_of("A,B[a,b] in ..3", "A,B[a,c] in ..3")
    sigma = parse("A[a] in ..6")
    without = implies(sigma_set, sigma)
    assert without.witness is not None
    assert without.witness.records == (({"A": "a", "B": "other"}, 7),)
    assert implies(sigma_set, sigma, {"B": ["b", "c"]}).holds
    assert not implies(sigma_set, sigma, {"B": ["b", "c", "d"]}).holds
    assert implies(sigma_set, parse("A[x] in 0"), {"A": ["a"]}).holds


def test_the_calgary_example_is_unsatisfiable() -> None:
    sigma_set = sigma_of("GEN[Male] in 2..", "ETH,CTY[Caucasian,Calgary] in 6..8", "CTY[Calgary] in 1..5")
    answer = satisfiable(sigma_set)
    assert not answer.satisfiable
    assert answer.witness is None
    assert answer.conflict == tuple(sigma_set[1:])


def test_a_conflict_that_only_domains_make() -> None:
    sigma_set = sigma_of("GEN[Female] in 2", "GEN[Male] in 2", "ETH[Asian] in 5..")
    answer = satisfiable(sigma_set)
    assert answer.satisfiable
    assert answer.witness is not None
    assert answer.witness.rows == 5
    assert satisfiable(sigma_set, {"GEN": ["Female", "Male"]}).conflict == tuple(sigma_set)
    assert satisfiable(sigma_of("A[x] in 1..", "B[b] in 1.."), {"A": ["a"]}).conflict == tuple(
        sigma_of("A[x] in 1..")
    )


def test_halves_of_records_do_not_count() -> None:
    # Every record carries exactly two of a, b, c. One of each would take three halves of a record.
    domains = {"A": ["a", "x"], "B": ["b", "x"], "C": ["c", "x"]}
    exactly_two = sigma_of("A,B,C[a,b,c] in 0", "A,B[x,x] in 0", "B,C[x,x] in 0", "A,C[x,x] in 0")
    one_each = sigma_of("A[a] in 1", "B[b] in 1", "C[c] in 1")
    two_each = sigma_of("A[a] in 2", "B[b] in 2", "C[c] in 2")
    assert not satisfiable(exactly_two + one_each, domains).satisfiable
    witness = satisfiable(exactly_two + two_each, domains).witness
    assert witness is not None
    assert witness.rows == 3


def test_the_same_target_twice_and_in_another_order() -> None:
    assert satisfiable(sigma_of("A,B[a,b] in 1..3", "B,A[b,a] in 3..4")).satisfiable
    twice = sigma_of("A,B[a,b] in 1..2", "B,A[b,a] in 3..4")
    assert satisfiable(twice).conflict == tuple(twice)


def test_a_conflict_lists_a_repeated_constraint_once() -> None:
    sigma_set = sigma_of("A[a] in 3", "A[a] in 3", "A[a] in 4")
    assert satisfiable(sigma_set).conflict == tuple(sigma_set[1:])
    again = sigma_set[:1] * 2 + sigma_set[2:]
    assert satisfiable(again).conflict == tuple(sigma_set[1:])


def test_nothing_is_asked_of_an_empty_relation() -> None:
    assert satisfiable([]).witness == Witness(())
    assert satisfiable(sigma_of("A[a] in ..3", "B[b] in 0")).witness == Witness(())
    assert implies([], parse("A[a] in 1..")).witness == Witness(())
    assert implies([], parse("A[a] in 0..")).holds


def test_the_smaller_of_two_ways_to_break_a_constraint_is_shown() -> None:
    answer = implies(sigma_of("A[a] in 2..9"), parse("A[a] in 3..5"))
    assert answer.witness is not None
    assert answer.witness.rows == 2


def test_constraints_on_separate_columns_do_not_multiply() -> None:
    sigma_set = [Constraint(Target((f"C{i}",), ("c",)), i, i + 1) for i in range(60)]
    answer = satisfiable(sigma_set)
    assert answer.witness is not None
    assert answer.witness.rows == 59
    assert all(sigma.admits(answer.witness.count(sigma.target)) for sigma in sigma_set)
    assert not implies(sigma_set, parse("C1,C2[c,c] in 1..")).holds


def test_separate_columns_share_the_number_of_records() -> None:
    sigma_set = sigma_of("GEN[F] in ..2", "GEN[M] in ..2")
    domains = {"GEN": ["F", "M"]}
    assert implies(sigma_set, parse("CTY[Calgary] in ..4"), domains).holds
    assert not implies(sigma_set, parse("CTY[Calgary] in ..3"), domains).holds
    assert not implies(sigma_set, parse("CTY[Calgary] in ..4")).holds


@pytest.mark.parametrize("size", [10**6, 10**9, MAX_BOUND // 3])
def test_large_bounds(size: int) -> None:
    sigma_set = [
        Constraint(Target(("A", "B"), ("a", "b")), size, size + 1),
        Constraint(Target(("A", "B"), ("a", "c")), size + 1, None),
    ]
    target = Target(("A",), ("a",))
    assert implies(sigma_set, Constraint(target, 2 * size + 1, None)).holds
    assert not implies(sigma_set, Constraint(target, 2 * size + 2, None)).holds
    assert not satisfiable([*sigma_set, Constraint(target, 0, 2 * size)]).satisfiable
    assert satisfiable([*sigma_set, Constraint(target, 0, 2 * size + 1)]).satisfiable


@pytest.mark.parametrize(
    ("domains", "reason"),
    [
        ({"A": []}, "the domain of column 'A' is empty"),
        ({"A": "abc"}, "the domain of column 'A' is one text; write a list"),
        ({"A": ["a", 3]}, "the domain of column 'A' has 3, which is not a text"),
        ({"A": ["a", None]}, "the domain of column 'A' has None"),
    ],
)
def test_domains_that_cannot_be_meant(domains: dict[str, list[str]], reason: str) -> None:
    with pytest.raises(BadInput, match=reason):
        satisfiable(sigma_of("A[a] in 1"), domains)
    with pytest.raises(BadInput, match=reason):
        implies([], parse("A[a] in 1"), domains)


def test_a_wrong_solution_does_not_pass_for_a_witness(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("diva.constraints.witness._join", lambda _: [])
    with pytest.raises(ProgrammeError, match=r"the witness breaks the bounds of A\[a\]"):
        satisfiable(sigma_of("A[a] in 1"))
