"""Releases of generated tables, made in process by `diva.anonymize` and checked by plain Python from the definitions.

    python benchmarks/fuzz_release.py [INSTANCES] [--seed S] [--workers N] [--keep releases.jsonl]

Every release is recounted with dictionaries (k, Σ, every published record an original one with QI cells suppressed), and its
figures are compared. Sizes run from one record and one column to 300 records and 40 columns; there are NULLs, texts of all
kinds, tables of one value and of none twice, and every effort, solver and order, weights, parts, stars and NULLs. `--keep` writes what was published, for
`pycanon_agrees.py`. Every fault is printed with its seed; exit code 1 if there is one.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
import polars as pl

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.oracles.published import STAR, flaws
from tests.oracles.release import Instance, Row, Sigma

import diva

BATCH = 100
ODD = (
    "",
    " ",
    "a,b",
    '"',
    "ß",
    "\n",
    "☃",
    "NULL",
    "0",
    "00",
    "1e3",
    "x" * 300,
    "**",
    "日本",
    "a\tb",
    "'",
    "\\",
)
"""Values that a text format, an engine or a hash may trip over."""


def generated(rng: np.random.Generator) -> tuple[Instance, dict[str, object]]:
    """A table, k and Σ, and how to ask."""
    width = int(rng.choice([1, 2, 3, 4, 6, 9, 14, 40], p=[0.12, 0.2, 0.22, 0.2, 0.12, 0.07, 0.04, 0.03]))
    most = 30 if width > 9 else 300 if rng.random() < 0.05 else 40
    n = int(rng.integers(1, most + 1))
    shape = rng.random()
    values: list[str | None] = [*ODD, None] if rng.random() < 0.3 else [*"abcdefgh", None]
    spread = 1 if shape < 0.05 else int(rng.integers(1, len(values) + 1))
    codes = np.minimum(rng.geometric(rng.uniform(0.2, 0.8), (n, width + 1)) - 1, spread - 1)
    rows: list[Row] = [tuple(values[-1 - c] if c % 2 else values[c] for c in row) for row in codes]
    if 0.05 <= shape < 0.1:
        rows = [tuple(f"{i}-{a}" for a in range(width + 1)) for i in range(n)]
    columns = (*(f"q{a}" for a in range(width)), "s")
    k = int(rng.integers(1, min(12, n) + 1)) if rng.random() < 0.97 else n + 1
    sigma: Sigma = []
    for _ in range(int(rng.choice([0, 1, 2, 4], p=[0.35, 0.3, 0.2, 0.15]))):
        chosen = rng.choice(len(columns), size=int(rng.integers(1, min(3, width) + 1)), replace=False)
        row = rows[int(rng.integers(n))]
        target = {columns[a]: row[a] for a in chosen}
        if None in target.values():
            continue
        count = sum(all(r[columns.index(a)] == v for a, v in target.items()) for r in rows)
        low = int(rng.integers(0, count + 1))
        low, high = [(low, None), (0, low), (low, low + 1), (low, count + 2), (count, None)][
            int(rng.integers(5))
        ]
        sigma.append((target, low, high))
    options: dict[str, object] = {
        "effort": str(rng.choice(["quick", "standard"], p=[0.6, 0.4])),
        "order": str(rng.choice(["keep", "shuffle"])),
        "seed": int(rng.integers(100)),
    }
    if not sigma and rng.random() < 0.15:
        options["solver"] = str(rng.choice(["k-member", "oka", "mondrian"]))
        del options["effort"]
    return Instance(columns, width, tuple(rows), k, sigma), options


def asked(instance: Instance, options: dict[str, object], rng: np.random.Generator) -> dict[str, object]:
    """The same with more options: weights, a search in parts or against the clock, the paper's algorithm, NULL for a star."""
    quasi, options = instance.columns[: instance.width], dict(options)
    if rng.random() < 0.2:
        options["weights"] = {a: float(rng.choice([0.0, 0.2, 1.0, 3.0])) for a in quasi if rng.random() < 0.7}
    if rng.random() < 0.1 and all(None not in row[: instance.width] for row in instance.rows):
        options["suppressed"] = "null"
    what = rng.random()
    if "solver" in options or what > 0.25:
        return options
    if what < 0.1:
        return options | {"parts": int(rng.integers(2, 4)), "workers": 1}
    if what < 0.15:
        return options | {"effort": "best", "time_limit": 0.2}
    del options["effort"]
    return options | {"solver": "diva", "strategy": str(rng.choice(["naive", "min-choice", "max-fanout"]))}


def check(instance: Instance, options: dict[str, object]) -> tuple[list[str], list[Row] | None]:
    """What is wrong with the release of an instance, and its rows; None where there is none."""
    table = pl.DataFrame(list(instance.rows), schema=dict.fromkeys(instance.columns, pl.String), orient="row")
    sigma = [
        diva.Constraint(diva.Target(tuple(t), tuple(t.values())), low, high)
        for t, low, high in instance.sigma
    ]
    width = instance.width
    try:
        release = diva.anonymize(
            table, qi=instance.columns[:width], sensitive=["s"], k=instance.k, constraints=sigma, **options
        )
    except diva.Unsatisfiable:
        return [], None
    except diva.BadInput as error:
        return ([], None) if len(instance.rows) < instance.k else ([str(error)], None)
    except diva.GaveUp as error:
        return ([], None) if options.get("solver") == "diva" else ([str(error)], None)
    rows = release.to_polars().rows()
    if options.get("suppressed") == "null":
        rows = [(*(STAR if c is None else c for c in row[:width]), *row[width:]) for row in rows]
    found = flaws(instance, rows, ordered=options["order"] == "keep")
    groups = Counter(row[:width] for row in rows)
    stars = sum(cell == STAR for row in rows for cell in row[:width])
    told = (release.rows, release.groups, release.stars, release.k_achieved)
    if told != (len(rows), len(groups), stars, min(groups.values())):
        found.append(f"figures {told} are wrong")
    weights = dict(options.get("weights", {}))
    of = [weights.get(a, 1.0) for a in instance.columns[:width]]
    cost = sum(w for row in rows for w, cell in zip(of, row[:width], strict=True) if cell == STAR)
    if abs(cost - release.cost) > 1e-9 * (1 + cost):
        found.append(f"cost {release.cost} told, it is {cost}")
    if not 0 <= release.lower_bound <= release.cost:
        found.append(f"bound {release.lower_bound} above the cost {release.cost}")
    return found, rows


def batch(number: int) -> tuple[int, list[str], list[str]]:
    """How many instances had a release, faults, and the releases as JSON lines."""
    made, faults, kept = 0, [], []
    for i in range(BATCH):
        instance, options = generated(np.random.default_rng([number, i, 20261119]))
        try:
            options = asked(instance, options, np.random.default_rng([number, i, 20261120]))
            found, rows = check(instance, options)
        except Exception as error:  # noqa: BLE001 - a crash is a finding, with its seed
            found, rows = [f"{type(error).__name__}: {error}"], None
        faults += [f"batch {number}, instance {i}: {fault}" for fault in found]
        if rows is not None:
            made += 1
            achieved = min(Counter(row[: instance.width] for row in rows).values())
            kept.append(json.dumps({"qi": instance.width, "k": achieved, "rows": rows}))
    return made, faults, kept


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("instances", type=int, nargs="?", default=50_000)
    parser.add_argument("--seed", type=int, default=0, help="the first batch")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--keep", type=Path)
    options = parser.parse_args()
    batches = -(-options.instances // BATCH)
    began, made, faults = time.perf_counter(), 0, 0
    stream = options.keep.open("w", encoding="utf-8") if options.keep else None
    with ProcessPoolExecutor(options.workers) as pool:
        numbers = range(options.seed, options.seed + batches)
        for done, (releases, found, kept) in enumerate(pool.map(batch, numbers), 1):
            made += releases
            faults += len(found)
            for fault in found:
                print(fault, flush=True)
            if stream:
                stream.writelines(f"{line}\n" for line in kept)
            if done % 5 == 0:
                print(
                    f"{done * BATCH:,} instances, {made:,} releases, {faults} faults, {time.perf_counter() - began:.0f} s",
                    flush=True,
                )
    print(
        f"{batches * BATCH:,} instances, {made:,} releases verified, {faults} faults; {time.perf_counter() - began:.0f} s"
    )
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
