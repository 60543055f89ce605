"""Which groups a search looks at: all of them where that fits, those near the frontier where it doesn't."""

from __future__ import annotations

from typing import TYPE_CHECKING

from diva.lattice.complete import complete_lattice

if TYPE_CHECKING:
    from diva.lattice.groups import Lattice
    from diva.lattice.problem import Problem

CELLS = 40_000_000
"""Cells (pattern, type) that may be looked at for the whole lattice."""
TREES = 32
"""Top-down specialisations from which a part of the lattice is made."""
WIDTH = 12
"""Attributes up to which the whole lattice is tried."""


def list_groups(problem: Problem, *, thorough: bool = True) -> Lattice:
    """Return the lattice to search in; a search that isn't thorough needs fewer groups."""
    if int((~problem.visible).sum()) <= WIDTH:
        lattice = complete_lattice(problem, limit=CELLS)
        if lattice is not None:
            return lattice
    from diva.lattice.frontier import frontier_lattice  # noqa: PLC0415 - few runs need it

    return frontier_lattice(problem, trees=TREES if thorough else 2)
