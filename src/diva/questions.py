"""Questions about a table that need no search: does it satisfy Σ, can it be anonymised, is it a sound release?"""

from __future__ import annotations

from contextlib import closing, contextmanager
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from diva.constraints.generate import GENERATORS, Choices, Frequencies
from diva.constraints.graph import conflict_graph as build_graph
from diva.constraints.text import as_constraints
from diva.errors import BadInput
from diva.job import as_columns, require_k, require_seed
from diva.relation.opening import open_table
from diva.relation.places import is_address, located
from diva.relation.roles import assign, require
from diva.relation.settings import DEFAULTS, Settings
from diva.solve.decide import Decision, decide_table
from diva.verify import Verification, verify
from diva.walk import require_published

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from diva.constraints.graph import ConflictGraph
    from diva.constraints.model import Constraint
    from diva.relation.engine import Table


DEFAULT_PERCENT = Fraction(5)


@dataclass(frozen=True, slots=True)
class Checked:
    """A constraint and how a table fares by it (the paper's validation)."""

    constraint: Constraint
    count: int
    satisfied: bool


def check(
    source: object,
    *,
    constraints: Sequence[str | Constraint],
    table: str | None = None,
    query: str | None = None,
    **engine: Any,
) -> tuple[Checked, ...]:
    """Count the records that carry each target, in one scan for all constraints; `engine` are fields of Settings."""
    with _opened(located(source, table, query), constraints, settings_of(engine)) as (opened, sigma):
        counts = opened.counts([c.target for c in sigma])
    return tuple(Checked(c, n, c.admits(n)) for c, n in zip(sigma, counts, strict=True))


def queries(
    source: object,
    *,
    constraints: Sequence[str | Constraint],
    table: str | None = None,
    **engine: Any,
) -> tuple[str, ...]:
    """Write the query that counts for each constraint, as the engine runs it."""
    with _opened(located(source, table), constraints, settings_of(engine)) as (opened, sigma):
        return tuple(opened.count_query(c.target) for c in sigma)


@contextmanager
def _opened(
    source: object, constraints: Sequence[str | Constraint], settings: Settings = DEFAULTS
) -> Iterator[tuple[Table, tuple[Constraint, ...]]]:
    sigma = as_constraints(constraints)
    with closing(open_table(source, settings)) as table:
        for constraint in sigma:
            for attribute in constraint.target.attributes:
                require(attribute, table.names, constraint.text)
        yield table, sigma


def decide(
    source: object,
    *,
    qi: Sequence[str],
    k: int,
    constraints: Sequence[str | Constraint] = (),
    sensitive: Sequence[str] = (),
    identifying: Sequence[str] = (),
    keep: Sequence[str] = (),
    keep_rest: bool = False,
    table: str | None = None,
    query: str | None = None,
    **engine: Any,
) -> Decision:
    """Decide exactly whether a table has a k-anonymous release that satisfies Σ; if not, say why and what would do.

    `engine` are fields of Settings: memory_limit, threads, temp_dir.
    """
    k = require_k(k)
    sigma = as_constraints(constraints)
    with closing(open_table(located(source, table, query), settings_of(engine))) as opened:
        roles = assign(
            opened.names,
            quasi=as_columns("qi", qi),
            sensitive=as_columns("sensitive", sensitive),
            identifying=as_columns("identifying", identifying),
            keep=as_columns("keep", keep),
            keep_rest=keep_rest,
        )
        require_published(roles, opened.names, sigma)
        decision = decide_table(opened, roles.quasi, k, sigma)
        if not decision.rows:
            raise BadInput(f"{opened.origin} has no records, so there is nothing to decide")
        return decision


def verify_release(
    release: object,
    *,
    qi: Sequence[str],
    k: int,
    constraints: Sequence[str | Constraint] = (),
    original: object = None,
    identifying: Sequence[str] = (),
    star: str | None = "*",
    order: str = "shuffle",
    table: str | None = None,
    original_table: str | None = None,
    **engine: Any,
) -> Verification:
    """Verify a release by itself: k, Σ, and, given its original, that it is a suppression of it.

    In a database, `table` and `original_table` name the two. `engine` are fields of Settings: memory_limit, threads, temp_dir.
    """
    k, qi = require_k(k), as_columns("qi", qi)
    sigma = as_constraints(constraints)
    settings = settings_of(engine)
    original = _original(release, original, original_table)
    with closing(open_table(located(release, table), settings)) as published:
        assign(published.names, quasi=qi)
        before = None if original is None else open_table(original, settings, beside=published)
        if before is not None:
            for name in identifying:
                require(name, before.names, "--id")
        return verify(
            published,
            quasi=qi,
            k=k,
            constraints=sigma,
            star=star,
            original=before,
            identifying=identifying,
            order=order,
        )


def _original(release: object, original: object, table: str | None) -> object:
    """What a release is compared with: a file or frame, or a table of the database that the release is in."""
    if table is not None:
        if original is not None:
            raise BadInput("--original and --original-table both name the original; give one")
        return located(release, table)
    if original is not None and (is_address(original) or is_address(release)):
        raise BadInput(
            "a release in a database is compared with a table there; name it with --original-table"
        )
    return original


def settings_of(engine: dict[str, Any]) -> Settings:
    """Read the settings of an engine from keyword options."""
    unknown = set(engine) - set(Settings.__dataclass_fields__)
    if unknown:
        raise BadInput(
            f"there is no option {min(unknown)!r}; an engine's are {', '.join(Settings.__dataclass_fields__)}"
        )
    return Settings(**engine)


def conflict_graph(
    source: object,
    *,
    constraints: Sequence[str | Constraint],
    table: str | None = None,
    query: str | None = None,
) -> ConflictGraph:
    """Build the conflict graph of Σ over a table: which constraints share relevant rows."""
    with _opened(located(source, table, query), constraints) as (opened, sigma):
        return build_graph(sigma, opened.signatures([c.target for c in sigma]))


def generate(
    source: object,
    *,
    kind: str,
    on: Sequence[Sequence[str]],
    qi: Sequence[str] = (),
    percent: Fraction | float = DEFAULT_PERCENT,
    seed: int = 0,
    table: str | None = None,
    query: str | None = None,
) -> tuple[Constraint, ...]:
    """Generate constraints of a class for each value, or combination of values, of each set of attributes."""
    if kind not in GENERATORS:
        raise BadInput(f"there is no class {kind!r} of constraints; there are {', '.join(GENERATORS)}")
    sets = [as_columns("on", attributes) for attributes in on]
    with closing(open_table(located(source, table, query))) as opened:
        for attribute in (a for attributes in sets for a in attributes):
            require(attribute, opened.names, "--on")
        types = 0
        if kind != "share":
            types = opened.types(assign(opened.names, quasi=as_columns("qi", qi)).quasi).distinct_quasi()
        rows = opened.row_count()
        choices = Choices(np.random.default_rng(require_seed(seed)), Fraction(percent))
        made: list[Constraint] = []
        for attributes in sets:
            counts = tuple(opened.frequencies(attributes))
            made += GENERATORS[kind](Frequencies(tuple(attributes), counts, rows, types), choices)
        return tuple(made)
