"""A decision in sentences that a data steward understands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from diva.constraints.model import Constraint

if TYPE_CHECKING:
    from collections.abc import Sequence

    from diva.lattice.signatures import Signatures

Moved = tuple[Constraint, int, int | None]


def explain(
    signatures: Signatures,
    k: int,
    conflict: Sequence[int],
    moved: Sequence[Moved],
    largest_k: int,
) -> str:
    """Say why it can't be done and what would do."""
    if signatures.rows < k:
        return f"k={k} needs at least {k} records, and the table has {signatures.rows}; choose a k of at most {signatures.rows}."
    return f"{_reason(signatures, k, conflict)} {_remedy(moved, largest_k)}"


def agree(signatures: Signatures, k: int, largest_k: int) -> str:
    """Say that it can be done, and up to which k."""
    many = len(signatures.parts.constraints)
    what = {0: "A release exists", 1: "The constraint can be satisfied"}.get(
        many, f"All {many} constraints can be satisfied together"
    )
    more = f"; the largest k that would do is {largest_k}" if largest_k > k else "; no larger k would do"
    return f"{what} at k={k}{more}."


def _reason(signatures: Signatures, k: int, conflict: Sequence[int]) -> str:
    constraints = [signatures.parts.constraints[c] for c in conflict]
    if len(conflict) == 1:
        return _alone(constraints[0], signatures.relevant[conflict[0]], k, signatures.parts.of[conflict[0]])
    wants = _listed([_want(c) for c in constraints])
    both = "cannot both" if len(constraints) == 2 else "cannot all"
    together = _together(signatures, k, conflict)
    if together:
        return f"{wants} {both} hold at k={k}: {together}"
    facts = ", ".join(
        f"{signatures.relevant[c]} carry {constraint.target.text}"
        for c, constraint in zip(conflict, constraints, strict=True)
    )
    return f"{wants} {both} hold at k={k}: of the {signatures.rows} records {facts}, and any one of these constraints left out, the others can hold."


def _alone(constraint: Constraint, relevant: int, k: int, parts: tuple[int | None, int | None]) -> str:
    target = constraint.target.text
    records = (
        "no record carries it"
        if not relevant
        else f"only {_records(relevant)} it"
        if relevant < max(constraint.low, k)
        else f"{_records(relevant)} it"
    )
    if relevant < constraint.low:
        return f"{constraint.text} cannot hold: {records}."
    if parts[0] is None:
        return f"{constraint.text} cannot hold: {records}, and none of its columns is ever suppressed."
    if relevant < k and constraint.low:
        return f"{constraint.text} cannot hold at k={k}: {records}, and {target} can be published for {k} records or more, or for none."
    return f"{constraint.text} cannot hold at k={k}: {records}, and no choice of groups of {k} or more publishes a number in these bounds."


def _together(signatures: Signatures, k: int, conflict: Sequence[int]) -> str:
    """Two lower bounds or more that no group can serve together need more records than there are."""
    constraints = [signatures.parts.constraints[c] for c in conflict]
    if any(signatures.parts.of[c][1] is not None for c in conflict) or not all(c.low for c in constraints):
        return ""
    shared = union = 0
    for s, n in enumerate(signatures.counts):
        carried = sum(signatures.carries(c, s) for c in conflict)
        union += n if carried else 0
        shared += n if carried > 1 else 0
    need = sum(max(c.low, k) for c in constraints)
    if shared >= k or need <= union:
        return ""
    return f"together they need {need} records, and only {union} carry {'either value' if len(conflict) == 2 else 'any of the values'}."


def _remedy(moved: Sequence[Moved], largest_k: int) -> str:
    texts = [Constraint(c.target, low, high).text for c, low, high in moved]
    ways = [f"{_listed(texts)} would do"] if texts else []
    if largest_k:
        ways.append(f"so would k={largest_k}" if ways else f"k={largest_k} would do")
    elif texts:
        ways.append("no k would do with the bounds as they are")
    return "; ".join(ways) + "." if ways else ""


def _want(constraint: Constraint) -> str:
    target, low, high = constraint.target.text, constraint.low, constraint.high
    if low and high is None:
        return f"{target} ≥ {low}"
    if not low and high is not None:
        return f"{target} ≤ {high}"
    return constraint.text


def _records(n: int) -> str:
    return "1 record carries" if n == 1 else f"{n} records carry"


def _listed(texts: Sequence[str]) -> str:
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}"
