"""Σ on a lattice: which group preserves which constraint, and how many records a plan publishes for each."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from diva.lattice.groups import Lattice
    from diva.lattice.signatures import Parts
    from diva.relation.types import Types
    from diva.solve.lattice.state import Assignment


@dataclass(frozen=True)
class Sigma:
    """A record of type t in group g counts for σ when g preserves σ's QI target and t meets its condition."""

    preserves: np.ndarray
    """bool [G, Σ]"""
    met: np.ndarray
    """bool [D, Σ]"""
    low: np.ndarray
    """int64 [Σ]"""
    high: np.ndarray
    """int64 [Σ], clipped to |R|."""
    conditional: np.ndarray
    """bool [Σ]: constraints whose condition some types don't meet; a price per group can't steer these."""

    carried: np.ndarray
    """bool [D, Σ]: the types of I_σ."""
    relevant: np.ndarray
    """int64 [Σ]: |I_σ|."""

    @property
    def unanimous(self) -> np.ndarray:
        """Bool [Σ]: constraints that every record of I_σ must count for (λl = |I_σ|)."""
        unanimous: np.ndarray = (self.low > 0) & (self.low >= self.relevant)
        return unanimous

    def banned(self, k: int) -> np.ndarray:
        """Bool [Σ]: constraints that no record may count for."""
        banned: np.ndarray = (self.high == 0) | ((self.high < k) & ~self.conditional)
        return banned

    def counts(self, type_: np.ndarray, group: np.ndarray, count: np.ndarray) -> np.ndarray:
        """int64 [Σ]: how many records count for each constraint."""
        published: np.ndarray = (self.preserves[group] & self.met[type_]).T.astype(np.int64) @ count
        return published

    def of(self, plan: Assignment) -> np.ndarray:
        """The same for a plan."""
        return self.counts(plan.type, plan.group, plan.count)

    def violation(self, counts: np.ndarray) -> np.ndarray:
        """int64 [Σ]: by how much each count misses its range; negative where it is too small."""
        missed: np.ndarray = np.maximum(counts - self.high, 0) - np.maximum(self.low - counts, 0)
        return missed

    def missed(self, plan: Assignment) -> int:
        """By how many records a plan misses Σ, all constraints together."""
        return int(np.abs(self.violation(self.of(plan))).sum())

    def cost(self, plan: Assignment, price: float) -> float:
        """What a plan costs when every record by which it misses Σ costs `price`."""
        return plan.cost + price * self.missed(plan)

    def on(self, kept: np.ndarray) -> Sigma:
        """The same on some of the groups, in the order given."""
        return replace(self, preserves=self.preserves[kept])

    def only(self, chosen: np.ndarray) -> Sigma:
        """Some of the constraints, on the same groups."""
        return Sigma(
            self.preserves[:, chosen],
            self.met[:, chosen],
            self.low[chosen],
            self.high[chosen],
            self.conditional[chosen],
            self.carried[:, chosen],
            self.relevant[chosen],
        )


def sigma_on(lattice: Lattice, types: Types, parts: Parts) -> Sigma:
    """Tell which groups of a lattice preserve which constraints."""
    first = lattice.member[lattice.start[:-1]]
    shown = ~lattice.patterns[lattice.pattern]
    rows = types.rows
    preserves = np.ones((lattice.groups, len(parts.of)), dtype=bool)
    met = np.ones((len(types), len(parts.of)), dtype=bool)
    carried = np.ones_like(met)
    for c, (quasi, condition) in enumerate(parts.of):
        if quasi is not None:
            target = parts.quasi[quasi]
            columns = [types.attributes.index(a) for a in target.attributes]
            # Members agree on what their group shows, so the first speaks for all.
            carried[:, c] = types.carries(target)
            preserves[:, c] = shown[:, columns].all(axis=1) & carried[first, c]
        if condition is not None:
            met[:, c] = types.met[:, condition]
            carried[:, c] &= met[:, c]
    return Sigma(
        preserves,
        met,
        np.array([c.low for c in parts.constraints], dtype=np.int64),
        np.array([rows if c.high is None else min(c.high, rows) for c in parts.constraints], dtype=np.int64),
        np.array(~met.all(axis=0), dtype=bool),
        carried,
        carried.T.astype(np.int64) @ types.counts,
    )
