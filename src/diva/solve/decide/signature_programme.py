"""The signature programme: exact (k,Σ)-feasibility as a small integer programme (DESIGN: deciding, exactly).

For every signature s and closed set T ⊆ s, z[s,T] records of s are published in the group that preserves exactly T.

    Σ_T z[s,T] = count(s)                        every record is published
    Σ_s z[s,T] = 0 or ≥ k                        the group of T is empty or large enough
    λl ≤ Σ z[s,T] over s, T that count for σ ≤ λr

Without loss: suppressing everything outside the preserved targets only merges groups, and changes no count.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

from diva.errors import BadInput
from diva.programme import INFINITY, Programme
from diva.solve.decide.closed import MAX_CLOSED, ClosedSets

if TYPE_CHECKING:
    from collections.abc import Callable

    from diva.lattice.signatures import Signatures


@dataclass(frozen=True)
class Skeleton:
    """A certificate of feasibility: how many records of each signature publish which closed set of QI targets."""

    signatures: Signatures
    quota: dict[tuple[int, int], int]
    """(signature, closed set as a mask) → number of records, positive."""

    def published(self) -> tuple[int, ...]:
        """How many records count for each constraint in the release that the skeleton describes."""
        counts = [0] * len(self.signatures.parts.constraints)
        for (s, closed), n in self.quota.items():
            for c in range(len(counts)):
                counts[c] += n * counts_for(self.signatures, c, s, closed)
        return tuple(counts)

    def proves(self, k: int) -> bool:
        """Whether this really is a (k,Σ)-anonymous release of these signatures: checked from the definition."""
        sizes: dict[int, int] = {}
        records = [0] * len(self.signatures.counts)
        for (s, closed), n in self.quota.items():
            if closed & ~self.signatures.carried[s] or n < 0:
                return False
            sizes[closed] = sizes.get(closed, 0) + n
            records[s] += n
        whole = tuple(records) == self.signatures.counts
        admitted = all(
            c.admits(n) for c, n in zip(self.signatures.parts.constraints, self.published(), strict=True)
        )
        return whole and admitted and all(n == 0 or n >= k for n in sizes.values())


@dataclass(frozen=True)
class Slack:
    """How far each constraint's bounds must move, in the cheapest way: (lower by, raise by)."""

    moves: tuple[tuple[int, int], ...]


class Whole(IntEnum):
    """What a programme keeps whole. The less it is, the quicker is a no."""

    NOTHING = 0
    GROUPS = 1
    """Groups are open or closed, records come in parts: some ten times as quick as whole records."""
    RECORDS = 2


def feasible(signatures: Signatures, k: int, *, rich: bool = False) -> Skeleton | None:
    """Find a skeleton, or prove that there is none; a rich one keeps as many targets visible as it can.

    A few closed sets per signature nearly always suffice for a yes; a relaxation over all of them nearly always
    suffices for a no; the full programme decides the rest.
    """
    if _hopeless(signatures, k):
        return None
    closed = ClosedSets(signatures.parts.quasi)
    if _solve(signatures, k, closed.few, Whole.GROUPS) is not None:
        few = _solve(signatures, k, closed.few, rich=rich)
        if few is not None:
            return few[0]
    _refuse_too_many(signatures, closed)
    for relaxation in (Whole.NOTHING, Whole.GROUPS):
        if _solve(signatures, k, closed.below, relaxation) is None:
            return None
    found = _solve(signatures, k, closed.below, rich=rich)
    return found[0] if found else None


def largest_hoped_for(signatures: Signatures, low: int, high: int) -> int | None:
    """The largest k from `low` to `high` at which records in parts could do: a guess that `feasible` must confirm.

    None where no k could do. λl ≥ 1 doesn't read as k here, so the guess may be too high; rounding may make it too low.
    """
    closed = ClosedSets(signatures.parts.quasi)
    _refuse_too_many(signatures, closed)
    programme = Programme()
    z, members, capacity = _records(programme, signatures, closed.below, Whole.GROUPS)
    k = programme.variable(low, high, cost=-1.0, whole=False)
    for t, variables in members.items():
        is_open = programme.variable(0, 1)
        ones = [(v, 1.0) for v in variables]
        programme.row([*ones, (k, -1.0), (is_open, -high)], low=-high)
        programme.row([*ones, (is_open, -low)], low=0)
        programme.row([*ones, (is_open, -capacity[t])], high=0)
    _bounds(programme, signatures, z, slack=False)
    x = programme.solve_relaxed()
    return None if x is None else min(high, int(x[k] + 1e-6))


def nearest(signatures: Signatures, k: int) -> Slack:
    """Move the bounds of Σ by as little as possible in total so that it becomes feasible; |R| ≥ k is needed."""
    closed = ClosedSets(signatures.parts.quasi)
    _refuse_too_many(signatures, closed)
    found = _solve(signatures, k, closed.below, slack=True)
    if found is None:
        raise ValueError("with movable bounds a table of k records or more always has a release")
    return found[1]


def _hopeless(signatures: Signatures, k: int) -> bool:
    """Facts that need no programme: a target on QI columns alone is published for k records or more, or for none."""
    for constraint, n, (_, condition) in zip(
        signatures.parts.constraints, signatures.relevant, signatures.parts.of, strict=True
    ):
        least = max(constraint.low, k) if constraint.low and condition is None else constraint.low
        most = n if constraint.high is None else min(n, constraint.high)
        if least > most:
            return True
    return 0 < signatures.rows < k


def _refuse_too_many(signatures: Signatures, closed: ClosedSets) -> None:
    pairs = 0
    for carried in signatures.carried:
        pairs += len(closed.below(carried))
        if pairs > MAX_CLOSED:
            raise BadInput(
                f"Σ overlaps so much that the exact question has more than {MAX_CLOSED} unknowns;"
                " decide fewer overlapping constraints at a time"
            )


def _solve(
    signatures: Signatures,
    k: int,
    closed_sets: Callable[[int], tuple[int, ...]],
    whole: Whole = Whole.RECORDS,
    *,
    slack: bool = False,
    rich: bool = False,
) -> tuple[Skeleton, Slack] | None:
    programme = Programme()
    z, members, capacity = _records(programme, signatures, closed_sets, whole, rich=rich)
    for t, variables in members.items():
        empty_or_large(programme, variables, capacity[t], k, whole)
    moves = _bounds(programme, signatures, z, slack=slack)
    x = programme.solve() if whole is Whole.RECORDS else programme.solve_relaxed()
    if x is None:
        return None
    if whole is not Whole.RECORDS:
        return Skeleton(signatures, {}), Slack(())
    quota = {key: int(x[v]) for key, v in z.items() if x[v] > 0}
    return Skeleton(signatures, quota), Slack(tuple((int(x[d]), int(x[u])) for d, u in moves))


def _records(
    programme: Programme,
    signatures: Signatures,
    closed_sets: Callable[[int], tuple[int, ...]],
    whole: Whole,
    *,
    rich: bool = False,
) -> tuple[dict[tuple[int, int], int], dict[int, list[int]], dict[int, int]]:
    """Every record is published: the variables z[s,T], those of each T, and how many records each T can have."""
    widths = {q: len(t.attributes) for q, t in enumerate(signatures.parts.quasi)}
    z: dict[tuple[int, int], int] = {}
    members: dict[int, list[int]] = {}
    capacity: dict[int, int] = {}
    for s, (carried, n) in enumerate(zip(signatures.carried, signatures.counts, strict=True)):
        for t in closed_sets(carried):
            worth = -float(sum(w for q, w in widths.items() if t >> q & 1)) if rich else 0.0
            z[s, t] = variable = programme.variable(0, n, cost=worth, whole=whole is Whole.RECORDS)
            members.setdefault(t, []).append(variable)
            capacity[t] = capacity.get(t, 0) + n
        programme.row([(z[s, t], 1) for t in closed_sets(carried)], n, n)
    return z, members, capacity


def empty_or_large(programme: Programme, variables: list[int], capacity: int, k: int, whole: Whole) -> None:
    """Add the rows that say: a group of these variables has no member, or k and more."""
    if k <= 1:
        return
    if capacity < k:
        for variable in variables:
            programme.row([(variable, 1)], 0, 0)
        return
    is_open = programme.variable(0, 1, whole=whole is not Whole.NOTHING)
    ones = [(v, 1.0) for v in variables]
    programme.row([*ones, (is_open, -k)], low=0)
    programme.row([*ones, (is_open, -capacity)], high=0)


def _bounds(
    programme: Programme, signatures: Signatures, z: dict[tuple[int, int], int], *, slack: bool
) -> list[tuple[int, int]]:
    moves = []
    for c, constraint in enumerate(signatures.parts.constraints):
        terms = [(v, 1.0) for (s, t), v in z.items() if counts_for(signatures, c, s, t)]
        high = INFINITY if constraint.high is None else constraint.high
        if slack:
            down = programme.variable(0, constraint.low, cost=1)
            up = programme.variable(
                0, max(0, signatures.relevant[c] - min(high, signatures.relevant[c])), cost=1
            )
            moves.append((down, up))
            programme.row([*terms, (down, 1)], low=constraint.low)
            programme.row([*terms, (up, -1)], high=high)
        else:
            programme.row(terms, constraint.low, high)
    return moves


def counts_for(signatures: Signatures, constraint: int, signature: int, closed: int) -> bool:
    """Whether records of a signature count for σ when a closed set is what they publish."""
    quasi = signatures.parts.of[constraint][0]
    return signatures.meets(constraint, signature) and (quasi is None or bool(closed >> quasi & 1))
