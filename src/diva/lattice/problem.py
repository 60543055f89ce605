"""The problem that a search solves: types, counts, k, and what groups may and must show."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from diva.relation.types import distinct_rows

if TYPE_CHECKING:
    from diva.relation.engine import Fragments


@dataclass(frozen=True)
class Taboo:
    """A target that may not be preserved: groups of these types must suppress one of its attributes."""

    attributes: np.ndarray
    """bool [m]."""
    types: np.ndarray
    """bool [D]: the types that carry the target."""


@dataclass(frozen=True)
class Problem:
    """Choose for every record which QI attributes stay visible, with as few (weighted) stars as possible.

    Every group, the records that are published alike, is empty or has at least k members, shows every attribute of
    `visible`, and shows no taboo target.
    """

    codes: np.ndarray
    """int32 [D, m]: the QI values of each type."""
    counts: np.ndarray
    """int64 [D], positive."""
    k: int
    weights: np.ndarray
    """float64 [m]: the cost of a star in each attribute."""
    visible: np.ndarray
    """bool [m]: attributes that must stay visible; all types agree on them."""
    taboos: tuple[Taboo, ...] = field(default=())
    spoken: tuple[int, ...] = ()
    """Attributes that constraints speak of: a group that hides one is worth listing even where it could show it."""

    @property
    def width(self) -> int:
        """m, the number of QI attributes."""
        return int(self.codes.shape[1])

    def cost(self, plan: Fragments) -> float:
        """The weighted stars of a plan."""
        return float(((plan.levels > 0) * self.weights).sum(axis=1) @ plan.count)

    def flaws(self, plan: Fragments) -> list[str]:
        """What a plan breaks: for tests and assertions; releases are checked by `verify`, which sees only files."""
        found = []
        assigned = np.bincount(plan.type, weights=plan.count, minlength=len(self.counts))
        if not np.array_equal(assigned, self.counts):
            found.append("not every record is published exactly once")
        some = plan.count > 0
        starred = plan.levels[some] > 0
        if (starred & self.visible).any():
            found.append("an attribute that must stay visible is suppressed")
        _, group = distinct_rows(np.where(starred, -1, self.codes[plan.type[some]]))
        sizes = np.bincount(group, weights=plan.count[some])
        if (sizes < self.k).any():
            found.append("a group has fewer than k members")
        for taboo in self.taboos:
            shown = ~(starred & taboo.attributes).any(axis=1)
            if (shown & taboo.types[plan.type[some]]).any():
                found.append("a taboo target is preserved")
        return found
