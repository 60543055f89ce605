"""Same job, same bytes: the whole command on every shared table, with and without Σ, in several environments.

One thread and two, other hashes of Python, and twice the same. Prints the SHA-256 of each release; exit code 1 if two of a
job differ.

    python benchmarks/determinism.py [--only census adult …] [--effort quick standard]
"""

from __future__ import annotations

import argparse
import hashlib
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from data import FOLDER, require
from search_sigma import TABLES, of_class

RUNS = (
    {"NUMBA_NUM_THREADS": "1", "PYTHONHASHSEED": "0"},
    {"NUMBA_NUM_THREADS": "2", "PYTHONHASHSEED": "12345"},
)
"""Environments; the first is used twice."""


def released(words: list[str], environment: dict[str, str], folder: Path) -> str:
    """The hash of the release that a job gives."""
    output = folder / "release.csv"
    command = [
        sys.executable,
        "-c",
        "from diva.cli import main; main()",
        "anonymize",
        *words,
        "-o",
        str(output),
    ]
    threads = ["--threads", environment["NUMBA_NUM_THREADS"]]
    subprocess.run([*command, *threads], env=os.environ | environment, check=True, capture_output=True)
    return hashlib.sha256(output.read_bytes()).hexdigest()


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", nargs="*", default=list(TABLES), choices=list(TABLES))
    parser.add_argument("--effort", nargs="*", default=["standard"], choices=["quick", "standard"])
    options = parser.parse_args()
    wrong = 0
    for name in options.only:
        chosen = TABLES[name]
        path = require(FOLDER / chosen.file)
        sigma = of_class(str(path), chosen, "share", 5)
        for constraints in ((), sigma):
            for effort in options.effort:
                words = [
                    str(path),
                    "--qi",
                    ",".join(chosen.qi),
                    "--k",
                    "20",
                    "--seed",
                    "7",
                    "--effort",
                    effort,
                ]
                words += [word for c in constraints for word in ("-c", c.text)]
                with tempfile.TemporaryDirectory() as folder:
                    hashes = [released(words, run, Path(folder)) for run in (RUNS[0], *RUNS)]
                same = len(set(hashes)) == 1
                wrong += not same
                print(
                    f"{name:9} |Σ|={len(constraints)} {effort:9} {hashes[0][:16]} {'same' if same else 'DIFFERENT'}",
                    flush=True,
                )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
