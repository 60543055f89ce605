"""A claim of how a release was made, which is checked and never trusted: a proof that is quick to read.

Whether every published record can have an original one of its own is a matching problem (`matching`), and takes long
where there are many types and patterns. Who made the release knows an answer. Whether it is one takes a few sums: the
records that it moves are those of the original, each once, and what they then look like is what was published. The
original and the published table are counted by the verifier; from the claim it takes nothing else. A claim that
doesn't hold proves nothing, and the matching decides.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from diva.relation.types import distinct_rows
from diva.verify.candidates import STAR

if TYPE_CHECKING:
    from diva.relation.engine import Fragments
    from diva.relation.types import Types


@dataclass(frozen=True)
class Witness:
    """So many records of each type were published with these cells suppressed."""

    types: Types
    """The types of the original as the claim has them, maybe split by what its records carry besides."""
    plan: Fragments

    def proves(self, original: Types, codes: np.ndarray, counts: np.ndarray) -> bool:
        """Whether suppressing cells as claimed turns the original into the published rows (codes as the original's, or STAR)."""
        number = self._numbers(original)
        if number is None or (self.plan.count < 0).any():
            return False
        if len(self.plan) and not 0 <= int(self.plan.type.min()) <= int(self.plan.type.max()) < len(number):
            return False
        moved = number[self.plan.type]
        used = np.zeros(len(original), dtype=np.int64)
        np.add.at(used, moved, self.plan.count)
        if not np.array_equal(used, original.counts):
            return False
        made = np.where(self.plan.levels > 0, STAR, original.codes[moved])
        return _same(_counted(made, self.plan.count), _counted(codes, counts))

    def _numbers(self, original: Types) -> np.ndarray | None:
        """The original's number of each type of the claim; None where these aren't the same types."""
        claimed = self.types
        if claimed.attributes != original.attributes or claimed.values != original.values:
            return None
        first, number = distinct_rows(claimed.codes)
        return number if np.array_equal(claimed.codes[first], original.codes) else None


def _counted(rows: np.ndarray, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The distinct rows that some records have, in order, and how many have each."""
    some = counts > 0
    rows, counts = rows[some], counts[some]
    first, number = distinct_rows(rows)
    total = np.zeros(len(first), dtype=np.int64)
    np.add.at(total, number, counts)
    return rows[first], total


def _same(one: tuple[np.ndarray, np.ndarray], other: tuple[np.ndarray, np.ndarray]) -> bool:
    return all(map(np.array_equal, one, other))
