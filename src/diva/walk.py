"""The walk of the data: from a table and Σ to a verified release (the paper's Algorithm 1)."""

from __future__ import annotations

from contextlib import ExitStack, closing
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from diva.constraints.text import as_constraints
from diva.errors import BadInput
from diva.job import Job, as_columns, as_path
from diva.progress import Observer, Watch
from diva.publish import Publisher
from diva.recode.destination import destination_at
from diva.recode.table_destination import TableDestination
from diva.relation.engine import Layout
from diva.relation.opening import followed, open_table, open_target
from diva.relation.roles import Roles, assign
from diva.solve.effort import Baseline, Colouring, Search
from diva.solve.parts.machines import OnMachines
from diva.solve.solver import solve

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from diva.constraints.model import Constraint
    from diva.relation.engine import Destination, Table
    from diva.relation.types import Types
    from diva.release import Release


def anonymize(
    source: object,
    *,
    qi: Sequence[str],
    k: int,
    constraints: Sequence[str | Constraint] = (),
    observer: Observer | None = None,
    **options: Any,
) -> Release:
    """Publish a table so that it is k-anonymous and satisfies Σ, with as few suppressed cells as possible.

    `source` is a path or glob of CSV or Parquet files, a pandas, polars or pyarrow frame (anything with the Arrow C
    stream interface), a DuckDB relation, a Spark DataFrame, or a connection to PostgreSQL or its URI, with a `table` there (or a `query`).
    The options are the fields of `diva.Job`. With `output` the rows go straight to that file, with `into` they become a
    table beside their original; otherwise the release holds them. Raises Unsatisfiable, with the reason, where no such
    release exists.
    """
    unknown = set(options) - set(Job.__dataclass_fields__)
    if unknown:
        raise BadInput(f"there is no option {min(unknown)!r}; the options are the fields of diva.Job")
    for name in ("sensitive", "identifying", "keep", "partition_by"):
        options[name] = as_columns(name, options.get(name) or ())
    if options.get("output") is not None:
        options["output"] = as_path("output", options["output"])
    sigma = as_constraints(constraints)
    return run(Job(source=source, qi=as_columns("qi", qi), k=k, constraints=sigma, **options), observer)


def run(job: Job, observer: Observer | None = None) -> Release:
    """Carry out a job."""
    watch = Watch(observer or Observer())
    with ExitStack() as session:
        with watch.part("read", "opening the table"):
            opened = session.enter_context(closing(open_table(job.source, job.engine_settings)))
            opened.refuse(job.order)
            roles = roles_of(opened, job)
            destination = destination_of(opened, job)
            table = opened.focused(roles.published)
            watch.percent = followed(table) if watch.observer.follows() else None
        with watch.work("read", "counting types"):
            types = table.types(roles.quasi, conditions(roles, job.constraints))
            refuse_stars(types, job, table.origin)
        with watch.part("solve", "searching"):
            search, elsewhere = search_of(job, watch.observer), on_machines(table, job, watch.observer)
            solution = solve(types, job.k, job.constraints, replace(search, elsewhere=elsewhere))
            if elsewhere is not None:
                solution = replace(solution, warnings=(*solution.warnings, *elsewhere.warnings))
        recoding = table.recode(types, solution.plan, Layout(roles.published, job.order, job.cell, job.seed))
        return Publisher(job, table, roles, types, solution, watch).publish(recoding, destination)


def destination_of(table: Table, job: Job) -> Destination | None:
    """Where the release of a job goes, which must be writable; None where it is to stay in memory."""
    destination: Destination
    if job.into is not None:
        destination = TableDestination(open_target(table, job.into, replace=job.replace))
    elif job.output is None:
        return None
    else:
        destination = destination_at(job.output, table, table.paths, pieces=job.pieces, temp_dir=job.temp_dir)
    destination.refuse_unwritable()
    return destination


def search_of(job: Job, observer: Observer) -> Search:
    """Tell the solver what a job asks of it."""
    settings = job.settings
    split = settings.get("split", "span")
    return Search(
        effort=settings.get("effort", "standard"),
        time_limit=settings.get("time_limit"),
        seed=job.seed,
        weights=job.weights,
        progress=observer.searching,
        stop=observer.stopping,
        threads=job.threads,
        baseline=None if job.solver == "lattice" or job.solver == "diva" else Baseline(job.solver, split),  # noqa: PLR1714 - mypy narrows by these
        parts=settings.get("parts"),
        workers=settings.get("workers"),
        solved=_percent_of(observer),
        colouring=_colouring_of(settings) if job.solver == "diva" else None,
    )


def on_machines(table: Table, job: Job, observer: Observer) -> OnMachines | None:
    """Who solves parts where the table's engine has machines for that."""
    machines = table.machines()
    if machines is None:
        return None
    return OnMachines(machines, job.settings.get("workers"), observer.stopping, _percent_of(observer))


def _percent_of(observer: Observer) -> Callable[[int, int], None]:
    """Tell an observer how many parts are solved."""
    return lambda done, of: observer.percent("searching", 100 * done / of)


def _colouring_of(settings: dict[str, Any]) -> Colouring:
    own = {name: settings[name] for name in ("strategy", "anonymizer", "budget", "workers")}
    return Colouring(split=settings.get("split", "span"), **own)


def roles_of(table: Table, job: Job) -> Roles:
    """Give every column its role, and refuse constraints on columns that aren't published."""
    roles = assign(
        table.names,
        quasi=job.qi,
        sensitive=job.sensitive,
        identifying=job.identifying,
        keep=job.keep,
        keep_rest=job.keep_rest,
    )
    require_published(roles, table.names, job.constraints)
    return roles.with_last(job.partition_by)


def require_published(roles: Roles, names: Sequence[str], constraints: Sequence[Constraint]) -> None:
    """A constraint speaks of what is published, so all its columns must be."""
    for constraint in constraints:
        for attribute in constraint.target.attributes:
            if attribute not in names:
                raise BadInput(f"{constraint.text}: there is no column {attribute!r} in the table")
            if attribute not in roles.published:
                role = "identifying" if attribute in roles.identifying else "dropped"
                raise BadInput(
                    f"{constraint.text}: column {attribute!r} is {role}, so nothing of it is published;"
                    " declare it with --qi, --sensitive or --keep"
                )


def conditions(roles: Roles, constraints: Sequence[Constraint]) -> tuple[Any, ...]:
    """The parts of Σ's targets that speak of columns that are no QI."""
    quasi = frozenset(roles.quasi)
    parts = (c.target.without(quasi) for c in constraints)
    return tuple(dict.fromkeys(part for part in parts if part.attributes))


def refuse_stars(types: Types, job: Job, origin: str) -> None:
    """A cell that looks suppressed before anything was suppressed would make the release ambiguous."""
    if not len(types):
        raise BadInput(f"{origin} has no records, so there is nothing to publish")
    for attribute, values in zip(types.attributes, types.values, strict=True):
        if job.cell is not None and job.cell in values:
            raise BadInput(
                f"column {attribute!r} has cells {job.cell!r}, which would look suppressed; choose another --star"
            )
        if job.cell is None and None in values:
            raise BadInput(
                f"column {attribute!r} has missing cells, which --suppressed null could not tell from suppressed ones;"
                " use --star instead"
            )
