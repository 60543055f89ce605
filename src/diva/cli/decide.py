"""`diva decide`: can it be done? If not, why, and what would do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from diva.cli import options, show
from diva.errors import Unsatisfiable

if TYPE_CHECKING:
    from diva.solve.decide import Decision


def command(
    table: options.Input,
    qi: options.Qi = None,
    sensitive: options.Sensitive = None,
    identifying: options.Identifying = None,
    keep: options.Keep = None,
    keep_rest: options.KeepRest = False,  # noqa: FBT002 - a flag of the command line
    k: options.K = None,
    constraint: options.Sigma = None,
    constraints: options.SigmaFile = None,
    in_table: options.InTable = None,
    query: options.Query = None,
    memory_limit: options.MemoryLimit = None,
    threads: options.Threads = None,
    temp_dir: options.TempDir = None,
    engine: options.Engine = None,
    master: options.Master = None,
    json: options.Json = False,  # noqa: FBT002 - a flag of the command line
) -> int:
    """Decide whether a k-anonymous release that satisfies every constraint exists; if not, explain."""
    level = options.required_k(k)
    from diva.questions import decide  # noqa: PLC0415 - help must not load an engine

    decision = decide(
        table,
        qi=options.columns(qi),
        k=level,
        constraints=options.constraints(constraint, constraints),
        sensitive=options.columns(sensitive),
        identifying=options.columns(identifying),
        keep=options.columns(keep),
        keep_rest=keep_rest,
        **options.place(in_table, query),
        **options.engine(memory_limit, threads, temp_dir, engine, master),
    )
    show.warn_of_absent([c for c, n in zip(decision.constraints, decision.relevant, strict=True) if not n])
    show.as_json(content(decision)) if json else show.line(decision.explanation)
    return 0 if decision.feasible else Unsatisfiable.exit_code


def content(decision: Decision) -> dict[str, Any]:
    """A decision as JSON."""
    return {
        "feasible": decision.feasible,
        "k": decision.k,
        "conflict": [c.text for c in decision.conflict],
        "nearest": [{"text": n.constraint.text, "low": n.low, "high": n.high} for n in decision.nearest],
        "largest_k": decision.largest_k,
        "explanation": decision.explanation,
        "seconds": round(decision.counting_seconds + decision.programme_seconds, 4),
    }
