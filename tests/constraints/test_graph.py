from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diva.constraints.graph import Edge, conflict_graph, to_dot
from diva.constraints.model import Constraint, Target
from diva.constraints.text import parse

SIGMA = [parse("ETH[Asian] in 2..5"), parse("ETH[African] in 1..3"), parse("CTY[Vancouver] in 2..4")]
# The paper's Table 1: 3 Asians of whom 2 live in Vancouver, 2 Africans of whom 1 does, 1 other who does.
SIGNATURES = [(0b000, 4), (0b001, 1), (0b101, 2), (0b010, 1), (0b110, 1), (0b100, 1)]


def test_vertices_edges_and_rate() -> None:
    graph = conflict_graph(SIGMA, SIGNATURES)
    assert graph.vertices == (3, 2, 4)
    assert graph.edges == (Edge(0, 2, 2, 2 / 5), Edge(1, 2, 1, 1 / 5))
    assert graph.rate == pytest.approx((2 / 5 + 1 / 5) / 3)


def test_the_rate_averages_all_pairs_and_not_only_neighbours() -> None:
    graph = conflict_graph(SIGMA, [(0b101, 7)])
    assert [edge.score for edge in graph.edges] == [1.0]
    assert graph.rate == pytest.approx(1 / 3)


def test_the_rate_is_between_0_and_1() -> None:
    assert conflict_graph(SIGMA, [(0b111, 5)]).rate == 1
    assert conflict_graph(SIGMA, [(0b001, 5), (0b010, 5), (0b000, 9)]).rate == 0
    assert conflict_graph(SIGMA, []).rate == 0


@pytest.mark.parametrize("number", [0, 1])
def test_less_than_a_pair_has_no_conflict(number: int) -> None:
    assert conflict_graph(SIGMA[:number], [(0, 5)]).rate == 0


def test_signatures_may_be_repeated_or_empty() -> None:
    assert conflict_graph(SIGMA, [(0b101, 2), (0b101, 0), (0b011, 0)]).edges == (Edge(0, 2, 2, 1.0),)


@given(st.lists(st.integers(0, 15), max_size=12))
def test_scores_are_jaccard_similarities(records: list[int]) -> None:
    graph = conflict_graph([parse(f"A{i}[a] in 1") for i in range(4)], [(record, 1) for record in records])
    relevant = [{n for n, record in enumerate(records) if record >> i & 1} for i in range(4)]
    assert graph.vertices == tuple(map(len, relevant))
    expected = {(i, j): len(relevant[i] & relevant[j]) for i, j in combinations(range(4), 2)}
    assert {(e.left, e.right): e.overlap for e in graph.edges} == {p: n for p, n in expected.items() if n}
    for edge in graph.edges:
        assert edge.score == edge.overlap / len(relevant[edge.left] | relevant[edge.right])


def test_dot() -> None:
    assert to_dot(conflict_graph(SIGMA[1:], SIGNATURES_OF_TWO)) == (
        "graph conflicts {\n"
        '  label="cf = 0.200";\n'
        "  node [shape=box];\n"
        '  v0 [label="ETH[African] in 1..3\\n2 rows"];\n'
        '  v1 [label="CTY[Vancouver] in 2..4\\n4 rows"];\n'
        '  v0 -- v1 [label="1 (0.200)"];\n'
        "}\n"
    )


SIGNATURES_OF_TWO = [(0b10, 3), (0b01, 1), (0b11, 1)]


def test_dot_lets_no_value_escape() -> None:
    sigma = Constraint(Target(("A",), ('"];\\N\r\n&lt;\0<b>',)), 1, 1)
    line = to_dot(conflict_graph([sigma], [])).splitlines()[3]
    assert line == r'  v0 [label="A[\"\"\"];\\N\n\n&amp;lt;�<b>\"] in 1\n0 rows"];'
