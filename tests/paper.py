"""The paper's running example: Table 1, its constraints, and plain twins of the few routines its text speaks of.

Rows are numbered as in the paper, from 1: t1 … t10. No product code is used here, so that the facts that tests state
about the example don't depend on any solver of ours.
"""

from __future__ import annotations

import csv
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

from tests.metrics.tables import COLUMNS, QI, TABLE_1A, TABLE_1B, TABLE_1C, Row

if TYPE_CHECKING:
    from collections.abc import Sequence

TABLES = {"1a": TABLE_1A, "1b": TABLE_1B, "1c": TABLE_1C}
PATIENTS = Path(__file__).parents[1] / "examples" / "patients.csv"
SIGMA_1, SIGMA_2, SIGMA_3 = "ETH[Asian] in 2..5", "ETH[African] in 1..3", "CTY[Vancouver] in 2..4"
SIGMA_4 = "GEN[Male] in 1..3"
SIGMA = (SIGMA_1, SIGMA_2, SIGMA_3)

Bounds = tuple[str, str, int, int]
"""(attribute, value, λl, λr)"""
BOUNDS: dict[str, Bounds] = {
    SIGMA_1: ("ETH", "Asian", 2, 5),
    SIGMA_2: ("ETH", "African", 1, 3),
    SIGMA_3: ("CTY", "Vancouver", 2, 4),
    SIGMA_4: ("GEN", "Male", 1, 3),
}
Cluster = tuple[int, ...]
Clustering = frozenset[Cluster]


def write(rows: Sequence[Row], path: Path) -> Path:
    """Write a table of the example as CSV."""
    with path.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows([COLUMNS, *rows])
    return path


def relevant(attribute: str, value: str) -> Cluster:
    """I_σ: the numbers of the rows of R that carry the target."""
    column = COLUMNS.index(attribute)
    return tuple(i for i, row in enumerate(TABLE_1A, 1) if row[column] == value)


def clusterings(rows: Cluster, k: int, low: int, high: int, largest: int) -> set[Clustering]:
    """Every set of disjoint clusters of k to `largest` of these rows that together hold low to high of them."""
    found: set[Clustering] = {frozenset()}
    for size in range(k, largest + 1):
        for cluster in combinations(rows, size):
            found |= {c | {cluster} for c in found if not any(set(cluster) & set(other) for other in c)}
    return {c for c in found if c and low <= sum(map(len, c)) <= high}


def suppress(members: Sequence[Row]) -> Row:
    """Publish the QI values of a cluster as the paper does: an attribute is starred where its rows differ."""
    return tuple(column[0] if len(set(column)) == 1 else "*" for column in zip(*members, strict=True))


def fewest_stars(k: int, sigma: Sequence[Bounds]) -> int | None:
    """The optimum for R, k and Σ by dynamic programming over sets of rows; None where there is no release.

    A release is a partition into clusters of at least k rows; each cluster stars what its rows differ in, and may
    star target attributes besides, so that fewer records count. Entry [set][counts of Σ] is the fewest stars for
    publishing the set; the cluster of the set's first row is taken off.
    """
    n = len(TABLE_1A)
    targets = sorted({QI.index(attribute) for attribute, *_ in sigma})
    best: dict[int, dict[tuple[int, ...], int]] = {0: {(0,) * len(sigma): 0}}
    choices = {c: _published(c, targets, sigma) for c in range(1, 1 << n) if c.bit_count() >= k}
    for rows in range(1, 1 << n):
        entries: dict[tuple[int, ...], int] = {}
        first, part = rows & -rows, rows
        while part:
            if part & first and part in choices:
                for counts, stars in best[rows ^ part].items():
                    for more, cost in choices[part]:
                        total = tuple(map(sum, zip(counts, more, strict=True)))
                        if all(t <= high for t, (*_, high) in zip(total, sigma, strict=True)):
                            entries[total] = min(entries.get(total, stars + cost), stars + cost)
            part = (part - 1) & rows
        best[rows] = entries
    whole = best[(1 << n) - 1].items()
    admitted = [s for total, s in whole if all(t >= b[2] for t, b in zip(total, sigma, strict=True))]
    return min(admitted, default=None)


def _published(
    cluster: int, targets: Sequence[int], sigma: Sequence[Bounds]
) -> list[tuple[tuple[int, ...], int]]:
    """Every way to publish a cluster, as (counts of Σ, stars)."""
    rows = [row for i, row in enumerate(TABLE_1A) if cluster >> i & 1]
    shown = [a for a in range(len(QI)) if len({row[a] for row in rows}) == 1]
    optional = [a for a in shown if a in targets]
    ways = []
    for many in range(len(optional) + 1):
        for hidden in combinations(optional, many):
            visible = {QI[a]: rows[0][a] for a in shown if a not in hidden}
            counts = tuple(len(rows) * (visible.get(a) == value) for a, value, *_ in sigma)
            ways.append((counts, len(rows) * (len(QI) - len(visible))))
    return ways
