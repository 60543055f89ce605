"""The lattice search behind the signature of the baselines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from diva.solve.lattice import search

if TYPE_CHECKING:
    import numpy as np

    from diva.lattice.problem import Problem
    from diva.relation.engine import Fragments

Effort = Literal["quick", "standard", "best"]


def lattice(problem: Problem, random: np.random.Generator, *, effort: Effort = "standard") -> Fragments:
    """Anonymise with few stars; see docs/search.md."""
    return search(problem, effort=effort, seed=int(random.integers(2**63)))
