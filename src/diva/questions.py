"""Questions about a table that need no search: does it satisfy Σ, can it be anonymised, is it a sound release?"""

from __future__ import annotations

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
from diva.relation.roles import assign, require
from diva.relation.settings import DEFAULTS, Settings
from diva.solve.decide import Decision, decide_table
from diva.verify import Verification, verify
from diva.walk import require_published

if TYPE_CHECKING:
    from collections.abc import Sequence

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


def check(source: object, *, constraints: Sequence[str | Constraint], **engine: Any) -> tuple[Checked, ...]:
    """Count the records that carry each target, in one scan for all constraints; `engine` are fields of Settings."""
    table, sigma = _open(source, constraints, settings_of(engine))
    counts = table.counts([c.target for c in sigma])
    return tuple(Checked(c, n, c.admits(n)) for c, n in zip(sigma, counts, strict=True))


def queries(source: object, *, constraints: Sequence[str | Constraint], **engine: Any) -> tuple[str, ...]:
    """Write the query that counts for each constraint, as the engine runs it."""
    table, sigma = _open(source, constraints, settings_of(engine))
    return tuple(table.count_query(c.target) for c in sigma)


def _open(
    source: object, constraints: Sequence[str | Constraint], settings: Settings = DEFAULTS
) -> tuple[Table, tuple[Constraint, ...]]:
    sigma = as_constraints(constraints)
    table = open_table(source, settings)
    for constraint in sigma:
        for attribute in constraint.target.attributes:
            require(attribute, table.names, constraint.text)
    return table, sigma


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
    **engine: Any,
) -> Decision:
    """Decide exactly whether a table has a k-anonymous release that satisfies Σ; if not, say why and what would do.

    `engine` are fields of Settings: memory_limit, threads, temp_dir.
    """
    k = require_k(k)
    sigma = as_constraints(constraints)
    table = open_table(source, settings_of(engine))
    roles = assign(
        table.names,
        quasi=as_columns("qi", qi),
        sensitive=as_columns("sensitive", sensitive),
        identifying=as_columns("identifying", identifying),
        keep=as_columns("keep", keep),
        keep_rest=keep_rest,
    )
    require_published(roles, table.names, sigma)
    decision = decide_table(table, roles.quasi, k, sigma)
    if not decision.rows:
        raise BadInput(f"{table.origin} has no records, so there is nothing to decide")
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
    **engine: Any,
) -> Verification:
    """Verify a release from files alone: k, Σ, and, given its original, that it is a suppression of it.

    `engine` are fields of Settings: memory_limit, threads, temp_dir.
    """
    k, qi = require_k(k), as_columns("qi", qi)
    sigma = as_constraints(constraints)
    settings = settings_of(engine)
    published = open_table(release, settings)
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


def settings_of(engine: dict[str, Any]) -> Settings:
    """Read the settings of an engine from keyword options."""
    unknown = set(engine) - set(Settings.__dataclass_fields__)
    if unknown:
        raise BadInput(
            f"there is no option {min(unknown)!r}; an engine's are {', '.join(Settings.__dataclass_fields__)}"
        )
    return Settings(**engine)


def conflict_graph(source: object, *, constraints: Sequence[str | Constraint]) -> ConflictGraph:
    """Build the conflict graph of Σ over a table: which constraints share relevant rows."""
    table, sigma = _open(source, constraints)
    return build_graph(sigma, table.signatures([c.target for c in sigma]))


def generate(
    source: object,
    *,
    kind: str,
    on: Sequence[Sequence[str]],
    qi: Sequence[str] = (),
    percent: Fraction | float = DEFAULT_PERCENT,
    seed: int = 0,
) -> tuple[Constraint, ...]:
    """Generate constraints of a class for each value, or combination of values, of each set of attributes."""
    if kind not in GENERATORS:
        raise BadInput(f"there is no class {kind!r} of constraints; there are {', '.join(GENERATORS)}")
    table = open_table(source)
    sets = [as_columns("on", attributes) for attributes in on]
    for attribute in (a for attributes in sets for a in attributes):
        require(attribute, table.names, "--on")
    types = 0
    if kind != "share":
        types = table.types(assign(table.names, quasi=as_columns("qi", qi)).quasi).distinct_quasi()
    rows = table.row_count()
    choices = Choices(np.random.default_rng(require_seed(seed)), Fraction(percent))
    made: list[Constraint] = []
    for attributes in sets:
        counts = tuple(table.frequencies(attributes))
        made += GENERATORS[kind](Frequencies(tuple(attributes), counts, rows, types), choices)
    return tuple(made)
