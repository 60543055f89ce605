"""`diva check`: does a table satisfy Σ?"""

from __future__ import annotations

from typing import Annotated

import typer

from diva.cli import options, show
from diva.errors import BadInput

Sql = Annotated[
    bool,
    typer.Option(
        "--sql", help="Print a query for each constraint, to run in the engine, instead of counting."
    ),
]


def command(
    table: options.Input,
    constraint: options.Sigma = None,
    constraints: options.SigmaFile = None,
    sql: Sql = False,  # noqa: FBT002 - a flag of the command line
    in_table: options.InTable = None,
    query: options.Query = None,
    memory_limit: options.MemoryLimit = None,
    threads: options.Threads = None,
    temp_dir: options.TempDir = None,
    engine: options.Engine = None,
    master: options.Master = None,
    json: options.Json = False,  # noqa: FBT002 - a flag of the command line
) -> int:
    """Count the records that carry each target, in one scan, and say which constraints hold."""
    from diva.questions import check, queries  # noqa: PLC0415 - help must not load an engine

    sigma = options.constraints(constraint, constraints)
    settings = options.engine(memory_limit, threads, temp_dir, engine, master)
    if not sigma:
        raise BadInput("nothing to check: give constraints with -c or --constraints")
    if sql:
        if query is not None:
            raise BadInput("--sql prints queries about a table that has a name; leave out --query")
        written = queries(table, constraints=sigma, table=in_table, **settings)
        if json:
            texts = [{"text": c.text, "sql": query} for c, query in zip(sigma, written, strict=True)]
            show.as_json({"queries": texts})
        else:
            for text in written:
                show.line(f"{text};")
        return 0
    checked = check(table, constraints=sigma, table=in_table, query=query, **settings)
    satisfied = all(c.satisfied for c in checked)
    if json:
        rows = [
            {"text": c.constraint.text, "low": c.constraint.low, "high": c.constraint.high, "count": c.count, "satisfied": c.satisfied}
            for c in checked
        ]  # fmt: skip
        show.as_json({"satisfied": satisfied, "constraints": rows})
    else:
        lines = [(c.constraint.text, show.number(c.count), "yes" if c.satisfied else "NO") for c in checked]
        show.table(("constraint", "records", "holds"), lines)
    return 0 if satisfied else 4
