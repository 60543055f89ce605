"""Section 4 of the paper on its own example, step by step."""

from __future__ import annotations

from math import exp

import numpy as np
import pytest

import diva
from diva.solve.diva.build_graph import build_graph
from diva.solve.diva.clusterings import clusterings, in_order, overlap
from diva.solve.diva.coloring import Coloring
from diva.solve.diva.consistency import colours, consistent
from diva.solve.diva.merge import merge
from diva.solve.diva.rows import Clustering
from diva.solve.diva.strategies import STRATEGIES, View
from diva.solve.diva.suppress import suppress
from tests import paper
from tests.metrics.tables import QI
from tests.paper import BOUNDS, SIGMA, SIGMA_1, SIGMA_3, SIGMA_4
from tests.solve.diva.example import clustered, example, named

V1, V2, V3 = 0, 1, 2
RUN = {"qi": QI, "sensitive": ["DIAG"], "identifying": ["ID"]}


def watching(name: str, seen: list[View]):
    """A strategy that writes down what it is shown."""

    def strategy(view, random):
        seen.append(view)
        return STRATEGIES[name](view, random)

    return strategy


def test_relevant_tuples_and_the_graph() -> None:
    R = example(*SIGMA)
    assert [named(Clustering((frozenset(R.relevant(v)),))) for v in (V1, V2, V3)] == [
        {(8, 9, 10)}, {(5, 6)}, {(6, 7, 8, 10)},
    ]  # fmt: skip
    graph = build_graph(R)
    assert graph.vertices == (V1, V2, V3)
    edges = {frozenset((v, u)) for v in graph.vertices for u in graph.adjacent[v]}
    assert edges == {frozenset((V1, V3)), frozenset((V2, V3))}


def test_the_candidates_are_4_1_and_13_and_those_of_the_plain_twin() -> None:
    R = example(*SIGMA)
    found = [clusterings(R, v) for v in (V1, V2, V3)]
    assert [len(candidates) for candidates in found] == [4, 1, 13]
    for candidates, sigma in zip(found, SIGMA, strict=True):
        bounds = BOUNDS[sigma]
        twin = paper.clusterings(paper.relevant(*bounds[:2]), 2, *bounds[2:], largest=3)
        assert {frozenset(named(c)) for c in candidates} == twin
    assert [named(c) for c in found[V2]] == [{(5, 6)}]


def test_merge() -> None:
    # Section 4.1, below Definition 5.
    assert named(merge(clustered((5, 6)), clustered((6, 7)))) == {(5, 6, 7)}
    assert named(merge(clustered((5, 6)), clustered((7, 8)))) == {(5, 6), (7, 8)}


def test_the_example_of_inconsistent_clusterings() -> None:
    R = example(*SIGMA)
    second, third = clustered((5, 6)), clustered((6, 7))
    assert R.satisfies(second, [V2])
    assert R.satisfies(third, [V3])
    assert consistent(R, colours(R, second, [V2, V3]), third, [V2, V3]) is None
    assert consistent(R, colours(R, second, [V2, V3]), clustered((7, 8)), [V2, V3]) is not None


def test_the_execution_of_the_papers_example() -> None:
    # v1 = {t9,t10}, then v2 = {t5,t6}; the only candidate left for v3 is {t7,t8}.
    R = example(*SIGMA)
    chosen = consistent(R, colours(R, clustered((9, 10)), range(3)), clustered((5, 6)), [V1, V2])
    left = [c for c in clusterings(R, V3) if consistent(R, chosen, c, [V1, V2, V3])]
    assert [named(c) for c in left if len(c.clusters) == 1] == [{(7, 8)}]
    merged = consistent(R, chosen, left[0], [V1, V2, V3]).merged
    assert named(merged) == {(5, 6), (7, 8), (9, 10)}
    # Suppress gives g5 to g10 of Table 1(c).
    assert suppress(R, merged).stars == 18


@pytest.mark.parametrize("seed", range(5))
def test_min_choice_starts_with_v2_and_then_sees_4_and_4(seed: int) -> None:
    R, seen = example(*SIGMA), []
    strategy = watching("min-choice", seen)
    done = Coloring(R, build_graph(R), strategy, np.random.default_rng(seed), 100).run()
    assert done.end == "coloured"
    assert [{v: round(exp(n)) for v, n in view.candidates.items()} for view in seen[:2]] == [
        {V1: 4, V2: 1, V3: 13}, {V1: 4, V3: 4},
    ]  # fmt: skip
    assert next(iter(done.V)) == V2


@pytest.mark.parametrize("seed", range(5))
def test_max_fanout_starts_with_v3(seed: int) -> None:
    R, seen = example(*SIGMA), []
    strategy = watching("max-fanout", seen)
    done = Coloring(R, build_graph(R), strategy, np.random.default_rng(seed), 100).run()
    assert done.end == "coloured"
    assert seen[0].unvisited == {V1: 1, V2: 1, V3: 2}
    assert seen[1].unvisited == {V1: 0, V2: 0}
    assert next(iter(done.V)) == V3


def test_clusterings_in_ascending_order_of_overlap() -> None:
    R = example(*SIGMA)
    graph = build_graph(R)
    assert overlap(R, graph, V3, clustered((8, 10))) == 2
    assert overlap(R, graph, V3, clustered((7, 8))) == 1
    ordered = in_order(R, graph, V3, clusterings(R, V3))
    overlaps = [overlap(R, graph, V3, c) for c in ordered]
    assert overlaps == sorted(overlaps)
    assert {(7, 8)} in [named(c) for c in ordered if overlap(R, graph, V3, c) == overlaps[0]]


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("anonymizer", ["k-member", "oka", "mondrian", "lattice"])
def test_a_colouring_is_found_and_the_release_satisfies_sigma(strategy: str, anonymizer: str) -> None:
    release = diva.anonymize(
        paper.PATIENTS, k=2, constraints=SIGMA, solver="diva", strategy=strategy, anonymizer=anonymizer, **RUN
    )
    assert all(c.satisfied for c in release.constraints)
    assert release.k_achieved >= 2
    assert release.stars >= 22


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_integrate_repairs_sigma_4(strategy: str) -> None:
    release = diva.anonymize(
        paper.PATIENTS, k=2, constraints=[*SIGMA, SIGMA_4], solver="diva", strategy=strategy, **RUN
    )
    assert all(c.satisfied for c in release.constraints)


def test_sigma_1_and_sigma_3_are_unsatisfiable_at_k_3() -> None:
    with pytest.raises(diva.Unsatisfiable):
        diva.anonymize(paper.PATIENTS, k=3, constraints=[SIGMA_1, SIGMA_3], solver="diva", **RUN)
    R = example(SIGMA_1, SIGMA_3, k=3)
    for strategy in STRATEGIES.values():
        done = Coloring(R, build_graph(R), strategy, np.random.default_rng(0), 10_000).run()
        assert (done.end, done.complete) == ("exhausted", True)
