"""Signatures: which sets of targets one record can carry, whatever the relation."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

from diva.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from diva.constraints.model import Target

    Domains = Mapping[str, Collection[str]]
    """Declared domains: every value that a column can take. A column that isn't declared can take any, or be NULL."""

SIGNATURE_LIMIT = 200_000
"""More signatures than this are refused: their number can double with every target."""


def realisable(
    targets: Sequence[Target], domains: Domains | None = None, *, limit: int = SIGNATURE_LIMIT
) -> list[int]:
    """Return every set of targets that one record can carry exactly; bit i stands for `targets[i]`. Ascending."""
    return list(examples(targets, domains, limit=limit))


def examples(
    targets: Sequence[Target], domains: Domains | None = None, *, limit: int = SIGNATURE_LIMIT
) -> dict[int, dict[str, str]]:
    """Return every realisable signature with one record that has it, over the attributes of the targets.

    Goes through the attributes and keeps the sets of targets not yet contradicted: a record carries a target
    exactly if no attribute contradicts it, so the sets left at the end are the signatures. The time is the
    number of sets kept times the number of values.
    """
    attributes = list(dict.fromkeys(a for target in targets for a in target.attributes))
    records: dict[int, tuple[str, ...]] = {(1 << len(targets)) - 1: ()}
    for attribute in attributes:
        choices = list(_choices(attribute, targets, domains or {}))
        extended: dict[int, tuple[str, ...]] = {}
        for signature, record in records.items():
            for value, kept in choices:
                extended.setdefault(signature & kept, (*record, value))
            if len(extended) > limit:
                raise BadInput(_too_many(len(targets), limit))
        records = extended
    return {s: dict(zip(attributes, records[s], strict=True)) for s in sorted(records)}


def components(targets: Sequence[Target]) -> list[list[Target]]:
    """Split targets into groups that share no attribute, so that a record's signature in one says nothing of others.

    Keeps the order of the targets.
    """
    parts: list[tuple[set[str], list[int]]] = []
    for number, target in enumerate(targets):
        attributes, members = set(target.attributes), [number]
        apart = []
        for part in parts:
            if part[0].isdisjoint(attributes):
                apart.append(part)
            else:
                attributes |= part[0]
                members += part[1]
        parts = [*apart, (attributes, sorted(members))]
    return [[targets[i] for i in members] for members in sorted(members for _, members in parts)]


def check_domains(domains: Domains | None) -> None:
    """Refuse domains that can't be meant: a text instead of a list, an empty list, values that aren't texts."""
    for attribute, values in (domains or {}).items():
        if isinstance(values, str):
            raise BadInput(f"the domain of column {attribute!r} is one text; write a list of its values")
        if not values:
            raise BadInput(
                f"the domain of column {attribute!r} is empty; list its values or leave it undeclared"
            )
        for value in values:
            if not isinstance(value, str):
                raise BadInput(
                    f"the domain of column {attribute!r} has {value!r}, which is not a text; quote it"
                )


def _choices(attribute: str, targets: Sequence[Target], domains: Domains) -> Iterator[tuple[str, int]]:
    """Yield the values worth trying, each with the targets that it doesn't contradict; "other" comes first."""
    mentioned = {t.mapping[attribute]: 0 for t in targets if attribute in t.mapping}
    indifferent = 0
    for bit, target in enumerate(targets):
        if attribute in target.mapping:
            mentioned[target.mapping[attribute]] |= 1 << bit
        else:
            indifferent |= 1 << bit
    other = _other(mentioned, domains.get(attribute))
    if other is not None:
        yield other, indifferent
    for value, agreeing in mentioned.items():
        if attribute not in domains or value in domains[attribute]:
            yield value, indifferent | agreeing


def _other(mentioned: Collection[str], domain: Collection[str] | None) -> str | None:
    """Return a value that no target mentions, or None when the domain has none."""
    if domain is not None:
        return min((value for value in domain if value not in mentioned), default=None)
    fresh = ("other" if n == 1 else f"other {n}" for n in count(1))
    return next(value for value in fresh if value not in mentioned)


def _too_many(targets: int, limit: int) -> str:
    return (
        f"one record can carry the {targets} overlapping targets in more than {limit} combinations, too many for an"
        " exact answer; use fewer constraints that share columns, or the axioms (method axioms)"
    )
