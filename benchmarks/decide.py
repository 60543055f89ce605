"""How long the exact decision takes on Census: 21 constraints of all classes, and twenty overlapping ones.

`python benchmarks/decide.py` prints the seconds of the counting query and of the programme (at most 0.2 s and 5 s wanted).
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Sequence

import numpy as np

from data import CENSUS, CENSUS_QI, require
from diva.constraints.model import Constraint, Target
from diva.questions import conflict_graph, generate
from diva.relation.duck import DuckTable, open_table
from diva.solve.decide import decide_table


def report(name: str, table: DuckTable, k: int, sigma: Sequence[Constraint]) -> None:
    found, processor = [], []
    for _ in range(5):
        began = time.process_time()
        found.append(decide_table(table, CENSUS_QI, k, sigma))
        processor.append(time.process_time() - began)
    counting = statistics.median(d.counting_seconds for d in found)
    programme = statistics.median(d.programme_seconds for d in found)
    answer = (
        f"feasible, up to k={found[0].largest_k}"
        if found[0].feasible
        else f"infeasible: {len(found[0].conflict)} in conflict"
    )
    print(
        f"{name}, k={k}: {len(sigma)} constraints, counting {counting * 1000:.0f} ms, programme {programme * 1000:.1f} ms,"
        f" processor time of both {statistics.median(processor) * 1000:.0f} ms; {answer}"
    )


def overlapping(table: DuckTable, seed: int, tight: float) -> list[Constraint]:
    """Twenty targets over two or three attributes, drawn as often as they occur, with bands of the given width."""
    rng = np.random.default_rng(seed)
    sigma: list[Constraint] = []
    while len(sigma) < 20:
        attributes = tuple(str(a) for a in rng.choice(CENSUS_QI, int(rng.integers(2, 4)), replace=False))
        counts = table.frequencies(attributes)
        weights = np.array([n for _, n in counts], dtype=float)
        values, n = counts[int(rng.choice(len(counts), p=weights / weights.sum()))]
        low = int(n * rng.uniform(0.5, 0.9))
        sigma.append(Constraint(Target(attributes, values), low, max(low, int(n * tight))))
    return sigma


def main() -> None:
    table = open_table(require(CENSUS))
    on = [("sex",), ("race",)]
    classes = {
        kind: generate(CENSUS, kind=kind, on=on, qi=CENSUS_QI)
        for kind in ("minimum", "average", "proportion")
    }
    for kind, sigma in classes.items():
        report(kind, table, 20, sigma)
    for k in (10, 20, 50):
        report("all three classes", table, k, [c for sigma in classes.values() for c in sigma])
    for seed in range(3):
        for tight in (1.0, 0.8):
            sigma = overlapping(table, seed, tight)
            rate = conflict_graph(CENSUS, constraints=sigma).rate
            report(
                f"overlapping (seed {seed}, upper bounds {tight:.0%} of the count, cf {rate:.2f})",
                table,
                20,
                sigma,
            )


if __name__ == "__main__":
    main()
