"""Tables as lists of rows, their types, and the paper's Table 1."""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from diva.constraints.model import Target
from diva.relation.engine import Fragments
from diva.relation.types import Types, sorted_types

Row = tuple[str | None, ...]

QI = ("GEN", "ETH", "AGE", "PRV", "CTY")
COLUMNS = (*QI, "DIAG")


def _table(text: str) -> list[Row]:
    return [tuple(line.split()) for line in text.strip().splitlines()]


TABLE_1A = _table("""
Female Caucasian 80 AB Calgary   Hypertension
Female Caucasian 32 AB Calgary   Tuberculosis
Male   Caucasian 59 AB Calgary   Osteoarthritis
Male   Caucasian 46 MB Winnipeg  Migraine
Male   African   31 MB Winnipeg  Hypertension
Male   African   43 BC Vancouver Seizure
Male   Caucasian 29 BC Vancouver Hypertension
Female Asian     58 BC Vancouver Seizure
Female Asian     47 MB Winnipeg  Influenza
Female Asian     71 BC Vancouver Migraine
""")
TABLE_1B = _table("""
*      Caucasian *  AB Calgary   Hypertension
*      Caucasian *  AB Calgary   Tuberculosis
*      Caucasian *  AB Calgary   Osteoarthritis
Male   *         *  *  *         Migraine
Male   *         *  *  *         Hypertension
Male   *         *  *  *         Seizure
Male   *         *  *  *         Hypertension
Female Asian     *  *  *         Seizure
Female Asian     *  *  *         Influenza
Female Asian     *  *  *         Migraine
""")
TABLE_1C = _table("""
Female Caucasian *  AB Calgary   Hypertension
Female Caucasian *  AB Calgary   Tuberculosis
Male   Caucasian *  *  *         Osteoarthritis
Male   Caucasian *  *  *         Migraine
Male   African   *  *  *         Hypertension
Male   African   *  *  *         Seizure
*      *         *  BC Vancouver Hypertension
*      *         *  BC Vancouver Seizure
Female Asian     *  *  *         Influenza
Female Asian     *  *  *         Migraine
""")


def types_of(
    rows: Sequence[Row],
    attributes: Sequence[str],
    columns: Sequence[str] = (),
    conditions: Sequence[Target] = (),
) -> Types:
    """Count the types of rows whose cells are `columns`: QI attributes first, then what conditions speak of."""
    columns = columns or attributes
    width = len(attributes)
    met = [tuple(all(row[columns.index(a)] == v for a, v in c.items) for c in conditions) for row in rows]
    counted = Counter(zip([row[:width] for row in rows], met, strict=True))
    values = [sorted({row[i] for row in rows}, key=str) for i in range(width)]
    codes = [[values[i].index(cell) for i, cell in enumerate(row)] for row, _ in counted]
    return sorted_types(
        attributes,
        values,
        np.array(codes, dtype=np.int32).reshape(len(counted), width),
        conditions,
        np.array([bits for _, bits in counted], dtype=bool).reshape(len(counted), len(conditions)),
        np.array(list(counted.values()), dtype=np.int64),
    )


def plan_of(original: Types, rows: Sequence[Row], published: Sequence[Row], star: str | None) -> Fragments:
    """The plan that turns each row into its published one."""
    numbers = {
        tuple(texts[code] for texts, code in zip(original.values, codes, strict=True)): number
        for number, codes in enumerate(original.codes.tolist())
    }
    width = len(original.attributes)
    counted = Counter(
        (numbers[row[:width]], tuple(cell == star for cell in cells[:width]))
        for row, cells in zip(rows, published, strict=True)
    )
    return Fragments(
        np.array([number for number, _ in counted], dtype=np.int32),
        np.array([levels for _, levels in counted], dtype=np.uint8).reshape(len(counted), width),
        np.array(list(counted.values()), dtype=np.int64),
    )
