"""What the verifier found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from diva.errors import VerificationFailed

if TYPE_CHECKING:
    from diva.constraints.model import Constraint
    from diva.relation.types import Types

_SHOWN = 3
"""How many problems an error names."""


class Counted(NamedTuple):
    """A constraint, and how the published table fares by it."""

    constraint: Constraint
    published: int
    """How many published records carry the target."""
    satisfied: bool


@dataclass(frozen=True)
class Verification:
    """What a published table is, as recomputed from the table alone, and which guarantees it breaks."""

    rows: int
    """Published records."""
    cells: int
    """Published QI cells: rows × QI attributes."""
    groups: int
    """Distinct published QI rows."""
    stars: int
    """Suppressed QI cells."""
    k_achieved: int
    """The size of the smallest group; 0 for an empty table."""
    constraints: tuple[Counted, ...]
    """Σ, in the order it was given."""
    problems: tuple[str, ...]
    """One sentence for every guarantee that is broken."""
    types: Types
    """The published QI rows with their counts, for metrics; a suppressed cell is a value like any other."""

    @property
    def ok(self) -> bool:
        """Whether every guarantee holds."""
        return not self.problems

    def require(self) -> None:
        """Raise VerificationFailed unless every guarantee holds."""
        if self.ok:
            return
        more = len(self.problems) - _SHOWN
        shown = "; ".join(self.problems[:_SHOWN])
        raise VerificationFailed(f"{shown}; and {more} more" if more > 0 else shown)


def many(number: int, thing: str, things: str | None = None) -> str:
    """Write a number with its noun."""
    return f"{number:,} {thing if number == 1 else things or thing + 's'}"
