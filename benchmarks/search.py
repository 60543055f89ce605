"""Search and bound on the shared tables: stars, bound, gap and seconds per effort, or a comparison with exhaustion.

    python benchmarks/search.py [--effort quick standard best] [--only census adult ...] [--time-limit 60]
    python benchmarks/search.py --fuzz N [--seed S]

Tables are taken from the folder that DIVA_DATA names (default ../shared/data). --fuzz solves N tiny instances by
exhaustion and prints every disagreement with its seed; exit code 1 if there is one.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.solve.lattice.agreement import judge

from diva.lattice.problem import Problem
from diva.relation.duck import open_table
from diva.solve.lattice import solve

DATA = Path(os.environ.get("DIVA_DATA", ROOT.parent / "shared" / "data"))
ADULT = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation"]
CENSUS = [
    "sex",
    "class_of_worker",
    "marital_stat",
    "detailed_household_and_family_stat",
    "race",
    "country_of_birth_self",
]
TABLES: dict[str, tuple[str, list[str] | int, tuple[int, ...]]] = {
    "credit": ("german_credit_kaggle.csv", ["Sex", "Job", "Housing", "Saving accounts"], (10, 20, 50)),
    "pantheon": ("pantheon.csv", ["sex", "city", "country", "continent"], (20,)),
    "census": ("census_income_kdd.parquet", CENSUS, (10, 20, 50)),
    "adult": ("adult_arx.csv", ADULT, (5, 10, 50)),
    "adult-14": ("adult_uci.csv", 14, (20,)),
    "census-22": ("census_income_kdd.parquet", 22, (20,)),
    "census-40": ("census_income_kdd.parquet", 40, (20,)),
}
"""File, QI columns (a number: the first so many) and the values of k."""


def problems(name: str) -> list[Problem]:
    """The problems of a table, one for each k."""
    file, columns, levels = TABLES[name]
    table = open_table(DATA / file)
    quasi = list(table.names)[:columns] if isinstance(columns, int) else columns
    types = table.types(quasi)
    m = len(quasi)
    return [Problem(types.codes, types.counts, k, np.ones(m), np.zeros(m, dtype=bool)) for k in levels]


def measure(name: str, problem: Problem, effort: str, time_limit: float | None) -> None:
    """Solve once and print a line."""
    began, worked = time.perf_counter(), time.process_time()
    outcome = solve(problem, effort=effort, time_limit=time_limit if effort == "best" else None)
    seconds, cpu = time.perf_counter() - began, time.process_time() - worked
    flaws = problem.flaws(outcome.plan)
    bound = f"{outcome.bound.value:12,.0f}" if outcome.bound else f"{'-':>12}"
    gap = f"{1 - outcome.bound.value / outcome.cost:7.2%}" if outcome.bound and outcome.cost else f"{'-':>7}"
    note = "optimal" if outcome.optimal else ""
    print(
        f"{name:10} {problem.k:4} {effort:9} {len(problem.counts):8,} {outcome.cost:12,.0f} {bound} {gap}"
        f" {seconds:7.2f} {cpu:7.2f}  {note}{'; '.join(flaws)}",
        flush=True,
    )


def compare(number: int, seed: int) -> int:
    """Judge tiny instances; return the exit code."""
    began = time.perf_counter()
    optimum = standard = 0.0
    judged = faults = 0
    for s in range(seed, seed + number):
        verdict = judge(s)
        if verdict is None:
            continue
        judged += 1
        optimum += verdict.optimum
        standard += verdict.standard
        faults += bool(verdict.faults)
        for fault in verdict.faults:
            print(f"seed {s}: {fault}")
    excess = standard / optimum - 1 if optimum else 0.0
    seconds = time.perf_counter() - began
    print(
        f"{judged} of {number} instances have a plan; {faults} disagree; standard costs {excess:.2%} more than the optimum; {seconds:.0f} s"
    )
    return 1 if faults else 0


def main() -> int:
    """Run what is asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--effort", nargs="*", default=["quick", "standard"], choices=["quick", "standard", "best"]
    )
    parser.add_argument(
        "--only", nargs="*", default=["credit", "pantheon", "census", "adult"], choices=list(TABLES)
    )
    parser.add_argument("--time-limit", type=float, default=60.0, help="seconds for best")
    parser.add_argument("--fuzz", type=int, default=0, help="compare N tiny instances with exhaustion")
    parser.add_argument("--seed", type=int, default=0, help="seed of the first tiny instance")
    arguments = parser.parse_args()
    if arguments.fuzz:
        return compare(arguments.fuzz, arguments.seed)
    print(
        f"{'data':10} {'k':>4} {'effort':9} {'types':>8} {'stars':>12} {'bound':>12} {'gap':>7} {'wall':>7} {'cpu':>7}"
    )
    for name in arguments.only:
        for problem in problems(name):
            for effort in arguments.effort:
                measure(name, problem, effort, arguments.time_limit)
    return 0


if __name__ == "__main__":
    sys.exit(main())
