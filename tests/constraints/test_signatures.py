import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diva.constraints.model import Target
from diva.constraints.signatures import components, examples, realisable
from diva.constraints.text import parse
from diva.errors import BadInput


def targets_of(*texts: str) -> list[Target]:
    return [parse(f"{text} in 1").target for text in texts]


def test_targets_that_contradict_each_other_never_meet() -> None:
    assert realisable(targets_of("A[a]", "A[b]")) == [0b00, 0b01, 0b10]


def test_a_target_brings_along_those_it_contains() -> None:
    assert realisable(targets_of("A,B[a,b]", "A[a]")) == [0b00, 0b10, 0b11]


def test_a_declared_domain_without_other_values_leaves_nothing_out() -> None:
    assert realisable(targets_of("A[a]", "A[b]"), {"A": ["a", "b"]}) == [0b01, 0b10]
    assert realisable(targets_of("A[a]", "A[b]"), {"A": ["a", "b", "c"]}) == [0b00, 0b01, 0b10]


def test_a_value_outside_the_domain_is_never_carried() -> None:
    assert realisable(targets_of("A[a]", "A[b]"), {"A": ["b"]}) == [0b10]


def test_no_target_leaves_one_signature() -> None:
    assert realisable([]) == [0]


def test_other_values_are_fresh_or_from_the_domain() -> None:
    targets = targets_of("A[other]", "A[other 2]", "B[b]")
    assert examples(targets, {"B": ["z", "y", "b"]})[0] == {"A": "other 3", "B": "y"}


VALUES = st.sampled_from(["a", "b", "other"])
TARGETS = st.dictionaries(st.sampled_from("ABC"), VALUES, min_size=1).map(
    lambda values: Target(tuple(values), tuple(values.values()))
)
DOMAINS = st.dictionaries(st.sampled_from("ABC"), st.sets(st.sampled_from(["a", "b", "c"]), min_size=1))


@given(st.lists(TARGETS, max_size=5), DOMAINS)
def test_signatures_are_those_of_all_records(targets: list[Target], domains: dict[str, set[str]]) -> None:
    universe = [sorted(domains.get(a, {"a", "b", "other", "unmentioned"})) for a in "ABC"]
    records = [dict(zip("ABC", values, strict=True)) for values in itertools.product(*universe)]
    signatures = {sum((t.items <= r.items()) << i for i, t in enumerate(targets)) for r in records}
    assert realisable(targets, domains) == sorted(signatures)
    for signature, record in examples(targets, domains).items():
        assert signature == sum((t.items <= record.items()) << i for i, t in enumerate(targets))
        assert all(value in domains.get(a, {value}) for a, value in record.items())


@given(st.lists(TARGETS, max_size=5))
def test_components_share_no_attribute(targets: list[Target]) -> None:
    parts = components(targets)
    assert sorted(map(id, itertools.chain(*parts))) == sorted(map(id, targets))
    for one, other in itertools.combinations(parts, 2):
        assert {a for t in one for a in t.attributes}.isdisjoint(a for t in other for a in t.attributes)
    for part in parts:
        for cut in range(1, len(part)):
            chosen = {a for t in part[:cut] for a in t.attributes}
            rest = {a for t in part[cut:] for a in t.attributes}
            assert chosen & rest


def test_components_keep_the_order() -> None:
    targets = targets_of("A[a]", "B[b]", "C,A[c,a]", "D[d]", "B[x]")
    assert components(targets) == [[targets[0], targets[2]], [targets[1], targets[4]], [targets[3]]]


def test_too_many_signatures_are_refused_with_their_number() -> None:
    attributes = [f"A{i}" for i in range(20)]
    targets = targets_of(*(f"Z,{a}[z,a]" for a in attributes))
    with pytest.raises(BadInput, match=r"the 20 overlapping targets in more than 200000 combinations"):
        realisable(targets)
    assert len(realisable(targets[:10])) == 2**10
    with pytest.raises(BadInput, match="in more than 100 combinations"):
        realisable(targets[:10], limit=100)
