"""The tables of the experiments as types: the paper's QI columns, its target attributes, and samples."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, cast

import numpy as np

from diva.datasets import popsyn, require
from diva.errors import BadInput

if TYPE_CHECKING:
    from diva.relation.types import Types


@dataclass(frozen=True, slots=True)
class Source:
    """A table of the paper."""

    quasi: tuple[str, ...]
    targets: tuple[str, ...]
    """The attributes that its constraints speak of; a target on several attributes has at least one of them."""


_POPULATION = Source(tuple(popsyn.DOMAINS), popsyn.TARGETS)
SOURCES: dict[str, Source] = {
    "pantheon": Source(("sex", "city", "country", "continent"), ("sex", "continent")),
    "census": Source(
        (
            "sex", "class_of_worker", "marital_stat", "detailed_household_and_family_stat", "race",
            "country_of_birth_self",
        ),
        ("sex", "race"),
    ),
    "credit": Source(("Sex", "Job", "Housing", "Saving accounts"), ("Sex", "Job")),
    "pop-syn-uniform": _POPULATION,
    "pop-syn-gaussian": _POPULATION,
    "pop-syn-zipfian": _POPULATION,
}  # fmt: skip


@cache
def whole(table: str) -> Types:
    """Π_QI(R) of a whole table."""
    if table not in SOURCES:
        raise BadInput(f"there is no table {table!r} in the experiments; there are {', '.join(SOURCES)}")
    if table.startswith("pop-syn-"):
        return popsyn.types(cast("popsyn.Distribution", table.removeprefix("pop-syn-")))
    from diva.relation.opening import open_table  # noqa: PLC0415 - a generated table needs no engine

    return open_table(require(table)).types(SOURCES[table].quasi)


def sample(types: Types, rows: int, random: np.random.Generator) -> Types:
    """Count the types of `rows` records drawn without replacement; of all of them where rows is 0 or as large."""
    if not 0 < rows < types.rows:
        return types
    counts = random.multivariate_hypergeometric(types.counts, rows, method="marginals")
    some = np.flatnonzero(counts)
    return replace(types, codes=types.codes[some], met=types.met[some], counts=counts[some])
