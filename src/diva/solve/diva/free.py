"""The rows that are in no cluster yet: what is left to make candidates of.

Brought up to date with the rows of each new colour, which costs as much as these are many. Counted anew for
every vertex at every step, it would cost |R| each time, and the strategies that look at it most would pay most.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from diva.solve.diva.rows import Cluster, Rows


@dataclass(frozen=True)
class Free:
    """Rows in no cluster."""

    rows: np.ndarray
    """bool [|R|]: which."""
    types: np.ndarray
    """int64 [D]: how many of each type."""
    relevant: dict[int, int]
    """How many of I_σ, for each constraint of the graph."""

    def without(self, R: Rows, clusters: Sequence[Cluster]) -> Free:
        """The rows that are left when these clusters are made, too."""
        found = np.fromiter(chain.from_iterable(clusters), dtype=np.int64, count=sum(map(len, clusters)))
        found = found[self.rows[found]]
        rows = self.rows.copy()
        rows[found] = False
        taken = np.bincount(R.type[found], minlength=len(self.types))
        some = np.flatnonzero(taken)
        relevant = {
            v: n - int(taken[some][R.relevant_types[v][some]].sum()) for v, n in self.relevant.items()
        }
        return Free(rows, self.types - taken, relevant)


def everything(R: Rows, vertices: Iterable[int]) -> Free:
    """All rows."""
    counts = R.problem.counts.astype(np.int64)
    relevant = {v: int(counts[R.relevant_types[v]].sum()) for v in vertices}
    return Free(np.ones(len(R), dtype=bool), counts, relevant)
