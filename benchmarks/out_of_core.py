"""Tables larger than memory: the whole command under a memory limit, as a multiple of DuckDB's copy of the same columns.

`python benchmarks/out_of_core.py [MILLIONS …] [--order shuffle|keep] [--source FOLDER]` (1 and 10, both orders, a temporary folder) resamples Census by `instance_weight` into a folder of Parquet
files with about 12,000 types, then publishes it with `--memory-limit 2GB`, shuffled and with `--order keep`. The baseline
is DuckDB's own COPY of the same columns into Parquet under the same limit and order: shuffled means that it sorts by a
hash of the row, keep that it preserves the order. At most 3 times that, and a peak of at most 3 GB, is wanted. Needs
about 200 MB of disk for a million rows, most of it for what is spilled; everything is deleted afterwards, but for what was generated
in a folder that was named (`--source`), which the next run with it uses again.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import duckdb
import numpy as np

from data import CENSUS, CENSUS_QI, require

QI = (*CENSUS_QI, "country_of_birth_mother")
PUBLISHED = ("age", "education", *QI, "income")
LIMIT = "2GB"
MILLION = 1_000_000
PART = 5 * MILLION
"""Rows of a file."""
BYTES_PER_ROW = 200

COPY = """
import duckdb, sys
source, target, limit, temp, order, columns = sys.argv[1:]
names = columns.split(",")
con = duckdb.connect(config={"memory_limit": limit, "temp_directory": temp})
by = "" if order == "keep" else f" ORDER BY hash({columns})"
con.execute(f"COPY (SELECT {columns} FROM read_parquet('{source}/*.parquet'){by}) TO '{target}' (FORMAT parquet, COMPRESSION zstd)")
"""


@dataclass(frozen=True)
class Run:
    """What a process took."""

    seconds: float
    busy: float
    """Seconds of processor time, which other work on the machine disturbs less."""
    peak: float
    """Resident set in GB."""
    output: str


def generate(rows: int, folder: Path) -> None:
    """Draw records of Census with probabilities proportional to their weights, in chunks."""
    connection = duckdb.connect(config={"memory_limit": LIMIT, "temp_directory": str(folder / "tmp")})
    columns = ", ".join(f'"{c}"' for c in PUBLISHED)
    query = f"CREATE TABLE census AS SELECT (row_number() OVER ()) - 1 AS i, {columns}, instance_weight::DOUBLE AS w FROM '{CENSUS}'"
    connection.execute(query)
    connection.execute(
        "SET disabled_optimizers = 'join_order,build_side_probe_side'"
    )  # as drawn, not as in Census
    weights = connection.execute("SELECT w FROM census ORDER BY i").fetchnumpy()["w"]
    ends = np.cumsum(weights)
    rng = np.random.default_rng(7)
    for part, start in enumerate(range(0, rows, PART)):
        many = min(PART, rows - start)
        drawn = np.searchsorted(ends, rng.random(many) * ends[-1], side="right")
        connection.register("drawn", {"i": drawn})
        connection.execute(
            f"COPY (SELECT {columns} FROM drawn JOIN census USING (i)) TO '{folder}/part{part:03}.parquet' (FORMAT parquet, PRESERVE_ORDER true)"
        )
        connection.unregister("drawn")


def measured(command: list[str]) -> Run:
    """Run a command; its wall time and its peak memory, which the kernel counts for each process."""
    began = time.perf_counter()
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(command, stdout=output)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.perf_counter() - began
        output.seek(0)
        text = output.read().decode()
    if process.returncode:
        sys.exit(f"{command[0]} ended with {process.returncode}")
    return Run(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024 / 1e9, text)


def compared(source: Path, folder: Path, order: str) -> tuple[Run, Run]:
    """The command and DuckDB's copy, one after the other."""
    temp = folder / "spill"
    temp.mkdir(exist_ok=True)
    target = folder / "release.parquet"
    words = [
        *(str(Path(sys.executable).with_name("diva")), "anonymize", f"{source}/*.parquet", "-o", str(target)),
        *("--qi", ",".join(QI), "--sensitive", "income", "--keep", "age,education", "--k", "20", "--json"),
        *("--memory-limit", LIMIT, "--temp-dir", str(temp), "--order", order, "--effort", "quick"),
        *("-c", "race[Black] in 100000..", "-c", "sex[Female] in 400000.."),
    ]
    ours = measured(words)
    target.unlink()
    copy = [
        sys.executable,
        "-c",
        COPY,
        str(source),
        str(target),
        LIMIT,
        str(temp),
        order,
        ",".join(PUBLISHED),
    ]
    theirs = measured(copy)
    target.unlink()
    return ours, theirs


def report(millions: int, order: str, ours: Run, theirs: Run) -> None:
    told = json.loads(ours.output)
    parts = ", ".join(f"{name} {seconds:.1f}" for name, seconds in told["seconds"].items() if name != "total")
    print(
        f"{millions:>4} M rows, {told['types']:,} types, order {order}: {ours.seconds:.1f} s, peak {ours.peak:.2f} GB;"
        f" DuckDB's COPY {theirs.seconds:.1f} s, peak {theirs.peak:.2f} GB: ratio {ours.seconds / theirs.seconds:.2f},"
        f" of processor time {ours.busy:.1f} s / {theirs.busy:.1f} s = {ours.busy / theirs.busy:.2f};"
        f" {ours.seconds / millions:.2f} s per million ({parts})",
        flush=True,
    )


def asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("millions", type=int, nargs="*", default=[1, 10])
    parser.add_argument("--order", choices=("shuffle", "keep"), action="append")
    parser.add_argument("--source", type=Path)
    return parser.parse_args()


def main() -> None:
    require(CENSUS)
    words = asked()
    for millions in words.millions:
        with tempfile.TemporaryDirectory(prefix="diva-out-of-core-") as name:
            folder = Path(name)
            wanted = millions * MILLION * BYTES_PER_ROW
            if shutil.disk_usage(folder).free < wanted:
                sys.exit(f"{millions} million rows need {wanted / 1e9:.0f} GB of disk in {folder.parent}")
            source = (words.source or folder) / f"{millions}M"
            if not source.exists():
                source.mkdir(parents=True)
                generate(millions * MILLION, source)
            for order in words.order or ("shuffle", "keep"):
                report(millions, order, *compared(source, folder, order))


if __name__ == "__main__":
    main()
