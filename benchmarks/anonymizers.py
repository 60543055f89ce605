"""The baselines beside the search, on the shared tables: stars and seconds, kernels compiled before.

    python benchmarks/anonymizers.py [--only adult census …]

The last column is the time relative to the search at `quick` on the same problem, measured in the same run.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from diva.lattice.problem import Problem
from diva.relation.engine import Fragments
from diva.solve.anonymizers import Anonymizer, anonymizer
from diva.solve.anonymizers.lattice import lattice
from search import TABLES, problems


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


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--only", nargs="*", default=["credit", "pantheon", "adult", "census"], choices=TABLES
    )
    arguments = parser.parse_args()
    for algorithm in ALGORITHMS.values():
        measure(algorithm, problems("credit")[0])
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
