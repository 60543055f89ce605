"""What the runs of a point have in common: the relation and Σ, made once for each repetition."""

from __future__ import annotations

import zlib
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from diva.constraints.model import Constraint, Target
from diva.datasets import popsyn
from diva.experiments import relations, targets
from diva.experiments.relations import SOURCES
from diva.experiments.sigma import Sigma, Wanted, make

if TYPE_CHECKING:
    from diva.experiments.points import Point
    from diva.experiments.spec import Scale
    from diva.experiments.targets import Pool
    from diva.relation.types import Types

_SMALL = 200
_RELEVANT = 2
"""A target is carried by at least so many times the largest k of the experiment."""


@dataclass(frozen=True)
class Posed:
    """R, Σ and k: what a run solves."""

    types: Types
    sigma: Sigma
    k: int


@dataclass
class Problems:
    """Poses the points of an experiment. The same point and repetition always pose the same problem."""

    scale: Scale
    tightness: float
    _posed: tuple[Point, int, Posed] | None = field(default=None, repr=False)

    def pose(self, point: Point, repetition: int) -> Posed:
        """Sample the relation, choose targets and make Σ; kept until the next point is asked for."""
        if self._posed is None or self._posed[:2] != (point, repetition):
            types = relations.sample(
                relations.whole(point.table), point.rows, _random("rows", point.table, point.rows, repetition)
            )
            chosen = self._targets(point, repetition)
            wanted = Wanted(point.kind, point.k, self.tightness, repetition)
            posed = Posed(types, make(types, chosen, wanted), point.k)
            self._posed = (point, repetition, posed)
        return self._posed[2]

    @staticmethod
    def small() -> Posed:
        """A tiny problem that every solver solves, to have everything compiled before the clock runs."""
        types = popsyn.types("uniform", rows=_SMALL)
        sigma = (Constraint(Target(("race",), ("Asian",)), 2),)
        return Posed(types, Sigma(sigma, 0.0, 0), 2)

    def _targets(self, point: Point, repetition: int) -> tuple[Target, ...]:
        """The same targets whatever k, the class and the size of the sample."""
        numbers = tuple(sorted(self.scale.parameters["constraints"]))
        least = _RELEVANT * max(self.scale.parameters["k"])
        rows = min((r for r in self.scale.parameters["rows"] if r), default=0)
        pool = _pool(point.table, least, rows)
        random = _random("targets", point.table, point.rate, repetition)
        return targets.choose(pool, numbers, point.rate, random)[point.constraints]


@lru_cache(maxsize=4)
def _pool(table: str, least: int, rows: int) -> Pool:
    """The pool of a table of which samples as small as `rows` are drawn."""
    whole = relations.whole(table)
    factor = whole.rows / rows if 0 < rows < whole.rows else 1.0
    return targets.pool(whole, SOURCES[table].targets, int(least * factor))


def _random(*words: object) -> np.random.Generator:
    """A generator of its own for everything that is drawn, whatever was drawn before."""
    return np.random.default_rng(zlib.crc32("/".join(map(str, words)).encode()))
