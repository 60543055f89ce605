"""Where a table is: in the folder that DIVA_DATA names, or in the cache."""

from __future__ import annotations

import os
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

from diva.datasets.catalogue import DATASETS
from diva.errors import BadInput

if TYPE_CHECKING:
    from diva.datasets.catalogue import Dataset


@dataclass(frozen=True, slots=True)
class Found:
    """A table on this machine."""

    path: Path
    where: str
    """`DIVA_DATA` or `cache`."""


def cache() -> Path:
    """The folder that downloaded tables go to: $XDG_CACHE_HOME/diva, or ~/.cache/diva."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    # The specification says that a relative path is to be ignored.
    return (Path(base) if Path(base).is_absolute() else Path.home() / ".cache") / "diva"


def named(name: str) -> Dataset:
    """Return the dataset of a name, or say which there are."""
    if name not in DATASETS:
        near = get_close_matches(name.casefold(), DATASETS, n=1)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(DATASETS)}"
        raise BadInput(f"there is no data set {name!r}; {hint}")
    return DATASETS[name]


def find(dataset: Dataset) -> Found | None:
    """Look for a table, in the folder that DIVA_DATA names first."""
    shared = os.environ.get("DIVA_DATA")
    places = [("DIVA_DATA", Path(shared))] if shared else []
    for where, folder in (*places, ("cache", cache())):
        if (folder / dataset.file).is_file():
            return Found(folder / dataset.file, where)
    return None


def require(name: str) -> Path:
    """Return the path of a table, or say how to get it."""
    dataset = named(name)
    found = find(dataset)
    if found is None:
        raise BadInput(f"the data set {name} is not on this machine; get it with: diva datasets get {name}")
    return found.path
