"""The metrics in their plainest form: on lists of rows, record by record."""

from collections import Counter
from collections.abc import Sequence

from tests.metrics.tables import Row


def stars(rows: Sequence[Row], star: str | None) -> int:
    return sum(cell == star for row in rows for cell in row)


def weighted_stars(rows: Sequence[Row], star: str | None, weights: Sequence[float]) -> float:
    return sum(w for row in rows for cell, w in zip(row, weights, strict=True) if cell == star)


def discernibility(rows: Sequence[Row], star: str | None) -> int:
    def penalty(row: Row) -> int:
        return len(rows) if all(cell == star for cell in row) else sum(other == row for other in rows)

    return sum(map(penalty, rows))


def lookalikes(rows: Sequence[Row], star: str | None, population: Sequence[Row]) -> list[int]:
    """For each published row, how many people of the population it may be."""

    def may_be(row: Row, person: Row) -> bool:
        return all(cell in (star, value) for cell, value in zip(row, person, strict=True))

    return [sum(may_be(row, person) for person in population) for row in rows]


def risk(lookalikes: Sequence[int], k: int) -> tuple[float, float, float]:
    """Highest, mean, share above 1/k."""
    if not lookalikes:
        return 0.0, 0.0, 0.0
    n = len(lookalikes)
    return (
        max(1 / f for f in lookalikes),
        sum(1 / f for f in lookalikes) / n,
        sum(f < k for f in lookalikes) / n,
    )


def survival(rows: Sequence[Row], published: Sequence[Row], column: int) -> dict[str | None, tuple[int, int]]:
    """For each value of a column, how many rows have it and how many published ones."""
    after = Counter(row[column] for row in published)
    return {value: (n, after[value]) for value, n in Counter(row[column] for row in rows).items()}


def star_rates(
    rows: Sequence[Row], published: Sequence[Row], star: str | None, columns: Sequence[int]
) -> dict[Row, tuple[int, int]]:
    """For each combination of original values of some columns: its records, and the stars these got."""
    found: dict[Row, tuple[int, int]] = {}
    for row, cells in zip(rows, published, strict=True):
        values = tuple(row[column] for column in columns)
        records, lost = found.get(values, (0, 0))
        found[values] = records + 1, lost + stars([cells], star)
    return found
