"""Publish a table about people so that nobody can be singled out and nobody disappears."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from diva.version import __version__

if TYPE_CHECKING:
    from diva.algebra import cover, implies, satisfiable
    from diva.constraints.model import Constraint, Target
    from diva.errors import BadInput, DivaError, GaveUp, Interrupted, Unsatisfiable, VerificationFailed
    from diva.job import Job
    from diva.questions import check, conflict_graph, decide, generate, verify_release
    from diva.release import Release
    from diva.solve.decide import Decision
    from diva.verify import Verification
    from diva.walk import anonymize, run

__all__ = [
    "BadInput",
    "Constraint",
    "Decision",
    "DivaError",
    "GaveUp",
    "Interrupted",
    "Job",
    "Release",
    "Target",
    "Unsatisfiable",
    "Verification",
    "VerificationFailed",
    "__version__",
    "anonymize",
    "check",
    "conflict_graph",
    "cover",
    "decide",
    "generate",
    "implies",
    "run",
    "satisfiable",
    "verify_release",
]

# Loaded when first used: importing diva, or asking the command for help, must not load an engine.
_HOMES = {
    "walk": ("anonymize", "run"),
    "questions": ("check", "conflict_graph", "decide", "generate", "verify_release"),
    "algebra": ("cover", "implies", "satisfiable"),
    "constraints.model": ("Constraint", "Target"),
    "errors": ("BadInput", "DivaError", "GaveUp", "Interrupted", "Unsatisfiable", "VerificationFailed"),
    "job": ("Job",),
    "release": ("Release",),
    "solve.decide": ("Decision",),
    "verify": ("Verification",),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'diva' has no attribute {name!r}")
    return getattr(import_module(f"diva.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
