"""How long a search goes on after its time limit, on every shared table, effort and limit, with and without Σ.

    python benchmarks/time_limits.py [--only census adult …] [--limits 0.5 2 10] [--effort quick standard best]

Seconds of search and bound, as the release reports them, less the limit: wall time, and for comparison on a busy machine the
CPU seconds of this process less the limit. Kernels are compiled before. Σ is the class proportion of `search_sigma.py`.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

from data import FOLDER, require
from diva.relation.duck import open_table
from diva.solve.effort import Search
from diva.solve.solver import solve
from search_sigma import TABLES, of_class

K = 20


def measure(name: str, types: Any, sigma: Any, effort: Any, limit: float) -> float:
    """Solve once and print a line; return the overshoot in wall seconds."""
    began, worked = time.perf_counter(), time.process_time()
    solution = solve(types, K, sigma, Search(effort, limit))
    seconds, cpu = time.perf_counter() - began, time.process_time() - worked
    stars = solution.plan.stars
    print(
        f"{name:9} |Σ|={len(sigma)} {effort:9} {limit:5.1f} {seconds - limit:+8.2f} {cpu - limit:+8.2f} {stars:10,}"
        f" {solution.lower_bound:10,.0f}",
        flush=True,
    )
    return seconds - limit


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", nargs="*", default=list(TABLES), choices=list(TABLES))
    parser.add_argument("--limits", nargs="*", type=float, default=[0.5, 2.0, 10.0])
    parser.add_argument("--effort", nargs="*", default=["quick", "standard", "best"])
    options = parser.parse_args()
    print(f"{'table':9} {'':5} {'effort':9} {'limit':>5} {'wall':>8} {'cpu':>8} {'stars':>10} {'bound':>10}")
    worst = 0.0
    for name in options.only:
        chosen = TABLES[name]
        path = require(FOLDER / chosen.file)
        types = open_table(path).types(chosen.qi)
        every = of_class(str(path), chosen, "proportion", 5)
        for sigma in ((), every):
            solve(types, K, sigma, Search("best", 1.0))
            for effort in options.effort:
                for limit in options.limits:
                    worst = max(worst, measure(name, types, sigma, effort, limit))
    print(f"at most {worst:.2f} s after the limit")


if __name__ == "__main__":
    main()
