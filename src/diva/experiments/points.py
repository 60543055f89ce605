"""A spec becomes points (a relation, Σ and k) and runs (a point, a line and a repetition), in the order they are done."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

from diva.experiments.spec import PARAMETERS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from diva.experiments.spec import Experiment, Mode, Scale

SAMPLE_SEED = 10_000
"""Sampled releases are drawn with seeds from here on, so that none is a measured one."""


@dataclass(frozen=True, slots=True)
class Point:
    """One combination of the parameters."""

    table: str
    kind: str
    """The class of constraints."""
    constraints: int
    rate: float
    k: int
    rows: int
    """How many records of the table are sampled; 0 for all."""

    def parameter(self, name: str) -> Any:
        """The value of a parameter by its name in specs."""
        return getattr(self, "kind" if name == "class" else name)


@dataclass(frozen=True, slots=True)
class Run:
    """A point, solved once by one line, or a sampled release of it."""

    point: Point
    line: str
    """The name of a line, or `sample 0`, `sample 1` … ."""
    repetition: int

    @property
    def key(self) -> str:
        """What names the run in the journal."""
        p = self.point
        values = (p.table, p.kind, p.constraints, p.rate, p.k, p.rows, self.line, self.repetition)
        return "/".join(map(str, values))


def points(scale: Scale) -> Iterator[Point]:
    """All combinations, the first parameter varying slowest."""
    for values in product(*(scale.parameters[p] for p in PARAMETERS)):
        named = dict(zip(PARAMETERS, values, strict=True))
        yield Point(kind=named.pop("class"), **named)


def runs(experiment: Experiment, mode: Mode) -> list[Run]:
    """All runs. Repetitions are outermost, so that a run that is stopped has every point as often as another."""
    scale = experiment.scale(mode)
    lines = [*experiment.lines, *(f"sample {i}" for i in range(scale.samples))]
    return [
        Run(point, line, repetition)
        for repetition in range(scale.repetitions)
        for point in points(scale)
        for line in lines
    ]
