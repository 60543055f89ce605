"""Algorithms that make a table k-anonymous and know nothing of Σ: the paper's baselines, and its *Anonymize* step.

Each is a function from a problem and a source of randomness to a plan, in a file of its own.
"""

from __future__ import annotations

from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, Protocol

if TYPE_CHECKING:
    import numpy as np

    from diva.lattice.problem import Problem
    from diva.relation.engine import Fragments
    from diva.solve.anonymizers.mondrian import Split

__all__ = ["Anonymizer", "Name", "anonymizer"]

Name = Literal["k-member", "oka", "mondrian", "lattice"]


class Anonymizer(Protocol):
    """Anonymises a problem of at least k records; the same problem and random numbers give the same plan."""

    def __call__(self, problem: Problem, random: np.random.Generator, /) -> Fragments:
        """Return a plan in which every group has at least k members."""
        ...


# Loaded when first used: most of them bring in Numba.
_HOMES: dict[Name, str] = {"k-member": "k_member", "oka": "oka", "mondrian": "mondrian", "lattice": "lattice"}


def anonymizer(name: Name, *, split: Split = "span") -> Anonymizer:
    """Return the algorithm of a name; the split score is Mondrian's."""
    home = _HOMES[name]
    found: Any = getattr(import_module(f"diva.solve.anonymizers.{home}"), home)
    algorithm: Anonymizer = partial(found, split=split) if name == "mondrian" else found
    return algorithm
