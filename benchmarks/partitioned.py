"""The search in parts against the search on the whole: stars, verified or not, seconds of search for one and two workers.

    python benchmarks/partitioned.py [--types 2000000] [--columns 8] [--effort quick] [--k 20] [--parts N] [-c CONSTRAINT ...] [--spark]

The table is generated from a seed, every run is the command `diva anonymize`, and it ends only when its release is
verified. What two workers can gain is what two independent commands with one worker each do at once. Seconds are of search and bound, which is found while workers solve parts, in one run of this benchmark; memory is of the command without its workers.
With `--spark` the parts are also solved on a standalone cluster of the loopback interface, by one and by both of its executors.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import duckdb
from tests.engines.spark import Cluster

from command import MEGA, Run, command
from population import ATTRIBUTES, write_population


def solving(run: Run) -> float:
    """Seconds of search and bound."""
    seconds = run.report["seconds"]
    return float(seconds["search"] + seconds["bound"])


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


def on_spark(words: list[str], folder: Path, expected: str, stars: int) -> None:
    """The same on a cluster; its releases are compared with one from here as multisets."""
    (folder / "cluster").mkdir()
    seconds = {}
    with Cluster(folder / "cluster", memory="2500m") as cluster:
        for workers in (1, 2):
            target = folder / f"spark_{workers}.parquet"
            place = ["--engine", "spark", "--master", cluster.master, "--memory-limit", "2GB"]
            run = command([*words, "-o", str(target), "--workers", str(workers), *place])
            told(f"{workers} executor{'s' * (workers > 1)}", run, stars)
            seconds[workers] = solving(run)
            rows = (
                f"SELECT * FROM '{target}/*.parquet'",
                f"SELECT * FROM read_csv('{expected}', all_varchar=true)",
            )
            for one, other in (rows, rows[::-1]):
                differing = duckdb.sql(f"SELECT count(*) FROM ({one} EXCEPT ALL {other})").fetchall()[0][0]
                assert differing == 0, f"{differing} rows differ"
    print(
        f"two executors are {seconds[1] / seconds[2]:.2f} times as fast as one; the same rows as here: True"
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
    parser.add_argument("--spark", action="store_true")
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
        runs, cut = {}, [*words, "--parts", str(parts)]
        for workers in (1, 2):
            target = f"{folder}/parts_{workers}.csv"
            runs[workers] = command([*cut, "-o", target, "--workers", str(workers)])
            told(f"{parts} parts, {workers} worker{'s' * (workers > 1)}", runs[workers], stars)
        one, two = (Path(f"{folder}/parts_{w}.csv").read_bytes() for w in (1, 2))
        seconds = {workers: solving(run) for workers, run in runs.items()}
        print(
            f"two workers are {seconds[1] / seconds[2]:.2f} times as fast as one; the same bytes: {one == two}"
        )
        line = [*cut, "--workers", "1", "-o"]
        with ThreadPoolExecutor(2) as pool:
            both = list(pool.map(command, [[*line, f"{folder}/beside_{i}.csv"] for i in range(2)]))
        slowed = max(solving(run) for run in both)
        print(
            f"two such commands at once do {2 * seconds[1] / slowed:.2f} times what one does, on this machine"
        )
        if options.spark:
            on_spark(cut, Path(folder), f"{folder}/parts_2.csv", stars)
    return 0


if __name__ == "__main__":
    sys.exit(main())
