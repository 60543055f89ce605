"""How hard to search, and who is told."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from diva.solve.anonymizers import Name
    from diva.solve.anonymizers.mondrian import Split
    from diva.solve.diva.strategies import Strategy
    from diva.solve.parts.part import Part, Solved

Effort = Literal["quick", "standard", "best"]
BEST_SECONDS = 60.0
"""The time that `best` takes where no limit is given."""


@dataclass(frozen=True, slots=True)
class Baseline:
    """An algorithm that doesn't know Σ."""

    name: Name
    split: Split = "span"
    """How Mondrian chooses the attribute to split."""


@dataclass(frozen=True, slots=True)
class Colouring:
    """The paper's algorithm."""

    strategy: str | Strategy = "max-fanout"
    """Which vertex is coloured next: a name of `solve.diva.strategies`, or a function like those there."""
    anonymizer: Name = "k-member"
    """Who anonymises the rows that are in no cluster."""
    split: Split = "span"
    """How Mondrian chooses the attribute to split."""
    budget: int = 2_000
    """How many candidate clusterings the colouring of a component may try."""
    workers: int = 1
    """How many processes colour components."""


@dataclass(frozen=True, slots=True)
class Search:
    """How to search."""

    effort: Effort = "standard"
    """quick: one greedy pass; standard: improved until nothing local helps; best: until proven optimal or out of time."""
    time_limit: float | None = None
    """Seconds after which the search returns the best it has."""
    seed: int = 0
    weights: Mapping[str, float] = field(default_factory=dict)
    """What a star costs in a column; 1 where not given."""
    progress: Callable[[float, float], None] | None = None
    """Called with the stars so far and the bound, now and then."""
    stop: Callable[[], bool] | None = None
    """Asked now and then whether to return the best so far."""
    threads: int | None = None
    """How many walks and regions `best` works on at a time; all cores where not given."""
    baseline: Baseline | None = None
    """Who works instead of the search."""
    colouring: Colouring | None = None
    """How the paper's algorithm works, where it does instead of the search."""
    parts: int | None = None
    """Into how many parts to cut the types; None cuts where there are more than one search should take, 1 never does."""
    workers: int | None = None
    """Processes that solve parts; None is as many as there are processors. The answer is the same."""
    solved: Callable[[int, int], None] | None = None
    """Called with how many parts are done, of how many, where they are solved by processes on this machine."""
    elsewhere: Callable[[Sequence[Part]], Sequence[Solved]] | None = None
    """Who solves the parts instead of processes on this machine, and answers in their order: `diva.solve.parts.part`."""
    certify: bool = True
    """Whether a bound is wanted where the search doesn't find one on its way."""
