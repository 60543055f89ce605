"""A diversity constraint σ = (X[t], λl, λr), as a value (the paper's Definition 4)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from diva.errors import BadInput
from diva.relation.names import quote

MAX_BOUND = 10**12
"""Larger bounds are refused: the integer programmes count in doubles, which are exact far beyond this."""


@dataclass(frozen=True, eq=False)
class Target:
    """X[t]: attributes X and the value each must have. Equal to a target that lists the same pairs in another order."""

    attributes: tuple[str, ...]
    """X, in the order it was written; the empty tuple is carried by every record."""
    values: tuple[str, ...]
    """t, one text per attribute."""

    def __post_init__(self) -> None:
        for texts in (self.attributes, self.values):
            if not isinstance(texts, tuple) or not all(isinstance(text, str) for text in texts):
                raise BadInput(f"a target is made of two tuples of texts, and {texts!r} is not one")
        if len(self.attributes) != len(self.values):
            raise BadInput(
                f"target {list(self.attributes)} names {len(self.attributes)} columns but {len(self.values)} values"
            )
        for attribute in self.attributes:
            if not attribute:
                raise BadInput("a target names a column without a name; write it as in ETH[Asian]")
            if self.attributes.count(attribute) > 1:
                raise BadInput(
                    f"target names column {attribute!r} twice; each column can have only one value"
                )

    @cached_property
    def items(self) -> frozenset[tuple[str, str]]:
        """The (attribute, value) pairs, without order."""
        return frozenset(zip(self.attributes, self.values, strict=True))

    @cached_property
    def mapping(self) -> dict[str, str]:
        """The value that each attribute must have."""
        return dict(zip(self.attributes, self.values, strict=True))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Target) and self.items == other.items

    def __hash__(self) -> int:
        return hash(self.items)

    def contains(self, other: Target) -> bool:
        """Whether every record that carries this target carries `other` too (X'[t'] ⊆ X[t])."""
        return other.items <= self.items

    def contradicts(self, other: Target) -> bool:
        """Whether no record can carry both: they want different values of one attribute."""
        return any(other.mapping.get(a, v) != v for a, v in self.items)

    def only(self, attributes: frozenset[str]) -> Target:
        """Return the part of this target that speaks of `attributes`."""
        kept = [(a, v) for a, v in zip(self.attributes, self.values, strict=True) if a in attributes]
        return Target(tuple(a for a, _ in kept), tuple(v for _, v in kept))

    def without(self, attributes: frozenset[str]) -> Target:
        """Return the part of this target that speaks of other attributes."""
        return self.only(frozenset(self.attributes) - attributes)

    @cached_property
    def text(self) -> str:
        """The target as users write it: `A,B[a,b]`."""
        return f"{','.join(map(quote, self.attributes))}[{','.join(map(quote, self.values))}]"


@dataclass(frozen=True)
class Constraint:
    """σ: at least `low` and at most `high` published records carry `target`."""

    target: Target
    low: int = 0
    high: int | None = None
    """λr; None is unbounded."""

    def __post_init__(self) -> None:
        for bound in (self.low, self.high):
            if bound is not None and (isinstance(bound, bool) or not isinstance(bound, int)):
                raise BadInput(f"bound {bound!r} of {self.target.text} is not a whole number")
            if bound is not None and not 0 <= bound <= MAX_BOUND:
                raise BadInput(f"bound {bound} of {self.target.text} must lie between 0 and {MAX_BOUND}")
        if not self.target.attributes:
            raise BadInput("a constraint needs at least one column in its target, as in ETH[Asian] in 2..5")
        if self.high is not None and self.high < self.low:
            raise BadInput(f"{self.text}: the lower bound {self.low} is above the upper bound {self.high}")

    @cached_property
    def range_text(self) -> str:
        """[λl, λr] as users write it: `2..5`, `2..` or `2`."""
        if self.high == self.low:
            return str(self.low)
        return f"{self.low}..{'' if self.high is None else self.high}"

    @cached_property
    def text(self) -> str:
        """The constraint as users write it: `A[a] in 2..5`."""
        return f"{self.target.text} in {self.range_text}"

    def admits(self, count: int) -> bool:
        """Whether `count` lies in [λl, λr]."""
        return self.low <= count and (self.high is None or count <= self.high)

    def __str__(self) -> str:
        return self.text
