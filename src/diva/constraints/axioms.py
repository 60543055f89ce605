"""The paper's axioms and Algorithm *Implies* (its Section "Implication and Axiomatization"), corrected.

Errata of the paper, which this module corrects:

1. Algorithm *Implies* swaps the bounds of axioms 2 and 3. A constraint on *fewer* attributes (X' ⊂ X, t' ⊂ t)
   bounds the count of X[t] from above: only its λr' carries over. One on *more* attributes bounds it from below.
2. Example "imply" concludes from [5,8] ⊆ [4,10] that Σ ⊨ σ. The test is δ ⊆ [λl,λr]: [4,10] ⊄ [5,8], and the
   answer is no.
3. Axiom 4 is stated for any range inside the intersection of two; sound is any range that contains it.
4. The axioms are sound but not complete: (A,B)[a,b] ≥ 3 and (A,B)[a,c] ≥ 3 imply A[a] ≥ 6, since disjoint
   specialisations add up. `diva.constraints.exact` answers exactly.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from diva.constraints.model import Constraint, Target


@dataclass(frozen=True, slots=True)
class Range:
    """δ = [low, high]: the counts that are still possible; empty when low > high."""

    low: int = 0
    """The smallest possible count."""
    high: int | None = None
    """The largest possible count; None is unbounded."""

    @property
    def empty(self) -> bool:
        """Whether no count is possible: the false constraint φ."""
        return self.high is not None and self.high < self.low

    def __and__(self, other: Range) -> Range:
        highs = [high for high in (self.high, other.high) if high is not None]
        return Range(max(self.low, other.low), min(highs, default=None))

    def __le__(self, other: Range) -> bool:
        """Whether every count of this range lies in `other` (self ⊆ other)."""
        below = other.high is None or (self.high is not None and self.high <= other.high)
        return self.empty or (self.low >= other.low and below)

    def __contains__(self, count: int) -> bool:
        return self.low <= count and (self.high is None or count <= self.high)


def bounds(sigma: Constraint) -> Range:
    """Return [λl, λr] of a constraint."""
    return Range(sigma.low, sigma.high)


def derived(sigma_set: Iterable[Constraint], target: Target) -> Range:
    """Return δ: the range that the axioms derive from Σ for the count of `target`; linear in |Σ|."""
    delta = Range()
    for sigma in sigma_set:
        if sigma.target.contains(target):  # X[t] ⊆ X'[t']: axiom 3, or axiom 1 when they are equal
            delta &= Range(sigma.low)
        if target.contains(sigma.target):  # X'[t'] ⊆ X[t]: axiom 2, or axiom 1 when they are equal
            delta &= Range(0, sigma.high)
    return delta


def implies(sigma_set: Iterable[Constraint], sigma: Constraint) -> bool:
    """Whether the axioms derive σ from Σ (Algorithm *Implies*, errata corrected); linear in |Σ|.

    True is always right; False may be wrong (erratum 4). An unsatisfiable Σ implies everything, and the axioms
    see that where δ is empty.
    """
    return derived(sigma_set, sigma.target) <= bounds(sigma)


def conflict(sigma_set: Sequence[Constraint]) -> tuple[Constraint, Constraint] | None:
    """Return two constraints that contradict each other by the axioms, or None, which proves nothing (erratum 4).

    The first, on more attributes, wants more records than the second, on fewer, allows. Quadratic in |Σ|.
    """
    for sigma in sigma_set:
        for other in sigma_set:
            if sigma.target.contains(other.target) and (bounds(other) & Range(sigma.low)).empty:
                return sigma, other
    return None
