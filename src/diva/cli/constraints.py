"""`diva constraints`: questions about Σ itself, and generators."""

from __future__ import annotations

import re
from enum import StrEnum
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from diva.cli import options, show
from diva.errors import BadInput
from diva.relation.names import shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from diva.constraints.model import Constraint
    from diva.constraints.witness import Witness

app = typer.Typer(
    help="Ask about constraints: imply, satisfiable, cover, graph; or generate them.", rich_markup_mode=None
)


class Method(StrEnum):
    """How implication is decided."""

    EXACT = "exact"
    AXIOMS = "axioms"


class Form(StrEnum):
    """How constraints are written."""

    LINES = "lines"
    TOML = "toml"
    JSON = "json"


HowToDecide = Annotated[
    Method,
    typer.Option(
        "--method",
        help="exact: an integer programme; axioms: the paper's, in linear time, which miss some implications.",
    ),
]
Domain = Annotated[
    list[str] | None,
    typer.Option(
        "--domain",
        metavar="A[a,b,…]",
        help="All values that a column can have; repeat for more columns. Only with --method exact.",
    ),
]


HowToWrite = Annotated[
    Form | None, typer.Option("--format", help="How to write the constraints. [default: lines]")
]


@app.command("imply")
def imply(
    implied: Annotated[str, typer.Argument(metavar="σ", help="The constraint that may follow.")],
    constraint: options.Sigma = None,
    constraints: options.SigmaFile = None,
    method: HowToDecide = Method.EXACT,
    domain: Domain = None,
    json: options.Json = False,  # noqa: FBT002 - a flag of the command line
) -> int:
    """Does every table that satisfies Σ satisfy σ? Exit code 4 when not, with a table that shows it."""
    from diva.constraints import axioms, exact  # noqa: PLC0415 - help must not load what it doesn't need
    from diva.constraints.text import parse  # noqa: PLC0415

    sigma, conclusion, domains = (
        options.constraints(constraint, constraints),
        parse(implied),
        _domains(domain, method),
    )
    witness: Witness | None = None
    if method is Method.AXIOMS:
        holds = axioms.implies(sigma, conclusion)
    else:
        answer = exact.implies(sigma, conclusion, domains)
        holds, witness = answer.holds, answer.witness
    if json:
        show.as_json({"implied": holds, "method": method.value, "witness": _records(witness)})
    else:
        by = "" if method is Method.EXACT else " by the axioms (which are not complete; --method exact is)"
        show.line(f"{conclusion.text} {'follows' if holds else 'does not follow'}{by}.")
        _print_witness(witness, "A table that satisfies the constraints and breaks it:")
    return 0 if holds else 4


@app.command("satisfiable")
def satisfiable(
    constraint: options.Sigma = None,
    constraints: options.SigmaFile = None,
    domain: Domain = None,
    json: options.Json = False,  # noqa: FBT002 - a flag of the command line
) -> int:
    """Is there any table that satisfies Σ? Exit code 3 when not, with a minimal conflict."""
    from diva.constraints.exact import satisfiable as answer_for  # noqa: PLC0415 - help must not load it

    answer = answer_for(options.constraints(constraint, constraints), _domains(domain, Method.EXACT))
    conflict = [c.text for c in answer.conflict]
    if json:
        show.as_json(
            {"satisfiable": answer.satisfiable, "conflict": conflict, "witness": _records(answer.witness)}
        )
    elif answer.satisfiable:
        show.line("Satisfiable.")
        _print_witness(answer.witness, "A table that satisfies it:")
    else:
        verb = "can't hold together" if len(conflict) > 1 else "can't hold"
        show.line(
            f"Not satisfiable: {' and '.join(conflict)} {verb}{' in the declared domains' * bool(domain)}."
        )
    return 0 if answer.satisfiable else 3


@app.command("cover")
def cover(
    constraint: options.Sigma = None,
    constraints: options.SigmaFile = None,
    method: HowToDecide = Method.EXACT,
    domain: Domain = None,
    form: HowToWrite = None,
    json: options.Json = False,  # noqa: FBT002 - a flag of the command line
) -> int:
    """Print a minimal cover of Σ: the constraints that are left when every implied one is gone."""
    from diva.constraints.cover import minimal_cover  # noqa: PLC0415 - help must not load it

    sigma = options.constraints(constraint, constraints)
    _refuse_two_forms(form, as_json=json)
    kept = minimal_cover(sigma, method.value, _domains(domain, method))
    _print_constraints(kept, form, as_json=json)
    return 0


@app.command("graph")
def graph(
    table: options.Input,
    constraint: options.Sigma = None,
    constraints: options.SigmaFile = None,
    dot: Annotated[bool, typer.Option("--dot", help="Print Graphviz DOT.")] = False,  # noqa: FBT002 - a flag of the command line
    json: options.Json = False,  # noqa: FBT002 - a flag of the command line
) -> int:
    """Print the conflict graph of Σ over a table, and its conflict rate cf."""
    from diva.constraints.graph import to_dot  # noqa: PLC0415
    from diva.questions import conflict_graph  # noqa: PLC0415 - help must not load an engine

    if dot and json:
        raise BadInput("--dot and --json exclude each other; ask for one form")
    found = conflict_graph(table, constraints=options.constraints(constraint, constraints))
    texts = [c.text for c in found.constraints]
    if dot:
        show.line(to_dot(found).rstrip("\n"))
    elif json:
        show.as_json(
            {
                "cf": found.rate,
                "vertices": [{"text": t, "relevant": n} for t, n in zip(texts, found.vertices, strict=True)],
                "edges": [
                    {"left": e.left, "right": e.right, "overlap": e.overlap, "cf": e.score}
                    for e in found.edges
                ],
            }
        )
    else:
        rows = [
            (texts[e.left], texts[e.right], show.number(e.overlap), f"{e.score:.4f}") for e in found.edges
        ]
        if rows:
            show.table(("constraint", "overlaps with", "records", "cf"), rows, left=2)
            show.line()
        show.line(f"cf(Σ) = {found.rate:.4f}")
    return 0


@app.command("generate")
def generate(
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
    _refuse_two_forms(form, as_json=json)
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
    )
    if output is None:
        _print_constraints(made, form, as_json=json)
    else:
        _write(output, _written(made, form))
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

    refuse_unwritable(path, parts_of(table).paths)


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


def _refuse_two_forms(form: Form | None, *, as_json: bool) -> None:
    if form and as_json:
        raise BadInput("--format and --json exclude each other; ask for one form")


def _print_constraints(sigma: Sequence[Constraint], form: Form | None, *, as_json: bool) -> None:
    from diva.constraints.files import to_object  # noqa: PLC0415 - help must not load it

    if as_json:
        show.as_json({"constraints": [to_object(constraint) for constraint in sigma]})
    else:
        show.line(_written(sigma, form).rstrip("\n"))


def _written(sigma: Sequence[Constraint], form: Form | None) -> str:
    from diva.constraints import files  # noqa: PLC0415 - help must not load it

    writers = {Form.LINES: files.to_lines, Form.TOML: files.to_toml, Form.JSON: files.to_json}
    return writers[form or Form.LINES](sigma)


def _domains(texts: Sequence[str] | None, method: Method) -> dict[str, tuple[str, ...]] | None:
    """Read declared domains, written like targets: A[a,b]."""
    from diva.relation.names import Scanner  # noqa: PLC0415 - help must not load it

    if texts and method is Method.AXIOMS:
        raise BadInput("the axioms don't know of declared domains; use --method exact with --domain")
    found: dict[str, tuple[str, ...]] = {}
    for text in texts or ():
        scanner = Scanner(text, f"domain {text!r}")
        names, end = scanner.items(0, stops=",[]", close="[")
        values, end = scanner.items(end, stops=",[]", close="]")
        if len(names) != 1 or text[end:].strip():
            raise BadInput(f"domain {text!r} is not of the form COLUMN[value,value,…]")
        if names[0] in found:
            raise BadInput(f"column {names[0]!r} has two domains; give it one")
        found[names[0]] = values
    return found or None


def _records(witness: Witness | None) -> list[dict[str, Any]] | None:
    if witness is None:
        return None
    return [{"record": dict(record), "times": times} for record, times in witness.records]


def _print_witness(witness: Witness | None, title: str) -> None:
    if witness is None:
        return
    if not witness.records:
        show.line(f"{title} the empty one.")
        return
    show.line(title)
    columns = list(witness.records[0][0])
    rows = [(*(record[c] for c in columns), show.number(times)) for record, times in witness.records]
    show.table((*map(show.visible, columns), "times"), rows, left=len(columns))
