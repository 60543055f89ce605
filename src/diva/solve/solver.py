"""From types and Σ to a plan: decide, then search; the answer satisfies Σ exactly or there is none."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import numpy as np

from diva.errors import Unsatisfiable
from diva.lattice.problem import Problem
from diva.lattice.signatures import of_types, take_apart
from diva.relation.engine import Fragments
from diva.relation.types import distinct_rows
from diva.solve.decide import decide
from diva.solve.skeleton import shares

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from diva.constraints.model import Constraint
    from diva.lattice.signatures import Signatures
    from diva.relation.types import Types
    from diva.solve.lattice.search import Outcome

Effort = Literal["quick", "standard", "best"]


@dataclass(frozen=True, slots=True)
class Search:
    """How to search."""

    effort: Effort = "standard"
    """quick: one greedy pass; standard: improved until nothing local helps; best: until proven optimal or out of time."""
    time_limit: float | None = None
    """Seconds after which the search returns the best it has."""
    seed: int = 0
    weights: Mapping[str, float] = field(default_factory=dict)
    """What a star costs in a column; 1 where not given."""
    progress: Callable[[float, float], None] | None = None
    """Called with the stars so far and the bound, now and then."""
    stop: Callable[[], bool] | None = None
    """Asked now and then whether to return the best so far."""


@dataclass(frozen=True, slots=True)
class Solution:
    """A plan and what is known of the best one possible."""

    plan: Fragments
    lower_bound: float
    """No release of this table that is k-anonymous and satisfies Σ has a smaller cost."""
    bound_seconds: float
    """How much of the time went into the bound."""


def solve(types: Types, k: int, constraints: Sequence[Constraint], search: Search) -> Solution:
    """Find a plan with few stars for the types of a table, or raise Unsatisfiable with the reason."""
    parts = take_apart(constraints, types.attributes)
    signatures, signature = of_types(types, parts)
    decision = decide(signatures, k)
    if decision.skeleton is None:
        raise Unsatisfiable(decision)
    weights = np.array([search.weights.get(a, 1.0) for a in types.attributes])
    free = _free(types, k, weights)
    found = _search(free, search)
    plan = found.plan
    if not _satisfies(plan, signatures, signature, types):
        pieces = shares(types, weights, k, decision.skeleton, signature)
        plan = _joined([_renumbered(_search(piece.problem, search).plan, piece.types) for piece in pieces])
    bound = 0.0 if found.bound is None else found.bound.rounded(weights)
    return Solution(plan, bound, found.bound_seconds)


def _search(problem: Problem, search: Search) -> Outcome:
    from diva.solve.lattice.search import solve as run  # noqa: PLC0415 - brings in Numba, which only a search needs

    return run(
        problem,
        effort=search.effort,
        seed=search.seed,
        time_limit=search.time_limit,
        progress=search.progress,
        stop=search.stop,
    )


def _free(types: Types, k: int, weights: np.ndarray) -> Problem:
    """The problem without Σ."""
    return Problem(types.codes, types.counts, k, weights, np.zeros(len(weights), dtype=bool))


def _satisfies(plan: Fragments, signatures: Signatures, signature: np.ndarray, types: Types) -> bool:
    """Whether a plan publishes for every constraint a number within its bounds."""
    shown = plan.levels == 0
    for c, constraint in enumerate(signatures.parts.constraints):
        target = constraint.target.mapping
        columns = np.array([a in target for a in types.attributes], dtype=bool)
        carriers = np.array([signatures.carries(c, s) for s in range(len(signatures.counts))], dtype=bool)
        counted = carriers[signature[plan.type]] & shown[:, columns].all(axis=1)
        if not constraint.admits(int(plan.count[counted].sum())):
            return False
    return True


def _renumbered(plan: Fragments, types: np.ndarray) -> Fragments:
    return Fragments(types[plan.type].astype(np.int32), plan.levels, plan.count)


def _joined(plans: list[Fragments]) -> Fragments:
    """One plan of several; fragments of one type with the same levels become one."""
    type_ = np.concatenate([plan.type for plan in plans])
    levels = np.concatenate([plan.levels for plan in plans])
    count = np.concatenate([plan.count for plan in plans])
    keys = np.column_stack([type_, levels.astype(np.int32)])
    first, number = distinct_rows(keys)
    merged = np.bincount(number, weights=count, minlength=len(first)).astype(np.int64)
    return Fragments(type_[first], levels[first], merged)
