"""A part of a table as a problem of its own, small enough to be sent to whoever solves it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from diva.solve.effort import Effort, Search

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from diva.constraints.model import Constraint
    from diva.relation.engine import Fragments
    from diva.relation.types import Types


@dataclass(frozen=True)
class Part:
    """Types, their share of Σ, and how to search. Can be pickled."""

    types: Types
    k: int
    constraints: tuple[Constraint, ...]
    effort: Effort
    seed: int
    time_limit: float | None = None
    weights: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Solved:
    """A plan for a part, over its own types. Can be pickled."""

    plan: Fragments
    bound_seconds: float


def solve_part(part: Part, stop: Callable[[], bool] | None = None) -> Solved:
    """Solve one part wherever this runs: the answer depends on nothing but the part, unless it is stopped."""
    from diva.solve.solver import solve  # noqa: PLC0415 - it divides, and so knows this module

    search = Search(
        effort=part.effort,
        time_limit=part.time_limit,
        seed=part.seed,
        weights=part.weights,
        stop=stop,
        threads=1,
        parts=1,
        certify=False,
    )
    found = solve(part.types, part.k, part.constraints, search)
    return Solved(found.plan, found.bound_seconds)
