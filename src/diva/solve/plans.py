"""Plans put together from plans for parts of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from diva.relation.engine import Fragments
from diva.relation.types import distinct_rows

if TYPE_CHECKING:
    from collections.abc import Sequence


def renumbered(plan: Fragments, types: np.ndarray) -> Fragments:
    """A plan for some of the types, in the numbers of all of them."""
    return Fragments(types[plan.type].astype(np.int32), plan.levels, plan.count)


def joined(plans: Sequence[Fragments]) -> Fragments:
    """One plan of several; fragments of one type with the same levels become one."""
    type_ = np.concatenate([plan.type for plan in plans])
    levels = np.concatenate([plan.levels for plan in plans])
    count = np.concatenate([plan.count for plan in plans])
    first, number = distinct_rows(np.column_stack([type_, levels.astype(np.int32)]))
    merged = np.bincount(number, weights=count, minlength=len(first)).astype(np.int64)
    return Fragments(type_[first], levels[first], merged)
