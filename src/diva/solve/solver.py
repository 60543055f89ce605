"""From types and Σ to a plan: decide, then search; the answer satisfies Σ exactly or there is none."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from diva.errors import Unsatisfiable
from diva.lattice.problem import Problem
from diva.lattice.signatures import of_types, take_apart
from diva.solve.alone import alone
from diva.solve.beside import Beside
from diva.solve.decide import decide
from diva.solve.decide.signature_programme import feasible
from diva.solve.effort import BEST_SECONDS
from diva.solve.plans import joined, renumbered
from diva.solve.skeleton import shares

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from diva.constraints.model import Constraint
    from diva.lattice.signatures import Parts, Signatures
    from diva.relation.engine import Fragments
    from diva.relation.types import Types
    from diva.solve.diverse.answer import Answer
    from diva.solve.effort import Baseline, Colouring, Search
    from diva.solve.lattice.search import Outcome

TYPES_OF_SEARCH = 250_000
"""More types than these are divided."""
TYPES_OF_PART = 100_000
"""About how many types a part then has."""
_WORTH = 0.05
"""Seconds below which a piece of the table is only searched quickly."""


@dataclass(frozen=True, slots=True)
class Solution:
    """A plan and what is known of the best one possible."""

    plan: Fragments
    lower_bound: float
    """No release of this table that is k-anonymous and satisfies Σ has a smaller cost."""
    bound_seconds: float
    """How much of the time went into the bound."""
    bound_without: float
    """No k-anonymous release has a smaller cost, whether or not it satisfies Σ."""
    prices: tuple[float | None, ...] = ()
    """For each constraint by how much the bound falls without it; None where that isn't known."""
    warnings: tuple[str, ...] = ()
    """What the solver could not make sure of."""


def solve(types: Types, k: int, constraints: Sequence[Constraint], search: Search) -> Solution:
    """Find a plan with few stars for the types of a table, or raise Unsatisfiable with the reason."""
    parts = take_apart(constraints, types.attributes)
    signatures, signature = of_types(types, parts)
    skeleton = feasible(signatures, k, rich=True)
    if skeleton is None:
        raise Unsatisfiable(decide(signatures, k))
    weights = np.array([search.weights.get(a, 1.0) for a in types.attributes])
    if search.baseline is not None:
        return _by_baseline(_free(types, k, weights), types, constraints, search, search.baseline)
    if search.colouring is not None:
        return _by_colouring(_free(types, k, weights), types, parts, search, search.colouring)
    began = time.perf_counter()
    problem = _free(types, k, weights)
    divided = _divided(problem, types, signatures, signature, search)
    if divided is not None:
        return divided
    if not constraints:
        found = _search(problem, search)
        if found.bound is not None:
            return Solution(found.plan, found.bound.value, found.bound_seconds, found.bound.value)
        return _bounded(problem, found.plan, _left(search, began), 0)
    answer = _search_under(types, parts, k, weights, search)
    plan = answer.plan
    if plan is None:
        pieces = shares(types, weights, k, skeleton, signature)
        rest = _rest(_left(search, began), len(pieces))
        plan = joined([renumbered(_search(piece.problem, rest).plan, piece.types) for piece in pieces])
    if answer.bound is None:
        return _bounded(_free(types, k, weights), plan, _left(search, began), len(constraints))
    return Solution(plan, answer.bound, answer.bound_seconds, answer.prices.bound_without, answer.prices.of)


def _left(search: Search, began: float) -> Search:
    """The same search with the time that is left."""
    limit = BEST_SECONDS if search.effort == "best" and search.time_limit is None else search.time_limit
    if limit is None:
        return search
    return replace(search, time_limit=max(0.0, limit - (time.perf_counter() - began)))


def _rest(search: Search, pieces: int) -> Search:
    """What is left of the time for each of some pieces; once it is up they are searched quickly."""
    rest = replace(search, progress=None)
    if search.stop is not None and search.stop():
        return replace(rest, effort="quick")
    if search.time_limit is None:
        return rest
    left = search.time_limit / pieces
    return replace(rest, time_limit=left) if left > _WORTH else replace(rest, effort="quick")


def _divided(
    problem: Problem, types: Types, signatures: Signatures, signature: np.ndarray, search: Search
) -> Solution | None:
    """Solve part by part where that was asked for, or there are more types than one search should take."""
    parts = search.parts or (-(-len(types) // TYPES_OF_PART) if len(types) > TYPES_OF_SEARCH else 1)
    if parts == 1:
        return None
    from diva.solve.parts.divided import Whole, solve_divided  # noqa: PLC0415 - few tables need it
    from diva.solve.parts.processes import cores  # noqa: PLC0415

    whole = Whole(problem, types, signatures, signature, search)
    many = len(signatures.parts.constraints)
    if not search.certify or (search.elsewhere is None and (search.workers or cores()) == 1):
        plan = solve_divided(whole, parts)
        return None if plan is None else _bounded(problem, plan, search, many)
    with Beside(partial(_bound, problem, search.time_limit), search.stop) as bound:
        plan = solve_divided(whole, parts)
        if plan is None:
            return None
        began = time.perf_counter()
        value = bound.result()
    return Solution(plan, value, time.perf_counter() - began, value, (None,) * many)


def _by_baseline(
    problem: Problem, types: Types, constraints: Sequence[Constraint], search: Search, baseline: Baseline
) -> Solution:
    plan = alone(problem, types, constraints, baseline, search.seed)
    return _bounded(problem, plan, search, len(constraints))


def _by_colouring(
    problem: Problem, types: Types, parts: Parts, search: Search, colouring: Colouring
) -> Solution:
    from diva.solve.diva.algorithm import diva  # noqa: PLC0415 - brings in Numba, which only a search needs
    from diva.solve.diva.rows import rows_of  # noqa: PLC0415

    found = diva(rows_of(problem, types, parts), colouring, search.seed, _stopping(search))
    solution = _bounded(problem, found.plan, search, len(parts.constraints))
    if found.minimal:
        return solution
    warning = f"Integrate suppressed cells of weight {found.cost:,.10g}; whether {found.bound:,.10g} would do is not known"
    return replace(solution, warnings=(warning,))


def _stopping(search: Search) -> Callable[[], bool]:
    """Whether the user or the clock wants an end."""
    began = time.monotonic()

    def stop() -> bool:
        late = search.time_limit is not None and time.monotonic() - began > search.time_limit
        return late or (search.stop is not None and search.stop())

    return stop


def _bounded(problem: Problem, plan: Fragments, search: Search, many: int) -> Solution:
    """A plan that comes without a bound, with the one that holds without Σ and so with it."""
    if not search.certify:
        return Solution(plan, 0.0, 0.0, 0.0, (None,) * many)
    began = time.perf_counter()
    bound = _bound(problem, search.time_limit, search.stop)
    return Solution(plan, bound, time.perf_counter() - began, bound, (None,) * many)


def _bound(problem: Problem, time_limit: float | None, stop: Callable[[], bool] | None) -> float:
    from diva.solve.bounds import lower_bound  # noqa: PLC0415 - brings in Numba, which only a search needs

    return lower_bound(problem, time_limit=time_limit, stop=stop).value


def _search(problem: Problem, search: Search) -> Outcome:
    from diva.solve.lattice.search import solve as run  # noqa: PLC0415 - brings in Numba, which only a search needs

    return run(
        problem,
        effort=search.effort,
        seed=search.seed,
        time_limit=search.time_limit,
        progress=search.progress,
        stop=search.stop,
        threads=search.threads,
    )


def _search_under(types: Types, parts: Parts, k: int, weights: np.ndarray, search: Search) -> Answer:
    from diva.solve.diverse.answer import answer  # noqa: PLC0415 - brings in Numba, which only a search needs

    spoken = {a for target in parts.quasi for a in target.attributes}
    numbers = tuple(i for i, a in enumerate(types.attributes) if a in spoken)
    return answer(replace(_free(types, k, weights), spoken=numbers), types, parts, search)


def _free(types: Types, k: int, weights: np.ndarray) -> Problem:
    """The problem without Σ."""
    return Problem(types.codes, types.counts, k, weights, np.zeros(len(weights), dtype=bool))
