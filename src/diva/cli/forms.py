"""The forms in which Σ is written: lines, TOML, JSON; all of them are read back by --constraints."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from diva.cli import show
from diva.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Sequence

    from diva.constraints.model import Constraint


class Form(StrEnum):
    """How constraints are written."""

    LINES = "lines"
    TOML = "toml"
    JSON = "json"


HowToWrite = Annotated[
    Form | None, typer.Option("--format", help="How to write the constraints. [default: lines]")
]


def refuse_two_forms(form: Form | None, *, as_json: bool) -> None:
    """Refuse to print in two forms at once."""
    if form and as_json:
        raise BadInput("--format and --json exclude each other; ask for one form")


def print_constraints(sigma: Sequence[Constraint], form: Form | None, *, as_json: bool) -> None:
    """Print constraints in a form, or as one object that holds them."""
    from diva.constraints.files import to_object  # noqa: PLC0415 - help must not load it

    if as_json:
        show.as_json({"constraints": [to_object(constraint) for constraint in sigma]})
    else:
        show.line(written(sigma, form).rstrip("\n"))


def written(sigma: Sequence[Constraint], form: Form | None) -> str:
    """Write constraints in a form."""
    from diva.constraints import files  # noqa: PLC0415 - help must not load it

    writers = {Form.LINES: files.to_lines, Form.TOML: files.to_toml, Form.JSON: files.to_json}
    return writers[form or Form.LINES](sigma)
