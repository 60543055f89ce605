"""Borders: groups that a cut kept from records on its other side, gathered from all parts into regions to solve again.

A group that hides an attribute by which its part was cut off could have had members from beyond the cut. A region is
some of these groups, whole, from several parts: solved anew, alone, it stays a part of a release, so it replaces
what was there whenever it is cheaper.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from diva.relation.types import distinct_rows
from diva.solve.parts.division import Cloud, divide

if TYPE_CHECKING:
    from diva.relation.engine import Fragments
    from diva.relation.types import Types
    from diva.solve.parts.division import Division


@dataclass(frozen=True)
class Grouped:
    """A plan with the group of each of its fragments."""

    plan: Fragments
    group: np.ndarray
    """int64 [F]"""
    published: np.ndarray
    """int32 [G, m]: the codes that each group shows, plus one; 0 where it hides them."""


def grouped(types: Types, plan: Fragments) -> Grouped:
    """Tell which fragments are published alike."""
    cells = np.where(plan.levels > 0, 0, types.codes[plan.type] + 1)
    first, group = distinct_rows(cells)
    return Grouped(plan, group, cells[first])


def regions(found: Grouped, division: Division, *, size: int, k: int) -> list[np.ndarray]:
    """The fragments of each region: whole groups at borders, about `size` fragments together."""
    plan = found.plan
    touched = ((plan.levels > 0) & division.cut[division.part[plan.type]]).any(axis=1)
    at_border = np.zeros(len(found.published), dtype=bool)
    at_border[found.group[touched]] = True
    groups = np.flatnonzero(at_border)
    if not len(groups):
        return []
    mine = np.flatnonzero(at_border[found.group])
    number = np.cumsum(at_border) - 1
    owner = number[found.group[mine]]
    load = np.bincount(owner, minlength=len(groups)).astype(np.int64)
    records = np.bincount(owner, weights=plan.count[mine], minlength=len(groups)).astype(np.int64)
    published = found.published[groups]
    hidden = (published == 0) * records[:, None]
    parts = -(-len(mine) // size)
    cloud = Cloud(published, load, records, hidden, seen=records)
    members = divide(cloud, parts=parts, least=k)
    region = members.part[owner]
    order = np.argsort(region, kind="stable")
    return np.split(mine[order], np.cumsum(np.bincount(region, minlength=members.parts))[:-1])
