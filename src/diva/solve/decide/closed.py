"""Closed sets of QI targets: what a group can preserve.

A group that keeps exactly the attributes of some targets preserves every target whose attributes are among them:
a set T is closed when it has them all. Within the signature of one record all targets agree, so T is closed when
T = {q : attributes(q) ⊆ attributes(T)}.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from diva.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from diva.constraints.model import Target

MAX_CLOSED = 400_000
"""More pairs (signature, closed set) than this are refused: their number grows exponentially in overlapping targets."""


class ClosedSets:
    """Enumerates the closed sets below signatures, remembering what it has seen."""

    def __init__(self, targets: Sequence[Target]) -> None:
        names = sorted({a for target in targets for a in target.attributes})
        self._attributes = [sum(1 << names.index(a) for a in target.attributes) for target in targets]
        self._below: dict[int, tuple[int, ...]] = {}

    def closure(self, chosen: int, carried: int) -> int:
        """Everything that a group preserving `chosen` preserves, among the targets `carried`."""
        visible = 0
        for q in bits(chosen):
            visible |= self._attributes[q]
        return sum(1 << q for q in bits(carried) if self._attributes[q] & ~visible == 0)

    def below(self, carried: int) -> tuple[int, ...]:
        """All closed subsets of what a signature carries, the empty set first."""
        if carried not in self._below:
            found = {0}
            for q in bits(carried):
                found |= {self.closure(t | 1 << q, carried) for t in found}
                if len(found) > MAX_CLOSED:
                    raise BadInput(
                        f"some records carry {carried.bit_count()} targets of Σ at once, which allows more than"
                        f" {MAX_CLOSED} different groups; decide fewer overlapping constraints at a time"
                    )
            self._below[carried] = tuple(sorted(found))
        return self._below[carried]

    def few(self, carried: int) -> tuple[int, ...]:
        """The closed sets that suffice most of the time: nothing, everything, and each target on its own."""
        singles = {self.closure(1 << q, carried) for q in bits(carried)}
        return tuple(sorted({0, carried} | singles))


def bits(mask: int) -> Iterator[int]:
    """The positions of the bits that are set."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low
