"""`diva constraints`: questions about Σ itself, and generators."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from diva.cli import generate, options, show
from diva.cli.forms import HowToWrite, print_constraints, refuse_two_forms
from diva.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Sequence

    from diva.constraints.witness import Witness

app = typer.Typer(
    help="Ask about constraints: imply, satisfiable, cover, graph; or generate them.", rich_markup_mode=None
)


app.command("generate")(generate.command)


class Method(StrEnum):
    """How implication is decided."""

    EXACT = "exact"
    AXIOMS = "axioms"


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
    refuse_two_forms(form, as_json=json)
    kept = minimal_cover(sigma, method.value, _domains(domain, method))
    print_constraints(kept, form, as_json=json)
    return 0


@app.command("graph")
def graph(
    table: options.Input,
    constraint: options.Sigma = None,
    constraints: options.SigmaFile = None,
    in_table: options.InTable = None,
    query: options.Query = None,
    dot: Annotated[bool, typer.Option("--dot", help="Print Graphviz DOT.")] = False,  # noqa: FBT002 - a flag of the command line
    json: options.Json = False,  # noqa: FBT002 - a flag of the command line
) -> int:
    """Print the conflict graph of Σ over a table, and its conflict rate cf."""
    from diva.constraints.graph import to_dot  # noqa: PLC0415
    from diva.questions import conflict_graph  # noqa: PLC0415 - help must not load an engine

    if dot and json:
        raise BadInput("--dot and --json exclude each other; ask for one form")
    sigma = options.constraints(constraint, constraints)
    found = conflict_graph(table, constraints=sigma, **options.place(in_table, query))
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
