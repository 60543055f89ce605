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
OriginalTable = Annotated[
    str | None,
    typer.Option(
        "--original-table", metavar="NAME", help="The same in a database: the original is this table there."
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
    in_table: options.InTable = None,
    original_table: OriginalTable = None,
    identifying: options.Identifying = None,
    order: Order = None,
    star: options.Star = None,
    suppressed: options.Suppressed = None,
    memory_limit: options.MemoryLimit = None,
    threads: options.Threads = None,
    temp_dir: options.TempDir = None,
    engine: options.Engine = None,
    master: options.Master = None,
    json: options.Json = False,  # noqa: FBT002 - a flag of the command line
) -> int:
    """Recompute k, every constraint, the stars and, given the original, whether nothing but QI cells was suppressed."""
    level = options.required_k(k)
    if suppressed not in (None, "star", "null"):
        raise BadInput(f"--suppressed {suppressed!r} is not one of star, null")
    if order not in (None, "shuffle", "keep"):
        raise BadInput(f"--order {order!r} is not one of shuffle, keep")
    if order and original is None and original_table is None:
        raise BadInput("--order says how to compare with the original; give it with --original")
    if suppressed == "null" and star is not None:
        raise BadInput(
            "--star and --suppressed null exclude each other; suppressed cells are either text or NULL"
        )
    if star == "":
        raise BadInput("--star is empty; name the text of suppressed cells, or say --suppressed null")
    from diva.questions import verify_release  # noqa: PLC0415 - help must not load an engine

    cell = None if suppressed == "null" else "*" if star is None else star
    found = verify_release(
        release,
        qi=options.columns(qi),
        k=level,
        constraints=options.constraints(constraint, constraints),
        original=original,
        table=in_table,
        original_table=original_table,
        identifying=options.columns(identifying),
        star=cell,
        order=order or "shuffle",
        **options.engine(memory_limit, threads, temp_dir, engine, master),
    )
    show.as_json(content(found, level, cell)) if json else _print(found, level, cell)
    return 0 if found.ok else 4


def content(found: Verification, k: int, star: str | None) -> dict[str, Any]:
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
        "metrics": _metrics(found, k, star),
    }


def _print(found: Verification, k: int, star: str | None) -> None:
    show.facts(
        [
            ("verdict", "sound" if found.ok else "NOT a sound release"),
            ("records", f"{show.number(found.rows)} in {show.many(found.groups, 'group')}"),
            ("k", f"{found.k_achieved} (asked for {k})"),
            ("stars", f"{show.number(found.stars)} of {show.number(found.cells)} cells"),
            *_figures(found, k, star),
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


def _metrics(found: Verification, k: int, star: str | None) -> dict[str, Any]:
    from diva.metrics import summary  # noqa: PLC0415 - help must not load numpy

    return summary(found.types, k=k, star=star).to_dict()


def _figures(found: Verification, k: int, star: str | None) -> list[tuple[str, str]]:
    metrics = _metrics(found, k, star)
    return [
        (
            "discernibility",
            f"{show.number(metrics['discernibility'])} (normalised {metrics['normalised_discernibility']:.4g})",
        ),
        ("average group", f"{metrics['average_class_size']:.4g}"),
        ("risk", f"highest {metrics['prosecutor']['highest']:.4g}, mean {metrics['prosecutor']['mean']:.4g}"),
    ]
