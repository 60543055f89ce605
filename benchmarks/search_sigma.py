"""Search under Σ on the shared tables: every class of constraints on the paper's target attributes.

    python benchmarks/search_sigma.py [--effort standard best] [--only census adult ...] [--time-limit 60] [--k 20]

For each Σ: whether it is feasible (and if not, why), stars without and with it, the bound and the gap under Σ, seconds.
Every plan is checked: k, every record once, every range. Tables come from the folder DIVA_DATA.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product

import numpy as np

from data import ADULT_QI, CENSUS_QI, FOLDER, require
from diva.constraints.graph import conflict_graph
from diva.constraints.model import Constraint, Target
from diva.errors import Unsatisfiable
from diva.lattice.problem import Problem
from diva.questions import generate
from diva.relation.duck import DuckTable, open_table
from diva.solve.effort import Search
from diva.solve.solver import solve


@dataclass(frozen=True)
class Table:
    """A table, its QI columns and the attributes that the paper's constraints speak of."""

    file: str
    qi: list[str]
    on: list[str]


TABLES = {
    "credit": Table("german_credit_kaggle.csv", ["Sex", "Job", "Housing", "Saving accounts"], ["Sex", "Job"]),
    "pantheon": Table("pantheon.csv", ["sex", "city", "country", "continent"], ["sex", "continent"]),
    "census": Table("census_income_kdd.parquet", list(CENSUS_QI), ["sex", "race"]),
    "adult": Table("adult_arx.csv", list(ADULT_QI), ["sex", "race"]),
}
CLASSES = (("minimum", 5), ("average", 5), ("proportion", 5), ("share", 1), ("share", 5))
MULTI = 20


def of_class(path: str, table: Table, kind: str, percent: int) -> tuple[Constraint, ...]:
    """Σ of a class, on each target attribute."""
    return generate(
        path, kind=kind, on=[[a] for a in table.on], qi=table.qi, percent=Fraction(percent), seed=1
    )


def overlapping(table: DuckTable, quasi: list[str]) -> tuple[Constraint, ...]:
    """Twenty constraints on two to four attributes each, ±5 % of their counts, that overlap as the rate wants it.

    From the combinations of the two most frequent values of each attribute, the one that fits those chosen so far best
    (largest mean Jaccard similarity), starting with the largest.
    """
    frequent = {a: sorted(table.frequencies([a]), key=lambda f: -f[1])[:2] for a in quasi}
    pool = [
        Target(chosen, tuple(values))
        for size in (2, 3, 4)
        for chosen in combinations(quasi, size)
        for values in product(*([v[0] for v, _ in frequent[a]] for a in chosen))
    ]
    types = table.types(quasi)
    carried = np.column_stack([types.carries(t) for t in pool]).astype(np.float64)
    both = carried.T @ (carried * types.counts[:, None])
    size = np.diag(both)
    alike = both / np.maximum(1.0, size[:, None] + size - both)
    chosen_ = [int(np.argmax(size))]
    while len(chosen_) < MULTI:
        fit = alike[chosen_].mean(axis=0)
        fit[chosen_] = -1.0
        chosen_.append(int(np.argmax(fit)))
    return tuple(
        Constraint(pool[i], int(np.ceil(size[i] * 0.95)), int(np.floor(size[i] * 1.05))) for i in chosen_
    )


def measure(
    label: str, table: DuckTable, qi: list[str], k: int, sigma: tuple[Constraint, ...], search: Search
) -> None:
    """Solve, check and print a line."""
    quasi = frozenset(qi)
    parts = dict.fromkeys(p for p in (c.target.without(quasi) for c in sigma) if p.attributes)
    types = table.types(qi, tuple(parts))
    began = time.perf_counter(), time.process_time()
    try:
        solution = solve(types, k, sigma, search)
    except Unsatisfiable as error:
        seconds = time.perf_counter() - began[0]
        print(f"{label:28} {k:3} {search.effort:9} infeasible ({seconds:.2f} s): {error}"[:150], flush=True)
        return
    seconds, cpu = time.perf_counter() - began[0], time.process_time() - began[1]
    m = len(qi)
    problem = Problem(types.codes, types.counts, k, np.ones(m), np.zeros(m, dtype=bool))
    plan = solution.plan
    flaws = problem.flaws(plan)
    for c in sigma:
        shown = types.carries(c.target.only(quasi))[plan.type]
        columns = [qi.index(a) for a in c.target.attributes if a in quasi]
        shown &= (plan.levels[:, columns] == 0).all(axis=1)
        rest = c.target.without(quasi)
        if rest.attributes:
            shown &= types.met[plan.type, list(parts).index(rest)]
        if not c.admits(int(plan.count[shown].sum())):
            flaws.append(f"{c.text} has {int(plan.count[shown].sum())}")
    gap = 1 - solution.lower_bound / plan.stars if plan.stars else 0.0
    print(
        f"{label:28} {k:3} {search.effort:9} |Σ|={len(sigma):2} {plan.stars:10,} {solution.lower_bound:12,.0f} {gap:7.2%}"
        f" {seconds:7.2f} {cpu:7.2f}  {'; '.join(flaws)}",
        flush=True,
    )


def main() -> None:
    """Run what is asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--effort", nargs="*", default=["standard"], choices=["quick", "standard", "best"])
    parser.add_argument("--only", nargs="*", default=list(TABLES), choices=list(TABLES))
    parser.add_argument(
        "--classes",
        nargs="*",
        default=None,
        help="as in proportion or share±5; multi for the overlapping ones",
    )
    parser.add_argument("--time-limit", type=float, default=60.0, help="seconds for best")
    parser.add_argument("--k", type=int, nargs="*", default=[20])
    arguments = parser.parse_args()
    print(
        f"{'data and class':28} {'k':>3} {'effort':9} {'':6} {'stars':>10} {'bound':>12} {'gap':>7} {'wall':>7} {'cpu':>7}"
    )
    for name in arguments.only:
        chosen = TABLES[name]
        path = require(FOLDER / chosen.file)
        table = open_table(path)
        cases = [
            (f"{kind}{f'±{percent}' if kind == 'share' else ''}", of_class(str(path), chosen, kind, percent))
            for kind, percent in CLASSES
        ]
        if name == "census":
            sigma = overlapping(table, chosen.qi)
            rate = conflict_graph(sigma, table.signatures([c.target for c in sigma])).rate
            cases.append((f"multi cf={float(rate):.2f}", sigma))
        for label, sigma in cases:
            if arguments.classes and not any(label.startswith(c) for c in arguments.classes):
                continue
            for k in arguments.k:
                for effort in arguments.effort:
                    limit = arguments.time_limit if effort == "best" else None
                    measure(f"{name} {label}", table, chosen.qi, k, sigma, Search(effort, limit))


if __name__ == "__main__":
    main()
