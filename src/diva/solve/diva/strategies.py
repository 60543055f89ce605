"""Selection strategies (Section 4.2): which vertex is coloured next.

A strategy is a function from a `View` and a source of randomness to an uncoloured vertex. `naive` also takes candidates
as they come and never looks ahead; under any other strategy, also one of a user's own, they are tried in ascending
order of overlap, and those of neighbours that a colour rules out are dropped.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np


class View(NamedTuple):
    """What a strategy may look at."""

    uncoloured: tuple[int, ...]
    """The vertices to choose from, at least one; a vertex is the number of its constraint in Σ, from 0."""
    candidates: dict[int, float]
    """How many candidate clusterings each of them has left, as a logarithm; −∞ where there is none."""
    unvisited: dict[int, int]
    """How many edges to uncoloured neighbours each of them has."""


Strategy = Callable[[View, "np.random.Generator"], int]


def naive(view: View, random: np.random.Generator) -> int:
    """Any vertex."""
    return _any(view.uncoloured, random)


def min_choice(view: View, random: np.random.Generator) -> int:
    """A vertex with the fewest candidate clusterings."""
    least = min(view.candidates[v] for v in view.uncoloured)
    return _any([v for v in view.uncoloured if view.candidates[v] == least], random)


def max_fanout(view: View, random: np.random.Generator) -> int:
    """A vertex with the most unvisited edges."""
    most = max(view.unvisited[v] for v in view.uncoloured)
    return _any([v for v in view.uncoloured if view.unvisited[v] == most], random)


def _any(vertices: tuple[int, ...] | list[int], random: np.random.Generator) -> int:
    return vertices[int(random.integers(len(vertices)))]


STRATEGIES: dict[str, Strategy] = {"naive": naive, "min-choice": min_choice, "max-fanout": max_fanout}
