"""Questions about Σ alone, without any table: what follows from it, whether it can hold, what of it is needed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from diva.constraints import exact
from diva.constraints.cover import Method, minimal_cover
from diva.constraints.text import as_constraints

if TYPE_CHECKING:
    from collections.abc import Sequence

    from diva.constraints.exact import Implication, Satisfiability
    from diva.constraints.model import Constraint
    from diva.constraints.signatures import Domains


def implies(
    constraints: Sequence[str | Constraint], conclusion: str | Constraint, *, domains: Domains | None = None
) -> Implication:
    """Decide exactly whether every table that satisfies Σ satisfies one more constraint; if not, show one that doesn't."""
    (sigma,) = as_constraints([conclusion])
    return exact.implies(as_constraints(constraints), sigma, domains)


def satisfiable(constraints: Sequence[str | Constraint], *, domains: Domains | None = None) -> Satisfiability:
    """Decide exactly whether some table satisfies Σ; if not, name constraints that conflict."""
    return exact.satisfiable(as_constraints(constraints), domains)


def cover(
    constraints: Sequence[str | Constraint], *, method: Method = "exact", domains: Domains | None = None
) -> tuple[Constraint, ...]:
    """Leave out of Σ what the rest of it implies."""
    return minimal_cover(as_constraints(constraints), method, domains)
