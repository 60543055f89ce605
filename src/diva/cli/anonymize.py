"""`diva anonymize`: a table in, a verified release out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from diva.cli import options, show
from diva.errors import BadInput, Unsatisfiable
from diva.relation.places import is_address

if TYPE_CHECKING:
    from diva.release import Release

Output = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="The release: .csv, .tsv (also .gz, .zst) or .parquet; with --partition-by or --file-size a folder.",
    ),
]
Into = Annotated[
    str | None,
    typer.Option(
        "--into", metavar="NAME", help="The release, where TABLE is in a database: a new table there."
    ),
]
Replace = Annotated[
    bool | None,
    typer.Option("--replace", help="Let --into take the place of an earlier release of that name."),
]
Solver = Annotated[
    str | None,
    typer.Option(
        "--solver",
        metavar="NAME",
        help="Who searches: lattice; diva, the paper's algorithm; or k-member, oka or mondrian, which don't look at constraints. [default: lattice]",
    ),
]
Effort = Annotated[
    str | None,
    typer.Option("--effort", metavar="quick|standard|best", help="How hard to search. [default: standard]"),
]
Split = Annotated[
    str | None,
    typer.Option(
        "--split",
        metavar="span|entropy",
        help="Which attribute mondrian splits first: that with the widest normalised span, or the lowest entropy. [default: span]",
    ),
]
Strategy = Annotated[
    str | None,
    typer.Option(
        "--strategy",
        metavar="NAME",
        help="Which constraint diva colours next: naive (any), min-choice (fewest candidates) or max-fanout (most overlapping others). [default: max-fanout]",
    ),
]
Anonymizer = Annotated[
    str | None,
    typer.Option(
        "--anonymizer",
        metavar="NAME",
        help="Who anonymises the records that diva has in no cluster: k-member, oka, mondrian or lattice. [default: k-member]",
    ),
]
Budget = Annotated[
    str | None,
    typer.Option(
        "--budget",
        metavar="N",
        help="How many candidate clusterings diva tries before it gives up. [default: 2000]",
    ),
]
Workers = Annotated[
    str | None,
    typer.Option(
        "--workers",
        metavar="N",
        help="At most how many processes solve parts, or colour independent constraints of diva; the release is the same. [default: processors; 1]",
    ),
]
Parts = Annotated[
    str | None,
    typer.Option(
        "--parts",
        metavar="N",
        help="Into how many parts lattice cuts the table. [default: 1; above 250000 types one per 100000]",
    ),
]
Limit = Annotated[
    str | None, typer.Option("--time-limit", metavar="S", help="Seconds that the search may take.")
]
Seed = Annotated[
    str | None,
    typer.Option("--seed", metavar="N", help="The same seed and input give the same bytes. [default: 0]"),
]
Weight = Annotated[
    list[str] | None,
    typer.Option(
        "--weight",
        metavar="A=W",
        help="What a star costs in a column, as in AGE=0.2; repeat for more. [default: 1]",
    ),
]
Order = Annotated[
    str | None,
    typer.Option("--order", metavar="shuffle|keep", help="The order of the rows. [default: shuffle]"),
]


def command(
    table: options.Input,
    output: Output = None,
    in_table: options.InTable = None,
    query: options.Query = None,
    into: Into = None,
    replace: Replace = None,
    qi: options.Qi = None,
    sensitive: options.Sensitive = None,
    identifying: options.Identifying = None,
    keep: options.Keep = None,
    keep_rest: options.KeepRest = False,  # noqa: FBT002 - a flag of the command line
    k: options.K = None,
    constraint: options.Sigma = None,
    constraints: options.SigmaFile = None,
    solver: Solver = None,
    effort: Effort = None,
    time_limit: Limit = None,
    split: Split = None,
    strategy: Strategy = None,
    anonymizer: Anonymizer = None,
    budget: Budget = None,
    workers: Workers = None,
    parts: Parts = None,
    seed: Seed = None,
    weight: Weight = None,
    order: Order = None,
    star: options.Star = None,
    suppressed: options.Suppressed = None,
    partition_by: options.PartitionBy = None,
    file_size: options.FileSize = None,
    memory_limit: options.MemoryLimit = None,
    threads: options.Threads = None,
    temp_dir: options.TempDir = None,
    engine: options.Engine = None,
    master: options.Master = None,
    json: options.Json = False,  # noqa: FBT002 - a flag of the command line
) -> int:
    """Publish a table so that every record hides among at least k alike and every constraint holds."""
    given = {
        "solver": solver, "effort": effort, "time_limit": options.real(time_limit, "--time-limit"), "seed": options.whole(seed, "--seed"), "split": split, "order": order, "file_size": file_size, "star": star,
        "strategy": strategy, "anonymizer": anonymizer, "budget": options.whole(budget, "--budget"), "workers": options.whole(workers, "--workers"), "parts": options.whole(parts, "--parts"),
        "suppressed": suppressed, "k": options.whole(k, "--k"), "output": output, "into": into, "replace": replace, "keep_rest": keep_rest or None,
    }  # fmt: skip
    job: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    job |= {
        "source": table,
        "qi": options.columns(qi),
        "sensitive": options.columns(sensitive),
        "identifying": options.columns(identifying),
        "keep": options.columns(keep),
        "constraints": options.constraints(constraint, constraints),
        "partition_by": options.columns(partition_by),
        "weights": options.weights(weight),
        **options.place(in_table, query),
        **options.engine(memory_limit, threads, temp_dir, engine, master),
    }
    options.refuse_overwriting(output, constraints)
    return carry_out(job, as_json=json)


def carry_out(job: dict[str, Any], *, as_json: bool) -> int:
    """Run a job given by the fields of diva.Job, and print what came of it."""
    if job.get("k") is None:
        raise BadInput("--k is missing; say how many records must look alike")
    if job.get("output") is None and not (is_address(job["source"]) or job.get("into")):
        raise BadInput("-o/--output is missing; say where to write the release")
    from diva.job import Job  # noqa: PLC0415
    from diva.walk import run  # noqa: PLC0415 - help must not load an engine

    bar = show.Bar(patient=job.get("effort") == "best")
    try:
        release = run(Job(**job), bar)
    except Unsatisfiable as error:
        if as_json:
            from diva.cli.decide import content  # noqa: PLC0415

            show.as_json(content(error.decision))
        raise
    finally:
        bar.close()
    show.warn_of_absent([p.constraint for p in release.constraints if not p.before])
    for warning in release.warnings:
        show.warn(warning)
    show.as_json(release.to_dict()) if as_json else _print(release, str(job.get("into") or job["output"]))
    return 0


def _savings(release: Release) -> str:
    weighted = release.cost != release.stars
    if not release.gap:
        return "no release costs less" if weighted else "no release has fewer"
    return f"at most {release.gap:.2%} of the {'cost' if weighted else 'stars'} could be saved"


def _print(release: Release, output: str) -> None:
    share = release.stars / release.cells if release.cells else 0.0
    pairs = [
        (
            "release",
            f"{show.visible(output)}: {show.many(release.rows, 'record')} in {show.many(release.groups, 'group')}",
        ),
        ("k", f"{release.k_achieved} (asked for {release.k})"),
        ("stars", f"{show.number(release.stars)} of {show.number(release.cells)} cells ({share:.2%})"),
        (
            "bound",
            f"at least {show.number(release.lower_bound)} needed; {_savings(release)}",
        ),
    ]
    if release.constraints:
        pairs.append(("without Σ", f"at least {show.number(release.bound_without_constraints)} needed"))
    if release.cost != release.stars:
        pairs.insert(3, ("cost", f"{show.number(release.cost)} weighted stars"))
    if release.dropped_columns:
        pairs.append(("not published", ", ".join(map(show.visible, release.dropped_columns))))
    pairs.append(("seconds", f"{release.seconds['total']:.2f}"))
    show.facts(pairs)
    if release.constraints:
        show.line()
        rows = [
            (
                p.constraint.text,
                show.number(p.before),
                show.number(p.count),
                "yes" if p.satisfied else "NO",
                "?" if p.price is None else show.number(p.price),
            )
            for p in release.constraints
        ]
        show.table(("constraint", "before", "published", "holds", "price"), rows)
