"""Numba kernels of the clustering algorithms: distances between records and clusters, many times over.

Distances are sums of weights in the order of the attributes, so that a plain twin gets the same floating-point
numbers and breaks ties alike.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from diva.compiled import compiled

_kernel = compiled(no_cfunc_wrapper=True, _nrt=False)
_inner = compiled(no_cfunc_wrapper=True, no_cpython_wrapper=True, _nrt=False)
"""For kernels that only kernels call."""


class Remaining(NamedTuple):
    """The records that k-member has put into no cluster yet."""

    codes: np.ndarray
    """int32 [m, D]: by attribute, so that the distances to all types are m passes over contiguous memory."""
    left: np.ndarray
    """int64 [D]: how many records of each type."""
    weights: np.ndarray
    """float64 [m]"""
    far: np.ndarray
    """float64 [D]: scratch, distances."""


class Cluster(NamedTuple):
    """The cluster that k-member grows."""

    hidden: np.ndarray
    """bool [m]: the attributes on which its members differ."""
    member: np.ndarray
    """int64 [k]: its types in order of arrival."""
    taken: np.ndarray
    """int64 [k]: how many records of each."""


@_inner
def _distances(S: Remaining, row: np.ndarray, hidden: np.ndarray) -> None:
    """The weight of the attributes that aren't hidden and on which each type differs from a row."""
    m, D = S.codes.shape
    for t in range(D):
        S.far[t] = 0.0
    for j in range(m):
        if not hidden[j]:
            value, weight = row[j], S.weights[j]
            for t in range(D):
                S.far[t] += weight if S.codes[j, t] != value else 0.0


@_kernel
def furthest(S: Remaining, row: np.ndarray, none: np.ndarray) -> int:
    """The first type with a record left that differs most from a row; of `none` nothing is hidden."""
    _distances(S, row, none)
    best = -1
    for t in range(len(S.left)):
        if S.left[t] > 0 and (best < 0 or S.far[t] > S.far[best]):
            best = t
    return best


@_kernel
def grow(S: Remaining, C: Cluster, row: np.ndarray, k: int) -> int:
    """Fill the cluster of one record `row`, which is the type C.member[0], up to k; return how many entries it has.

    A record that newly stars attributes of weight w makes the loss |c|·stars(c) grow by stars(c) + (|c|+1)·w, so the
    first record with the least w costs least. While w is 0 the distances stay, and the best type gives as many
    records as it has. S must have k records. Each of at most m+1 rounds costs O(m·D), each entry O(D).
    """
    m, D = S.codes.shape
    S.left[C.member[0]] -= 1
    C.taken[0] = 1
    entries, size, stale = 1, 1, True
    while size < k:
        if stale:
            _distances(S, row, C.hidden)
        best = -1
        for t in range(D):
            if S.left[t] > 0 and (best < 0 or S.far[t] < S.far[best]):
                best = t
        stale = S.far[best] > 0.0
        number = 1 if stale else min(S.left[best], k - size)
        for j in range(m):
            C.hidden[j] |= S.codes[j, best] != row[j]
        S.left[best] -= number
        size += number
        if best == C.member[entries - 1]:
            C.taken[entries - 1] += number
        else:
            C.member[entries] = best
            C.taken[entries] = number
            entries += 1
    return entries


class Centres(NamedTuple):
    """OKA's clusters. Entries of a cluster are a linked list that ends with -1."""

    mode: np.ndarray
    """int32 [K, m]: the centroid, for each attribute the value that most members have."""
    votes: np.ndarray
    """int64 [K, m]: how many have it."""
    size: np.ndarray
    """int64 [K]: the members."""
    head: np.ndarray
    """int64 [K]: the first entry."""
    next: np.ndarray
    """int64 [E]"""
    cluster: np.ndarray
    """int64 [E]"""
    type: np.ndarray
    """int64 [E]"""
    records: np.ndarray
    """int64 [E]"""
    used: np.ndarray
    """int64 [1]: the number of entries."""


@_inner
def _nearest(C: Centres, row: np.ndarray, weights: np.ndarray, limit: int) -> int:
    """The first cluster with fewer than `limit` members whose centroid differs least from a row."""
    K, m = C.mode.shape
    best, least = -1, np.inf
    for c in range(K):
        if C.size[c] < limit:
            far = 0.0
            for j in range(m):
                if C.mode[c, j] != row[j]:
                    far += weights[j]
                    if far >= least:
                        break
            if far < least:
                best, least = c, far
                if least == 0.0:
                    break
    return best


@_inner
def _join(C: Centres, codes: np.ndarray, c: int, t: int, n: int) -> None:
    """Put n records of type t into cluster c. A mode changes when another value has more members than it."""
    entry = C.used[0]
    C.cluster[entry], C.type[entry], C.records[entry], C.next[entry] = c, t, n, C.head[c]
    C.head[c] = entry
    C.used[0] += 1
    C.size[c] += n
    for j in range(codes.shape[1]):
        value = codes[t, j]
        if value == C.mode[c, j]:
            C.votes[c, j] += n
        else:
            same = 0
            e = entry
            while e >= 0:
                if codes[C.type[e], j] == value:
                    same += C.records[e]
                e = C.next[e]
            if same > C.votes[c, j]:
                C.mode[c, j], C.votes[c, j] = value, same


@_kernel
def place(C: Centres, codes: np.ndarray, cluster: np.ndarray, types: np.ndarray, counts: np.ndarray) -> None:
    """Put entries into given clusters, in order."""
    for i in range(len(types)):
        _join(C, codes, cluster[i], types[i], counts[i])


@_kernel
def assign(
    C: Centres, codes: np.ndarray, weights: np.ndarray, types: np.ndarray, counts: np.ndarray, limit: int
) -> None:
    """Put entries into the nearest cluster with fewer than `limit` members, in order. O(entries · K · m)."""
    for i in range(len(types)):
        _join(C, codes, _nearest(C, codes[types[i]], weights, limit), types[i], counts[i])
