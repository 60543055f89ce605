"""Compare exact implication, satisfiability and cover with exhaustion on N tiny instances.

    python benchmarks/fuzz_constraints.py N SEED [--workers 2] [--minutes 30]

Prints how many agree; every disagreement with its seed. Exit code 1 if there is one. Stops early after `--minutes`.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from multiprocessing import Pool
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.constraints.agreement import disagreements
from tests.oracles.implication import instance

CHUNK = 500


def check(seeds: range) -> list[tuple[int, list[str]]]:
    """Return the seeds of a chunk whose answers differ."""
    return [(seed, found) for seed in seeds if (found := disagreements(instance(seed)))]


def main() -> int:
    """Run the campaign."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("number", type=int, help="how many instances")
    parser.add_argument("seed", type=int, help="seed of the first; the others follow")
    parser.add_argument("--workers", type=int, default=1, help="processes")
    parser.add_argument("--minutes", type=float, default=math.inf, help="when to stop at the latest")
    arguments = parser.parse_args()
    end = arguments.seed + arguments.number
    chunks = [range(start, min(start + CHUNK, end)) for start in range(arguments.seed, end, CHUNK)]
    started = time.perf_counter()
    wrong = done = 0
    with Pool(arguments.workers) as pool:
        for seeds, found in zip(chunks, pool.imap(check, chunks), strict=False):  # it may stop early
            for seed, questions in found:
                print(f"seed {seed}: {', '.join(questions)} disagree", flush=True)
            wrong, done = wrong + len(found), done + len(seeds)
            if done % 20_000 == 0:
                print(
                    f"{done - wrong:,} of {done:,} agree, {time.perf_counter() - started:.0f} s", flush=True
                )
            if time.perf_counter() - started > 60 * arguments.minutes:
                break
    seconds = time.perf_counter() - started
    print(f"{done - wrong:,} of {done:,} instances agree in all three questions, {seconds:.1f} s")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
