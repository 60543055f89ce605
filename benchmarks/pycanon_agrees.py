"""Whether pycanon finds the same k in releases that `fuzz_release.py --keep FILE` kept. Runs without diva, in an environment of its own.

    uv run --no-project --with pycanon python benchmarks/pycanon_agrees.py FILE [--every N]

Why not in ours: docs/decisions/0021-pycanon-in-an-environment-of-its-own.md. NULL becomes a text that occurs nowhere: for pandas
it is unlike itself, for us it is a value.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import pandas as pd
from pycanon import anonymity

NULL = "\N{SYMBOL FOR NULL}"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", type=Path)
    parser.add_argument("--every", type=int, default=1, help="check every N-th release")
    options = parser.parse_args()
    checked = wrong = 0
    with options.file.open(encoding="utf-8") as stream:
        for number, line in enumerate(stream):
            if number % options.every:
                continue
            release = json.loads(line)
            quasi = [f"q{a}" for a in range(release["qi"])]
            rows = [
                [NULL if cell is None else cell for cell in row[: release["qi"]]] for row in release["rows"]
            ]
            found = anonymity.k_anonymity(pd.DataFrame(rows, columns=quasi, dtype=str), quasi)
            checked += 1
            if found != release["k"]:
                wrong += 1
                print(f"release {number}: pycanon says {found}, we say {release['k']}")
    print(f"{checked:,} releases, {wrong} with another k")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
