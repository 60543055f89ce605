"""Numba kernels of the search: fragments of types in groups, and the moves that open and close groups.

A fragment is a node on two linked lists, one through its type and one through its group. Every change is one call of
`_shift`, which also writes a log, so that whatever a move did can be undone.

This is one long module because Numba keeps what it compiled by module: it would not notice that a kernel which these call
has changed in another one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from diva.compiled import compiled

_kernel = compiled(no_cfunc_wrapper=True, nogil=True, _nrt=False)
"""Nothing here allocates, so no kernel needs to count references: four times as fast, and compiled in half the time.

Kernels hold no lock of Python's, so walks on states of their own can go side by side.
"""
_inner = compiled(no_cfunc_wrapper=True, no_cpython_wrapper=True, _nrt=False)
"""For kernels that only kernels call: no way in from Python."""

_Int = np.int64
_Bool = np.bool_
"""Kernels are called with numbers of one width, and with no constants: another type would have them compiled once more."""
INFINITE = 1e300
PENALTY = 0.5


class Pairs(NamedTuple):
    """The lattice, as the kernels read it."""

    cost: np.ndarray
    start: np.ndarray
    member: np.ndarray
    type_start: np.ndarray
    group: np.ndarray
    counts: np.ndarray
    k: int
    sigma_start: np.ndarray
    """int64 [G+1]: where the constraints that each group preserves begin in `sigma`."""
    sigma: np.ndarray
    """int32"""
    met: np.ndarray
    """bool [D, Σ]: whether records of a type count for a constraint that their group preserves."""
    low: np.ndarray
    """int64 [Σ]"""
    high: np.ndarray
    """int64 [Σ]"""
    penalty: np.ndarray
    """float64 [Σ]: what every record outside a constraint's range costs."""


class State(NamedTuple):
    """A plan under change. Lists end with -1."""

    size: np.ndarray
    """int64 [G]: the records in each group."""
    node: np.ndarray
    """int32 [N, 6]: type, group, next and previous of the type, next and previous of the group."""
    records: np.ndarray
    """int64 [N]: the records of each fragment."""
    type_head: np.ndarray
    """int32 [D]"""
    group_head: np.ndarray
    """int32 [G]"""
    log: np.ndarray
    """int64 [L, 4]: type, from, to, records."""
    scalar: np.ndarray
    """int64 [4]: first free node, free nodes, length of the log, whether a shift failed for want of room."""
    total: np.ndarray
    """float64 [1]: the cost of the plan."""
    heap: np.ndarray
    """int32 [N]: fragments under consideration."""
    amount: np.ndarray
    """int64 [N]: how many records of each of them."""
    key: np.ndarray
    """float64 [N]: what one record of each of them costs more."""
    random: np.ndarray
    """uint64 [1]: the state of the random numbers."""
    mark: np.ndarray
    """int64 [D + 1]: the last swap that looked at each type; the number of swaps."""
    published: np.ndarray
    """int64 [Σ]: how many records count for each constraint."""


TYPE, GROUP, TYPE_NEXT, TYPE_PREV, GROUP_NEXT, GROUP_PREV = 0, 1, 2, 3, 4, 5
FREE, ROOM, LOGGED, FAILED = 0, 1, 2, 3

_A, _B, _C = np.uint64(13), np.uint64(7), np.uint64(17)
_SHIFT = np.uint64(11)
_UNIT = 1.0 / 9007199254740992.0


@_inner
def _uniform(random: np.ndarray) -> np.float64:
    """xorshift64: the next number in [0, 1)."""
    x = random[0]
    x ^= x << _A
    x ^= x >> _B
    x ^= x << _C
    random[0] = x
    return np.float64(x >> _SHIFT) * _UNIT


@_inner
def _publish(P: Pairs, S: State, t: int, g: int, n: int) -> None:
    """Count n records of type t more in group g for the constraints that it preserves, and what they miss by."""
    for i in range(P.sigma_start[g], P.sigma_start[g + 1]):
        c = P.sigma[i]
        if P.met[t, c]:
            before = S.published[c]
            after = before + n
            missed = max(0, P.low[c] - after) + max(0, after - P.high[c])
            missed -= max(0, P.low[c] - before) + max(0, before - P.high[c])
            S.total[0] += P.penalty[c] * missed
            S.published[c] = after


@_inner
def _shift(P: Pairs, S: State, t: int, a: int, b: int, n: int) -> None:
    """Move n records of type t from group a to group b; -1 is nowhere."""
    node, scalar = S.node, S.scalar
    f = S.type_head[t]
    source = -1
    target = -1
    while f >= 0:
        if node[f, GROUP] == a:
            source = f
        if node[f, GROUP] == b:
            target = f
        f = node[f, TYPE_NEXT]
    if a >= 0:
        S.size[a] -= n
        S.total[0] -= n * P.cost[a]
        _publish(P, S, t, a, -n)
        S.records[source] -= n
        if S.records[source] == 0:
            after, before = node[source, TYPE_NEXT], node[source, TYPE_PREV]
            if before >= 0:
                node[before, TYPE_NEXT] = after
            else:
                S.type_head[t] = after
            if after >= 0:
                node[after, TYPE_PREV] = before
            after, before = node[source, GROUP_NEXT], node[source, GROUP_PREV]
            if before >= 0:
                node[before, GROUP_NEXT] = after
            else:
                S.group_head[a] = after
            if after >= 0:
                node[after, GROUP_PREV] = before
            node[source, TYPE_NEXT] = scalar[FREE]
            scalar[FREE] = source
            scalar[ROOM] += 1
    if b >= 0:
        S.size[b] += n
        S.total[0] += n * P.cost[b]
        _publish(P, S, t, b, n)
        if target < 0:
            target = scalar[FREE]
            scalar[FREE] = node[target, TYPE_NEXT]
            scalar[ROOM] -= 1
            S.records[target] = 0
            node[target, TYPE] = t
            node[target, GROUP] = b
            head = S.type_head[t]
            node[target, TYPE_NEXT] = head
            node[target, TYPE_PREV] = -1
            if head >= 0:
                node[head, TYPE_PREV] = target
            S.type_head[t] = target
            head = S.group_head[b]
            node[target, GROUP_NEXT] = head
            node[target, GROUP_PREV] = -1
            if head >= 0:
                node[head, GROUP_PREV] = target
            S.group_head[b] = target
        S.records[target] += n
    i = scalar[LOGGED]
    S.log[i, 0] = t
    S.log[i, 1] = a
    S.log[i, 2] = b
    S.log[i, 3] = n
    scalar[LOGGED] = i + 1


@_inner
def _undo(P: Pairs, S: State, length: int) -> None:
    """Take back everything that was logged after the first `length` entries."""
    while S.scalar[LOGGED] > length:
        i = S.scalar[LOGGED] - 1
        S.scalar[LOGGED] = i  # The shift back writes its own entry over the one it takes back.
        _shift(P, S, S.log[i, 0], S.log[i, 2], S.log[i, 1], S.log[i, 3])
        S.scalar[LOGGED] = i


@_inner
def _roomy(S: State) -> bool:
    """Whether a move may go on: there is room for more fragments and more log."""
    return S.scalar[ROOM] > 2 and S.scalar[LOGGED] + 2 < len(S.log)


@_inner
def _heap_up(heap: np.ndarray, size: int, key: np.ndarray) -> None:
    i = size - 1
    while i > 0:
        above = (i - 1) // 2
        if key[heap[above]] >= key[heap[i]]:
            return
        heap[i], heap[above] = heap[above], heap[i]
        i = above


@_inner
def _heap_down(heap: np.ndarray, size: int, key: np.ndarray) -> None:
    i = 0
    while True:
        child = 2 * i + 1
        if child >= size:
            return
        if child + 1 < size and key[heap[child + 1]] > key[heap[child]]:
            child += 1
        if key[heap[i]] >= key[heap[child]]:
            return
        heap[i], heap[child] = heap[child], heap[i]
        i = child


@_inner
def _offer(S: State, size: int, held: int, need: int, f: int, extra: float, n: int) -> tuple[int, int]:
    """Offer n records of fragment f at `extra` each to the heap of the cheapest `need` records, dearest on top."""
    if held >= need and extra >= S.key[S.heap[0]]:
        return size, held
    S.key[f] = extra
    S.amount[f] = n
    S.heap[size] = f
    size += 1
    held += n
    _heap_up(S.heap, size, S.key)
    while held - S.amount[S.heap[0]] >= need:
        held -= S.amount[S.heap[0]]
        size -= 1
        S.heap[0] = S.heap[size]
        _heap_down(S.heap, size, S.key)
    return size, held


@_inner
def _other(P: Pairs, S: State, t: int, h: int) -> int:
    """Return the cheapest open group for type t besides h, or -1."""
    for i in range(P.type_start[t], P.type_start[t + 1]):
        g = P.group[i]
        if g != h and S.size[g] >= P.k:
            return g
    return -1


@_inner
def _price_of_closing(P: Pairs, S: State, h: int) -> float:
    """What it costs to send everybody in group h to the cheapest other open group."""
    extra = 0.0
    f = S.group_head[h]
    while f >= 0:
        q = _other(P, S, S.node[f, TYPE], h)
        if q < 0:
            return INFINITE
        extra += S.records[f] * (P.cost[q] - P.cost[h])
        f = S.node[f, GROUP_NEXT]
    return extra


@_inner
def _dissolve(P: Pairs, S: State, h: int) -> bool:
    """Send everybody in group h to the cheapest other open group."""
    f = S.group_head[h]
    while f >= 0:
        after = S.node[f, GROUP_NEXT]
        t = S.node[f, TYPE]
        q = _other(P, S, t, h)
        if q < 0 or not _roomy(S):
            return False
        _shift(P, S, _Int(t), _Int(h), _Int(q), S.records[f])
        f = after
    return True


@_inner
def _gather(P: Pairs, S: State, h: int, breaking: bool) -> tuple[np.int64, np.int64]:
    """Put the cheapest records that could fill group h up to k on the heap: (size of the heap, records on it).

    They come from groups that have more than k; with `breaking` also, at a penalty, from those that have just k.
    """
    need = P.k - S.size[h]
    size = _Int(0)
    held = _Int(0)
    for i in range(P.start[h], P.start[h + 1]):
        f = S.type_head[P.member[i]]
        while f >= 0:
            q = S.node[f, GROUP]
            if q != h:
                extra = P.cost[h] - P.cost[q]
                if S.size[q] > P.k:
                    size, held = _offer(S, size, held, need, f, extra, min(S.records[f], S.size[q] - P.k))
                elif breaking and S.size[q] == P.k:
                    size, held = _offer(S, size, held, need, f, extra + PENALTY, S.records[f])
            f = S.node[f, TYPE_NEXT]
    return size, held


@_inner
def _take(P: Pairs, S: State, h: int, size: int, breaking: bool) -> bool:
    """Bring group h to k members with the records on the heap, the dearest last; False when they don't suffice.

    With `breaking`, records may also come from groups that can't spare any; these are mended later.
    """
    for j in range(size - 1, -1, -1):
        need = P.k - S.size[h]
        if need <= 0:
            break
        f = S.heap[j]
        q = S.node[f, GROUP]
        spare = S.size[q] - P.k
        n = min(need, S.amount[f])
        if spare > 0:
            n = min(n, spare)
        elif not breaking:
            n = 0
        if n > 0:
            if not _roomy(S):
                return False
            _shift(P, S, _Int(S.node[f, TYPE]), _Int(q), _Int(h), n)
    return S.size[h] >= P.k


@_inner
def _release(P: Pairs, S: State, h: int) -> bool:
    """Let members of group h go to cheaper open groups as long as k remain, those that gain most first."""
    while S.size[h] > P.k:
        best = 0.0
        leaver = -1
        goal = -1
        f = S.group_head[h]
        while f >= 0:
            q = _other(P, S, S.node[f, TYPE], h)
            if q >= 0 and P.cost[h] - P.cost[q] > best:
                best = P.cost[h] - P.cost[q]
                leaver = f
                goal = q
            f = S.node[f, GROUP_NEXT]
        if leaver < 0:
            break
        if not _roomy(S):
            return False
        n = min(S.records[leaver], S.size[h] - P.k)
        _shift(P, S, _Int(S.node[leaver, TYPE]), _Int(h), _Int(goal), n)
    return True


@_inner
def _mend(P: Pairs, S: State, first: int) -> bool:
    """Bring every group that the log since `first` left with too few members back to k, or close it."""
    i = first
    while i < S.scalar[LOGGED]:
        h = S.log[i, 1]
        i += 1
        if h < 0 or S.size[h] <= 0 or S.size[h] >= P.k:
            continue
        size, held = _gather(P, S, h, _Bool(False))
        filling = INFINITE
        if held >= P.k - S.size[h]:
            filling = 0.0
            missing = P.k - S.size[h]
            surplus = held - missing
            for j in range(size):
                f = S.heap[j]
                filling += (S.amount[f] - (surplus if j == 0 else 0)) * S.key[f]
        if filling < INFINITE and filling <= _price_of_closing(P, S, h):
            before = S.scalar[LOGGED]
            if _take(P, S, h, size, _Bool(False)):
                continue
            _undo(P, S, before)
        if not _dissolve(P, S, h):
            return False
    return True


@_inner
def _settle(P: Pairs, S: State, first: int) -> bool:
    """Let donors go home from every group that the log since `first` made larger."""
    i = first
    while i < S.scalar[LOGGED]:
        h = S.log[i, 2]
        i += 1
        if h >= 0 and S.size[h] > P.k and not _release(P, S, h):
            return False
    return True


@_inner
def _promise(P: Pairs, S: State, g: int, h: int) -> float:
    """Return about the least that opening group g, and closing group h unless -1, can change the cost by.

    Everybody who gains goes to g, everybody in h goes there or elsewhere, and the cheapest others fill g up to k.
    """
    w = P.cost[g]
    change = 0.0
    pulled = 0
    size = _Int(0)
    held = _Int(0)
    D = len(P.counts)
    if h >= 0:
        S.mark[D] += 1
    stamp = S.mark[D]
    for i in range(P.start[g], P.start[g + 1]):
        t = P.member[i]
        if h >= 0:
            S.mark[t] = stamp
        f = S.type_head[t]
        while f >= 0:
            q = S.node[f, GROUP]
            extra = w - P.cost[q]
            if extra < 0.0 or q == h:
                change += S.records[f] * extra
                pulled += S.records[f]
            elif pulled < P.k:
                size, held = _offer(S, size, held, P.k - pulled, f, extra, S.records[f])
            f = S.node[f, TYPE_NEXT]
    need = P.k - pulled
    if need > held:
        return INFINITE
    if need > 0:
        while held > need:  # The need fell while members were looked at: drop the dearest.
            f = S.heap[0]
            n = min(S.amount[f], held - need)
            held -= n
            S.amount[f] -= n
            if S.amount[f] == 0:
                size -= 1
                S.heap[0] = S.heap[size]
                _heap_down(S.heap, size, S.key)
        for j in range(size):
            change += S.amount[S.heap[j]] * S.key[S.heap[j]]
    if h >= 0:
        f = S.group_head[h]
        while f >= 0:
            t = S.node[f, TYPE]
            if S.mark[t] != stamp:
                q = _other(P, S, t, h)
                if q < 0:
                    return INFINITE
                change += S.records[f] * (P.cost[q] - P.cost[h])
            f = S.node[f, GROUP_NEXT]
    return change


@_inner
def _pull(P: Pairs, S: State, g: int) -> bool:
    """Open group g: pull in everybody who gains, then fill up with donors."""
    w = P.cost[g]
    for i in range(P.start[g], P.start[g + 1]):
        t = P.member[i]
        f = S.type_head[t]
        while f >= 0:
            after = S.node[f, TYPE_NEXT]
            h = S.node[f, GROUP]
            if P.cost[h] > w:
                if not _roomy(S):
                    return False
                _shift(P, S, _Int(t), _Int(h), _Int(g), S.records[f])
            f = after
    if S.size[g] >= P.k:
        return True
    size, held = _gather(P, S, g, _Bool(True))
    return held >= P.k - S.size[g] and _take(P, S, g, size, _Bool(True))


@_kernel
def enter(P: Pairs, S: State, types: np.ndarray, groups: np.ndarray, counts: np.ndarray) -> None:
    """Enter the fragments of a plan."""
    for i in range(len(types)):
        _shift(P, S, types[i], _Int(-1), groups[i], counts[i])
        S.scalar[LOGGED] = 0


@_kernel
def claim(P: Pairs, chosen: np.ndarray, order: np.ndarray, expected: np.ndarray, share: float) -> None:
    """Open groups for the types that have none yet (-1 in `chosen`), in the order given.

    A group opens when at least k of its records, and at least `share` of the number expected, have no group.
    O(pairs of the groups).
    """
    for j in range(len(order)):
        g = order[j]
        free = 0
        for i in range(P.start[g], P.start[g + 1]):
            if chosen[P.member[i]] < 0:
                free += P.counts[P.member[i]]
        if free < P.k or free < share * expected[j]:
            continue
        for i in range(P.start[g], P.start[g + 1]):
            if chosen[P.member[i]] < 0:
                chosen[P.member[i]] = g


@_inner
def _try_shift(P: Pairs, S: State, candidates: np.ndarray) -> bool:
    """Move some records of a random type from one open group to another that both can spare and take them."""
    g = candidates[np.int64(_uniform(S.random) * len(candidates))]
    t = P.member[P.start[g] + np.int64(_uniform(S.random) * (P.start[g + 1] - P.start[g]))]
    f = S.type_head[t]
    if S.node[f, TYPE_NEXT] >= 0 and _uniform(S.random) < 0.5:
        f = S.node[f, TYPE_NEXT]
    a = S.node[f, GROUP]
    first = P.type_start[t]
    b = P.group[first + np.int64(_uniform(S.random) * (P.type_start[t + 1] - first))]
    n = min(S.records[f], S.size[a] - P.k)
    if a == b or S.size[b] < P.k or n <= 0:
        return False
    if _uniform(S.random) < 0.7:
        n = 1 + np.int64(_uniform(S.random) * min(n, 4))
        n = min(n, S.records[f], S.size[a] - P.k)
    if not _roomy(S):
        return False
    _shift(P, S, _Int(t), _Int(a), _Int(b), n)
    return True


@_inner
def _try(P: Pairs, S: State, candidates: np.ndarray, allowed: float) -> bool:
    """Make a random move; False when it can't be done or surely costs more than allowed.

    An open group is closed. A closed one is opened, in half of the cases in place of the group of a type it can have.
    Under Σ every other move shifts records between open groups.
    """
    if len(P.low) and _uniform(S.random) < 0.5:
        return _try_shift(P, S, candidates)
    g = candidates[np.int64(_uniform(S.random) * len(candidates))]
    h = -1
    if S.size[g] > 0:
        h = g
        g = -1
        if _price_of_closing(P, S, h) > allowed + P.cost[h]:
            return False
    else:
        if _uniform(S.random) < 0.5:
            t = P.member[P.start[g] + np.int64(_uniform(S.random) * (P.start[g + 1] - P.start[g]))]
            h = S.node[S.type_head[t], GROUP]
        if _promise(P, S, g, h) > allowed:
            return False
    if h >= 0 and not _dissolve(P, S, h):
        return False
    if g >= 0 and not _pull(P, S, g):
        return False
    return _mend(P, S, 0) and _settle(P, S, 0)


@_kernel
def anneal(P: Pairs, S: State, candidates: np.ndarray, moves: int, hot: float, cold: float) -> int:
    """Open, close and swap groups at random; accept a change Δ with probability exp(-Δ/T), T falling from hot to cold.

    The threshold is drawn first, so most moves are refused by `_promise` without being made. Returns the number of
    moves accepted.
    """
    accepted = 0
    T = hot
    cooling = (cold / hot) ** (1.0 / max(1, moves))
    for _ in range(moves):
        T *= cooling
        allowed = -T * np.log(1.0 - _uniform(S.random)) + 1e-9
        before = S.total[0]
        S.scalar[LOGGED] = 0
        if _try(P, S, candidates, allowed) and S.total[0] <= before + allowed:
            accepted += 1
        else:
            _undo(P, S, _Int(0))
            S.total[0] = before
    return accepted
