"""The search under Σ: prices from the dual, a search at these prices, an exact finish, and the skeleton as the guarantee."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from diva.solve.diverse.finish import Finish
from diva.solve.diverse.pricing import priced

if TYPE_CHECKING:
    from collections.abc import Callable

    from diva.lattice.groups import Lattice
    from diva.solve.diverse.ascent import PricedAscent
    from diva.solve.diverse.sigma import Sigma
    from diva.solve.lattice.state import Assignment

PASSES = 400


def attempts(
    lattice: Lattice,
    sigma: Sigma,
    ascent: PricedAscent,
    search: Callable[[Lattice], Assignment],
    stop: Callable[[], bool],
    rounds: int = 1,
) -> Assignment | None:
    """Search at the prices of the dual and finish exactly; return the best plan that satisfies Σ, or None.

    Prices flip whole blocks of records, so no price alone satisfies Σ. Between rounds they move by how far the counts
    of the last plan were off.
    """
    best: Assignment | None = None
    mu = ascent.prices.copy()
    for _ in range(rounds):
        shelf = priced(lattice, ascent.costs(mu))
        plan = shelf.plain(search(shelf.lattice), lattice.cost)
        missed = sigma.violation(sigma.of(plan))
        finish = Finish(lattice, sigma, plan)
        if finish.run(stop):
            found = finish.plan()
            if best is None or found.cost < best.cost:
                best = found
        if stop() or not missed.any():
            break
        mu = mu + 0.5 * missed / np.maximum(1, sigma.of(plan))
    return best
