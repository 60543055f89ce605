"""A plan in the three pieces that an engine joins: types that go to one group whole, split types, and their fragments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from diva.relation.types import distinct_rows

if TYPE_CHECKING:
    from diva.relation.engine import Fragments
    from diva.relation.types import Types


@dataclass(frozen=True)
class Shown:
    """How some fragments are published."""

    type: np.ndarray
    """int32 [F]."""
    starred: np.ndarray
    """bool [F, m]: which QI attributes are suppressed."""
    group: np.ndarray
    """int64 [F]: a number that fragments published alike share."""


@dataclass(frozen=True)
class PlanParts:
    """A plan, taken apart."""

    whole: Shown
    split: np.ndarray
    """int32 [S]: the types that are published in several ways."""
    fragments: Shown
    """Of the split types, type by type."""
    after: np.ndarray
    """int64: of the records of its type, a fragment takes those behind this many …"""
    upto: np.ndarray
    """… up to this many."""

    @property
    def starred(self) -> np.ndarray:
        """Bool [m]: in which QI attributes anything is suppressed."""
        return np.asarray(np.vstack([self.whole.starred, self.fragments.starred]).any(axis=0))


def take_apart(types: Types, plan: Fragments) -> PlanParts:
    """Take a plan apart; fragments without records vanish."""
    some = np.flatnonzero(plan.count > 0)
    kept = some[np.argsort(plan.type[some], kind="stable")]
    type_, count, starred = plan.type[kept], plan.count[kept], plan.levels[kept] > 0
    group = distinct_rows(np.where(starred, -1, types.codes[type_]))[1]
    whole = count == types.counts[type_]
    split, first = np.unique(type_[~whole], return_index=True)
    pieces = count[~whole]
    upto = np.cumsum(pieces)
    if len(first):
        upto -= np.repeat(upto[first] - pieces[first], np.diff(np.append(first, len(upto))))
    return PlanParts(
        whole=Shown(type_[whole], starred[whole], group[whole]),
        split=split,
        fragments=Shown(type_[~whole], starred[~whole], group[~whole]),
        after=upto - pieces,
        upto=upto,
    )
