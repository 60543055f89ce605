"""Independent components of the conflict graph are coloured apart, and in parallel where there are workers.

Two components share no row and no constraint, so their colourings don't know of each other. Each draws from a source of
randomness of its own, made from the seed and its first vertex: the result is the same for any number of workers.
"""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from typing import TYPE_CHECKING

import numpy as np

from diva.solve.diva.coloring import Coloring

if TYPE_CHECKING:
    from collections.abc import Callable

    from diva.solve.diva.build_graph import Graph
    from diva.solve.diva.coloring import Coloured
    from diva.solve.diva.rows import Clustering, Rows
    from diva.solve.diva.strategies import Strategy


@dataclass(frozen=True)
class Plan:
    """How to colour."""

    strategy: Strategy
    budget: int
    """How many candidates may be tried in each component."""
    seed: int
    workers: int = 1


def color_all(
    R: Rows, components: list[Graph], plan: Plan, stop: Callable[[], bool] | None = None
) -> list[Coloured]:
    """Colour every component. Processes can't ask whether to stop; the one that started them does when they are done."""
    if plan.workers == 1 or len(components) < 2:
        return [color(R, graph, plan, stop=stop) for graph in components]
    workers = min(plan.workers, len(components))
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        return list(pool.map(partial(color, R, plan=plan), components))


def color(
    R: Rows,
    graph: Graph,
    plan: Plan,
    accept: Callable[[Clustering], bool] = lambda _: True,
    stop: Callable[[], bool] | None = None,
) -> Coloured:
    """Colour one component."""
    random = np.random.default_rng([plan.seed, graph.vertices[0]])
    return Coloring(R, graph, plan.strategy, random, plan.budget, accept, stop).run()
