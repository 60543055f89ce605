"""The individual bound: what each record costs at least because its own group needs k members.

A record can be published with a pattern only where the records that agree with it on what the pattern shows are k or
more. The cheapest such pattern bounds its cost whatever happens to the others. One pass over the patterns in
memory proportional to the types: for tables whose lattice is too large to be listed.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from diva.lattice.complete import forbidden
from diva.lattice.kernels import refine

if TYPE_CHECKING:
    from collections.abc import Callable

    from diva.lattice.problem import Problem

_TINY = 1e-6


def added_up(costs: np.ndarray, problem: Problem) -> float:
    """What all records together cost at least; a whole number where all weights are whole."""
    total = float(costs @ problem.counts)
    if np.equal(np.mod(problem.weights, 1), 0).all():
        return float(math.ceil(total - _TINY))
    # No term is negative, so the sum errs by at most n·ε of itself.
    return total * (1.0 - 4.0 * len(costs) * float(np.finfo(np.float64).eps))


def individual_costs(problem: Problem, stop: Callable[[], bool] | None = None) -> np.ndarray:
    """float64 [D]: what a record of each type costs at least. Zeros when stopped. O(D·2^m) time, O(D·m) memory."""
    free = np.flatnonzero(~problem.visible)
    # Attributes with many values first: few of their patterns have groups, and patterns without any have no finer ones.
    free = free[np.argsort(-problem.codes.max(axis=0, initial=0)[free], kind="stable")].tolist()
    values = problem.codes.max(axis=0, initial=0).astype(np.int64) + 1
    columns = np.ascontiguousarray(problem.codes.T.astype(np.int64))
    base = np.where(forbidden(problem, problem.visible), -1, 0).astype(np.int32)
    least = np.full(len(problem.counts), float(problem.weights[free].sum()))
    stack = [(problem.visible.copy(), base, 0)]
    while stack:
        pattern, parent, first = stack.pop()
        for i in range(first, len(free)):
            if stop is not None and stop():
                return np.zeros(len(problem.counts))
            finer = pattern.copy()
            finer[free[i]] = True
            hidden = forbidden(problem, finer)
            allowed = np.where(hidden, -1, parent).astype(np.int32) if hidden.any() else parent
            group, found = refine(allowed, columns[free[i]], int(values[free[i]]), problem.counts, problem.k)
            if not found:
                continue
            cost = float(problem.weights[~finer].sum())
            np.minimum(least, cost, out=least, where=group >= 0)
            if i + 1 < len(free):
                stack.append((finer, group, i + 1))
    return least
