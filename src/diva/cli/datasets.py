"""`diva datasets`: public tables to try things out on; the only command that uses the network."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from diva.cli import interruption, options, show
from diva.cli.streams import tell
from diva.errors import Interrupted

app = typer.Typer(help="Public tables: list them, get them.", rich_markup_mode=None)


@app.command("list")
def listed(
    json: options.Json = False,  # noqa: FBT002 - a flag of the command line
) -> int:
    """List the tables, and which are on this machine."""
    from diva.datasets import DATASETS, find  # noqa: PLC0415 - help must not load it

    found = [(dataset, find(dataset)) for dataset in DATASETS.values()]
    if json:
        show.as_json({"datasets": [
            {
                "name": d.name, "about": d.about, "rows": d.rows, "columns": d.columns, "sha256": d.sha256, "page": d.page,
                "path": None if f is None else str(f.path),
            }
            for d, f in found
        ]})  # fmt: skip
        return 0
    rows = [
        (d.name, "no" if f is None else f.where, d.about, show.number(d.rows), str(d.columns))
        for d, f in found
    ]
    show.table(("name", "here", "what", "rows", "columns"), rows, left=3)
    return 0


@app.command("get")
def get(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A table that diva datasets list names.")],
    files: Annotated[
        list[Path] | None,
        typer.Option(
            "--from", metavar="FILE", help="Make it from the publisher's file instead; repeat in order."
        ),
    ] = None,
    mirror: Annotated[
        str | None,
        typer.Option("--mirror", metavar="URL", help="Download files of the same names from here."),
    ] = None,
) -> int:
    """Bring a table into the cache, checked, and print where it is; one that is here already is left alone."""
    from diva.datasets import get as bring  # noqa: PLC0415 - help must not load it

    try:
        found = bring(name, files=tuple(files or ()), mirror=mirror, told=_tell)
    except KeyboardInterrupt:
        raise Interrupted("interrupted; no table was kept") from None
    show.line(str(found.path))
    return 0


def _tell(sentence: str) -> None:
    interruption.check()
    tell(f"{sentence} …\n")
