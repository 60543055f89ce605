"""Consistency of clusterings (Section 4.1, Definition 5)."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from diva.solve.diva.free import everything
from diva.solve.diva.merge import applied, change

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from diva.solve.diva.free import Free
    from diva.solve.diva.rows import Clustering, Rows


@dataclass(frozen=True)
class Colours:
    """What the colours chosen so far come to."""

    merged: Clustering
    """The merge of all of them."""
    counts: dict[int, int]
    """How many records it publishes for each constraint of the graph."""
    _free: Callable[[], Free] = field(repr=False, compare=False)

    @cached_property
    def free(self) -> Free:
        """The rows that are in no cluster; brought up to date once it is asked for, as most candidates are dropped."""
        return self._free()


def colours(R: Rows, merged: Clustering, vertices: Iterable[int]) -> Colours:
    """Count what a clustering publishes."""
    counts = R.published(merged.clusters, vertices)
    return Colours(merged, counts, lambda: everything(R, counts).without(R, merged.clusters))


def consistent(R: Rows, chosen: Colours, candidate: Clustering, sigmas: Iterable[int]) -> Colours | None:
    """Return the colours with Merge(𝒮, 𝒮') where this satisfies the constraints, and None where it doesn't.

    Erratum 10: that all pairs of clusterings are consistent doesn't make their merge satisfy Σ. So the colouring asks for
    the merge of all colours chosen so far with the next one, and for all their constraints.
    """
    made = change(chosen.merged, candidate)
    lost = R.published(made.gone, chosen.counts)
    won = R.published(made.new, chosen.counts)
    counts = {v: n - lost[v] + won[v] for v, n in chosen.counts.items()}
    if not all(R.constraints[v].admits(counts[v]) for v in sigmas):
        return None
    return Colours(applied(chosen.merged, made), counts, lambda: chosen.free.without(R, made.new))
