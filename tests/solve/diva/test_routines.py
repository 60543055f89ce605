"""The routines of the paper one by one: Merge, Clusterings, the stream, strategies, components, the rest."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import diva
from diva.errors import BadInput
from diva.solve.diva import coloring
from diva.solve.diva.build_graph import build_graph
from diva.solve.diva.clusterings import _number, clusterings
from diva.solve.diva.components import Plan, color_all
from diva.solve.diva.consistency import colours, consistent
from diva.solve.diva.diverse_clustering import diverse_clustering
from diva.solve.diva.merge import merge
from diva.solve.diva.rest import placed
from diva.solve.diva.rows import Clustering
from diva.solve.diva.strategies import STRATEGIES, max_fanout, min_choice, naive
from diva.solve.diva.stream import stream
from tests import paper
from tests.metrics.tables import QI
from tests.oracles.release import random_instance
from tests.paper import SIGMA
from tests.solve.diva.agreement import judge
from tests.solve.diva.example import clustered, example, named
from tests.solve.diva.tables import rows_from, skewed

PATIENTS = {"qi": QI, "sensitive": ["DIAG"], "identifying": ["ID"], "k": 2}


@st.composite
def clustering(draw, rows: int = 12) -> Clustering:
    labels = draw(st.lists(st.integers(0, 5), min_size=rows, max_size=rows))
    clusters = [frozenset(r for r, label in enumerate(labels) if label == c) for c in range(1, 6)]
    return Clustering(tuple(c for c in clusters if c))


def merged_plainly(*clusterings: Clustering) -> set[frozenset[int]]:
    clusters = [set(c) for S in clusterings for c in S.clusters]
    while True:
        overlapping = next(((a, b) for a in clusters for b in clusters if a is not b and a & b), None)
        if overlapping is None:
            return {frozenset(c) for c in clusters}
        first, second = overlapping
        clusters = [c for c in clusters if c is not first and c is not second] + [first | second]


@given(clustering(), clustering(), clustering())
def test_merge_joins_what_overlaps_and_nothing_else(a, b, c):
    assert set(merge(a, b).clusters) == merged_plainly(a, b)
    assert set(merge(merge(a, b), c).clusters) == merged_plainly(a, b, c)
    assert set(merge(a, b).clusters) == set(merge(b, a).clusters)


@settings(max_examples=60)
@given(clustering(), clustering(), st.integers(0, 99))
def test_what_a_merge_publishes_is_counted_from_its_changes(a, b, seed):
    R = rows_from(skewed(seed, 12), [({0: 0}, 0, None), ({0: 0, 1: 0}, 0, None), ({2: 1}, 0, None)], 1)
    together = consistent(R, colours(R, a, R.vertices), b, R.vertices)
    assert together.counts == R.published(merge(a, b).clusters, R.vertices)
    left = R.left(merge(a, b))
    assert (together.free.rows == left).all()
    assert (together.free.types == np.bincount(R.type[left], minlength=len(R.problem.counts))).all()
    assert together.free.relevant == {v: sum(bool(left[r]) for r in R.relevant(v)) for v in R.vertices}


@settings(max_examples=40)
@given(st.integers(0, 7), st.integers(1, 4), st.integers(0, 5), st.integers(0, 5))
def test_clusterings_are_those_of_the_plain_twin(many, k, low, more):
    records = np.array([[0, i] for i in range(many)] + [[1, 9]])
    R = rows_from(records, [({0: 0}, low, low + more)], k)
    found = clusterings(R, 0)
    twin = paper.clusterings(tuple(R.relevant(0)), k, low, low + more, largest=2 * k - 1)
    assert {frozenset(map(tuple, map(sorted, S.clusters))) for S in found if S.clusters} == twin
    assert len(found) == len(twin) + (low == 0) == _number(R, 0, many, 0, 10**9)


def test_too_many_clusterings_are_not_listed():
    R = rows_from(np.array([[0, i] for i in range(40)]), [({0: 0}, 10, 20)], 3)
    assert clusterings(R, 0) is None
    everybody = rows_from(np.array([[0, i] for i in range(40)]), [({0: 0}, 40, 40)], 30)
    assert [len(S.clusters) for S in clusterings(everybody, 0)] == [1]


@settings(max_examples=30)
@given(st.integers(0, 10_000), st.integers(1, 5), st.booleans())
def test_candidates_of_the_stream_satisfy_their_constraint(seed, k, careful):
    random = np.random.default_rng(seed)
    low = [int(n) for n in random.integers(k, 20, size=3)]
    sigma = [({0: 0}, low[0], low[0] + 3), ({1: 0}, low[1], low[1]), ({0: 0, 2: 1}, 0, k + 2)]
    R = rows_from(skewed(seed, 80), sigma, k)
    graph = build_graph(R)
    chosen = colours(R, Clustering(), R.vertices)
    for v in R.vertices:
        for S in stream(R, graph, v, chosen, np.random.default_rng(seed), careful=careful):
            assert merge(Clustering(), S).covered == S.covered
            assert sum(map(len, S.clusters)) == len(S.covered)
            assert all(R.shows(c) >> v & 1 for c in S.clusters)
            assert all(k <= len(c) <= 2 * k - 1 or c in chosen.merged.members for c in S.clusters)
            assert R.satisfies(S, [v])
            chosen = consistent(R, chosen, S, [v]) or chosen


def test_only_careful_candidates_look_at_the_ranges_of_neighbours():
    records = np.array([[0, i % 2, i] for i in range(40)])
    R = rows_from(records, [({0: 0}, 10, 20), ({0: 0, 1: 0}, 0, 0)], 5)
    graph, chosen = build_graph(R), colours(R, Clustering(), R.vertices)

    def hits(careful: bool) -> set[bool]:
        drawn = [
            S
            for seed in range(20)
            for S in stream(R, graph, 0, chosen, np.random.default_rng(seed), careful=careful)
        ]
        return {R.satisfies(S, [1]) for S in drawn}

    assert hits(True) == {True}
    assert hits(False) == {False, True}


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_streams_alone_agree_with_exhaustion(strategy, monkeypatch):
    monkeypatch.setattr(coloring, "clusterings", lambda *_: None)
    found = 0
    for seed in range(120):
        verdict = judge(random_instance(np.random.default_rng([seed, 7])), strategy, seed)
        assert not [fault for fault in verdict.faults if "exhausted" not in fault], seed
        found += verdict.end == "found"
    assert found > 30


def test_a_strategy_of_ones_own(tmp_path):
    asked = []

    def last(view, random):
        asked.append(view.uncoloured)
        return view.uncoloured[-1]

    release = diva.anonymize(paper.PATIENTS, constraints=SIGMA, solver="diva", strategy=last, **PATIENTS)
    assert all(c.satisfied for c in release.constraints)
    assert asked[0] == (0, 1, 2)
    release.write(tmp_path / "r.csv")
    manifest = json.loads((tmp_path / "r.csv.diva.json").read_text(encoding="utf-8"))
    assert manifest["job"]["solve"]["strategy"] == "last"
    with pytest.raises(
        BadInput, match="the strategy chose 7, which is none of the uncoloured vertices 0, 1, 2"
    ):
        diva.anonymize(paper.PATIENTS, constraints=SIGMA, solver="diva", strategy=lambda *_: 7, **PATIENTS)


def test_the_strategies_draw_lots_among_equals():
    R = example(*SIGMA)
    firsts = {}
    for name, strategy in STRATEGIES.items():
        runs = [
            coloring.Coloring(R, build_graph(R), strategy, np.random.default_rng(seed), 1_000).run()
            for seed in range(30)
        ]
        assert {run.end for run in runs} == {"coloured"}
        firsts[name] = {next(iter(run.V)) for run in runs}
    assert firsts == {"naive": {0, 1, 2}, "min-choice": {1}, "max-fanout": {2}}


# Components


def separate(seed: int) -> tuple[np.ndarray, list]:
    """Six constraints in three components, which differ in the value of the first column."""
    records = skewed(seed, 120)
    sigma = [({0: a}, 6, 14) for a in range(3)] + [({0: a, 1: 0}, 3, 9) for a in range(3)]
    return records, sigma


def test_components_share_no_row():
    R = rows_from(*separate(1), 3)
    graph = build_graph(R)
    parts = graph.components()
    assert [part.vertices for part in parts] == [(0, 3), (1, 4), (2, 5)]
    rows = [{r for v in part.vertices for r in R.carriers(v)} for part in parts]
    assert not rows[0] & rows[1]
    assert not rows[0] & rows[2]
    assert not rows[1] & rows[2]


@pytest.mark.parametrize("strategy", [naive, min_choice, max_fanout])
def test_any_number_of_workers_colours_alike(strategy):
    R = rows_from(*separate(2), 3)
    parts = build_graph(R).components()
    alone, together = (color_all(R, parts, Plan(strategy, 500, 5, workers)) for workers in (1, 2))
    assert [c.end for c in alone] == ["coloured"] * 3
    assert [(c.V, c.tried) for c in alone] == [(c.V, c.tried) for c in together]


def test_workers_are_ended_by_who_wants_an_end():
    R = rows_from(*separate(2), 3)
    parts = build_graph(R).components()
    ended = color_all(R, parts, Plan(naive, 500, 5, 2), stop=lambda: True)
    assert {c.end for c in ended} == {"stopped"}


def test_more_overlapping_constraints_than_can_be_coloured_are_refused():
    R = rows_from(np.array([[0, 0], [0, 0]]), [({0: 0}, 0, None)] * 501, 2)
    with pytest.raises(BadInput, match="501 constraints overlap"):
        diverse_clustering(R, Plan(naive, 10, 0))
    R = rows_from(np.array([[0, 0], [0, 0]]), [({0: 0}, 0, None)] * 500, 2)
    assert diverse_clustering(R, Plan(naive, 1_000, 0)).clustering is not None


# The rest


def test_a_rest_of_less_than_k_joins_a_cluster():
    # Four a in pairs and one b: the b can join a pair, and A[a] ≥ 2 still holds, but not A[a] ≥ 4.
    records = np.array([[0, 0], [0, 0], [0, 1], [0, 1], [1, 1]])
    for low, fits in ((2, True), (4, False)):
        R = rows_from(records, [({0: 0}, low, None)], 2)
        pairs = Clustering((frozenset({0, 1}), frozenset({2, 3})))
        joined = placed(R, pairs)
        assert (joined is not None) == fits
        if joined is not None:
            assert set(joined.clusters) == {frozenset({0, 1}), frozenset({2, 3, 4})}


def test_a_colouring_whose_rest_fits_nowhere_is_taken_back():
    # Two pairs of a would leave the b alone; a cluster of three a and a pair with the b doesn't.
    R = rows_from(np.array([[0, 0], [0, 0], [0, 1], [0, 1], [1, 1]]), [({0: 0}, 3, None)], 2)
    for strategy in STRATEGIES.values():
        found = diverse_clustering(R, Plan(strategy, 500, 1))
        assert found.clustering is not None
        assert len(R) - len(found.clustering.covered) in {0, 2}
        assert R.satisfies(found.clustering, [0])


def test_erratum_10_pairwise_consistency_is_not_enough():
    # All pairs of these are consistent, and their merge publishes 4 for A[0] ≤ 3.
    records = np.array([[0, 0, 0], [0, 0, 1], [0, 1, 0], [0, 1, 0], [1, 2, 2], [0, 2, 2]])
    sigma = [({1: 0}, 2, None), ({1: 1}, 2, None), ({0: 0}, 0, 3)]
    R = rows_from(records, sigma, 2)
    first, second, third = Clustering((frozenset({0, 1}),)), Clustering((frozenset({2, 3}),)), Clustering()
    for a, b, pair in ((first, second, [0, 1]), (first, third, [0, 2]), (second, third, [1, 2])):
        assert consistent(R, colours(R, a, R.vertices), b, pair) is not None
    assert not R.satisfies(merge(merge(first, second), third), R.vertices)


def test_min_choice_colours_the_example_as_the_paper_does():
    R = example(*SIGMA)
    found = diverse_clustering(R, Plan(min_choice, 100, 0)).clustering
    assert (5, 6) in named(found)
    assert R.satisfies(found, R.vertices)
    assert consistent(R, colours(R, clustered((5, 6)), R.vertices), clustered((6, 10)), [1, 2]) is None
