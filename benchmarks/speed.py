"""The search against k-member at 5,000 rows of Adult, in one run: seconds of the search only, and stars.

    python benchmarks/speed.py [--k 10] [--no-plain]

k-member comes twice: compiled, as `--solver k-member` runs it, and plain, as its paper prints it (row by row, in
Python; some minutes). Ratios are seconds of k-member over seconds of the search; medians of 5 but for the plain one.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable

import numpy as np

from data import ADULT_QI, FOLDER, ROOT, require

sys.path.insert(0, str(ROOT))

from tests.solve.anonymizers import twins

from diva.lattice.problem import Problem
from diva.relation.duck import open_table
from diva.relation.engine import Fragments
from diva.solve.anonymizers import anonymizer
from diva.solve.lattice import solve

_ROWS = 5_000


def sample(k: int) -> Problem:
    """The first rows of Adult in the order of a seeded shuffle, as types."""
    types = open_table(require(FOLDER / "adult_arx.csv")).types(ADULT_QI)
    rows = np.repeat(np.arange(len(types)), types.counts)
    chosen = np.random.default_rng(0).permutation(rows)[:_ROWS]
    number, counts = np.unique(chosen, return_counts=True)
    m = len(ADULT_QI)
    return Problem(
        np.ascontiguousarray(types.codes[number]),
        counts.astype(np.int64),
        k,
        np.ones(m),
        np.zeros(m, dtype=bool),
    )


def median(work: Callable[[], Fragments]) -> tuple[float, Fragments]:
    """Median seconds of five runs after one to warm up."""
    work()
    seconds = []
    for _ in range(5):
        began = time.perf_counter()
        plan = work()
        seconds.append(time.perf_counter() - began)
    return statistics.median(seconds), plan


def stars_of(problem: Problem, clusters: list[list[int]]) -> int:
    """The stars of clusters of records."""
    return sum(
        len(c) * int((problem.codes[c].min(axis=0) != problem.codes[c].max(axis=0)).sum()) for c in clusters
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--k", type=int, default=10)
    parser.add_argument("--no-plain", action="store_true", help="leave out k-member in plain Python")
    arguments = parser.parse_args()
    problem = sample(arguments.k)
    random = np.random.default_rng
    efforts = {
        effort: median(lambda effort=effort: solve(problem, effort=effort).plan)
        for effort in ("quick", "standard")
    }
    rivals: dict[str, tuple[float, int]] = {}
    seconds, plan = median(lambda: anonymizer("k-member")(problem, random(0)))
    rivals["k-member, compiled"] = seconds, plan.stars
    if not arguments.no_plain:
        began = time.perf_counter()
        clusters = twins.k_member(problem, random(0))
        rivals["k-member, plain"] = time.perf_counter() - began, stars_of(problem, clusters)
    print(f"{_ROWS:,} rows, {len(problem.counts):,} types, k={problem.k}")
    for effort, (seconds, plan) in efforts.items():
        print(f"search at {effort:9} {seconds:9.4f} s {plan.stars:8,} stars")
        for name, (other, stars) in rivals.items():
            print(
                f"  {name:18} {other:9.3f} s {stars:8,} stars: {other / seconds:,.1f} × the time of the search"
            )


if __name__ == "__main__":
    main()
