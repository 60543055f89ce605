"""The answer to "can it be done?": yes with a skeleton, or no with the reason and what would do."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from diva.lattice.signatures import from_table, take_apart
from diva.solve.decide import explain
from diva.solve.decide.signature_programme import feasible, largest_hoped_for, nearest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from diva.constraints.model import Constraint
    from diva.lattice.signatures import Signatures
    from diva.relation.engine import Table
    from diva.solve.decide.signature_programme import Skeleton


@dataclass(frozen=True, slots=True)
class Nearest:
    """Bounds that would do, for a constraint whose own don't."""

    constraint: Constraint
    low: int
    high: int | None


@dataclass(frozen=True)
class Decision:
    """Whether a table has a k-anonymous release that satisfies Σ."""

    feasible: bool
    k: int
    rows: int
    """|R|."""
    constraints: tuple[Constraint, ...]
    relevant: tuple[int, ...]
    """|I_σ| for each constraint."""
    skeleton: Skeleton | None
    """The certificate of a yes."""
    conflict: tuple[Constraint, ...]
    """A minimal part of Σ that can't be satisfied at this k; leaving any one out, the others can. Empty for a yes."""
    nearest: tuple[Nearest, ...]
    """The constraints whose bounds must move, by as little as possible in total, and where to."""
    largest_k: int
    """The largest k for which Σ can be satisfied; 0 when there is none."""
    explanation: str
    """All of it in sentences."""
    counting_seconds: float = 0.0
    programme_seconds: float = 0.0


def decide_table(table: Table, quasi: Sequence[str], k: int, constraints: Sequence[Constraint]) -> Decision:
    """Decide for a table: one counting query, then a programme whose size doesn't depend on |R|."""
    began = time.perf_counter()
    signatures = from_table(table, take_apart(constraints, quasi))
    return decide(signatures, k, counting_seconds=time.perf_counter() - began)


def decide(signatures: Signatures, k: int, *, counting_seconds: float = 0.0) -> Decision:
    """Decide for the signature counts of a table."""
    began = time.perf_counter()
    skeleton = feasible(signatures, k, rich=True)
    possible = skeleton is not None
    largest = _largest_k(signatures, k, possible=possible)
    conflict: tuple[int, ...] = ()
    moved: tuple[Nearest, ...] = ()
    if not possible and signatures.rows >= k:
        conflict = _conflict(signatures, k)
        moved = _nearest(signatures, k)
    constraints = signatures.parts.constraints
    return Decision(
        feasible=possible,
        k=k,
        rows=signatures.rows,
        constraints=constraints,
        relevant=signatures.relevant,
        skeleton=skeleton,
        conflict=tuple(constraints[c] for c in conflict),
        nearest=moved,
        largest_k=largest,
        explanation=explain.agree(signatures, k, largest)
        if possible
        else explain.explain(
            signatures, k, conflict, [(m.constraint, m.low, m.high) for m in moved], largest
        ),
        counting_seconds=counting_seconds,
        programme_seconds=time.perf_counter() - began,
    )


_FEW = 4
"""Values of k that halving settles as quickly as a guess would."""


def _conflict(signatures: Signatures, k: int) -> tuple[int, ...]:
    """Find a minimal conflicting part of Σ by the deletion filter: leave out whatever isn't needed for the no."""
    chosen = list(range(len(signatures.parts.constraints)))
    for c in tuple(chosen):
        without = [d for d in chosen if d != c]
        if feasible(signatures.restricted(without), k) is None:
            chosen = without
    return tuple(chosen)


def _nearest(signatures: Signatures, k: int) -> tuple[Nearest, ...]:
    slack = nearest(signatures, k)
    return tuple(
        Nearest(c, c.low - down, None if c.high is None else c.high + up)
        for c, (down, up) in zip(signatures.parts.constraints, slack.moves, strict=True)
        if down or up
    )


def _largest_k(signatures: Signatures, k: int, *, possible: bool) -> int:
    """Search by doubling, then from a guess, then by halving: (k+1)-anonymous is k-anonymous, so feasibility is monotone."""
    good, bad = (k, signatures.rows + 1) if possible else (0, min(k, signatures.rows + 1))
    if possible and signatures.rows == 0:
        return k
    step = 1
    while possible and good + step < bad:
        if feasible(signatures, good + step) is None:
            bad = good + step
        else:
            good += step
            step *= 2
    guess = None
    if bad - good > _FEW:
        guess = max(good + 1, largest_hoped_for(signatures, good + 1, bad - 1) or 0)
    while bad - good > 1:
        # The guess is nearly always right: then the two questions at it and above it end the search.
        middle = guess if guess is not None and good < guess < bad else (good + bad) // 2
        guess = guess + 1 if guess == middle else None
        if feasible(signatures, middle) is None:
            bad = middle
        else:
            good = middle
    return good
