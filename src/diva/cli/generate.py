"""`diva constraints generate`: Σ from a table, by the classes of the paper and one more."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path
from typing import Annotated

import typer

from diva.cli import options
from diva.cli.forms import Form, HowToWrite, print_constraints, refuse_two_forms, written
from diva.errors import BadInput
from diva.relation.names import shown
from diva.relation.places import is_address


def command(
    table: options.Input,
    kind: Annotated[
        str, typer.Option("--class", help="minimum, average, proportion (the paper's), or share.")
    ],
    on: Annotated[
        list[str],
        typer.Option(
            "--on",
            metavar="A,B,…",
            help="The target attributes of the constraints; repeat for more sets of attributes.",
        ),
    ],
    qi: options.Qi = None,
    percent: Annotated[
        str | None,
        typer.Option("--percent", metavar="P", help="Class share: keep each count within ±P %. [default: 5]"),
    ] = None,
    seed: Annotated[
        str, typer.Option("--seed", metavar="N", help="Decides the random choices of minimum and average.")
    ] = "0",
    in_table: options.InTable = None,
    query: options.Query = None,
    form: HowToWrite = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write to a file instead of stdout.")
    ] = None,
    json: options.Json = False,  # noqa: FBT002 - a flag of the command line
) -> int:
    """Generate constraints for a table: one for each value, or combination of values, of the attributes."""
    from diva.questions import generate as make  # noqa: PLC0415 - help must not load an engine

    if percent is not None and kind != "share":
        raise BadInput(f"--percent is for --class share, not {kind}")
    if qi and kind == "share":
        raise BadInput("--qi is for the other classes; --class share looks at the columns of --on only")
    refuse_two_forms(form, as_json=json)
    sets = [options.columns([text]) for text in on]
    form = _form_of_file(output, form, as_json=json)
    if output is not None:
        _refuse_unwritable(output, table)
    made = make(
        table,
        kind=kind,
        on=sets,
        qi=options.columns(qi),
        percent=_percent(percent or "5"),
        seed=_seed(seed),
        **options.place(in_table, query),
    )
    if output is None:
        print_constraints(made, form, as_json=json)
    else:
        _write(output, written(made, form))
    return 0


def _form_of_file(path: Path | None, form: Form | None, *, as_json: bool) -> Form | None:
    """The form that the name of a file tells, for by that it is read back."""
    if path is None:
        return form
    if as_json:
        raise BadInput("--json is for stdout; with -o the name of the file tells the form")
    told = {".toml": Form.TOML, ".json": Form.JSON}.get(path.suffix.lower(), Form.LINES)
    if form not in (None, told):
        raise BadInput(f"--format {form} and the name {str(path)!r} differ; it would be read back as {told}")
    return told


def _refuse_unwritable(path: Path, table: str) -> None:
    from diva.recode.atomic import refuse_unwritable  # noqa: PLC0415 - only where a file is written
    from diva.relation.folders import parts_of  # noqa: PLC0415

    refuse_unwritable(path, () if is_address(table) else parts_of(table).paths)


def _write(path: Path, text: str) -> None:
    from diva.recode.atomic import replacing  # noqa: PLC0415 - only where a file is written

    with replacing(path) as beside:
        beside.write_text(text, encoding="utf-8")


def _seed(text: str) -> int:
    seed = options.whole(text, "--seed") or 0
    if seed < 0:
        raise BadInput(f"--seed {seed} is negative; write 0 or more")
    return seed


def _percent(text: str) -> Fraction:
    if not re.fullmatch(r"[+-]?([0-9]{1,12}(\.[0-9]{0,12})?|\.[0-9]{1,12})", text.strip(), re.ASCII):
        raise BadInput(f"--percent {shown(text)} is not a number, as in 5 or 2.5")
    return Fraction(text)
