"""Independent components of the conflict graph are coloured apart, and in parallel where there are workers.

Two components share no row and no constraint, so their colourings don't know of each other. Each draws from a source of
randomness of its own, made from the seed and its first vertex: the result is the same for any number of workers.
"""

from __future__ import annotations

import signal
from concurrent.futures import ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from multiprocessing import active_children, get_context
from typing import TYPE_CHECKING

import numpy as np

from diva.errors import BadInput
from diva.solve.diva.coloring import Coloring, stopped

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from concurrent.futures import Future

    from diva.solve.diva.build_graph import Graph
    from diva.solve.diva.coloring import Coloured
    from diva.solve.diva.rows import Clustering, Rows
    from diva.solve.diva.strategies import Strategy

    Stop = Callable[[], bool]

MOST_VERTICES = 500
"""Coloring calls itself for every vertex of a component, and Python limits how deep."""
_LOOK = 0.05
"""Seconds between two looks whether to stop."""


@dataclass(frozen=True)
class Plan:
    """How to colour."""

    strategy: Strategy
    budget: int
    """How many candidates may be tried in each component."""
    seed: int
    workers: int = 1


def color_all(R: Rows, components: Sequence[Graph], plan: Plan, stop: Stop | None = None) -> list[Coloured]:
    """Colour every component."""
    largest = max((len(graph.vertices) for graph in components), default=0)
    if largest > MOST_VERTICES:
        raise BadInput(
            f"{largest:,} constraints overlap, and the solver diva colours at most {MOST_VERTICES} together; use the solver lattice"
        )
    workers = min(plan.workers, len(components))
    if workers > 1:
        return _in_processes(R, components, plan, workers, stop)
    return [color(R, graph, plan, stop=stop) for graph in components]


def color(
    R: Rows,
    graph: Graph,
    plan: Plan,
    accept: Callable[[Clustering], bool] | None = None,
    stop: Stop | None = None,
) -> Coloured:
    """Colour one component."""
    random = np.random.default_rng([plan.seed, graph.vertices[0]])
    return Coloring(R, graph, plan.strategy, random, plan.budget, accept, stop).run()


def _in_processes(
    R: Rows, components: Sequence[Graph], plan: Plan, workers: int, stop: Stop | None
) -> list[Coloured]:
    """Start processes, and end them whatever happens: they know nothing of interruptions and time limits.

    The largest component is begun first, so that it isn't waited for at the end. R goes with every task and not to
    the start of a process: a process that dies before it reads so much would never be missed.
    """
    others = set(active_children())
    pool = ProcessPoolExecutor(workers, get_context("spawn"), _ignore_interruptions)
    try:
        largest_first = sorted(range(len(components)), key=lambda i: -_rows(R, components[i]))
        futures = {i: pool.submit(color, R, components[i], plan) for i in largest_first}
        if not _done(list(futures.values()), stop):
            return [stopped()] * len(components)
        return [futures[i].result() for i in range(len(components))]
    except BrokenProcessPool:
        raise BadInput(
            f"{workers} workers could not be started or died; a script that asks for workers must do so below"
            ' if __name__ == "__main__", and workers=1 needs no processes'
        ) from None
    finally:
        for process in set(active_children()) - others:
            process.terminate()
        pool.shutdown(cancel_futures=True)


def _done(futures: Sequence[Future[Coloured]], stop: Stop | None) -> bool:
    """Wait for all; False where somebody wants an end before."""
    while wait(futures, _LOOK).not_done:
        if stop is not None and stop():
            return False
    return True


def _rows(R: Rows, graph: Graph) -> int:
    """How many rows carry a target of a component."""
    members = sum(1 << v for v in graph.vertices)
    counts = R.problem.counts.tolist()
    return sum(n for mask, n in zip(R.carried, counts, strict=True) if mask & members)


def _ignore_interruptions() -> None:
    """Ctrl-C reaches all processes of a terminal; the one that started these ends them."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
