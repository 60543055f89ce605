"""The clustering algorithms as their papers print them: row by row, slowly, in plain Python."""

from __future__ import annotations

from collections import Counter

import numpy as np

from diva.lattice.problem import Problem

Cluster = list[int]
"""The types of the records in a cluster."""


class Rows:
    """Records and how much they differ."""

    def __init__(self, problem: Problem) -> None:
        self.codes = problem.codes.tolist()
        self.weights = problem.weights.tolist()
        self.types = np.repeat(np.arange(len(problem.counts)), problem.counts).tolist()

    def distance(self, one: list[int], other: list[int]) -> float:
        return sum(w for w, a, b in zip(self.weights, one, other, strict=True) if a != b)

    def loss(self, cluster: Cluster) -> float:
        rows = [self.codes[t] for t in cluster]
        stars = [w for w, *values in zip(self.weights, *rows, strict=True) if len(set(values)) > 1]
        return len(cluster) * sum(stars)

    def extra(self, cluster: Cluster, t: int) -> float:
        return self.loss([*cluster, t]) - self.loss(cluster)

    def mode(self, cluster: Cluster, before: list[int] | None) -> list[int]:
        """The centroid of a cluster whose last member is new."""
        votes = [Counter(values) for values in zip(*(self.codes[t] for t in cluster), strict=True)]
        new = self.codes[cluster[-1]]
        if before is None:
            return new
        return [n if v[n] > v[b] else b for v, n, b in zip(votes, new, before, strict=True)]


def k_member(problem: Problem, random: np.random.Generator) -> list[Cluster]:
    """Byun et al. (2007), function greedy_k_member_clustering."""
    rows = Rows(problem)
    S = rows.types.copy()
    r = S[random.integers(len(S))]
    result: list[Cluster] = []
    while len(S) >= problem.k:
        r = max(S, key=lambda t: rows.distance(rows.codes[t], rows.codes[r]))
        S.remove(r)
        c = [r]
        while len(c) < problem.k:
            r = min(S, key=lambda t: rows.extra(c, t))
            S.remove(r)
            c.append(r)
        result.append(c)
    for r in random.permutation(S).tolist():
        min(result, key=lambda c: rows.extra(c, r)).append(r)
    return result


def oka(problem: Problem, random: np.random.Generator) -> list[Cluster]:
    """Lin and Wei (2008), filling clusters below k before any other."""
    rows = Rows(problem)
    S = rows.types.copy()
    seeds = random.choice(len(S), size=len(S) // problem.k, replace=False).tolist()
    clusters = [[S[i]] for i in seeds]
    centroids = [rows.codes[S[i]] for i in seeds]

    def join(t: int, allowed: list[int]) -> None:
        c = min(allowed, key=lambda c: rows.distance(rows.codes[t], centroids[c]))
        clusters[c].append(t)
        centroids[c] = rows.mode(clusters[c], centroids[c])

    everywhere = list(range(len(clusters)))
    for i, t in enumerate(S):
        if i not in seeds:
            join(t, everywhere)
    away: list[int] = []
    for c, members in enumerate(clusters):
        ordered = sorted(members, key=lambda t: rows.distance(rows.codes[t], centroids[c]))
        clusters[c] = ordered[: problem.k]
        away += ordered[problem.k :]
        centroid = None
        for n in range(1, len(clusters[c]) + 1):
            centroid = rows.mode(clusters[c][:n], centroid)
        centroids[c] = centroid
    for t in random.permutation(np.array(away, dtype=np.int64)).tolist():
        short = [c for c in everywhere if len(clusters[c]) < problem.k]
        join(t, short or everywhere)
    return clusters


def stars(problem: Problem, clusters: list[Cluster]) -> float:
    """What the clusters cost."""
    rows = Rows(problem)
    return sum(rows.loss(c) for c in clusters)
