"""Numba kernels that number groups and list who can be in them."""

from __future__ import annotations

import numpy as np

from diva.compiled import compiled

_MIX = np.uint64(0x9E3779B97F4A7C15)
_HALF = np.uint64(32)

OPEN, SHOWN, GIVEN_UP, HIDDEN = 0, 1, 2, 3
"""What a node of a tree does with an attribute: not decided, shown, not to be split by, never shown."""


_kernel = compiled(no_cfunc_wrapper=True, nogil=True, _nrt=False)
"""For kernels that allocate nothing: compiled in a third of the time."""


def refine(
    parent: np.ndarray, column: np.ndarray, values: int, counts: np.ndarray, k: int
) -> tuple[np.ndarray, int]:
    """Split groups by one more visible attribute: (group of each type, number of groups).

    Types that had no group (-1) have none; groups with fewer than k records are given up. Groups are numbered in
    the order of their first type. O(D) expected.
    """
    D = len(parent)
    slots = 1 << max(4, (2 * D - 1).bit_length())
    group = np.full(D, -1, np.int32)
    kept = refine_into(
        parent, column, values, counts, k,
        np.full(slots, -1, np.int64), np.empty(slots, np.int32), np.zeros(D, np.int64), group,
    )  # fmt: skip
    return group, kept


@_kernel
def refine_into(
    parent: np.ndarray,
    column: np.ndarray,
    values: int,
    counts: np.ndarray,
    k: int,
    slot_key: np.ndarray,
    slot_group: np.ndarray,
    population: np.ndarray,
    group: np.ndarray,
) -> int:
    """Write the groups of `refine`, given a hash table of 2^n empty slots."""
    mask = np.uint64(len(slot_key) - 1)
    found = 0
    for t in range(len(parent)):
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
    for g in range(found):  # population[g] becomes the number of g, or -1
        if population[g] >= k:
            population[g] = kept
            kept += 1
        else:
            population[g] = -1
    for t in range(len(parent)):
        if group[t] >= 0:
            group[t] = population[group[t]]
    return kept


def list_members(group_of: np.ndarray, groups: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """From the group of each type in each pattern [N, D] to both ways of listing pairs.

    Returns (start, member, type_start, group): the types of group g are member[start[g]:start[g+1]], in ascending
    order; the groups of type t are group[type_start[t]:type_start[t+1]], in the order of the patterns. O(N·D).
    """
    pairs = sum(int(np.count_nonzero(of_types >= 0)) for of_types in group_of)
    start, type_start = np.zeros(groups + 1, np.int64), np.zeros(group_of.shape[1] + 1, np.int64)
    member, group = np.empty(pairs, np.int32), np.empty(pairs, np.int32)
    list_into(group_of, start, member, type_start, group)
    return start, member, type_start, group


@_kernel
def list_into(
    group_of: np.ndarray, start: np.ndarray, member: np.ndarray, type_start: np.ndarray, group: np.ndarray
) -> None:
    """Write the lists of `list_members`; `start` and `type_start` come as zeros."""
    N, D = group_of.shape
    groups = len(start) - 1
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
    for p in range(N):  # the starts run through their lists …
        for t in range(D):
            g = group_of[p, t]
            if g >= 0:
                member[start[g]] = t
                start[g] += 1
                group[type_start[t]] = g
                type_start[t] += 1
    for g in range(groups, 0, -1):  # … and stand at their ends then
        start[g] = start[g - 1]
    for t in range(D, 0, -1):
        type_start[t] = type_start[t - 1]
    start[0] = 0
    type_start[0] = 0


@compiled()
def _allowed(t: int, a: int, mask: np.ndarray, taboos: tuple[np.ndarray, np.ndarray]) -> bool:
    """Whether a group that shows what the mask says, and `a` as well, shows no taboo target of type t."""
    attributes, types = taboos
    for q in range(len(attributes)):
        if types[q, t] and attributes[q, a]:
            complete = True
            for b in range(len(mask)):
                if attributes[q, b] and b != a and mask[b] != SHOWN:
                    complete = False
                    break
            if complete:
                return False
    return True


@compiled()
def _choose(
    codes: np.ndarray,
    counts: np.ndarray,
    k: int,
    appeal: np.ndarray,
    segment: np.ndarray,
    mask: np.ndarray,
    taboos: tuple[np.ndarray, np.ndarray],
    number: np.ndarray,
) -> tuple[int, bool]:
    """Show every attribute on which a node's types agree, and choose the one to split by: (attribute or -1, any shown).

    The score of an attribute is the number of records with a frequent value, and half a point for how few values
    they have. `number` is zero before and after.
    """
    best = 0.0
    chosen = -1
    new = False
    for a in range(codes.shape[1]):
        if mask[a] == SHOWN or mask[a] == HIDDEN:
            continue
        single = True
        total = 0.0
        first = codes[segment[0], a]
        for t in segment:
            if _allowed(t, a, mask, taboos):
                number[codes[t, a]] += counts[t]
                single = single and codes[t, a] == first
            else:
                single = False
            total += counts[t]
        retained = 0.0
        squares = 0.0
        for t in segment:
            v = codes[t, a]
            if number[v] >= k:
                retained += number[v]
                squares += float(number[v]) * number[v]
            number[v] = 0
        if single:
            mask[a] = SHOWN
            new = True
        elif mask[a] == OPEN:
            score = (retained + 0.5 * squares / total) * appeal[a]
            if score > best:
                best = score
                chosen = a
    return chosen, new


@compiled()
def _partition(
    codes: np.ndarray,
    counts: np.ndarray,
    k: int,
    segment: np.ndarray,
    chosen: int,
    mask: np.ndarray,
    taboos: tuple[np.ndarray, np.ndarray],
    number: np.ndarray,
    place: np.ndarray,
    spare: np.ndarray,
) -> int:
    """Sort a segment by value, in place: frequent values in order of appearance, then the rest, whose start is returned."""
    members = spare  # Counts types per value first; a value is less than the length of `spare`.
    for t in segment:
        place[codes[t, chosen]] = -1
        members[codes[t, chosen]] = 0
    for t in segment:
        if _allowed(t, chosen, mask, taboos):
            number[codes[t, chosen]] += counts[t]
            members[codes[t, chosen]] += 1
    rest = 0
    for t in segment:
        v = codes[t, chosen]
        if number[v] >= k and place[v] < 0 and members[v] > 0:
            place[v] = rest
            rest += members[v]
    for t in segment:
        number[codes[t, chosen]] = 0
    cursor = rest
    for t in segment:
        v = codes[t, chosen]
        if place[v] >= 0 and _allowed(t, chosen, mask, taboos):
            spare[place[v]] = t
            place[v] += 1
        else:
            spare[cursor] = t
            cursor += 1
    segment[:] = spare[: len(segment)]
    return rest


@compiled()
def grow(
    codes: np.ndarray,
    counts: np.ndarray,
    k: int,
    appeal: np.ndarray,
    mask: np.ndarray,
    taboo_attributes: np.ndarray,
    taboo_types: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Specialise top down: (types in order, the segments [n, 2] of them that form groups, what each shows [n, m]).

    The root begins with `mask` (int8 [m]: OPEN, SHOWN or HIDDEN). A node shows every attribute on which its types agree. It is then split by the attribute whose frequent values
    (k records or more) hold the most records, times the attribute's `appeal`; each such value becomes a node that
    shows it, and the rest becomes a node that won't show the attribute unless all agree on it. Groups are nested or
    disjoint. O(D·m·depth).
    """
    D, m = codes.shape
    taboos = (taboo_attributes, taboo_types)
    values = 1 + codes.max()
    number = np.zeros(values, np.int64)
    place = np.zeros(values, np.int64)
    spare = np.zeros(max(D, values), np.int64)
    order = np.arange(D).astype(np.int32)
    stack = [(0, D, mask, True)]
    segments = [(0, 0)]
    shows = [mask]
    while stack:
        begin, end, mask, new = stack.pop()
        segment = order[begin:end]
        chosen, agreed = _choose(codes, counts, k, appeal, segment, mask, taboos, number)
        if new or agreed:
            segments.append((begin, end))
            shows.append(mask)
        if chosen < 0:
            continue
        rest = _partition(codes, counts, k, segment, chosen, mask, taboos, number, place, spare)
        i = 0
        while i < rest:
            j = i + 1
            while j < rest and codes[segment[j], chosen] == codes[segment[i], chosen]:
                j += 1
            finer = mask.copy()
            finer[chosen] = SHOWN
            stack.append((begin + i, begin + j, finer, True))
            i = j
        leftover = 0
        for t in segment[rest:]:
            leftover += counts[t]
        if leftover >= k:
            coarser = mask.copy()
            coarser[chosen] = GIVEN_UP
            stack.append((begin + rest, end, coarser, False))
    found = np.array(segments[1:])
    shown = np.empty((len(found), m), np.bool_)
    for g in range(len(found)):
        shown[g] = shows[g + 1] == SHOWN
    return order, found, shown


@compiled()
def _choose_cut(
    codes: np.ndarray,
    counts: np.ndarray,
    k: int,
    appeal: np.ndarray,
    segment: np.ndarray,
    mask: np.ndarray,
    taboos: tuple[np.ndarray, np.ndarray],
    number: np.ndarray,
) -> tuple[int, int, bool]:
    """Show every attribute on which a node's types agree, and choose where to cut: (attribute or -1, value, any shown).

    The cut parts the most frequent value of an attribute from all others; both sides need k records. The attribute of
    lowest entropy wins, its reciprocal times `appeal`. `number` is zero before and after.
    """
    best, chosen, value, new = 0.0, -1, -1, False
    total = 0
    for t in segment:
        total += counts[t]
    for a in range(codes.shape[1]):
        if mask[a] == SHOWN or mask[a] == HIDDEN:
            continue
        single = True
        first = codes[segment[0], a]
        for t in segment:
            if _allowed(t, a, mask, taboos):
                number[codes[t, a]] += counts[t]
                single = single and codes[t, a] == first
            else:
                single = False
        entropy, top, most = 0.0, 0, -1
        for t in segment:
            v = codes[t, a]
            if number[v] > 0:
                share = number[v] / total
                entropy -= share * np.log2(share)
                if number[v] > top or (number[v] == top and v < most):
                    top, most = number[v], v
                number[v] = 0
        if single:
            mask[a] = SHOWN
            new = True
        elif top >= k and total - top >= k:
            score = appeal[a] / entropy
            if score > best:
                best, chosen, value = score, a, most
    return chosen, value, new


@compiled()
def cut(
    codes: np.ndarray,
    counts: np.ndarray,
    k: int,
    appeal: np.ndarray,
    mask: np.ndarray,
    taboo_attributes: np.ndarray,
    taboo_types: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Cut in two as often as both sides have k records: (types in order, segments [n, 2], what each shows [n, m], leaf [n]).

    Mondrian with suppression: the leaves are its clusters, and part the types. A node that shows no more than the one it
    was cut from is left out unless it is a leaf. O(D·m·depth).
    """
    D, m = codes.shape
    taboos = (taboo_attributes, taboo_types)
    number = np.zeros(1 + codes.max(), np.int64)
    spare = np.zeros(D, np.int32)
    order = np.arange(D).astype(np.int32)
    stack = [(0, D, mask, True)]
    segments = [(0, 0)]
    shows = [mask]
    leaves = [False]
    while stack:
        begin, end, above, new = stack.pop()
        segment = order[begin:end]
        mask = above.copy()
        chosen, value, agreed = _choose_cut(codes, counts, k, appeal, segment, mask, taboos, number)
        if new or agreed or chosen < 0:
            segments.append((begin, end))
            shows.append(mask)
            leaves.append(chosen < 0)
        if chosen < 0:
            continue
        inside, outside = 0, 0
        for t in segment:
            if codes[t, chosen] == value and _allowed(t, chosen, mask, taboos):
                segment[inside] = t
                inside += 1
            else:
                spare[outside] = t
                outside += 1
        segment[inside:] = spare[:outside]
        finer = mask.copy()
        finer[chosen] = SHOWN
        stack.append((begin, begin + inside, finer, True))
        stack.append((begin + inside, end, mask, False))
    found = np.array(segments[1:])
    shown = np.empty((len(found), m), np.bool_)
    for g in range(len(found)):
        shown[g] = shows[g + 1] == SHOWN
    return order, found, shown, np.array(leaves[1:])
