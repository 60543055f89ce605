"""Growth: the whole command on generated tables of 1,000 to 1,000,000 types; seconds, memory, and both per pair kept.

    python benchmarks/growth.py [--types 1000 10000 100000 1000000] [--columns 8] [--effort quick] [--k 20]

The tables are like the paper's Pop-Syn: a synthetic population with Zipfian attributes, from a seed. Every run is the
command `diva anonymize` in a process of its own, with the kernels already compiled.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from command import MEGA, command
from population import ATTRIBUTES, write_population

PARTS = ("read", "search", "bound", "write", "verify", "total")


def size_of(path: Path, columns: list[str], k: int, effort: str) -> tuple[int, int]:
    """Pairs and groups of the lattice that the search walks, counted in a process of its own."""
    program = (
        "import sys, numpy as np\nfrom diva.relation.duck import open_table\nfrom diva.lattice.problem import Problem\n"
        "from diva.lattice.listing import list_groups\npath, quasi, k, effort = sys.argv[1], sys.argv[2].split(','), *sys.argv[3:]\n"
        "types = open_table(path).types(quasi)\nm = len(quasi)\n"
        "problem = Problem(types.codes, types.counts, int(k), np.ones(m), np.zeros(m, dtype=bool))\n"
        "lattice = list_groups(problem, thorough=effort != 'quick')\nprint(lattice.pairs, lattice.groups)"
    )
    words = [sys.executable, "-c", program, str(path), ",".join(columns), str(k), effort]
    pairs, groups = subprocess.run(words, check=True, capture_output=True, text=True).stdout.split()
    return int(pairs), int(groups)


def measure(types: int, columns: list[str], options: argparse.Namespace, folder: Path) -> None:
    """Generate, run and print a line."""
    source, target = folder / f"population_{types}.parquet", folder / "release.parquet"
    records = write_population(source, types=types, columns=columns, seed=options.seed)
    words = ["anonymize", str(source), "-o", str(target), "--qi", ",".join(columns), "--k", str(options.k)]
    run = command([*words, "--effort", options.effort, "--seed", "1", *options.more])
    pairs, groups = size_of(source, columns, options.k, options.effort)
    seconds, stars, bound = (run.report[name] for name in ("seconds", "stars", "lower_bound"))
    print(
        f"{types:9,} {records:10,} {pairs:12,} {groups:10,} "
        + " ".join(f"{seconds[part]:7.2f}" for part in PARTS)
        + f" {run.peak / MEGA:8,.0f} {seconds['search'] / pairs * 1e6:9.2f} {run.peak / pairs:9.0f}"
        + f" {stars / records / len(columns):7.2%} {1 - bound / max(1, stars):7.2%}",
        flush=True,
    )
    source.unlink()
    target.unlink()


def main() -> int:
    """Run what is asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--types", type=int, nargs="+", default=[1_000, 10_000, 100_000, 1_000_000])
    parser.add_argument("--columns", type=int, default=8, choices=range(2, len(ATTRIBUTES) + 1))
    parser.add_argument("--effort", default="quick", choices=["quick", "standard", "best"])
    parser.add_argument("--k", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1, help="seed of the tables")
    parser.add_argument("more", nargs="*", help="further options of diva anonymize, after --")
    options = parser.parse_args()
    columns = list(ATTRIBUTES)[: options.columns]
    print(
        f"{'types':>9} {'records':>10} {'pairs':>12} {'groups':>10} "
        + " ".join(f"{part:>7}" for part in PARTS)
        + f" {'MB peak':>8} {'µs/pair':>9} {'B/pair':>9} {'stars':>7} {'gap':>7}"
    )
    with tempfile.TemporaryDirectory() as folder:
        write_population(Path(folder) / "warm.parquet", types=300, columns=columns, seed=0)
        words = ["anonymize", f"{folder}/warm.parquet", "-o", f"{folder}/warm.csv", "--qi", ",".join(columns)]
        command([*words, "--k", "5", "--effort", options.effort, *options.more])
        for types in options.types:
            measure(types, columns, options, Path(folder))
    return 0


if __name__ == "__main__":
    sys.exit(main())
