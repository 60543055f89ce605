"""The search in parts against the search on the whole: stars, verified or not, seconds of search for one and two workers.

    python benchmarks/partitioned.py [--types 2000000] [--columns 8] [--effort quick] [--k 20] [--parts N] [-c CONSTRAINT ...]

The table is generated from a seed, every run is the command `diva anonymize`, and it ends only when its release is
verified. Seconds are of the search alone, in one run of this benchmark; memory is of the command without its workers.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from command import MEGA, Run, command
from population import ATTRIBUTES, write_population


def told(name: str, run: Run, stars: int) -> None:
    """Print one line; `stars` are those of the search on the whole."""
    report = run.report
    seconds = report["seconds"]
    loss = f"{report['stars'] / stars - 1:+8.3%}" if stars else f"{'-':>8}"
    print(
        f"{name:22} {report['types']:10,} {report['stars']:12,} {loss} {report['gap']:7.2%} {seconds['search']:8.1f}"
        f" {seconds['bound']:7.1f} {seconds['total']:8.1f} {run.peak / MEGA:8,.0f}",
        flush=True,
    )


def main() -> int:
    """Run what is asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--types", type=int, default=2_000_000)
    parser.add_argument("--columns", type=int, default=8, choices=range(2, len(ATTRIBUTES) + 1))
    parser.add_argument("--effort", default="quick", choices=["quick", "standard", "best"])
    parser.add_argument("--k", type=int, default=20)
    parser.add_argument("--parts", type=int, default=None)
    parser.add_argument("--seed", type=int, default=1, help="seed of the table")
    parser.add_argument("-c", "--constraint", action="append", default=[])
    options = parser.parse_args()
    columns = list(ATTRIBUTES)[: options.columns]
    parts = options.parts or max(2, -(-options.types // 100_000))
    print(
        f"{'search':22} {'types':>10} {'stars':>12} {'loss':>8} {'gap':>7} {'search':>8} {'bound':>7} {'total':>8} {'MB peak':>8}"
    )
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "population.parquet"
        write_population(source, types=options.types, columns=columns, seed=options.seed)
        words = ["anonymize", str(source), "--qi", ",".join(columns), "--k", str(options.k)]
        words += ["--effort", options.effort, *(w for c in options.constraint for w in ("-c", c))]
        whole = command([*words, "-o", f"{folder}/whole.parquet", "--parts", "1"])
        stars = int(whole.report["stars"])
        told("whole", whole, 0)
        runs = {}
        for workers in (1, 2):
            target = f"{folder}/parts_{workers}.csv"
            runs[workers] = command([*words, "-o", target, "--parts", str(parts), "--workers", str(workers)])
            told(f"{parts} parts, {workers} worker{'s' * (workers > 1)}", runs[workers], stars)
        one, two = (Path(f"{folder}/parts_{w}.csv").read_bytes() for w in (1, 2))
        seconds = {workers: run.report["seconds"]["search"] for workers, run in runs.items()}
        print(
            f"two workers are {seconds[1] / seconds[2]:.2f} times as fast as one; the same bytes: {one == two}"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
