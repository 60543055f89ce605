"""Minimal cover: the constraints of Σ that say everything the others say (the paper's Section "Minimal Cover")."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

from diva.constraints import axioms, exact
from diva.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Iterable

    from diva.constraints.model import Constraint
    from diva.constraints.signatures import Domains

Method = Literal["exact", "axioms"]


def minimal_cover(
    sigma_set: Iterable[Constraint], method: Method = "exact", domains: Domains | None = None
) -> tuple[Constraint, ...]:
    """Return a subset of Σ that implies every constraint of Σ and none of whose constraints the others imply.

    Redundant constraints go one by one from the last to the first, so of two that say the same the first stays;
    the order is kept. One pass is enough: with fewer constraints less is implied. A Σ that `method` sees to be
    unsatisfiable is refused; the axioms don't see every one, nor every redundancy (erratum 4).
    """
    kept = list(sigma_set)
    if method not in get_args(Method):
        raise BadInput(f"method {method!r} is unknown; use {' or '.join(get_args(Method))}")
    if method == "axioms" and domains is not None:
        raise BadInput("the axioms make no use of declared domains; use the method exact")
    _refuse_conflict(kept, method, domains)
    for position in reversed(range(len(kept))):
        others = kept[:position] + kept[position + 1 :]
        if _implied(others, kept[position], method, domains):
            kept = others
    return tuple(kept)


def _implied(others: list[Constraint], sigma: Constraint, method: Method, domains: Domains | None) -> bool:
    if method == "axioms":
        return axioms.implies(others, sigma)
    return exact.implies(others, sigma, domains).holds


def _refuse_conflict(constraints: list[Constraint], method: Method, domains: Domains | None) -> None:
    conflict: tuple[Constraint, ...]
    if method == "axioms":
        conflict = axioms.conflict(constraints) or ()
    else:
        conflict = exact.satisfiable(constraints, domains).conflict
    if conflict:
        names = " and ".join(sigma.text for sigma in conflict)
        verb = "can't hold together" if len(conflict) > 1 else "can't hold in the declared domains"
        raise BadInput(f"there is no cover, for Σ is unsatisfiable: {names} {verb}; change a bound")
