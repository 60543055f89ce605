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


@numba.njit(cache=True)
def _allowed(
    t: int, a: int, shown: np.ndarray, taboo_attributes: np.ndarray, taboo_types: np.ndarray
) -> bool:
    """Whether a group that shows some attributes and now `a` as well shows no taboo target of type t."""
    for q in range(len(taboo_attributes)):
        if taboo_types[q, t] and taboo_attributes[q, a]:
            complete = True
            for b in range(len(shown)):
                if taboo_attributes[q, b] and b != a and not shown[b]:
                    complete = False
                    break
            if complete:
                return False
    return True


@numba.njit(cache=True)
def grow(
    codes: np.ndarray,
    counts: np.ndarray,
    k: int,
    appeal: np.ndarray,
    visible: np.ndarray,
    taboo_attributes: np.ndarray,
    taboo_types: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Specialise top down: (types in order, the segments [n, 2] of them that form groups, what each shows [n, m]).

    A node shows every attribute on which its types agree. It is then split by the attribute whose frequent values
    (k records or more) hold the most records, times the attribute's `appeal`; each such value becomes a node that
    shows it, and the rest becomes a node that won't show the attribute. Groups are nested or disjoint.
    O(D·m·depth).
    """
    D, m = codes.shape
    values = 1
    for t in range(D):
        for a in range(m):
            values = max(values, codes[t, a] + 1)
    number = np.zeros(values, np.int64)
    place = np.zeros(values, np.int64)
    members = np.zeros(values, np.int64)
    order = np.arange(D).astype(np.int32)
    spare = np.empty(D, np.int32)
    room = 64
    stack = np.zeros((room, 2), np.int64)
    stack_mask = np.zeros((room, m), np.int8)  # 0 undecided, 1 shown, 2 given up
    stack_new = np.ones(room, np.bool_)  # whether the node shows more than its parent
    out_room = 64
    segments = np.zeros((out_room, 2), np.int64)
    shows = np.zeros((out_room, m), np.bool_)
    found = 0
    stack[0, 1] = D
    for a in range(m):
        stack_mask[0, a] = 1 if visible[a] else 0
    top = 1
    shown = np.zeros(m, np.bool_)
    mask = np.zeros(m, np.int8)
    while top > 0:
        top -= 1
        begin, end, new = stack[top, 0], stack[top, 1], stack_new[top]
        mask[:] = stack_mask[top]
        for a in range(m):
            shown[a] = mask[a] == 1
        best = 0.0
        chosen = -1
        for a in range(m):
            if mask[a] == 1:
                continue
            retained = 0
            squares = 0.0
            single = True
            first = codes[order[begin], a]
            for i in range(begin, end):
                t = order[i]
                if _allowed(t, a, shown, taboo_attributes, taboo_types):
                    number[codes[t, a]] += counts[t]
                    single = single and codes[t, a] == first
                else:
                    single = False
            if single:
                number[first] = 0
                mask[a] = 1
                shown[a] = True
                new = True
                continue
            total = 0.0
            for i in range(begin, end):
                v = codes[order[i], a]
                if number[v] >= k:
                    retained += number[v]
                    squares += float(number[v]) * number[v]
                total += number[v]
                number[v] = 0
            if retained > 0 and mask[a] == 0:
                score = (retained + 0.5 * squares / total) * appeal[a]
                if score > best:
                    best = score
                    chosen = a
        if new:
            if found == out_room:
                segments = np.concatenate((segments, np.zeros_like(segments)))
                shows = np.concatenate((shows, np.zeros_like(shows)))
                out_room *= 2
            segments[found, 0], segments[found, 1] = begin, end
            shows[found] = shown
            found += 1
        if chosen < 0:
            continue
        for i in range(begin, end):
            t = order[i]
            if _allowed(t, chosen, shown, taboo_attributes, taboo_types):
                number[codes[t, chosen]] += counts[t]
                members[codes[t, chosen]] += 1
        # Sort the segment by value: frequent values in order of appearance, the rest last.
        position = begin
        for i in range(begin, end):
            v = codes[order[i], chosen]
            place[v] = -1
        for i in range(begin, end):
            t = order[i]
            v = codes[t, chosen]
            if number[v] >= k and place[v] < 0 and _allowed(t, chosen, shown, taboo_attributes, taboo_types):
                place[v] = position
                position += members[v]
        rest = position
        cursor = rest
        for i in range(begin, end):
            t = order[i]
            v = codes[t, chosen]
            if place[v] >= 0 and _allowed(t, chosen, shown, taboo_attributes, taboo_types):
                spare[place[v]] = t
                place[v] += 1
            else:
                spare[cursor] = t
                cursor += 1
        for i in range(begin, end):
            number[codes[order[i], chosen]] = 0
            members[codes[order[i], chosen]] = 0
        leftover = 0
        for i in range(begin, end):
            order[i] = spare[i]
            if i >= rest:
                leftover += counts[spare[i]]
        i = begin
        while i < rest:
            v = codes[order[i], chosen]
            j = i
            while j < rest and codes[order[j], chosen] == v:
                j += 1
            if top + 2 > room:
                stack = np.concatenate((stack, np.zeros_like(stack)))
                stack_mask = np.concatenate((stack_mask, np.zeros_like(stack_mask)))
                stack_new = np.concatenate((stack_new, np.ones_like(stack_new)))
                room *= 2
            stack[top, 0], stack[top, 1] = i, j
            stack_mask[top] = mask
            stack_mask[top, chosen] = 1
            stack_new[top] = True
            top += 1
            i = j
        if leftover >= k:
            if top + 2 > room:
                stack = np.concatenate((stack, np.zeros_like(stack)))
                stack_mask = np.concatenate((stack_mask, np.zeros_like(stack_mask)))
                stack_new = np.concatenate((stack_new, np.ones_like(stack_new)))
                room *= 2
            stack[top, 0], stack[top, 1] = rest, end
            stack_mask[top] = mask
            stack_mask[top, chosen] = 2
            stack_new[top] = False
            top += 1
    return order, segments[:found], shows[:found]
