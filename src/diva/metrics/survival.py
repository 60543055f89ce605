"""Who pays: which values survive publication, and whose records are starred most.

Each figure says what it needs, for not everything can be seen in a release:

* `survival` needs the original's counts and the release's.
* `star_rates` groups people by who they *were*, which a star hides. It needs the original's types and the plan.
* `star_rates_by_condition` groups by non-QI columns, which are published as they are, so the release alone will do.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from diva.errors import BadInput
from diva.metrics.classes import positions, starred_cells, totals
from diva.relation.names import shown
from diva.relation.types import distinct_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from diva.metrics.classes import Classes
    from diva.relation.engine import Fragments
    from diva.relation.types import Types


@dataclass(frozen=True, slots=True)
class Survival:
    """What became of one value of a QI attribute."""

    attribute: str
    """The QI attribute."""
    value: str | None
    """One of its values in the original; None is NULL."""
    before: int
    """How many records had it; at least 1."""
    published: int
    """How many still show it."""

    @property
    def share(self) -> float:
        """The share of them that survives: published / before."""
        return self.published / self.before


@dataclass(frozen=True, slots=True)
class Subgroup:
    """What publication cost the records of one subgroup."""

    attributes: tuple[str, ...]
    """The columns that define the subgroup."""
    values: tuple[str | None, ...]
    """What its records have there in the original; None is NULL."""
    records: int
    """How many records it has; at least 1 unless a condition is met by none."""
    stars: int
    """How many of their QI cells are suppressed."""
    cells: int
    """How many QI cells they have."""

    @property
    def per_record(self) -> float:
        """Stars per record; 0 without records."""
        return self.stars / self.records if self.records else 0.0

    @property
    def rate(self) -> float:
        """The share of their QI cells that are suppressed; 0 without records."""
        return self.stars / self.cells if self.cells else 0.0


def survival(original: Types, classes: Classes) -> tuple[Survival, ...]:
    """Of every value of every QI attribute of R, how many records had it and how many still show it in R'.

    By attribute and value in the order of the original. A release that isn't a suppression of the original is
    refused: then no share would mean anything.
    """
    if set(original.attributes) != set(classes.attributes) or original.rows != classes.rows:
        raise BadInput(
            f"the release has {_size(classes.types)} and the original {_size(original)};"
            " to tell what survived, both must have the same records and quasi-identifiers"
        )
    entries: list[Survival] = []
    for attribute in original.attributes:
        before, after = value_counts(original, attribute), value_counts(classes.types, attribute)
        _check_suppression(attribute, before, after, classes.star)
        entries += [Survival(attribute, value, n, after.get(value, 0)) for value, n in before.items()]
    return tuple(entries)


def value_counts(types: Types, attribute: str) -> dict[str | None, int]:
    """How many records have each value of an attribute, in the order of the values; only values that occur."""
    column = types.attributes.index(attribute)
    texts = types.values[column]
    sums = totals(types.codes[:, column], types.counts, len(texts))
    return {text: n for text, n in zip(texts, sums.tolist(), strict=True) if n}


def star_rates(original: Types, plan: Fragments, attributes: Sequence[str]) -> tuple[Subgroup, ...]:
    """For every combination of values of some QI attributes in R, what the plan costs the records that have it.

    A subgroup is defined by the values its records had in the original, whether they are published or not; this
    is why it takes the plan and not the release. Subgroups are in the order of their values; no attributes make
    one subgroup of all records.
    """
    _check_plan(original, plan)
    columns = positions(original.attributes, attributes, "subgroups")
    some = np.flatnonzero(original.counts)
    first, number = distinct_rows(original.codes[some][:, columns])
    records = totals(number, original.counts[some], len(first))
    lost = totals(plan.type, plan.count * (plan.levels > 0).sum(axis=1, dtype=np.int64), len(original))
    stars = totals(number, lost[some], len(first))
    width = len(original.attributes)
    return tuple(
        Subgroup(tuple(attributes), _values(original, some[row], columns), n, s, n * width)
        for row, n, s in zip(first, records.tolist(), stars.tolist(), strict=True)
    )


def star_rates_by_condition(published: Types, *, star: str | None = "*") -> tuple[Subgroup, ...]:
    """For every condition that the release's types are split by, what publication cost the records that meet it.

    Conditions speak of non-QI columns. Those are published as they are, so who meets one can be seen in the release.
    """
    lost = published.counts * starred_cells(published, star).sum(axis=1, dtype=np.int64)
    subgroups: list[Subgroup] = []
    for target, met in zip(published.conditions, published.met.T, strict=True):
        hidden = [attribute for attribute in target.attributes if attribute in published.attributes]
        if hidden:
            raise BadInput(
                f"the condition {target.text} names the quasi-identifier {shown(hidden[0])}, which may be suppressed;"
                " a subgroup can be seen in a release by other columns only"
            )
        records = int(published.counts[met].sum())
        cells = records * len(published.attributes)
        subgroups.append(Subgroup(target.attributes, target.values, records, int(lost[met].sum()), cells))
    return tuple(subgroups)


def _size(types: Types) -> str:
    return f"{types.rows} records with {', '.join(map(shown, types.attributes))}"


def _check_suppression(
    attribute: str, before: dict[str | None, int], after: dict[str | None, int], star: str | None
) -> None:
    """Values may only turn into stars, and a star must not look like a value."""
    if star in before:
        marker = "NULL" if star is None else shown(star)
        raise BadInput(
            f"column {shown(attribute)} of the original has {marker} as a value, so in the release it can't be told"
            " from a suppressed cell; name the release's star"
        )
    for value, n in after.items():
        if value != star and n > before.get(value, 0):
            text = "NULL" if value is None else shown(value)
            raise BadInput(
                f"column {shown(attribute)} has {text} {n} times in the release and {before.get(value, 0)} times in"
                " the original; either these don't belong together or that is the release's star: name it"
            )


def _check_plan(original: Types, plan: Fragments) -> None:
    """Refuse a plan that doesn't publish every record of these types once, with a level for every QI attribute."""
    fits = plan.levels.shape == (len(plan), len(original.attributes))
    fits = fits and not ((plan.type < 0) | (plan.type >= len(original)) | (plan.count < 0)).any()
    if not fits or (totals(plan.type, plan.count, len(original)) != original.counts).any():
        raise BadInput(
            "the plan doesn't publish every record of the original once; it was made for another table"
        )


def _values(types: Types, row: np.intp, columns: Sequence[int]) -> tuple[str | None, ...]:
    return tuple(types.values[column][types.codes[row, column]] for column in columns)
