"""Counting types and recoding, as multiples of DuckDB's own time for the same columns of the same file.

`python benchmarks/engine.py` prints both ratios on Census: counting (at most 1.5 is wanted) and recoding to CSV
(at most 2), for the six QI columns alone and with all others kept, shuffled and in order.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

from data import CENSUS, CENSUS_QI, require
from diva.lattice.problem import Problem
from diva.relation.duck import DuckTable, open_table
from diva.relation.engine import Fragments, Layout
from diva.relation.types import Types
from diva.solve.lattice import search
from timing import compared, measured


def a_plan(types: Types) -> Fragments:
    """The plan that the search makes at k=20: most types whole, some split."""
    m = len(types.attributes)
    plan = search(Problem(types.codes, types.counts, 20, np.ones(m), np.zeros(m, dtype=bool)))
    split = len(plan) - len(types)
    print(f"the plan suppresses {plan.stars:,} cells and makes {split:,} more fragments than there are types")
    return plan


def counting(table: DuckTable) -> None:
    columns = ", ".join(f'"{c}"' for c in CENSUS_QI)
    query = f"SELECT {columns}, count(*) FROM {table.source} GROUP BY {columns}"
    seconds = measured(
        {
            "duckdb": lambda: table.connection.execute(query).fetchall(),
            "diva": lambda: table.types(CENSUS_QI),
        },
        15,
    )
    print(f"counting types to DuckDB's GROUP BY: {compared(seconds['diva'], seconds['duckdb'])}")


def recoding(table: DuckTable, folder: Path) -> None:
    types = table.types(CENSUS_QI)
    plan = a_plan(types)
    for columns in (CENSUS_QI, table.names):
        names = ", ".join(f'"{c}"' for c in columns)
        query = f"COPY (SELECT {names} FROM {table.source}) TO '{folder}/copy.csv' (FORMAT csv, HEADER)"
        for order in ("shuffle", "keep"):
            layout = Layout(published=tuple(columns), order=order)
            seconds = measured(
                {
                    "duckdb": lambda query=query: table.connection.execute(query),
                    "diva": lambda layout=layout: table.recode(types, plan, layout).write(
                        folder / "out.csv", like=Path("out.csv")
                    ),
                }
            )
            print(
                f"recoding {len(columns)} columns to CSV, order {order}, to DuckDB's COPY: {compared(seconds['diva'], seconds['duckdb'])}"
            )


def main() -> None:
    table = open_table(require(CENSUS))
    counting(table)
    with tempfile.TemporaryDirectory() as folder:
        recoding(table, Path(folder))


if __name__ == "__main__":
    main()
