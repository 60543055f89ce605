"""The whole command on Census, from Parquet to a verified CSV, beside DuckDB's copy of the same columns.

    python benchmarks/whole_command.py [--efforts quick standard] [--k 20]

Seven constraints of class share ±5 % on sex and race. Both sides are processes of their own that start, read, write
and end; the copy is also given without its process. Then the first run ever, whose kernels are compiled on the way,
and the same with the kernels cached. Medians of 5, interleaved; the first run twice.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from fractions import Fraction
from pathlib import Path

import duckdb

from data import CENSUS, CENSUS_QI, require
from diva.questions import generate
from timing import medians

_COPY = "import duckdb, sys; duckdb.connect().execute(sys.argv[1])"


def command(folder: Path, *, keep: bool, effort: str, k: int) -> list[str]:
    program = Path(sys.executable).with_name("diva")
    quasi = ",".join(CENSUS_QI)
    rest = ["--keep-rest"] if keep else []
    return [
        str(program), "anonymize", str(CENSUS), "-o", str(folder / "release.csv"), "--qi", quasi, "--k", str(k),
        "--constraints", str(folder / "sigma.txt"), "--effort", effort, "--json", *rest,
    ]  # fmt: skip


def run(line: list[str], cache: Path | None = None) -> str:
    environment = os.environ | ({"NUMBA_CACHE_DIR": str(cache)} if cache else {})
    return subprocess.run(line, check=True, capture_output=True, text=True, env=environment).stdout


def compare(folder: Path, efforts: list[str], k: int) -> None:
    for keep in (False, True):
        names = "*" if keep else ", ".join(f'"{c}"' for c in CENSUS_QI)
        query = f"COPY (SELECT {names} FROM '{CENSUS}') TO '{folder}/copy.csv' (FORMAT csv, HEADER)"
        connection = duckdb.connect()
        runs = {
            "query": lambda query=query, connection=connection: connection.execute(query),
            "process": lambda query=query: run([sys.executable, "-c", _COPY, query]),
        }
        lines = {effort: command(folder, keep=keep, effort=effort, k=k) for effort in efforts}
        seconds = medians(runs | {effort: lambda line=line: run(line) for effort, line in lines.items()})
        print(
            f"{'all 42' if keep else 'the 6 QI'} columns: DuckDB's COPY takes {seconds['query']:.2f} s,"
            f" {seconds['process']:.2f} s with its process"
        )
        for effort, line in lines.items():
            parts = json.loads(run(line))["seconds"]
            told = ", ".join(f"{name} {value:.2f}" for name, value in parts.items())
            print(
                f"  diva at {effort}: {seconds[effort]:.2f} s, {seconds[effort] / seconds['query']:.1f} × the copy,"
                f" {seconds[effort] / seconds['process']:.1f} × its process ({told})",
                flush=True,
            )


def first_run(folder: Path, k: int) -> None:
    line = command(folder, keep=False, effort="standard", k=k)
    extra = []
    for _ in range(2):
        cache = folder / "cache"
        shutil.rmtree(cache, ignore_errors=True)
        taken = []
        for _again in range(2):
            began = time.perf_counter()
            run(line, cache)
            taken.append(time.perf_counter() - began)
        extra.append(taken[0] - taken[1])
    print(f"the first run ever takes {statistics.median(extra):.1f} s more")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--efforts", nargs="*", default=["quick", "standard"], choices=["quick", "standard"])
    parser.add_argument("--k", type=int, default=20)
    arguments = parser.parse_args()
    require(CENSUS)
    sigma = generate(str(CENSUS), kind="share", on=[["sex"], ["race"]], percent=Fraction(5))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "sigma.txt").write_text("".join(f"{c.text}\n" for c in sigma), encoding="utf-8")
        compare(folder, arguments.efforts, arguments.k)
        first_run(folder, arguments.k)


if __name__ == "__main__":
    main()
