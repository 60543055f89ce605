"""Brute force over every possible release of a tiny table, straight from the definitions.

Each of n records is published with one of the 2^m patterns of its m QI attributes: all 2^(m·n) releases are laid out
as arrays. No product code is used.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

Row = tuple[str | None, ...]
Sigma = list[tuple[dict[str, str], int, int | None]]
"""(target, low, high or None)."""
MOST = 20_000
"""Releases that an instance may have."""


@dataclass(frozen=True)
class Instance:
    """A tiny table with k and Σ; the first `width` columns are QI."""

    columns: tuple[str, ...]
    width: int
    rows: tuple[Row, ...]
    k: int
    sigma: Sigma


@dataclass(frozen=True)
class Releases:
    """All releases of an instance: what each publishes."""

    smallest: np.ndarray
    """[N]: the size of the smallest group."""
    counts: np.ndarray
    """[N, constraints]: published records that carry each target."""
    stars: np.ndarray
    """[N]: what the stars cost."""


def releases(instance: Instance, weights: Mapping[str, float] | None = None) -> Releases:
    """Lay out every release; a star costs 1 where no weight is given."""
    n, m = len(instance.rows), instance.width
    patterns = list(product((False, True), repeat=m))  # True is suppressed
    labels: dict[Row, int] = {}
    label = np.zeros((n, len(patterns)), dtype=np.int64)
    carries = np.zeros((len(instance.sigma), n, len(patterns)), dtype=np.int64)
    for i, row in enumerate(instance.rows):
        for p, pattern in enumerate(patterns):
            published = tuple("*" if star else row[a] for a, star in enumerate(pattern))
            label[i, p] = labels.setdefault(published, len(labels))
            shown = dict(zip(instance.columns, (*published, *row[m:]), strict=True))
            for c, (target, _, _) in enumerate(instance.sigma):
                carries[c, i, p] = all(shown[a] == v for a, v in target.items())
    choice = np.indices((len(patterns),) * n).reshape(n, -1)
    which = np.arange(n)[:, None]
    published = label[which, choice]
    sizes = (published[:, None, :] == published[None, :, :]).sum(axis=1)
    cost = np.array([(weights or {}).get(a, 1) for a in instance.columns[:m]])
    stars = (np.array(patterns, dtype=np.int64) @ cost)[choice].sum(axis=0)
    counts = np.zeros((len(stars), len(instance.sigma)), dtype=np.int64)
    for c in range(len(instance.sigma)):
        counts[:, c] = carries[c][which, choice].sum(axis=0)
    return Releases(sizes.min(axis=0), counts, stars)


def slack(found: Releases, instance: Instance) -> np.ndarray:
    """[N, constraints]: by how much each release misses each range."""
    low = np.array([low for _, low, _ in instance.sigma], dtype=np.int64)
    high = np.array([10**6 if high is None else high for _, _, high in instance.sigma], dtype=np.int64)
    return np.maximum(low - found.counts, 0) + np.maximum(found.counts - high, 0)


def feasible(found: Releases, instance: Instance, k: int, chosen: list[int] | None = None) -> bool:
    """Whether some release is k-anonymous and satisfies the chosen constraints."""
    missed = slack(found, instance)
    missed = missed if chosen is None else missed[:, chosen]
    return bool(((found.smallest >= k) & (missed.sum(axis=1) == 0)).any())


def largest_k(found: Releases, instance: Instance) -> int:
    """The largest k with a release that satisfies Σ."""
    good = slack(found, instance).sum(axis=1) == 0
    return int(found.smallest[good].max()) if good.any() else 0


def least_slack(found: Releases, instance: Instance) -> int:
    """By how much the bounds must move in total."""
    return int(slack(found, instance).sum(axis=1)[found.smallest >= instance.k].min())


def fewest_stars(found: Releases, instance: Instance) -> float | None:
    """The optimum, or None where nothing is feasible."""
    good = (found.smallest >= instance.k) & (slack(found, instance).sum(axis=1) == 0)
    return found.stars[good].min().item() if good.any() else None


def random_instance(rng: np.random.Generator) -> Instance:
    """A tiny instance: NULLs, repeated rows, multi-attribute and sensitive targets, bounds below k and absent values."""
    width = int(rng.integers(1, 4))
    most = {1: 7, 2: 6, 3: 4}[width]
    n = int(rng.integers(1, most + 1))
    columns = (*"ABC"[:width], "S")
    values = np.array(["a", "b", None, "c"], dtype=object)
    spread = int(rng.integers(1, 5))
    rows = tuple(tuple(values[rng.integers(0, spread, len(columns))]) for _ in range(n))
    sigma: Sigma = []
    for _ in range(int(rng.integers(0, 5))):
        many = int(rng.integers(1, min(3, len(columns)) + 1))
        attributes = rng.choice(columns, size=many, replace=False)
        target = {str(a): str(rng.choice(["a", "b", "c"])) for a in attributes}
        if rng.random() < 0.6:
            row = rows[int(rng.integers(n))]
            target = {a: row[columns.index(a)] or v for a, v in target.items()}
        low = int(rng.integers(0, 5)) if rng.random() < 0.7 else 0
        high = None if rng.random() < 0.4 else low + int(rng.integers(0, 3))
        sigma.append((target, low, high))
    return Instance(columns, width, rows, int(rng.integers(1, 4)), sigma)
