"""Σ as users write it: `TARGET in RANGE`, as in `ETH[Asian] in 2..5` or `GEN,ETH[Female,Asian] in 3..`."""

from __future__ import annotations

import re
from collections.abc import Iterable

from diva.constraints.model import MAX_BOUND, Constraint, Target
from diva.errors import BadInput
from diva.relation.names import Scanner, shown

_IN = re.compile(r"\s+in\s+(\S.*)", re.DOTALL)
_RANGE = re.compile(r"(?P<low>[^.\s]*)\s*(?P<dots>\.\.)?\s*(?P<high>[^.\s]*)")
_DIGITS = re.compile(r"0*([0-9]+)")
_EXAMPLE = "write it as in ETH[Asian] in 2..5"


def parse(text: str) -> Constraint:
    """Read one constraint; the exact reverse of `Constraint.text`.

    RANGE is `l..r`, `l..`, `..r` or `n`. Values are texts: NULL is the target of no constraint, and `A[""]` is
    the empty text. Linear in the length of the text.
    """
    subject = f"constraint {shown(text)}"
    if not text.strip():
        raise BadInput(f"{subject} is empty; {_EXAMPLE}")
    if not is_unicode(text):
        raise BadInput(f"{subject} is not valid Unicode; write it in UTF-8")
    target, end = _target(text, subject)
    match = _IN.fullmatch(text, end)
    if match is None:
        raise BadInput(f"{subject}: ' in ' and a range must follow the target; {_EXAMPLE}")
    low, high = _range(match[1].strip(), subject)
    return Constraint(target, low, high)


def is_unicode(text: str) -> bool:
    """Whether `text` can be written to a file: half of a surrogate pair can't."""
    return not any("\ud800" <= c <= "\udfff" for c in text)


def _target(text: str, subject: str) -> tuple[Target, int]:
    scanner = Scanner(text, subject)
    attributes, end = scanner.items(0, stops=",[]", close="[")
    values, end = scanner.items(end, stops=",[]", close="]")
    if len(attributes) != len(values):
        raise BadInput(
            f"{subject}: the target has {_number(attributes, 'column')} but {_number(values, 'value')};"
            " write one value for each column"
        )
    try:
        return Target(attributes, values), end
    except BadInput as error:
        raise BadInput(f"{subject}: {error}") from None


def _range(text: str, subject: str) -> tuple[int, int | None]:
    match = _RANGE.fullmatch(text)
    if match is None or not (match["low"] or match["high"]) or (match["high"] and not match["dots"]):
        raise BadInput(f"{subject}: {shown(text)} is not a range; write 2..5, 2.., ..5 or 3")
    low = _bound(match["low"], subject) if match["low"] else 0
    if not match["dots"]:
        return low, low
    high = _bound(match["high"], subject) if match["high"] else None
    if high is not None and high < low:
        raise BadInput(
            f"{subject}: the lower bound {low} is above the upper bound {high}; swap or change them"
        )
    return low, high


def _bound(text: str, subject: str) -> int:
    match = _DIGITS.fullmatch(text)
    if match is None:
        negative = text.startswith("-") and _DIGITS.fullmatch(text[1:])
        what = "negative; a bound is 0 or more" if negative else "not a whole number; write digits only"
        raise BadInput(f"{subject}: bound {shown(text)} is {what}")
    if len(match[1]) > len(str(MAX_BOUND)) or int(match[1]) > MAX_BOUND:
        raise BadInput(f"{subject}: bound {shown(text)} is too large; write at most {MAX_BOUND}")
    return int(match[1])


def _number(items: tuple[str, ...], noun: str) -> str:
    return f"{len(items)} {noun}{'' if len(items) == 1 else 's'}"


def as_constraints(constraints: Iterable[str | Constraint]) -> tuple[Constraint, ...]:
    """Read those constraints that are still text."""
    if isinstance(constraints, str) or not isinstance(constraints, Iterable):
        raise BadInput(f"constraints {shown(str(constraints))} must be a list, as in ['ETH[Asian] in 2..5']")
    return tuple(map(_as_constraint, constraints))


def _as_constraint(constraint: object) -> Constraint:
    if isinstance(constraint, Constraint):
        return constraint
    if isinstance(constraint, str):
        return parse(constraint)
    raise BadInput(f"constraint {shown(str(constraint))} must be a text or a diva.Constraint; {_EXAMPLE}")
