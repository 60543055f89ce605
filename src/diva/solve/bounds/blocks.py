"""A bound for any number of attributes: exact in its model for few, a sum over blocks of attributes for many.

Drop all attributes but a block: the groups of a plan merge, so each still has k members, and the stars in the block
are unchanged. Hence the optimum of the projected problem bounds the stars in the block from below, and the sum over
disjoint blocks bounds all stars. A taboo target that doesn't lie within a block is forgotten there, which only
lowers the bound. A table that is too long but not too wide gets the individual bound.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from diva.lattice.complete import complete_lattice
from diva.lattice.feasibility import check
from diva.lattice.listing import CELLS, WIDTH
from diva.lattice.problem import Problem, Taboo
from diva.relation.types import distinct_rows
from diva.solve.bounds.individual import added_up, individual_costs
from diva.solve.bounds.lagrange import PASSES, Ascent, Bound, deadline

if TYPE_CHECKING:
    from collections.abc import Callable

    from diva.lattice.groups import Lattice


_VISITS = 1_000_000_000
"""Pairs that the passes over a lattice may look at: a limit in seconds would not repeat."""


def lower_bound(
    problem: Problem, *, time_limit: float | None = None, stop: Callable[[], bool] | None = None
) -> Bound:
    """Return a number of stars that no plan for the problem goes below; it is valid whenever it is stopped."""
    D = len(problem.counts)
    if not D or (problem.k <= problem.counts.min() and not problem.taboos):
        return Bound(0.0, np.zeros(D), 0)
    check(problem)
    over = deadline(time_limit, stop)
    few = int((~problem.visible).sum()) <= WIDTH
    lattice = complete_lattice(problem, limit=CELLS) if few else None
    if lattice is not None:
        return _ascend(problem, lattice, over)
    if not few:
        return _of_blocks(problem, over)
    costs = individual_costs(problem, over)  # Three times what the blocks of so long a table prove.
    return Bound(added_up(costs, problem), costs, 0)


def _of_blocks(problem: Problem, over: Callable[[], bool]) -> Bound:
    """The sum over blocks of attributes."""
    D = len(problem.counts)
    value, prices, passes = 0.0, np.zeros(D), 0
    for block in _blocks(problem):
        part, number = _projected(problem, block)
        lattice = complete_lattice(part, limit=2 * CELLS)
        if lattice is None:  # Worth nothing, and never wrong.
            continue
        bound = _ascend(part, lattice, over)
        value += bound.value
        prices += bound.prices[number]
        passes += bound.passes
    return Bound(value, prices, passes)


def _ascend(problem: Problem, lattice: Lattice, over: Callable[[], bool]) -> Bound:
    whole = bool(np.equal(np.mod(problem.weights, 1), 0).all())
    coarsest = float((problem.weights * ~problem.visible).sum()) * float(problem.counts.sum())
    passes = max(1, min(PASSES, _VISITS // lattice.pairs))
    return Ascent(lattice, coarsest, whole).run(passes, over)


def _blocks(problem: Problem) -> list[np.ndarray]:
    """Cut the attributes into blocks that fit, those with the most values together."""
    free = np.flatnonzero(~problem.visible)
    values = [len(np.unique(problem.codes[:, a])) for a in free]
    ordered = free[np.argsort(-np.array(values), kind="stable")]
    width = max(1, min(WIDTH, int(np.log2(CELLS / len(problem.counts)))))
    pieces = -(-len(ordered) // width)
    return [np.sort(piece) for piece in np.array_split(ordered, pieces)]


def _projected(problem: Problem, block: np.ndarray) -> tuple[Problem, np.ndarray]:
    """The problem on a block of attributes, and the number of each type in it."""
    within = np.zeros(problem.width, dtype=bool)
    within[block] = True
    taboos = [t for t in problem.taboos if not (t.attributes & ~within & ~problem.visible).any()]
    columns = [problem.codes[:, block], *(t.types[:, None].astype(np.int32) for t in taboos)]
    first, number = distinct_rows(np.hstack(columns))
    counts = np.bincount(number, weights=problem.counts, minlength=len(first)).astype(np.int64)
    return (
        Problem(
            codes=np.ascontiguousarray(problem.codes[first][:, block]),
            counts=counts,
            k=problem.k,
            weights=problem.weights[block],
            visible=np.zeros(len(block), dtype=bool),
            taboos=tuple(Taboo(t.attributes[block], t.types[first]) for t in taboos),
        ),
        number,
    )
