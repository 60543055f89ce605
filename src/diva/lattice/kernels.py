"""Numba kernels that number groups and list who can be in them."""

from __future__ import annotations

import numba
import numpy as np

_MIX = np.uint64(0x9E3779B97F4A7C15)
_HALF = np.uint64(32)


@numba.njit(cache=True)
def refine(
    parent: np.ndarray, column: np.ndarray, values: int, counts: np.ndarray, k: int
) -> tuple[np.ndarray, int]:
    """Split groups by one more visible attribute: (group of each type, number of groups).

    Types that had no group (-1) have none; groups with fewer than k records are given up. Groups are numbered in
    the order of their first type. O(D) expected.
    """
    D = len(parent)
    bits = 4
    while (1 << bits) < 2 * D:
        bits += 1
    mask = np.uint64((1 << bits) - 1)
    slot_key = np.full(1 << bits, -1, np.int64)
    slot_group = np.empty(1 << bits, np.int32)
    group = np.full(D, -1, np.int32)
    population = np.zeros(D, np.int64)
    found = 0
    for t in range(D):
        if parent[t] < 0:
            continue
        key = np.int64(parent[t]) * values + column[t]
        mixed = np.uint64(key) * _MIX
        slot = np.int64((mixed ^ (mixed >> _HALF)) & mask)
        while slot_key[slot] != key and slot_key[slot] != -1:
            slot = np.int64(np.uint64(slot + 1) & mask)
        if slot_key[slot] == -1:
            slot_key[slot] = key
            slot_group[slot] = found
            found += 1
        group[t] = slot_group[slot]
        population[group[t]] += counts[t]
    kept = 0
    number = np.full(found, -1, np.int32)
    for g in range(found):
        if population[g] >= k:
            number[g] = kept
            kept += 1
    for t in range(D):
        if group[t] >= 0:
            group[t] = number[group[t]]
    return group, kept


@numba.njit(cache=True)
def list_members(group_of: np.ndarray, groups: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """From the group of each type in each pattern [N, D] to both ways of listing pairs.

    Returns (start, member, type_start, group): the types of group g are member[start[g]:start[g+1]], in ascending
    order; the groups of type t are group[type_start[t]:type_start[t+1]], in the order of the patterns. O(N·D).
    """
    N, D = group_of.shape
    start = np.zeros(groups + 1, np.int64)
    type_start = np.zeros(D + 1, np.int64)
    for p in range(N):
        for t in range(D):
            g = group_of[p, t]
            if g >= 0:
                start[g + 1] += 1
                type_start[t + 1] += 1
    for g in range(groups):
        start[g + 1] += start[g]
    for t in range(D):
        type_start[t + 1] += type_start[t]
    member = np.empty(start[groups], np.int32)
    group = np.empty(start[groups], np.int32)
    next_member = start[:-1].copy()
    next_group = type_start[:-1].copy()
    for p in range(N):
        for t in range(D):
            g = group_of[p, t]
            if g >= 0:
                member[next_member[g]] = t
                next_member[g] += 1
                group[next_group[t]] = g
                next_group[t] += 1
    return start, member, type_start, group
