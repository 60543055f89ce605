"""The paper's algorithm beside the search, on the shared tables: stars, disc, seconds.

    python benchmarks/diva_solver.py [--only credit pantheon adult census] [--classes proportion share] [--budget 200]

For each table and Σ the search at `standard`, and DIVA with every strategy and every anonymizer. disc is the normalised
discernibility; seconds are of this process (other work on the machine doesn't count), kernels compiled before. The last
two columns relate stars and seconds to the search in the same run. Every plan is checked.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from data import FOLDER, require
from diva.constraints.model import Constraint
from diva.errors import GaveUp, Unsatisfiable
from diva.lattice.problem import Problem
from diva.relation.engine import Fragments
from diva.relation.opening import open_table
from diva.relation.types import Types, distinct_rows
from diva.solve.alone import published
from diva.solve.diva.strategies import STRATEGIES
from diva.solve.effort import Colouring, Search
from diva.solve.solver import solve
from search_sigma import TABLES, of_class

ANONYMIZERS = ("k-member", "oka", "mondrian", "lattice")
CLASSES = (("proportion", 5), ("share", 5))


def disc(types: Types, plan: Fragments) -> float:
    """The normalised discernibility."""
    starred = plan.levels > 0
    first, group = distinct_rows(np.where(starred, -1, types.codes[plan.type]))
    sizes = np.bincount(group, weights=plan.count)
    penalty = np.where(starred[first].all(axis=1), types.rows, sizes)
    return float((sizes * penalty).sum() / types.rows**2)


def measure(types: Types, k: int, sigma: tuple[Constraint, ...], search: Search) -> tuple[int, float, float]:
    """Stars, disc and seconds."""
    began = time.process_time()
    plan = solve(types, k, sigma, search).plan
    seconds = time.process_time() - began
    m = len(types.attributes)
    problem = Problem(types.codes, types.counts, k, np.ones(m), np.zeros(m, dtype=bool))
    assert not problem.flaws(plan)
    assert all(c.admits(published(plan, types, c)) for c in sigma)
    return plan.stars, disc(types, plan), seconds


def compare(types: Types, k: int, sigma: tuple[Constraint, ...], anonymizers: list[str], budget: int) -> None:
    """Print a line for each solver."""
    stars, measured, least = measure(types, k, sigma, Search())
    print(f"  {'lattice':12} {'':10} {stars:10,} {measured:9.5f} {least:8.2f}", flush=True)
    for strategy in STRATEGIES:
        for name in anonymizers:
            colouring = Colouring(strategy=strategy, anonymizer=name, split="entropy", budget=budget)
            try:
                found, measured, seconds = measure(types, k, sigma, Search(colouring=colouring))
            except GaveUp as error:
                print(f"  {strategy:12} gave up: {str(error).split(';')[0].partition(': ')[2]}", flush=True)
                break
            print(
                f"  {strategy:12} {name:10} {found:10,} {measured:9.5f} {seconds:8.2f} {found / stars:8.2f} {seconds / least:8.2f}",
                flush=True,
            )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", nargs="*", default=list(TABLES), choices=list(TABLES))
    parser.add_argument("--classes", nargs="*", default=None, choices=[kind for kind, _ in CLASSES])
    parser.add_argument("--k", type=int, default=20)
    parser.add_argument("--budget", type=int, default=200)
    parser.add_argument("--anonymizers", nargs="*", default=list(ANONYMIZERS), choices=ANONYMIZERS)
    arguments = parser.parse_args()
    print(
        f"  {'solver':12} {'anonymizer':10} {'stars':>10} {'disc':>9} {'seconds':>8} {'× stars':>8} {'× time':>8}"
    )
    for name in arguments.only:
        chosen = TABLES[name]
        path = require(FOLDER / chosen.file)
        types = open_table(path).types(chosen.qi)
        for kind, percent in CLASSES:
            if arguments.classes and kind not in arguments.classes:
                continue
            sigma = of_class(str(path), chosen, kind, percent)
            print(f"{name}, {kind}, |Σ|={len(sigma)}, k={arguments.k}", flush=True)
            try:
                compare(types, arguments.k, sigma, arguments.anonymizers, arguments.budget)
            except Unsatisfiable:
                print("  unsatisfiable", flush=True)


if __name__ == "__main__":
    main()
