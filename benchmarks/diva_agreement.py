"""DIVA against exhaustion on tiny instances. `python benchmarks/diva_agreement.py 5000 --workers 2`.

Of every instance all releases are laid out. Then, for each strategy: every colouring and every release is checked from its
definition, every repair of Integrate that is called minimal against the least possible, "unsatisfiable" against whether
a release exists; every tenth release also goes through the walk and its verifier. Printed is how often DIVA found a
release where there is one, and how often it gave up, and why. Exit code 1 if anything disagrees.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.oracles.release import Instance, random_instance, releases
from tests.solve.decide.agreement import constraints_of
from tests.solve.diva.agreement import judge

import diva
from diva.solve.diva.strategies import STRATEGIES

BATCH = 100
WALK = 10


def batch(first: int) -> Counter[tuple[str, str]]:
    """Judge some instances."""
    counts: Counter[tuple[str, str]] = Counter()
    for seed in range(first, first + BATCH):
        instance = random_instance(np.random.default_rng([seed, 20261119]))
        all_of_them = releases(instance)
        for strategy in STRATEGIES:
            verdict = judge(instance, strategy, seed, all_of_them)
            counts[strategy, "a release exists" if verdict.feasible else "there is none"] += 1
            counts[strategy, verdict.end] += 1
            counts[strategy, "repaired by Integrate"] += verdict.repaired
            counts[strategy, "of these proven minimal"] += verdict.repaired and verdict.minimal
            for fault in verdict.faults:
                print(f"instance {seed}, {strategy}: {fault}", flush=True)
                counts[strategy, "FAULTS"] += 1
            if seed % WALK == 0 and verdict.end == "found":
                walk(instance, strategy, seed)
                counts[strategy, "verified from the table"] += 1
    return counts


def walk(instance: Instance, strategy: str, seed: int) -> None:
    """The whole walk; it raises where the verifier finds a fault."""
    import polars as pl

    columns = dict.fromkeys(instance.columns, pl.String)
    release = diva.anonymize(
        pl.DataFrame(list(instance.rows), schema=columns, orient="row"),
        qi=instance.columns[: instance.width],
        sensitive=instance.columns[instance.width :],
        k=instance.k,
        constraints=constraints_of(instance),
        solver="diva",
        strategy=strategy,
        seed=seed,
    )
    assert all(c.satisfied for c in release.constraints)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("instances", type=int, nargs="?", default=5_000)
    parser.add_argument("--workers", type=int, default=1)
    options = parser.parse_args()
    began, counts = time.perf_counter(), Counter[tuple[str, str]]()
    with ProcessPoolExecutor(options.workers) as pool:
        for part in pool.map(batch, range(0, options.instances, BATCH)):
            counts += part
    rows = list(dict.fromkeys(row for _, row in counts))
    print(f"{'':26}" + "".join(f"{strategy:>12}" for strategy in STRATEGIES))
    for row in sorted(rows):
        print(f"{row:26}" + "".join(f"{counts[strategy, row]:12,}" for strategy in STRATEGIES))
    print(f"{options.instances:,} instances, {time.perf_counter() - began:.0f} s")
    sys.exit(any(row == "FAULTS" for row in rows))


if __name__ == "__main__":
    main()
