"""The manifest beside a release: the job as run, what went in and came out, and the verified figures.

It holds no value of the data that isn't in the release: the target of a constraint that no published record carries
is left out, and so are counts of the original.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from diva.relation.names import quote
from diva.version import __version__

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from diva.job import Job
    from diva.release import Published, Release

_FIGURES = ("rows", "cells", "types", "groups", "stars", "k_achieved", "lower_bound", "gap")


def manifest(
    job: Job, release: Release, read: Sequence[Mapping[str, Any]], written: Mapping[str, Any]
) -> str:
    """Write the manifest of a release: `read` and `written` say what went in and came out."""
    figures = release.to_dict()
    content = {
        "diva": __version__,
        "job": _job(job, release),
        "input": list(read),
        "output": dict(written),
        "verified": {name: figures[name] for name in _FIGURES}
        | {"constraints": [_published(c) for c in release.constraints]},
    }
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def _job(job: Job, release: Release) -> dict[str, Any]:
    return {
        "columns": {
            "quasi": list(job.qi),
            "sensitive": list(job.sensitive),
            "identifying": list(job.identifying),
            "keep": list(job.keep),
            "keep_rest": job.keep_rest,
            "not_published": list(release.dropped_columns),
        },
        "privacy": {"k": job.k},
        "diversity": {"constraints": [_published(c)["text"] for c in release.constraints]},
        "solve": {
            "solver": job.solver,
            **_settings(job),
            "seed": job.seed,
            "weights": dict(job.weights),
        },
        "output": _divided(job) | {"order": job.order, "star": job.star, "suppressed": job.suppressed},
    }


def _settings(job: Job) -> dict[str, Any]:
    """The settings of the solver; a strategy of a user's own by its name, and without workers, which change nothing."""
    told = {name: value for name, value in job.settings.items() if name != "workers"}
    if callable(told.get("strategy")):
        told["strategy"] = getattr(told["strategy"], "__name__", "a function")
    return told


def _divided(job: Job) -> dict[str, Any]:
    """How the output is divided among files, where it is."""
    given = {"partition_by": list(job.partition_by), "file_size": job.file_size}
    return {name: value for name, value in given.items() if value}


def _published(published: Published) -> dict[str, Any]:
    """A constraint without a value that nobody can see in the release."""
    constraint = published.constraint
    text = constraint.text
    if not published.count:
        columns = ",".join(map(quote, constraint.target.attributes))
        text = f"{columns}[…] in {constraint.range_text}"
    return {
        "text": text,
        "low": constraint.low,
        "high": constraint.high,
        "count": published.count,
        "satisfied": published.satisfied,
    }
