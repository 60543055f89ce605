"""Plans for parts of a table, made into one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from diva.relation.engine import Fragments
from diva.relation.types import distinct_rows

if TYPE_CHECKING:
    from collections.abc import Sequence


def renumbered(plan: Fragments, types: np.ndarray) -> Fragments:
    """The same plan where type i is called `types[i]`."""
    return Fragments(types[plan.type].astype(np.int32), plan.levels, plan.count)


def joined(plans: Sequence[Fragments]) -> Fragments:
    """One plan of several; fragments of one type with the same levels become one."""
    type_ = np.concatenate([plan.type for plan in plans])
    levels = np.concatenate([plan.levels for plan in plans])
    count = np.concatenate([plan.count for plan in plans])
    first, number = distinct_rows(np.column_stack([type_, levels.astype(np.int32)]))
    merged = np.zeros(len(first), dtype=np.int64)
    np.add.at(merged, number, count)
    return Fragments(type_[first], levels[first], merged)
