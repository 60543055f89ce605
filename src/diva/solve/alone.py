"""A baseline by itself: it doesn't look at Σ, so what it finds is held against Σ before it is believed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from diva.errors import GaveUp
from diva.solve.anonymizers import anonymizer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from diva.constraints.model import Constraint
    from diva.lattice.problem import Problem
    from diva.relation.engine import Fragments
    from diva.relation.types import Types
    from diva.solve.effort import Baseline


def alone(
    problem: Problem, types: Types, constraints: Sequence[Constraint], baseline: Baseline, seed: int
) -> Fragments:
    """Anonymise, and refuse a plan that breaks Σ, which is known to be satisfiable."""
    plan = anonymizer(baseline.name, split=baseline.split)(problem, np.random.default_rng(seed))
    for constraint in constraints:
        count = published(plan, types, constraint)
        if not constraint.admits(count):
            raise GaveUp(
                f"{baseline.name} doesn't look at constraints, and what it found publishes {count:,} records for {constraint.text};"
                " there are releases that satisfy Σ, and the solver lattice finds one"
            )
    return plan


def published(plan: Fragments, types: Types, constraint: Constraint) -> int:
    """How many records a plan publishes with the target of σ."""
    quasi = frozenset(types.attributes)
    visible, condition = constraint.target.only(quasi), constraint.target.without(quasi)
    counts = types.carries(visible)[plan.type]
    if condition.attributes:
        counts &= types.met[plan.type, types.conditions.index(condition)]
    columns = [types.attributes.index(a) for a in visible.attributes]
    counts &= (plan.levels[:, columns] == 0).all(axis=1)
    return int(plan.count[counts].sum())
