"""Numba kernels of the Lagrangian bound."""

from __future__ import annotations

import numpy as np

from diva.compiled import compiled

_kernel = compiled(no_cfunc_wrapper=True, nogil=True, _nrt=False)
"""Nothing here allocates, so no kernel needs to count references. Kernels hold no lock of Python's: bounds are found beside a search."""
_inner = compiled(no_cfunc_wrapper=True, no_cpython_wrapper=True, _nrt=False)
"""For kernels that only kernels call: no way in from Python."""


@_inner
def _sift_down(heap: np.ndarray, size: int, price: np.ndarray) -> None:
    """Restore a heap of types, the one with the lowest price on top, after its top changed."""
    i = 0
    while True:
        child = 2 * i + 1
        if child >= size:
            return
        if child + 1 < size and price[heap[child + 1]] < price[heap[child]]:
            child += 1
        if price[heap[i]] <= price[heap[child]]:
            return
        heap[i], heap[child] = heap[child], heap[i]
        i = child


@_inner
def _sift_up(heap: np.ndarray, size: int, price: np.ndarray) -> None:
    """Restore the heap after its last entry was added."""
    i = size - 1
    while i > 0:
        above = (i - 1) // 2
        if price[heap[above]] <= price[heap[i]]:
            return
        heap[i], heap[above] = heap[above], heap[i]
        i = above


@_kernel
def relax(
    cost: np.ndarray,
    start: np.ndarray,
    member: np.ndarray,
    counts: np.ndarray,
    k: int,
    price: np.ndarray,
    slack: np.ndarray,
    drift: np.ndarray,
    taken: np.ndarray,
    load: np.ndarray,
    heap: np.ndarray,
) -> float:
    """Let each group decide alone; return Σ_g min(0, V_g) and count the records taken of each type and by each group.

    V_g = min Σ_t x_t·(cost_g - price_t) over 0 ≤ x_t ≤ counts_t with Σ_t x_t ≥ k: all records that gain, filled up
    to k with those that lose least. A group that is worth nothing (V_g ≥ 0) stays so until some price has risen
    by V_g/k, for the best k records have that mean and any further record is no better; `slack[g]` holds the
    `drift[g]` (the sum of the largest rises so far of a price over the group's cost) up to which it needs no look. O(pairs looked at · log k).
    """
    taken[:] = 0.0
    load[:] = 0.0
    total = 0.0
    for g in range(len(cost)):
        if slack[g] > drift[g]:
            continue
        w = cost[g]
        value = 0.0
        sure = 0  # Records that gain.
        size = 0  # Types on the heap: the dearest others that fill the group up.
        held = 0
        enough = -np.inf  # Types with no higher price than this change nothing any more.
        for i in range(start[g], start[g + 1]):
            t = member[i]
            if price[t] <= enough:
                continue
            if price[t] > w:
                sure += counts[t]
                value += counts[t] * (w - price[t])
            else:
                heap[size] = t
                size += 1
                held += counts[t]
                _sift_up(heap, size, price)
            while size and sure + held - counts[heap[0]] >= k:
                held -= counts[heap[0]]
                size -= 1
                heap[0] = heap[size]
                _sift_down(heap, size, price)
            if sure + held >= k:
                enough = price[heap[0]] if size else w
        surplus = max(0, sure + held - k) if size else 0
        for i in range(size):
            amount = counts[heap[i]] - (surplus if i == 0 else 0)
            value += amount * (w - price[heap[i]])
        if value >= 0.0:
            slack[g] = drift[g] + value / k * (1.0 - 1e-12)
            continue
        total += value
        load[g] = sure + held - surplus
        for i in range(start[g], start[g + 1]):
            t = member[i]
            if price[t] > w:
                taken[t] += counts[t]
        for i in range(size):
            taken[heap[i]] += counts[heap[i]] - (surplus if i == 0 else 0)
    return total
