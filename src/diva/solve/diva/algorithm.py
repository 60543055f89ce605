"""DIVA (the paper's Algorithm DIVA).

    1  𝒮_Σ = DiverseClustering(R, Σ, k)
    2  if 𝒮_Σ = ∅: return unsatisfiable
    3  R_Σ = Suppress(𝒮_Σ)
    4  for each C in 𝒮_Σ: R = R ∖ C
    5  R_k = Anonymize(R, k)
    6  return Integrate(R_Σ, R_k)

Whether Σ is satisfiable was decided exactly before this is called, so line 2 says what is true: the colouring gave up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from diva.errors import GaveUp, OverBudget
from diva.solve.anonymizers import anonymizer
from diva.solve.diva.anonymize import anonymize
from diva.solve.diva.components import Plan
from diva.solve.diva.diverse_clustering import diverse_clustering
from diva.solve.diva.integrate import integrate
from diva.solve.diva.strategies import STRATEGIES
from diva.solve.diva.suppress import suppress

if TYPE_CHECKING:
    from collections.abc import Callable

    from diva.solve.diva.diverse_clustering import Found
    from diva.solve.diva.integrate import Integrated
    from diva.solve.diva.rows import Rows
    from diva.solve.effort import Colouring


def diva(R: Rows, colouring: Colouring, seed: int, stop: Callable[[], bool] | None = None) -> Integrated:
    """DIVA(R, Σ, k), or GaveUp."""
    strategy = colouring.strategy
    plan = Plan(
        STRATEGIES[strategy] if isinstance(strategy, str) else strategy,
        colouring.budget,
        seed,
        colouring.workers,
    )
    found = diverse_clustering(R, plan, stop)  # 1
    if found.clustering is None:
        raise _end(found)(_reason(found, colouring.budget))  # 2
    R_sigma = suppress(R, found.clustering)  # 3
    algorithm = anonymizer(colouring.anonymizer, split=colouring.split)
    R_k = anonymize(R, found.clustering, algorithm, np.random.default_rng(seed))  # 4, 5
    return integrate(R, R_sigma, R_k)  # 6


def _end(found: Found) -> type[GaveUp]:
    ends = {c.end for c in found.colourings}
    return OverBudget if "over budget" in ends and "stopped" not in ends else GaveUp


def _reason(found: Found, budget: int) -> str:
    ends = {c.end for c in found.colourings}
    exist = "there are releases that satisfy Σ, and the solver lattice finds one"
    if "stopped" in ends:
        return f"the solver diva was stopped after {found.tried:,} candidate clusterings, before it had found a colouring"
    if "over budget" in ends:
        return (
            f"the solver diva gave up: the colouring used up its budget of {budget:,} candidate clusterings;"
            f" a larger --budget may do, or another --strategy or --seed; {exist}"
        )
    if ends == {"coloured"}:
        return f"the solver diva gave up: what its colourings leave over are fewer than k records, which fit into no cluster; {exist}"
    complete = all(c.complete for c in found.colourings)
    which = "all candidate clusterings" if complete else "the candidate clusterings that it drew"
    return f"the solver diva gave up: no colouring among {which}, {found.tried:,} tries; {exist}"
