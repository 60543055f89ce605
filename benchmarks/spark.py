"""The whole job in Spark, as a multiple of Spark's own reading and writing of the same columns in the same application.

`python benchmarks/spark.py` starts a standalone cluster on the loopback interface (a master and two workers with a core
each) and prints, for 10 million records, the seconds of both (medians), their ratio (at most 3 is wanted), and for every stage
of the last job how evenly its tasks were loaded: the longest task's time and the median's, from Spark's own event log.
`--rows` and `--times` change the size and how often.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.engines.spark import Cluster

import diva
from data import CENSUS, CENSUS_QI, require

SENSITIVE = ("education",)


def make(rows: int, path: Path) -> None:
    """The census resampled by its weights, in files of a million records."""
    census = pl.read_parquet(require(CENSUS), columns=[*CENSUS_QI, *SENSITIVE, "instance_weight"])
    weight = census["instance_weight"].str.strip_chars().cast(pl.Float64).to_numpy()
    rng = np.random.default_rng(1)
    path.mkdir()
    for number, start in enumerate(range(0, rows, 1_000_000)):
        drawn = rng.choice(len(census), min(1_000_000, rows - start), p=weight / weight.sum())
        part = census.select(*CENSUS_QI, *SENSITIVE)[drawn]
        part.write_parquet(path / f"part-{number:03}.parquet", row_group_size=100_000)


def session(master: str, log: Path) -> Any:
    from pyspark.sql import SparkSession

    settings = {
        "spark.ui.enabled": "false", "spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1",
        "spark.log.level": "OFF", "spark.ui.showConsoleProgress": "false", "spark.executor.memory": "1g",
        "spark.sql.shuffle.partitions": "16", "spark.eventLog.enabled": "true", "spark.eventLog.dir": f"file:{log}",
        "spark.eventLog.rolling.enabled": "false", "spark.eventLog.compress": "false",
    }  # fmt: skip
    builder = SparkSession.builder.master(master).appName("benchmark")
    for name, value in settings.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def copy(spark: Any, source: Path, target: Path) -> float:
    """Spark's own: read the columns, write them."""
    shutil.rmtree(target, ignore_errors=True)
    began = time.perf_counter()
    frame = spark.read.parquet(f"file:{source}").select(*CENSUS_QI, *SENSITIVE)
    frame.write.option("compression", "zstd").parquet(f"file:{target}")
    return time.perf_counter() - began


def publish(source: Path, target: Path) -> tuple[float, diva.Release]:
    """The whole job: count, search, recode, write, verify."""
    shutil.rmtree(target, ignore_errors=True)
    target.with_name(target.name + ".diva.json").unlink(missing_ok=True)
    began = time.perf_counter()
    release = diva.anonymize(
        source, output=target, qi=CENSUS_QI, sensitive=SENSITIVE, k=20, effort="quick", engine="spark"
    )
    return time.perf_counter() - began, release


def spread(log: Path, since: float) -> None:
    """How evenly the tasks of each stage were loaded, of stages that began after a moment."""
    tasks: dict[int, list[float]] = defaultdict(list)
    names: dict[int, str] = {}
    for line in next(log.iterdir()).read_text(encoding="utf-8").splitlines():
        event = json.loads(line)
        if event["Event"] == "SparkListenerTaskEnd" and event["Task Info"]["Launch Time"] > since * 1000:
            info = event["Task Info"]
            tasks[event["Stage ID"]].append((info["Finish Time"] - info["Launch Time"]) / 1000)
        elif event["Event"] == "SparkListenerStageSubmitted":
            names[event["Stage Info"]["Stage ID"]] = event["Stage Info"]["Stage Name"].split(" at ")[0]
    print("stage  tasks  longest  median  longest/median")
    for stage, seconds in sorted(tasks.items()):
        longest, median = max(seconds), statistics.median(seconds)
        if longest >= 0.2:
            print(
                f"{stage:5}  {len(seconds):5}  {longest:6.2f}s {median:6.2f}s  {longest / max(median, 0.001):6.2f}  {names.get(stage, '')}"
            )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--times", type=int, default=5)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "log").mkdir()
        make(chosen.rows, folder / "in")
        with Cluster(folder, memory="1200m") as cluster:
            spark = session(cluster.master, folder / "log")
            copies, jobs = [], []
            copy(spark, folder / "in", folder / "copy.parquet")
            publish(folder / "in", folder / "out.parquet")
            for _ in range(chosen.times):
                copies.append(copy(spark, folder / "in", folder / "copy.parquet"))
                last = time.time()
                seconds, release = publish(folder / "in", folder / "out.parquet")
                jobs.append(seconds)
                print(f"copy {copies[-1]:.1f} s, whole job {seconds:.1f} s: {release.seconds}", flush=True)
            spark.stop()
        print(
            f"{chosen.rows:,} records, {release.types:,} types: whole job {statistics.median(jobs):.1f} s, Spark's read and write"
            f" {statistics.median(copies):.1f} s: ratio {statistics.median(j / c for j, c in zip(jobs, copies, strict=True)):.2f}"
        )
        spread(folder / "log", last)


if __name__ == "__main__":
    main()
