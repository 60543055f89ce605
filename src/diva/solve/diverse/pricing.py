"""A lattice on which showing what Σ speaks of costs or earns something."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from diva.lattice.groups import Lattice

if TYPE_CHECKING:
    from diva.solve.lattice.state import Assignment


@dataclass(frozen=True)
class Priced:
    """The same groups in order of other costs."""

    lattice: Lattice
    number: np.ndarray
    """int64 [G]: which group of the plain lattice each group is."""

    def plain(self, plan: Assignment, cost: np.ndarray) -> Assignment:
        """A plan on the plain lattice, with its plain cost."""
        from diva.solve.lattice.state import Assignment as Plan  # noqa: PLC0415 - loads the kernels

        group = self.number[plan.group]
        return Plan(plan.type, group, plan.count, float(cost[group] @ plan.count))


def priced(plain: Lattice, cost: np.ndarray) -> Priced:
    """Reorder a lattice by other costs. They are lifted to be positive: every record is in one group, so plans rank alike."""
    order = np.argsort(cost, kind="stable")
    rank = np.empty(len(order), dtype=np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    sizes = np.diff(plain.start)
    start = np.concatenate([[0], np.cumsum(sizes[order])])
    spread = np.repeat(plain.start[:-1][order] - start[:-1], sizes[order])
    owner = np.repeat(np.arange(len(plain.counts)), np.diff(plain.type_start))
    group = rank[plain.group]
    return Priced(
        Lattice(
            patterns=plain.patterns,
            pattern=plain.pattern[order],
            cost=cost[order] - min(0.0, float(cost.min())),
            start=start.astype(np.int64),
            member=plain.member[np.arange(len(plain.member)) + spread],
            type_start=plain.type_start,
            group=group[np.lexsort((group, owner))],
            counts=plain.counts,
            k=plain.k,
            complete=plain.complete,
        ),
        order,
    )
