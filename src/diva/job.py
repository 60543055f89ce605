"""A job: everything that is declared about a run, validated when it is made."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from numbers import Integral, Real
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from diva.errors import BadInput
from diva.relation.files import Pieces
from diva.relation.places import InDatabase, located
from diva.relation.settings import Engine, Settings, size

if TYPE_CHECKING:
    from diva.constraints.model import Constraint

Order = Literal["shuffle", "keep"]
Suppressed = Literal["star", "null"]
Effort = Literal["quick", "standard", "best"]
Solver = Literal["lattice", "diva", "k-member", "oka", "mondrian"]
Strategy = Literal["naive", "min-choice", "max-fanout"]
Anonymizer = Literal["k-member", "oka", "mondrian", "lattice"]
Split = Literal["span", "entropy"]

MAX_SEED = 2**63 - 1
MAX_WEIGHT = 10**9
"""Larger ones would drown the others in rounding, and with them the bound."""
STAR = "*"


@dataclass(frozen=True, kw_only=True)
class Job:
    """What to anonymise, how, and where to put it."""

    source: Any
    """A path or glob, a frame, a DuckDB relation, or a database: a connection of psycopg's or a postgresql:// URI."""
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
    """Seconds that the lattice search, or diva's colouring, may take."""
    split: Split | None = None
    """How Mondrian chooses the attribute to split; span where not given."""
    strategy: Strategy | Callable[..., int] | None = None
    """Which vertex diva colours next; max-fanout where not given. Also a function as in `diva.solve.diva.strategies`."""
    anonymizer: Anonymizer | None = None
    """Who anonymises the rows that diva has in no cluster; k-member where not given."""
    budget: int | None = None
    """How many candidate clusterings diva may try in a component of the conflict graph; 2,000 where not given."""
    workers: int | None = None
    """At most how many processes solve parts (where not given the processors there are, or what a Spark cluster has room for) or colour components (1). The result is the same."""
    parts: int | None = None
    """Into how many parts the lattice search cuts the types; where not given, as many as 250,000 types and more call for."""
    seed: int = 0
    order: Order = "shuffle"
    star: str = STAR
    """The text of a suppressed cell."""
    suppressed: Suppressed = "star"
    """`null` publishes suppressed cells as NULL and keeps the types of columns."""
    output: Path | None = None
    table: str | None = None
    """The table of a database, where `source` is one; named as in SQL."""
    query: str | None = None
    """A query whose answer is the table, instead of one that has a name."""
    into: str | None = None
    """The table of the same database that the release becomes."""
    replace: bool = False
    """Whether it may take the place of an earlier release."""
    partition_by: tuple[str, ...] = ()
    """Columns whose values name the folders of the output (`A=x/B=y/…`)."""
    file_size: str | None = None
    """About how large each file of the output is, as in 200MB; the output is a folder then."""
    memory_limit: str | None = None
    """How much memory the engine may use, as in 2GB."""
    threads: int | None = None
    """How many threads the engine may use, and the search at `best`."""
    temp_dir: Path | None = None
    """The folder where the engine puts what doesn't fit into memory."""
    engine: Engine | None = None
    """Who reads files: duckdb where not given, or spark."""
    master: str | None = None
    """Where Spark runs, as in local[*] or spark://HOST:PORT."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", require_k(self.k))
        object.__setattr__(self, "source", located(self.source, self.table, self.query))
        self._require_place()
        object.__setattr__(self, "seed", require_seed(self.seed))
        for name in ("qi", "sensitive", "identifying", "keep"):
            as_columns(name, getattr(self, name))
        for name, allowed in _CHOICES.items():
            if name == "strategy" and callable(self.strategy):
                continue
            if getattr(self, name) not in (*allowed, self.__dataclass_fields__[name].default):
                raise BadInput(f"{name} {getattr(self, name)!r} is not one of {', '.join(map(str, allowed))}")
        self._refuse_settings_of_others()
        for name in ("budget", "workers", "parts"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, _at_least_one(name, getattr(self, name)))
        _ = self.engine_settings  # what can't be used is refused now
        self._require_folder()
        limit = self.time_limit
        if limit is not None and not (_is_number(limit) and 0 < limit < math.inf):
            raise BadInput(f"time limit {limit!r} must be a number of seconds above 0")
        self._require_star()
        if not isinstance(self.weights, Mapping):
            raise BadInput(
                f"weights {self.weights!r} must give a number for every column, as in {{'AGE': 0.2}}"
            )
        for column, weight in self.weights.items():
            self._require_weight(column, weight)
        object.__setattr__(self, "weights", {c: float(w) for c, w in self.weights.items()})

    def _require_place(self) -> None:
        """A table of a database is published in that database, and everything else isn't."""
        if isinstance(self.source, InDatabase):
            if self.output is not None:
                raise BadInput(
                    "a table of a database is published there: name the new table with --into, instead of a file with -o"
                )
            if not isinstance(self.into, str) or not self.into.strip() or "\0" in self.into:
                raise BadInput("--into is missing; say which table of the database the release becomes")
            if self.order == "keep":
                raise BadInput("a table of a database has no order to keep; leave out --order keep")
        elif self.into is not None:
            raise BadInput("--into names a table of a database, and the input is none; write a file with -o")
        if self.replace and self.into is None:
            raise BadInput("--replace is about the table named with --into; files are always replaced")

    def _require_folder(self) -> None:
        as_columns("partition_by", self.partition_by)
        if self.pieces and self.output is None:
            raise BadInput(
                "--partition-by and --file-size divide an output among files; name its folder with -o/--output"
            )
        if self.partition_by and self.order == "keep":
            raise BadInput(
                "--partition-by puts rows into folders, where they can't keep their order; leave out --order keep"
            )
        if self.pieces.size == 0:
            raise BadInput(f"file size {self.file_size!r} must be at least 1 byte")

    @cached_property
    def pieces(self) -> Pieces:
        """How the output is divided among the files of a folder; false where it is one file."""
        return Pieces(
            self.partition_by, None if self.file_size is None else size(self.file_size, "file size")
        )

    def _require_star(self) -> None:
        if not isinstance(self.star, str) or any("\ud800" <= c <= "\udfff" for c in self.star):
            raise BadInput(f"star {self.star!r} must be a text")
        if not self.star:
            raise BadInput(
                "the star can't be empty, or suppressed cells would look like missing ones; use --suppressed null"
            )
        if self.suppressed == "null" and self.star != STAR:
            raise BadInput(
                f"star {self.star!r} and --suppressed null exclude each other; suppressed cells are either text or NULL"
            )

    def _require_weight(self, column: str, weight: float) -> None:
        if column not in self.qi:
            raise BadInput(
                f"weight for column {column!r}, which is not quasi-identifying; only those are suppressed"
            )
        if not _is_number(weight) or not 0 <= weight <= MAX_WEIGHT:
            raise BadInput(
                f"weight {weight!r} of column {column!r} must be a number from 0 to {MAX_WEIGHT:,}"
            )

    def _refuse_settings_of_others(self) -> None:
        for name in dict.fromkeys(name for settings in _SETTINGS.values() for name in settings):
            if getattr(self, name) is not None and name not in _SETTINGS[self.solver]:
                takers = " and ".join(s for s, settings in _SETTINGS.items() if name in settings)
                raise BadInput(
                    f"{name.replace('_', ' ')} is a setting of {takers}, and solver {self.solver} would ignore it; leave it out"
                )
        if self.split is not None and "split" not in self.settings:
            raise BadInput(
                f"split is a setting of mondrian, and anonymizer {self.settings['anonymizer']} would ignore it; leave it out"
            )

    @property
    def settings(self) -> dict[str, Any]:
        """The settings of the chosen solver, with their defaults."""
        defaults = _SETTINGS[self.solver]
        given = {name: getattr(self, name) for name in defaults}
        settings = defaults | {name: value for name, value in given.items() if value is not None}
        if settings.get("anonymizer", "mondrian") != "mondrian":
            del settings["split"]
        return settings

    @cached_property
    def engine_settings(self) -> Settings:
        """What the engine is allowed."""
        return Settings(**{name: getattr(self, name) for name in Settings.__dataclass_fields__})

    @property
    def cell(self) -> str | None:
        """What a suppressed cell holds; None is NULL."""
        return self.star if self.suppressed == "star" else None


def require_k(k: object) -> int:
    """Return k as a number, and refuse what is no privacy level."""
    level = _whole(k)
    if level is None or level < 1:
        raise BadInput(f"k={k!r} must be a whole number of at least 1")
    return level


def as_columns(name: str, columns: object) -> tuple[str, ...]:
    """Return a list of columns; a text alone is refused, it would be taken for a list of letters."""
    if isinstance(columns, str) or not isinstance(columns, Iterable):
        raise BadInput(f"{name} {columns!r} must be a list of columns, as in ['GEN', 'AGE']")
    named = tuple(columns)
    for column in named:
        if not isinstance(column, str):
            raise BadInput(f"{name} names column {column!r}, which is not a text")
    return named


def as_path(name: str, path: object) -> Path:
    """Return a path."""
    if not isinstance(path, str | Path):
        raise BadInput(f"{name} {path!r} must be a path")
    return Path(path)


def require_seed(seed: object) -> int:
    """Return a seed as a number, and refuse what is none."""
    number = _whole(seed)
    if number is None or not 0 <= number <= MAX_SEED:
        raise BadInput(f"seed {seed!r} must be a whole number from 0 to {MAX_SEED}")
    return number


def _at_least_one(name: str, value: object) -> int:
    number = _whole(value)
    if number is None or number < 1:
        raise BadInput(f"{name} {value!r} must be a whole number of at least 1")
    return number


def _whole(value: object) -> int | None:
    """A whole number of any library as Python's; None where it is something else."""
    return None if isinstance(value, bool) or not isinstance(value, Integral) else int(value)


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


_CHOICES = {
    "solver": get_args(Solver),
    "effort": get_args(Effort),
    "split": get_args(Split),
    "strategy": get_args(Strategy),
    "anonymizer": get_args(Anonymizer),
    "order": get_args(Order),
    "suppressed": get_args(Suppressed),
    "keep_rest": (True, False),
    "replace": (True, False),
}
_SETTINGS: dict[Solver, dict[str, Any]] = {
    "lattice": {"effort": "standard", "time_limit": None, "parts": None, "workers": None},
    "diva": {
        "strategy": "max-fanout",
        "anonymizer": "k-member",
        "split": "span",
        "budget": 2_000,
        "workers": 1,
        "time_limit": None,
    },
    "k-member": {},
    "oka": {},
    "mondrian": {"split": "span"},
}
"""For each solver its own settings, with their defaults."""
