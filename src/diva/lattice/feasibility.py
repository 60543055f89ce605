"""What makes a problem unsolvable whatever one does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from diva.errors import BadInput

if TYPE_CHECKING:
    from diva.lattice.problem import Problem


def check(problem: Problem) -> None:
    """Refuse a problem without any plan. All others have one: everybody in the coarsest group."""
    total = int(problem.counts.sum())
    if total < problem.k:
        raise BadInput(f"{total} records can't be published in groups of at least {problem.k}; lower k")
    for taboo in problem.taboos:
        if taboo.types.any() and not (taboo.attributes & ~problem.visible).any():
            raise BadInput("a target that may not be shown has only attributes that must stay visible")
