"""The lattice that a search walks: groups that can have k members, and the types that can be in each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Lattice:
    """Groups in order of rising cost, with both ways of listing the pairs (type, group).

    Invariants: every group's types have at least k records together; every type is in some group; no group shows
    less than another that could take all its records and is listed too.
    """

    patterns: np.ndarray
    """bool [N, m]: the attributes each pattern suppresses."""
    pattern: np.ndarray
    """int32 [G]: the pattern of each group."""
    cost: np.ndarray
    """float64 [G]: what one record in the group costs; not decreasing."""
    start: np.ndarray
    """int64 [G+1]: where the types of each group begin in `member`."""
    member: np.ndarray
    """int32 [P]: the types of each group."""
    type_start: np.ndarray
    """int64 [D+1]: where the groups of each type begin in `group`."""
    group: np.ndarray
    """int32 [P]: the groups of each type, cheapest first."""
    counts: np.ndarray
    """int64 [D]: how many records each type has."""
    k: int
    complete: bool
    """Whether every group that some optimal plan needs is listed, so that bounds on this lattice hold for the problem."""
    clusters: np.ndarray | None = None
    """int64 [D]: a group for each type so that every group has k members or none; where only a part is listed."""

    @property
    def groups(self) -> int:
        """G."""
        return len(self.cost)

    @property
    def pairs(self) -> int:
        """P."""
        return len(self.member)

    def restricted(self, kept: np.ndarray) -> Lattice:
        """The same lattice with some of its groups only; bounds on it don't hold for the problem."""
        number = np.cumsum(kept, dtype=np.int32) - 1
        sizes = np.diff(self.start)
        pair_kept = np.repeat(kept, sizes)
        chosen = kept[self.group]
        owner = np.repeat(np.arange(len(self.counts)), np.diff(self.type_start))
        return Lattice(
            patterns=self.patterns,
            pattern=self.pattern[kept],
            cost=self.cost[kept],
            start=np.concatenate([[0], np.cumsum(sizes[kept])]).astype(np.int64),
            member=self.member[pair_kept],
            type_start=np.concatenate(
                [[0], np.cumsum(np.bincount(owner[chosen], minlength=len(self.counts)))]
            ).astype(np.int64),
            group=number[self.group[chosen]],
            counts=self.counts,
            k=self.k,
            complete=False,
        )

    def only(self, allowed: np.ndarray) -> tuple[Lattice, np.ndarray]:
        """The same lattice with some of its pairs only, and which groups still have k records in reach.

        `allowed` is in the order of `group`. The result is as complete as the whole: for callers who know that no plan
        they want uses the other pairs.
        """
        owner = np.repeat(np.arange(len(self.counts), dtype=np.int32), np.diff(self.type_start))
        population = np.bincount(
            self.group[allowed], weights=self.counts[owner[allowed]], minlength=self.groups
        )
        kept = population >= self.k
        chosen = allowed & kept[self.group]
        number = np.cumsum(kept, dtype=np.int32) - 1
        group, owner = number[self.group[chosen]], owner[chosen]
        sizes = np.bincount(group, minlength=int(kept.sum()))
        per_type = np.bincount(owner, minlength=len(self.counts))
        part = Lattice(
            patterns=self.patterns,
            pattern=self.pattern[kept],
            cost=self.cost[kept],
            start=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
            member=owner[np.argsort(group, kind="stable")],
            type_start=np.concatenate([[0], np.cumsum(per_type)]).astype(np.int64),
            group=group,
            counts=self.counts,
            k=self.k,
            complete=self.complete,
        )
        return part, np.flatnonzero(kept)
