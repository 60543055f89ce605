"""A spec: an experiment of the paper as a value, read from its file in specs/ and validated."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, fields
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Literal, get_args

from diva.errors import BadInput

if TYPE_CHECKING:
    from diva.solve.anonymizers import Name

Mode = Literal["full", "quick"]
Measure = Literal["accuracy", "seconds", "normalised_discernibility", "stars"]
Parameter = Literal["table", "class", "constraints", "rate", "k", "rows"]
Kind = Literal["rises", "falls", "highest", "lowest", "above", "below", "order", "linear", "exponential"]

PARAMETERS: tuple[str, ...] = get_args(Parameter)


@dataclass(frozen=True, kw_only=True)
class Line:
    """A solver with its settings: a line of a figure."""

    solver: Literal["diva", "lattice", "k-member"]
    strategy: str = "max-fanout"
    """Of the colouring, for diva."""
    anonymizer: Name = "k-member"
    """Who anonymises the rows that Σ leaves over, or for a baseline all of them."""
    diverse: bool = True
    """Whether it is asked to satisfy Σ."""


PAPER = ("naive", "min-choice", "max-fanout")
"""The strategies, and lines, of the paper's DIVA; it calls k-member for the records that Σ leaves over."""
ANONYMIZERS: tuple[Name, ...] = ("k-member", "mondrian", "oka", "lattice")
"""What sampled releases are made with, in turn."""
LINES: dict[str, Line] = {
    **{strategy: Line(solver="diva", strategy=strategy) for strategy in PAPER},
    "k-member": Line(solver="k-member", diverse=False),
    "lattice": Line(solver="lattice"),
}
"""The lines by name."""


@dataclass(frozen=True, kw_only=True)
class Claim:
    """Something that the paper says of a figure, in a form that can be held against what was measured."""

    says: str
    """In words."""
    kind: Kind
    """What is looked at; see `claims`."""
    measure: Measure
    line: str | None = None
    """Whom it is about; all lines of the paper's DIVA where not given."""
    than: str | None = None
    """Whom it is compared with, for `above` and `below`."""
    percent: float | None = None
    """By how much, as the paper has it."""
    values: tuple[str, ...] = ()
    """For `order`: values of the x axis, the highest first."""
    table: str | None = None
    """The table it is about; all where not given."""

    def __post_init__(self) -> None:
        if self.kind not in get_args(Kind) or self.measure not in get_args(Measure):
            raise BadInput(f"claim {self.says!r}: there is no kind {self.kind!r} of measure {self.measure!r}")
        if (self.kind in {"above", "below"}) != (self.than is not None and self.line is not None):
            raise BadInput(f"claim {self.says!r}: only above and below compare a line with another")
        for line in (self.line, self.than):
            if line is not None and line not in LINES:
                raise BadInput(f"claim {self.says!r}: there is no line {line!r}")


@dataclass(frozen=True, kw_only=True)
class Scale:
    """How large an experiment is: everything that a quick run does smaller."""

    parameters: dict[str, tuple[Any, ...]]
    """For each parameter its values; every combination is a point."""
    repetitions: int
    samples: int
    """How many releases are sampled at each point for the best R''; 0 where accuracy isn't measured."""
    limit: float
    """Processor seconds after which a colouring is stopped, and seconds for the lattice search."""


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """One of the paper's experiments."""

    name: str
    title: str
    x: str
    """The parameter on the x axis."""
    measures: tuple[Measure, ...]
    lines: tuple[str, ...]
    setting: str
    """What is varied and what is fixed, in words."""
    tightness: float
    """By what share of freq(a) the ranges of Σ are widened on both sides; 0 as the paper prints the classes."""
    sampled: str
    """Which points use a sample of the table, and why; empty for none."""
    claims: tuple[Claim, ...]
    remark: str
    """What else is to be known of the figures; may be empty."""
    full: Scale
    quick: Scale

    def __post_init__(self) -> None:
        if self.x not in PARAMETERS:
            raise BadInput(
                f"{self.name}: there is no parameter {self.x!r}; there are {', '.join(PARAMETERS)}"
            )
        unknown = [line for line in self.lines if line not in LINES]
        if unknown:
            raise BadInput(f"{self.name}: there is no line {unknown[0]!r}; there are {', '.join(LINES)}")
        for scale in (self.full, self.quick):
            if set(scale.parameters) != set(PARAMETERS) or not all(scale.parameters.values()):
                raise BadInput(f"{self.name}: every one of {', '.join(PARAMETERS)} needs at least one value")

    def scale(self, mode: Mode) -> Scale:
        """How large it is."""
        return self.full if mode == "full" else self.quick


def names() -> tuple[str, ...]:
    """The experiments there are."""
    found = (f.name.removesuffix(".toml") for f in files(__package__).joinpath("specs").iterdir())
    return tuple(sorted(name for name in found if not name.startswith("_")))


def load(name: str) -> Experiment:
    """Read the spec of an experiment."""
    if name not in names():
        raise BadInput(f"there is no experiment {name!r}; there are {', '.join(names())}, and all")
    text = files(__package__).joinpath("specs", f"{name}.toml").read_text(encoding="utf-8")
    return parse(name, tomllib.loads(text))


def parse(name: str, content: dict[str, Any]) -> Experiment:
    """Make an experiment from what its file says."""
    content = dict(content)
    full = _scale(content.pop("parameters"), content.pop("full"))
    quick = content.pop("quick")
    changed = content.pop("quick_parameters", {})
    claims = tuple(_made(Claim, claim, name) for claim in content.pop("claims"))
    small = Scale(
        parameters=full.parameters | {p: _values(v) for p, v in changed.items()},
        repetitions=quick["repetitions"],
        samples=quick["samples"],
        limit=quick["limit"],
    )
    made: Experiment = _made(
        Experiment, content | {"name": name, "claims": claims, "full": full, "quick": small}, name
    )
    return made


def _scale(parameters: dict[str, Any], size: dict[str, Any]) -> Scale:
    return Scale(parameters={p: _values(v) for p, v in parameters.items()}, **size)


def _values(value: Any) -> tuple[Any, ...]:
    return tuple(value) if isinstance(value, list) else (value,)


def _made(kind: type[Any], content: dict[str, Any], name: str) -> Any:
    unknown = set(content) - {f.name for f in fields(kind)}
    if unknown:
        raise BadInput(f"{name}: the spec has an entry {min(unknown)!r} that nothing reads")
    return kind(**{key: tuple(v) if isinstance(v, list) else v for key, v in content.items()})
