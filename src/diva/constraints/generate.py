"""Generators of Σ: the paper's classes minimum, average and proportion, and `share` (its Section "Experiments").

U = |R| − |Π_QI(R)| estimates how many records are published, d is the number of values of the target attributes.
Where the paper leaves something open:

* U ≤ 0 counts as 0, and U = d as U ≥ d with nothing left over.
* The *w* of the class average is Σ λr, and the text adds w to a constraint when w < U. That would exceed U; what is
  meant, and done here, is the remainder U − w, as in the class minimum.
* "A random constraint with freq(a) ≥ λr' + w" may not exist. The bounds then stay as they are.
* NULL is the target of nothing: values with a NULL among them get no constraint and don't count in d.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import ceil, floor
from typing import TYPE_CHECKING

from diva.constraints.model import Constraint, Target
from diva.errors import BadInput

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True)
class Frequencies:
    """How often each combination of values of the target attributes occurs in R."""

    attributes: tuple[str, ...]
    """A, or X: the target attributes."""
    counts: tuple[tuple[tuple[str | None, ...], int], ...]
    """freq(a): each combination of values in R with the number of its records; None is NULL."""
    rows: int
    """|R|."""
    types: int
    """|Π_QI(R)|: the number of types."""

    def __post_init__(self) -> None:
        name = ",".join(self.attributes)
        if len({values for values, _ in self.counts}) < len(self.counts):
            raise BadInput(f"the frequencies of {name} list a combination of values twice")
        if any(frequency < 1 for _, frequency in self.counts):
            raise BadInput(f"the frequencies of {name} list a combination of values that doesn't occur")
        if sum(frequency for _, frequency in self.counts) > self.rows:
            raise BadInput(f"the frequencies of {name} add up to more than the {self.rows} rows of the table")

    @cached_property
    def targets(self) -> tuple[tuple[Target, int], ...]:
        """Each target without NULL with its frequency, sorted by values."""
        known = [(tuple(v for v in values if v is not None), freq) for values, freq in self.counts]
        whole = sorted((values, freq) for values, freq in known if len(values) == len(self.attributes))
        return tuple((Target(self.attributes, values), freq) for values, freq in whole)

    @property
    def published(self) -> int:
        """U: the estimated number of published records, at least 0."""
        return max(self.rows - self.types, 0)


@dataclass(frozen=True, slots=True)
class Choices:
    """What a generator may draw on besides the frequencies."""

    random: np.random.Generator
    """The source of all random choices."""
    percent: Fraction = Fraction(5)
    """p of the class share."""

    def __post_init__(self) -> None:
        if self.percent < 0:
            raise BadInput(f"a share of ±{self.percent} % is negative; write 0 or more")


Generator = Callable[[Frequencies, Choices], tuple[Constraint, ...]]


def minimum(frequencies: Frequencies, choices: Choices) -> tuple[Constraint, ...]:
    """Cover as many values as possible: one record of each if U ≥ d, of U random ones otherwise."""
    targets = frequencies.targets
    published = frequencies.published
    if published >= len(targets):
        sigma_set = [Constraint(target, 1, 1) for target, _ in targets]
        return _with_remainder(sigma_set, frequencies, published - len(targets), choices)
    covered = set(choices.random.permutation(len(targets))[:published].tolist())
    bounds = [int(i in covered) for i in range(len(targets))]
    return tuple(Constraint(target, n, n) for (target, _), n in zip(targets, bounds, strict=True))


def average(frequencies: Frequencies, choices: Choices) -> tuple[Constraint, ...]:
    """Ask for equally many records of every value: U/d, rounded down and up and capped by freq(a)."""
    number = len(frequencies.targets)
    published = frequencies.published
    if published < number or not number:
        return minimum(frequencies, choices)
    low, high = published // number, -(-published // number)
    sigma_set = [Constraint(target, min(low, freq), min(high, freq)) for target, freq in frequencies.targets]
    assigned = sum(min(high, freq) for _, freq in frequencies.targets)
    return _with_remainder(sigma_set, frequencies, max(published - assigned, 0), choices)


def proportion(frequencies: Frequencies, choices: Choices) -> tuple[Constraint, ...]:
    """Ask for the same proportion of every value: U·freq(a)/|R|, rounded down and up."""
    published = frequencies.published
    if published < len(frequencies.targets):
        return minimum(frequencies, choices)
    shares = [(target, Fraction(published * freq, frequencies.rows)) for target, freq in frequencies.targets]
    return tuple(Constraint(target, floor(part), ceil(part)) for target, part in shares)


def share(frequencies: Frequencies, choices: Choices) -> tuple[Constraint, ...]:
    """Keep each value's published count within ±p % of freq(a), rounded inwards; computed in fractions."""
    part = choices.percent / 100
    return tuple(
        Constraint(target, max(ceil(freq * (1 - part)), 0), floor(freq * (1 + part)))
        for target, freq in frequencies.targets
    )


def _with_remainder(
    sigma_set: list[Constraint], frequencies: Frequencies, remainder: int, choices: Choices
) -> tuple[Constraint, ...]:
    """Raise λr of a random constraint by the remainder, among those with freq(a) ≥ λr + remainder, if there are any."""
    bounded = zip(sigma_set, frequencies.targets, strict=True)
    roomy = [i for i, (sigma, (_, freq)) in enumerate(bounded) if freq >= (sigma.high or 0) + remainder]
    if remainder and roomy:
        chosen = roomy[int(choices.random.integers(len(roomy)))]
        sigma = sigma_set[chosen]
        sigma_set[chosen] = replace(sigma, high=(sigma.high or 0) + remainder)
    return tuple(sigma_set)


GENERATORS: dict[str, Generator] = {
    "minimum": minimum,
    "average": average,
    "proportion": proportion,
    "share": share,
}
"""The classes by the name a user gives."""
