"""A job: everything that is declared about a run, validated when it is made."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, get_args

from diva.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from diva.constraints.model import Constraint

Order = Literal["shuffle", "keep"]
Suppressed = Literal["star", "null"]
Effort = Literal["quick", "standard", "best"]
Solver = Literal["lattice", "k-member", "oka", "mondrian"]
Split = Literal["span", "entropy"]

MAX_SEED = 2**63 - 1


@dataclass(frozen=True, kw_only=True)
class Job:
    """What to anonymise, how, and where to put it."""

    source: Any
    """A path or glob, a frame, or a DuckDB relation."""
    qi: tuple[str, ...]
    """Quasi-identifying columns, the only ones that are suppressed."""
    k: int
    sensitive: tuple[str, ...] = ()
    identifying: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    keep_rest: bool = False
    """Publish the columns that are declared nowhere."""
    constraints: tuple[Constraint, ...] = ()
    """Σ."""
    weights: Mapping[str, float] = field(default_factory=dict)
    """What a star costs in a QI column; 1 where not given."""
    solver: Solver = "lattice"
    effort: Effort | None = None
    """How hard the lattice search tries; standard where not given."""
    time_limit: float | None = None
    """Seconds that the lattice search may take."""
    split: Split | None = None
    """How Mondrian chooses the attribute to split; span where not given."""
    seed: int = 0
    order: Order = "shuffle"
    star: str = "*"
    """The text of a suppressed cell."""
    suppressed: Suppressed = "star"
    """`null` publishes suppressed cells as NULL and keeps the types of columns."""
    output: Path | None = None

    def __post_init__(self) -> None:
        require_k(self.k)
        for name, allowed in _CHOICES.items():
            if getattr(self, name) not in (*allowed, self.__dataclass_fields__[name].default):
                raise BadInput(f"{name} {getattr(self, name)!r} is not one of {', '.join(allowed)}")
        self._refuse_settings_of_others()
        if isinstance(self.seed, bool) or not isinstance(self.seed, int) or not 0 <= self.seed <= MAX_SEED:
            raise BadInput(f"seed {self.seed!r} must be a whole number from 0 to {MAX_SEED}")
        if self.time_limit is not None and not 0 < self.time_limit < math.inf:
            raise BadInput(f"time limit {self.time_limit!r} must be a number of seconds above 0")
        if self.suppressed == "star" and not self.star:
            raise BadInput(
                "the star can't be empty, or suppressed cells would look like missing ones; use --suppressed null"
            )
        for column, weight in self.weights.items():
            if column not in self.qi:
                raise BadInput(
                    f"weight for column {column!r}, which is not quasi-identifying; only those are suppressed"
                )
            if not 0 <= weight < math.inf:
                raise BadInput(f"weight {weight!r} of column {column!r} must be a number of at least 0")

    def _refuse_settings_of_others(self) -> None:
        for name in dict.fromkeys(name for settings in _SETTINGS.values() for name in settings):
            if getattr(self, name) is not None and name not in _SETTINGS[self.solver]:
                takers = " and ".join(s for s, settings in _SETTINGS.items() if name in settings)
                raise BadInput(
                    f"{name.replace('_', ' ')} is a setting of {takers}, and solver {self.solver} would ignore it; leave it out"
                )

    @property
    def settings(self) -> dict[str, Any]:
        """The settings of the chosen solver, with their defaults."""
        given = {name: getattr(self, name) for name in _SETTINGS[self.solver]}
        return _SETTINGS[self.solver] | {name: value for name, value in given.items() if value is not None}

    @property
    def cell(self) -> str | None:
        """What a suppressed cell holds; None is NULL."""
        return self.star if self.suppressed == "star" else None


def require_k(k: object) -> None:
    """Refuse a k that is no privacy level."""
    if isinstance(k, bool) or not isinstance(k, int) or k < 1:
        raise BadInput(f"k={k!r} must be a whole number of at least 1")


_CHOICES = {
    "solver": get_args(Solver),
    "effort": get_args(Effort),
    "split": get_args(Split),
    "order": get_args(Order),
    "suppressed": get_args(Suppressed),
}
_SETTINGS: dict[Solver, dict[str, Any]] = {
    "lattice": {"effort": "standard", "time_limit": None},
    "k-member": {},
    "oka": {},
    "mondrian": {"split": "span"},
}
"""For each solver its own settings, with their defaults."""
