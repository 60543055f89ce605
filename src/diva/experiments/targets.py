"""What Σ speaks of: targets whose relevant rows overlap as much as an experiment wants (the paper's conflict rate).

The pool of a table are the most frequent targets on up to four attributes, one of them at least a target attribute of
the paper, that enough records carry. From it n targets are chosen such that the average Jaccard similarity of all pairs, cf(Σ), comes
as near to the wanted rate as exchanging one target at a time brings it; among equals those whose pairs are all
about as similar. The sets grow with n: that of 8 is part of that of 12, as in an experiment that varies |Σ|.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from diva.constraints.model import Target
from diva.errors import BadInput
from diva.relation.types import distinct_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from diva.relation.types import Types

_VALUES = 6
"""Of each attribute that isn't a target attribute the most frequent values only."""
_ATTRIBUTES = 4
_TARGETS = 800
"""The pool is no larger, however many targets there are."""
_STARTS = 8
_ROUNDS = 40
_EVENNESS = 0.05
"""How much the spread of the pairs counts beside how far their average is off."""


@dataclass(frozen=True)
class Pool:
    """Targets, and how similar the sets of records are that carry them."""

    targets: tuple[Target, ...]
    similar: np.ndarray
    """float64 [T, T]: |I ∩ J| / |I ∪ J|, with zeros on the diagonal."""


def pool(types: Types, spoken: Sequence[str], least: int) -> Pool:
    """All targets that at least `least` records carry; of targets that the same records carry, too."""
    found = []
    for size in range(1, _ATTRIBUTES + 1):
        for chosen in combinations(types.attributes, size):
            if set(chosen) & set(spoken):
                found += _combinations(types, chosen, spoken, least)
    if not found:
        raise BadInput(f"no target is carried by {least} records; the table is too small for this experiment")
    found.sort(key=lambda pair: -pair[0])  # stable: equals stay in the order of attributes and values
    targets = tuple(target for _, target in found[:_TARGETS])
    carried = np.column_stack([types.carries(target) for target in targets])
    return Pool(targets, _similar(carried.astype(np.float64), types.counts))


def _combinations(
    types: Types, attributes: tuple[str, ...], spoken: Sequence[str], least: int
) -> list[tuple[int, Target]]:
    """The targets on some attributes that enough records carry, each with how many they are."""
    frequent = {a: _frequent(types, a, None if a in spoken else _VALUES) for a in attributes}
    columns = [types.attributes.index(a) for a in attributes]
    first, number = distinct_rows(types.codes[:, columns])
    totals = np.bincount(number, weights=types.counts, minlength=len(first)).astype(np.int64)
    found = []
    for row, records in zip(first.tolist(), totals.tolist(), strict=True):
        values = tuple(types.values[c][types.codes[row, c]] for c in columns)
        known = tuple(
            v for a, v in zip(attributes, values, strict=True) if v is not None and v in frequent[a]
        )
        if records >= least and len(known) == len(attributes):
            found.append((records, Target(attributes, known)))
    return found


def _frequent(types: Types, attribute: str, most: int | None) -> list[str]:
    column = types.attributes.index(attribute)
    counts = np.bincount(types.codes[:, column], weights=types.counts, minlength=len(types.values[column]))
    known = [
        (v, -n) for v, n in zip(types.values[column], counts.tolist(), strict=True) if v is not None and n
    ]
    return [value for value, _ in sorted(known, key=lambda pair: (pair[1], pair[0]))[:most]]


def _similar(carried: np.ndarray, counts: np.ndarray) -> np.ndarray:
    both = carried.T @ (carried * counts[:, None])
    size = np.diag(both)
    found = both / (size[:, None] + size - both)
    np.fill_diagonal(found, 0.0)
    return np.asarray(found)


def choose(
    pool: Pool, numbers: Sequence[int], rate: float, random: np.random.Generator
) -> dict[int, tuple[Target, ...]]:
    """Choose targets for each number of constraints, each set part of the next."""
    chosen: list[int] = []
    found = {}
    for n in sorted(numbers):
        if n > len(pool.targets):
            raise BadInput(f"the table has {len(pool.targets)} targets, and {n} constraints are wanted")
        starts = [_exchanged(pool, chosen, n, rate, random) for _ in range(_STARTS)]
        chosen = min(starts, key=lambda members: _error(pool, members, rate))
        found[n] = tuple(pool.targets[i] for i in chosen)
    return found


def _exchanged(pool: Pool, fixed: list[int], n: int, rate: float, random: np.random.Generator) -> list[int]:
    """Start anywhere and exchange one target after the other for the best there is, until nothing gets better."""
    free = np.setdiff1d(np.arange(len(pool.targets)), fixed)
    members = [*fixed, *random.choice(free, n - len(fixed), replace=False).tolist()]
    best = _error(pool, members, rate)
    for _ in range(_ROUNDS):
        for place in range(len(fixed), n):
            others = members[:place] + members[place + 1 :]
            members = [*members[:place], _replacement(pool, others, rate), *members[place + 1 :]]
        error = _error(pool, members, rate)
        if error >= best - 1e-12:
            break
        best = error
    return members


def _replacement(pool: Pool, others: list[int], rate: float) -> int:
    """The target that goes best with the others."""
    if not others:
        return int(np.argmax(pool.similar.sum(axis=0)))
    inner = pool.similar[np.ix_(others, others)]
    pairs = len(others) * (len(others) + 1) / 2
    mean = (inner.sum() / 2 + pool.similar[others].sum(axis=0)) / pairs
    spread = (((pool.similar[others] - rate) ** 2).sum(axis=0) + _squares(inner, rate)) / pairs
    error = (mean - rate) ** 2 + _EVENNESS * spread
    error[others] = np.inf
    return int(np.argmin(error))


def _error(pool: Pool, members: list[int], rate: float) -> float:
    """How far the average is off, and a little of how far the pairs are spread."""
    inner = pool.similar[np.ix_(members, members)]
    pairs = max(1.0, len(members) * (len(members) - 1) / 2)
    off = float(inner.sum() / 2 / pairs) - rate
    return off**2 + _EVENNESS * _squares(inner, rate) / pairs


def _squares(inner: np.ndarray, rate: float) -> float:
    upper = inner[np.triu_indices(len(inner), 1)]
    return float(((upper - rate) ** 2).sum())
