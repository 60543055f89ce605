"""`diva verify`: is a file a sound release? Recomputed from files alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from diva.cli import options, show
from diva.errors import BadInput

if TYPE_CHECKING:
    from diva.verify import Verification

Original = Annotated[
    str | None,
    typer.Option(
        "--original", metavar="FILE", help="Also check that the release is a suppression of this table."
    ),
]
Order = Annotated[
    str | None,
    typer.Option(
        "--order",
        metavar="shuffle|keep",
        help="With keep, compare with the original row by row. [default: shuffle]",
    ),
]


def command(
    release: options.Input,
    qi: options.Qi = None,
    k: options.K = None,
    constraint: options.Sigma = None,
    constraints: options.SigmaFile = None,
    original: Original = None,
    identifying: options.Identifying = None,
    order: Order = None,
    star: options.Star = None,
    suppressed: options.Suppressed = None,
    json: options.Json = False,  # noqa: FBT002 - a flag of the command line
) -> int:
    """Recompute k, every constraint, the stars and, given the original, whether nothing but QI cells was suppressed."""
    level = options.required_k(k)
    if suppressed not in (None, "star", "null"):
        raise BadInput(f"--suppressed {suppressed!r} is not one of star, null")
    if order not in (None, "shuffle", "keep"):
        raise BadInput(f"--order {order!r} is not one of shuffle, keep")
    if order and original is None:
        raise BadInput("--order says how to compare with the original; give it with --original")
    if suppressed == "null" and star is not None:
        raise BadInput(
            "--star and --suppressed null exclude each other; suppressed cells are either text or NULL"
        )
    from diva.check import verify_release  # noqa: PLC0415 - help must not load an engine

    found = verify_release(
        release,
        qi=options.columns(qi),
        k=level,
        constraints=options.constraints(constraint, constraints),
        original=original,
        identifying=options.columns(identifying),
        star=None if suppressed == "null" else star or "*",
        order=order or "shuffle",
    )
    show.as_json(content(found, level)) if json else _print(found, level)
    return 0 if found.ok else 4


def content(found: Verification, k: int) -> dict[str, Any]:
    """A verification as JSON."""
    return {
        "ok": found.ok,
        "k": k,
        "rows": found.rows,
        "cells": found.cells,
        "groups": found.groups,
        "stars": found.stars,
        "k_achieved": found.k_achieved,
        "constraints": [
            {"text": c.text, "low": c.low, "high": c.high, "count": count, "satisfied": satisfied}
            for c, count, satisfied in found.constraints
        ],
        "problems": list(found.problems),
        "metrics": found.metrics(k),
    }


def _print(found: Verification, k: int) -> None:
    show.facts(
        [
            ("verdict", "sound" if found.ok else "NOT a sound release"),
            ("records", f"{show.number(found.rows)} in {show.number(found.groups)} groups"),
            ("k", f"{found.k_achieved} (asked for {k})"),
            ("stars", f"{show.number(found.stars)} of {show.number(found.cells)} cells"),
            *((name.replace("_", " "), f"{value:.4g}") for name, value in found.metrics(k).items()),
        ]
    )
    if found.constraints:
        show.line()
        rows = [
            (c.text, show.number(count), "yes" if satisfied else "NO")
            for c, count, satisfied in found.constraints
        ]
        show.table(("constraint", "published", "holds"), rows)
    for problem in found.problems:
        show.line(f"problem: {problem}")
