"""A synthetic population, like the paper's Pop-Syn with more columns and values: Zipfian attributes, from a seed."""

from __future__ import annotations

from pathlib import Path

import duckdb
import numpy as np

ATTRIBUTES = {
    "age": 74,
    "occupation": 40,
    "province": 13,
    "education": 16,
    "income": 20,
    "marital": 7,
    "race": 9,
    "gender": 2,
    "birthplace": 60,
    "industry": 25,
}
"""How many values each has."""
_SKEW = 1.0
"""The exponent of Zipf's law."""
_CONFORM = 0.35
"""The share of people whose attributes all follow from one hidden profile: attributes of real people hang together."""


def population(types: int, columns: list[str], seed: int) -> np.ndarray:
    """Rows of codes with exactly so many distinct ones, in random order."""
    random = np.random.default_rng(seed)
    rows = np.zeros((0, len(columns)), dtype=np.int64)
    while True:
        rows = np.concatenate([rows, _people(max(1_000, types), columns, random)])
        numbers = np.unique(_keys(rows, columns), return_inverse=True)[1]
        first = np.full(int(numbers.max()) + 1, len(rows))
        np.minimum.at(first, numbers, np.arange(len(rows)))
        if len(first) >= types:
            last = int(np.sort(first)[types] if len(first) > types else len(rows))
            return rows[:last]


def _people(number: int, columns: list[str], random: np.random.Generator) -> np.ndarray:
    profile = random.integers(0, 1 << 30, size=4_000)
    mine = profile[_zipf(4_000, number, random)]
    conform = random.random(number) < _CONFORM
    drawn = []
    for i, column in enumerate(columns):
        values = ATTRIBUTES[column]
        typical = (mine >> i) % values
        drawn.append(np.where(conform, np.minimum(typical, values - 1), _zipf(values, number, random)))
    return np.column_stack(drawn)


def _zipf(values: int, number: int, random: np.random.Generator) -> np.ndarray:
    share = 1.0 / np.arange(1, values + 1) ** _SKEW
    drawn: np.ndarray = random.choice(values, size=number, p=share / share.sum())
    return drawn


def _keys(rows: np.ndarray, columns: list[str]) -> np.ndarray:
    keys = np.zeros(len(rows), dtype=np.int64)
    for i, column in enumerate(columns):
        keys = keys * ATTRIBUTES[column] + rows[:, i]
    return keys


def write_population(path: Path, *, types: int, columns: list[str], seed: int) -> int:
    """Write a Parquet file of texts with exactly so many types; return how many records it has."""
    rows = population(types, columns, seed)
    connection = duckdb.connect()
    connection.register("people", {c: np.ascontiguousarray(rows[:, i]) for i, c in enumerate(columns)})
    texts = ", ".join(f"'{c[:3]}' || {c} AS {c}" for c in columns)
    connection.execute(f"COPY (SELECT {texts} FROM people) TO '{path}' (FORMAT parquet, COMPRESSION zstd)")
    return len(rows)
