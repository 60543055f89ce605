"""Tiny instances through `diva.anonymize` against brute force over every possible release, with and without Σ.

    python benchmarks/optimal_small.py [INSTANCES] [--seed S] [--workers N] [--efforts quick standard best] [--stops 3]

`best` must find the optimum and prove it; `standard` may cost 3 % more on average; no bound may exceed the optimum, also
when the search is stopped early (`--stops`: so many times per instance, after a random number of questions). Every fault is
printed with its seed; exit code 1 if there is one.
"""

from __future__ import annotations

import argparse
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.solve.small import EFFORTS, Verdict, judge, small_case


def judged(seed: int, *, efforts: tuple[str, ...], stops: int) -> tuple[int, Verdict]:
    """One instance; odd seeds have a Σ."""
    random = np.random.default_rng([seed, 1])
    impatience = tuple(int(2 ** random.uniform(0, 9)) - 1 for _ in range(stops))
    return seed, judge(small_case(seed, diverse=seed % 2 == 1), efforts=efforts, impatience=impatience)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("instances", type=int, nargs="?", default=2_000)
    parser.add_argument("--seed", type=int, default=0, help="the first")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--efforts", nargs="*", default=EFFORTS, choices=EFFORTS)
    parser.add_argument("--stops", type=int, default=0)
    options = parser.parse_args()
    began = time.perf_counter()
    possible = faulty = 0
    excess = []
    task = partial(judged, efforts=tuple(options.efforts), stops=options.stops)
    with ProcessPoolExecutor(options.workers) as pool:
        seeds = range(options.seed, options.seed + options.instances)
        for seed, verdict in pool.map(task, seeds, chunksize=10):
            faulty += bool(verdict.faults)
            for fault in verdict.faults:
                print(f"seed {seed}: {fault}", flush=True)
            if verdict.optimum is not None:
                possible += 1
                if verdict.optimum > 0:
                    excess.append(verdict.standard / verdict.optimum - 1)
    print(
        f"{options.instances} instances, {possible} with a release; {faulty} with faults; {time.perf_counter() - began:.0f} s"
    )
    if "standard" in options.efforts:
        print(
            f"standard costs {np.mean(excess):.3%} more than the optimum on average, {np.max(excess):.1%} at most"
        )
    return 1 if faulty else 0


if __name__ == "__main__":
    sys.exit(main())
