"""A long campaign: the exact decision against brute force. `python benchmarks/fuzz_decide.py 1000000 --workers 2`.

Stops at the first disagreement, or after `--minutes`; prints how many agree.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from multiprocessing import Pool
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.oracles.release import random_instance
from tests.solve.decide.agreement import agree

BATCH = 1_000


def batch(seed: int) -> int:
    rng = np.random.default_rng([seed, 20261118])
    for number in range(BATCH):
        agree(random_instance(rng), thoroughly=number % 5 == 0)
    return BATCH


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("instances", type=int, nargs="?", default=20_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=math.inf)
    options = parser.parse_args()
    batches = -(-options.instances // BATCH)
    began, done = time.perf_counter(), 0
    with Pool(options.workers) as pool:
        for size in pool.imap(batch, range(options.seed, options.seed + batches)):
            done += size
            if time.perf_counter() - began > 60 * options.minutes:
                break
            if done % 20_000 == 0:
                print(f"{done:,} instances agree, {time.perf_counter() - began:.0f} s", flush=True)
    print(f"{done:,} instances agree with brute force, {time.perf_counter() - began:.0f} s")


if __name__ == "__main__":
    main()
