"""`diva run`: a job declared in a TOML file; options on the command line win over it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from diva.cli import anonymize as shell
from diva.cli import options
from diva.errors import BadInput
from diva.job_file import read_job

JobFile = Annotated[
    Path, typer.Argument(metavar="JOB.toml", help="The job; paths in it are relative to its folder.")
]
Source = Annotated[
    str | None, typer.Option("--input", metavar="TABLE", help="Another table than the job names.")
]


def command(
    job: JobFile,
    table: Source = None,
    output: shell.Output = None,
    in_table: options.InTable = None,
    query: options.Query = None,
    into: shell.Into = None,
    replace: shell.Replace = None,
    qi: options.Qi = None,
    sensitive: options.Sensitive = None,
    identifying: options.Identifying = None,
    keep: options.Keep = None,
    keep_rest: Annotated[
        bool | None,
        typer.Option("--keep-rest/--no-keep-rest", help="Publish all columns that are declared nowhere."),
    ] = None,
    k: options.K = None,
    constraint: options.Sigma = None,
    constraints: options.SigmaFile = None,
    solver: shell.Solver = None,
    effort: shell.Effort = None,
    time_limit: shell.Limit = None,
    split: shell.Split = None,
    strategy: shell.Strategy = None,
    anonymizer: shell.Anonymizer = None,
    budget: shell.Budget = None,
    workers: shell.Workers = None,
    parts: shell.Parts = None,
    seed: shell.Seed = None,
    weight: shell.Weight = None,
    order: shell.Order = None,
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
    """Carry out a job file; what is given on the command line replaces what the file says."""
    declared = read_job(job)
    given: dict[str, Any] = {
        "source": table, "output": output, "into": into, "replace": replace, "keep_rest": keep_rest, "k": options.whole(k, "--k"), "solver": solver, "effort": effort,
        "time_limit": options.real(time_limit, "--time-limit"), "seed": options.whole(seed, "--seed"), "split": split, "order": order, "file_size": file_size, "star": star, "suppressed": suppressed,
        "strategy": strategy, "anonymizer": anonymizer, "budget": options.whole(budget, "--budget"), "workers": options.whole(workers, "--workers"), "parts": options.whole(parts, "--parts"),
        "qi": options.columns(qi) or None,
        "sensitive": options.columns(sensitive) or None,
        "identifying": options.columns(identifying) or None,
        "keep": options.columns(keep) or None,
        "constraints": options.constraints(constraint, constraints) or None,
        "partition_by": options.columns(partition_by) or None,
        "weights": options.weights(weight) or None,
        **options.place(in_table, query),
        **options.engine(memory_limit, threads, temp_dir, engine, master),
    }  # fmt: skip
    given = {name: value for name, value in given.items() if value is not None}
    if given.get("suppressed") == "null" or "star" in given:  # what the file says of the other is overruled
        declared = {name: value for name, value in declared.items() if name not in ("star", "suppressed")}
    if "table" in given or "query" in given:
        declared = {name: value for name, value in declared.items() if name not in ("table", "query")}
    declared |= given
    if "source" not in declared:
        raise BadInput(f"job {str(job)!r} names no table; write its path under [input], or give --input")
    options.refuse_overwriting(declared.get("output"), (job, *(constraints or ())))
    return shell.carry_out(declared, as_json=json)
