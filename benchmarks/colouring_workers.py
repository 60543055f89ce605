"""Colouring independent components in processes: seconds by the clock for one worker and for more, in one run.

    python benchmarks/colouring_workers.py [--table census] [--attribute marital_stat] [--workers 2] [--k 20] [--repeats 3]

Σ asks for the same proportion of every value of one attribute, so no two constraints share a row and every one is a
component of its own. The clock runs over DiverseClustering, with the start of the processes; the colourings must be the
same for any number of workers. A processor for each worker must be free, so the load of the machine is printed.
"""

from __future__ import annotations

import argparse
import os
import time
from statistics import median
from typing import TYPE_CHECKING

import numpy as np

from diva.constraints.model import Target
from diva.experiments import relations
from diva.experiments.sigma import Wanted, frequencies, make
from diva.lattice.problem import Problem
from diva.lattice.signatures import take_apart
from diva.solve.diva.build_graph import build_graph
from diva.solve.diva.components import Plan
from diva.solve.diva.diverse_clustering import diverse_clustering
from diva.solve.diva.rows import rows_of
from diva.solve.diva.strategies import STRATEGIES

if TYPE_CHECKING:
    from diva.solve.diva.rows import Clustering, Rows

_TIGHTNESS = 0.2


def posed(table: str, attribute: str, k: int) -> Rows:
    """R with Σ of the class proportion, on all values of an attribute that at least 2k records carry."""
    types = relations.whole(table)
    counts = frequencies(types, (attribute,)).counts
    targets = [Target((attribute,), v) for v, n in counts if n >= 2 * k and v[0] is not None]
    sigma = make(types, targets, Wanted("proportion", k, _TIGHTNESS, seed=0)).constraints
    m = len(types.attributes)
    problem = Problem(types.codes, types.counts, k, np.ones(m), np.zeros(m, dtype=bool))
    return rows_of(problem, types, take_apart(sigma, types.attributes))


def timed(R: Rows, workers: int) -> tuple[float, Clustering | None]:
    """Seconds by the clock, and the colouring."""
    plan = Plan(STRATEGIES["max-fanout"], 2_000, 0, workers)
    began = time.perf_counter()
    found = diverse_clustering(R, plan)
    return time.perf_counter() - began, found.clustering


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--table", default="census", choices=list(relations.SOURCES))
    parser.add_argument("--attribute", default="marital_stat")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--k", type=int, default=20)
    parser.add_argument("--repeats", type=int, default=3)
    arguments = parser.parse_args()
    R = posed(arguments.table, arguments.attribute, arguments.k)
    components = build_graph(R).components()
    timed(R, 1)
    print(
        f"{arguments.table}, {len(R):,} records, {len(components)} components, k={arguments.k}, load {os.getloadavg()[0]:.2f}"
    )
    seconds: dict[int, list[float]] = {1: [], arguments.workers: []}
    for _ in range(arguments.repeats):
        rounds = {workers: timed(R, workers) for workers in seconds}
        assert rounds[1][1] is not None
        assert rounds[1][1] == rounds[arguments.workers][1]
        for workers, (took, _coloured) in rounds.items():
            seconds[workers].append(took)
    for workers, took_by in seconds.items():
        print(f"{workers} workers  {median(took_by):.2f} s  ({', '.join(f'{s:.2f}' for s in took_by)})")
    print(f"speed-up {median(seconds[1]) / median(seconds[arguments.workers]):.2f}")


if __name__ == "__main__":
    main()
