"""R as numbered rows, and the clusters and clusterings of the paper (Section 4) over them.

The paper's clusters overlap in rows, so rows have numbers here; those of one type follow each other. What a cluster
shows of Σ is the intersection of what its rows carry.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from diva.constraints.model import Constraint
    from diva.lattice.problem import Problem
    from diva.lattice.signatures import Parts
    from diva.relation.types import Types

Cluster = frozenset[int]
"""C: the numbers of its rows."""


@dataclass(frozen=True)
class Clustering:
    """𝒮: disjoint clusters."""

    clusters: tuple[Cluster, ...] = ()

    @cached_property
    def members(self) -> frozenset[Cluster]:
        """The clusters without order."""
        return frozenset(self.clusters)

    @cached_property
    def owner(self) -> dict[int, int]:
        """For each row that is in a cluster the number of the cluster."""
        return {r: c for c, cluster in enumerate(self.clusters) for r in cluster}

    @cached_property
    def covered(self) -> frozenset[int]:
        """The rows that are in some cluster."""
        return frozenset().union(*self.clusters)


@dataclass(frozen=True)
class Rows:
    """R with what each row carries of Σ. Sets of constraints are bit masks: bit i stands for σi."""

    problem: Problem
    constraints: tuple[Constraint, ...]
    """Σ."""
    carried: tuple[int, ...]
    """For each type the constraints whose QI target it carries: those that a cluster of it can preserve."""
    met: tuple[int, ...]
    """For each type the constraints that its records count for where the QI target is preserved: those whose
    condition, the part on columns that are no QI, they meet."""
    conditional: int
    """The constraints that have a condition."""
    attributes: tuple[str, ...]
    """The QI attributes."""
    vertices: tuple[int, ...]
    """The constraints that have a QI target. The others are satisfied, or not, whatever is suppressed."""
    _shown: dict[Cluster, int] = field(default_factory=dict, repr=False, compare=False)

    @property
    def k(self) -> int:
        """The least size of a cluster."""
        return self.problem.k

    @cached_property
    def start(self) -> np.ndarray:
        """int64 [D+1]: the rows of type t are start[t] up to start[t+1]."""
        return np.concatenate([[0], np.cumsum(self.problem.counts)])

    @cached_property
    def type(self) -> np.ndarray:
        """int64 [|R|]: the type of each row."""
        return np.repeat(np.arange(len(self.problem.counts)), self.problem.counts)

    @cached_property
    def spoken(self) -> np.ndarray:
        """Bool [m]: the attributes that Σ speaks of."""
        return np.array(
            [any(a in found for found in self.columns.values()) for a in range(len(self.attributes))]
        )

    @cached_property
    def columns(self) -> dict[int, frozenset[int]]:
        """For each constraint the numbers of the QI attributes of its target."""
        return {
            v: frozenset(
                a for a, name in enumerate(self.attributes) if name in self.constraints[v].target.mapping
            )
            for v in self.vertices
        }

    @cached_property
    def kinds(self) -> list[int]:
        """The sets of constraints whose targets some type carries."""
        return sorted(set(self.carried))

    @cached_property
    def kind(self) -> np.ndarray:
        """int64 [D]: which of them each type carries."""
        number = {mask: i for i, mask in enumerate(self.kinds)}
        return np.array([number[mask] for mask in self.carried], dtype=np.int64)

    @cached_property
    def _carried_by_row(self) -> list[int]:
        return [self.carried[t] for t in self.type.tolist()]

    def __len__(self) -> int:
        return int(self.start[-1])

    def carries(self, r: int, v: int) -> bool:
        """Whether a row carries the QI target of σ."""
        return bool(self._carried_by_row[r] >> v & 1)

    @cached_property
    def carrying_types(self) -> dict[int, np.ndarray]:
        """For each vertex bool [D]: the types that carry the QI target of σ."""
        return {v: np.array([mask >> v & 1 for mask in self.carried], dtype=bool) for v in self.vertices}

    @cached_property
    def relevant_types(self) -> dict[int, np.ndarray]:
        """For each vertex bool [D]: the types of I_σ, which also meet the condition of σ."""
        met = {v: np.array([mask >> v & 1 for mask in self.met], dtype=bool) for v in self.vertices}
        return {v: self.carrying_types[v] & met[v] for v in self.vertices}

    def carriers(self, v: int) -> list[int]:
        """The rows of which the clusters for σ are made."""
        return np.flatnonzero(self.carrying_types[v][self.type]).tolist()

    def relevant(self, v: int) -> list[int]:
        """I_σ."""
        return np.flatnonzero(self.relevant_types[v][self.type]).tolist()

    def shows(self, cluster: Cluster) -> int:
        """The constraints that a cluster preserves: those whose QI target all its rows carry."""
        found = self._shown.get(cluster)
        if found is None:
            found, by_row = -1, self._carried_by_row
            for r in cluster:
                found &= by_row[r]
            self._shown[cluster] = found
        return found

    def counted(self, cluster: Cluster, v: int) -> int:
        """How many rows of a cluster that preserves σ count for it."""
        if not self.conditional >> v & 1:
            return len(cluster)
        return sum(self.met[self.type[r]] >> v & 1 for r in cluster)

    def published(self, clusters: Iterable[Cluster], chosen: Iterable[int]) -> dict[int, int]:
        """How many rows count for each of the chosen constraints after Suppress."""
        counts = dict.fromkeys(chosen, 0)
        for cluster in clusters:
            shown = self.shows(cluster)
            for v in counts:
                if shown >> v & 1:
                    counts[v] += self.counted(cluster, v)
        return counts

    def satisfies(self, clustering: Clustering, chosen: Iterable[int]) -> bool:
        """𝒮 ⊨ σ for each of the chosen constraints: Suppress(𝒮) satisfies it."""
        return all(
            self.constraints[v].admits(n) for v, n in self.published(clustering.clusters, chosen).items()
        )

    def left(self, clustering: Clustering) -> np.ndarray:
        """Bool [|R|]: the rows that are in no cluster."""
        free = np.ones(len(self), dtype=bool)
        free[np.fromiter(clustering.covered, dtype=np.int64, count=len(clustering.covered))] = False
        return free


def rows_of(problem: Problem, types: Types, parts: Parts) -> Rows:
    """Number the rows of a relation and tell what they carry of Σ."""
    carried, met = [0] * len(types), [0] * len(types)
    conditional, vertices = 0, []
    for v, (quasi, condition) in enumerate(parts.of):
        carries = types.carries(parts.quasi[quasi]) if quasi is not None else np.ones(len(types), dtype=bool)
        meets = types.met[:, condition] if condition is not None else np.ones(len(types), dtype=bool)
        for t in range(len(types)):
            carried[t] |= int(carries[t]) << v
            met[t] |= int(meets[t]) << v
        conditional |= int(condition is not None) << v
        if quasi is not None:
            vertices.append(v)
    return Rows(
        problem, parts.constraints, tuple(carried), tuple(met), conditional, types.attributes, tuple(vertices)
    )
