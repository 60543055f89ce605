"""The baselines beside the search, on the shared tables: stars and seconds, kernels compiled before.

    python benchmarks/anonymizers.py [--only adult census …]
    python benchmarks/anonymizers.py --k-member

The last column is the time relative to the search at `quick` on the same problem, measured in the same run. --k-member
takes 20,000 records of Adult with 8 QI columns: median seconds of 5 runs for each k (of the process, so that other work on
the machine doesn't count), and beside it, on the first 400
records, whether the clusters are those of the plain twin, which follows the printed algorithm row by row.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import duckdb
import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.solve.anonymizers import twins

from diva.lattice.problem import Problem
from diva.relation.engine import Fragments
from diva.relation.opening import open_table
from diva.solve.anonymizers import Anonymizer, anonymizer, k_member
from diva.solve.anonymizers.lattice import lattice
from search import DATA, TABLES, problems


def quick(problem: Problem, random: np.random.Generator, /) -> Fragments:
    return lattice(problem, random, effort="quick")


ALGORITHMS: dict[str, Anonymizer] = {
    "lattice, quick": quick,
    "lattice": anonymizer("lattice"),
    "k-member": anonymizer("k-member"),
    "oka": anonymizer("oka"),
    "mondrian, span": anonymizer("mondrian", split="span"),
    "mondrian, entropy": anonymizer("mondrian", split="entropy"),
}


def measure(algorithm: Anonymizer, problem: Problem) -> tuple[float, float]:
    """Stars and seconds."""
    began = time.perf_counter()
    plan = algorithm(problem, np.random.default_rng(0))
    seconds = time.perf_counter() - began
    assert not problem.flaws(plan)
    return problem.cost(plan), seconds


def records(many: int, k: int) -> Problem:
    """The problem of the first records of Adult."""
    file, columns, _ = TABLES["adult"]
    assert not isinstance(columns, int)
    rows = duckdb.sql(f"SELECT * FROM read_csv('{DATA / file}', all_varchar = true) LIMIT {many}")
    types = open_table(rows).types(columns)
    return Problem(types.codes, types.counts, k, np.ones(len(columns)), np.zeros(len(columns), dtype=bool))


def measure_k_member() -> None:
    """Seconds for 20,000 records, and the clusters of the twin for 400."""
    print(
        f"{'records':>7} {'types':>7} {'k':>3} {'stars':>10} {'seconds':>9} {'twin':>10} {'× compiled':>11}"
    )
    for k in (5, 10, 20):
        problem, few = records(20_000, k), records(400, k)
        runs = []
        for _ in range(5):
            began = time.process_time()
            stars, _ = measure(ALGORITHMS["k-member"], problem)
            runs.append(time.process_time() - began)
        seconds = sorted(runs)[2]
        began = time.process_time()
        plain = twins.k_member(few, np.random.default_rng(0))
        slow = time.process_time() - began
        began = time.process_time()
        C = k_member.clusters(few, np.random.default_rng(0))
        fast = time.process_time() - began
        found = [
            sorted(np.repeat(C.type, C.records)[np.repeat(C.cluster, C.records) == c])
            for c in range(len(plain))
        ]
        same = "the same" if found == [sorted(c) for c in plain] else "DIFFERS"
        print(
            f"{problem.counts.sum():7,} {len(problem.counts):7,} {k:3} {stars:10,.0f} {seconds:9.3f} {same:>10} {slow / fast:11,.0f}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--only", nargs="*", default=["credit", "pantheon", "adult", "census"], choices=TABLES
    )
    parser.add_argument("--k-member", action="store_true", help="k-member on 20,000 records of Adult")
    arguments = parser.parse_args()
    for algorithm in ALGORITHMS.values():
        measure(algorithm, problems("credit")[0])
    if arguments.k_member:
        measure_k_member()
        return
    print(f"{'table':9} {'k':>3} {'solver':18} {'stars':>10} {'seconds':>9} {'× quick':>8}")
    for table in arguments.only:
        for problem in problems(table):
            least = None
            for name, algorithm in ALGORITHMS.items():
                stars, seconds = measure(algorithm, problem)
                least = least or seconds
                print(
                    f"{table:9} {problem.k:3} {name:18} {stars:10,.0f} {seconds:9.3f} {seconds / least:8.2f}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
