"""Split a table by a skeleton: every closed set of targets becomes a problem of its own, and Σ holds by construction.

The skeleton says how many records of each signature publish which targets T. In the problem of T all of T's
attributes must stay visible and no further target may be preserved, so however it is solved, the counts of Σ are
the skeleton's. Each problem has no record or at least k.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from diva.lattice.problem import Problem, Taboo
from diva.solve.decide.closed import bits

if TYPE_CHECKING:
    from diva.relation.types import Types
    from diva.solve.decide import Skeleton


@dataclass(frozen=True)
class Share:
    """The records that a closed set of targets gets, as a problem over some of the types."""

    problem: Problem
    types: np.ndarray
    """int [D']: which types of the table the problem's types are."""


def shares(
    types: Types, weights: np.ndarray, k: int, skeleton: Skeleton, signature: np.ndarray
) -> list[Share]:
    """Make one problem per closed set that publishes any records; `signature` tells the signature of each type."""
    taken = _take(types.counts, skeleton, signature)
    return [
        _share(types, weights, k, skeleton, signature, closed, counts)
        for closed, counts in sorted(taken.items())
    ]


def _take(counts: np.ndarray, skeleton: Skeleton, signature: np.ndarray) -> dict[int, np.ndarray]:
    """Fill the quotas: the rarest types, which lose their values anyway, go where the fewest targets stay visible."""
    taken: dict[int, np.ndarray] = {}
    for s in range(len(skeleton.signatures.counts)):
        members = np.flatnonzero(signature == s)
        members = members[np.argsort(counts[members], kind="stable")]
        upto = np.cumsum(counts[members])
        before = upto - counts[members]
        used = 0
        for closed in sorted((t for r, t in skeleton.quota if r == s), key=lambda t: (t.bit_count(), t)):
            quota = skeleton.quota[s, closed]
            piece = np.clip(np.minimum(upto, used + quota) - np.maximum(before, used), 0, None)
            taken.setdefault(closed, np.zeros(len(counts), dtype=np.int64))[members] += piece
            used += quota
    return taken


def _share(
    types: Types,
    weights: np.ndarray,
    k: int,
    skeleton: Skeleton,
    signature: np.ndarray,
    closed: int,
    counts: np.ndarray,
) -> Share:
    members = np.flatnonzero(counts)
    parts = skeleton.signatures.parts
    carried = np.array(skeleton.signatures.carried, dtype=object)[signature[members]]

    def columns(q: int) -> np.ndarray:
        return np.array([a in parts.quasi[q].mapping for a in types.attributes])

    visible = np.zeros(len(types.attributes), dtype=bool)
    for q in bits(closed):
        visible |= columns(q)
    taboos = []
    for q in range(len(parts.quasi)):
        carriers = np.array([bool(mask >> q & 1) for mask in carried], dtype=bool)
        if not closed >> q & 1 and carriers.any():
            taboos.append(Taboo(columns(q), carriers))
    problem = Problem(
        codes=np.ascontiguousarray(types.codes[members]),
        counts=counts[members],
        k=k,
        weights=weights,
        visible=visible,
        taboos=tuple(taboos),
    )
    return Share(problem, members)
