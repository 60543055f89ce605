"""Coloring (the paper's Algorithm Coloring): a candidate clustering for every vertex, with backtracking.

    1  if V contains all vertices of G: return true
    2  v = NextVertex(G, V)
    3  for each 𝒮 in Clusterings(v.constraint, R):
    4      is 𝒮 consistent with the colours chosen so far?
    5      if so:
    6          c = a new colour with clustering 𝒮
    7          V = V ∪ {⟨v, c⟩}
    8          if Coloring(G, V, R): return true
    9          V = V ∖ {⟨v, c⟩}
    10 return false

Line 4 asks for consistency with all colours at once (erratum 10). Between lines 7 and 8 the candidates of uncoloured
neighbours that the new colour rules out are dropped, and where a neighbour has none left, the colour is given up at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, log
from typing import TYPE_CHECKING, Literal, NamedTuple

from diva.errors import BadInput
from diva.solve.diva.clusterings import clusterings, in_order, logarithm
from diva.solve.diva.consistency import Colours, colours, consistent
from diva.solve.diva.rows import Clustering
from diva.solve.diva.strategies import View, naive
from diva.solve.diva.stream import stream

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import numpy as np

    from diva.solve.diva.build_graph import Graph
    from diva.solve.diva.rows import Rows
    from diva.solve.diva.strategies import Strategy

Candidates = dict[int, "list[Clustering] | None"]
"""For each vertex its list, or None where it has a stream."""
End = Literal["coloured", "exhausted", "over budget", "stopped"]


class Coloured(NamedTuple):
    """How a colouring ended."""

    end: End
    """exhausted: all candidates were tried, or of vertices with a stream those that it yielded."""
    V: dict[int, Clustering]
    """The colours, in the order in which they were chosen; empty unless coloured."""
    tried: int
    """How many candidates were tried."""
    complete: bool
    """Whether every vertex had a list of all its candidates."""


_ROUNDS = 8
"""How often a colouring begins whose vertices have a stream."""


def stopped() -> Coloured:
    """Nobody waited for the colouring."""
    return Coloured("stopped", {}, 0, complete=False)


class _EndedEarlyError(Exception):
    def __init__(self, end: End) -> None:
        super().__init__(end)
        self.end = end


@dataclass
class Coloring:
    """The search for one graph. Runs once."""

    R: Rows
    graph: Graph
    strategy: Strategy
    random: np.random.Generator
    budget: int
    """How many candidates may be tried."""
    accept: Callable[[Clustering], bool] | None = None
    """Asked about the merge of a colouring; the search goes on where the answer is no."""
    stop: Callable[[], bool] | None = None
    tried: int = 0

    def run(self) -> Coloured:
        """Colour all vertices, or say why not. Where candidates are drawn, begin again with others a few times."""
        chosen = colours(self.R, Clustering(), self.graph.vertices)
        complete = False
        try:
            for _ in range(_ROUNDS):
                V: dict[int, Clustering] = {}
                lists: Candidates = {v: self._listed(v) for v in self.graph.vertices}
                complete = all(found is not None for found in lists.values())
                if self._color(V, chosen, lists):
                    return Coloured("coloured", V, self.tried, complete)
                if complete:
                    break
        except _EndedEarlyError as early:
            return Coloured(early.end, {}, self.tried, complete)
        return Coloured("exhausted", {}, self.tried, complete)

    @property
    def _plain(self) -> bool:
        return self.strategy is naive

    def _listed(self, v: int) -> list[Clustering] | None:
        found = clusterings(self.R, v)
        if found is None:
            return None
        shuffled = [found[i] for i in self.random.permutation(len(found))]
        return shuffled if self._plain else in_order(self.R, self.graph, v, shuffled)

    def _color(self, V: dict[int, Clustering], chosen: Colours, lists: Candidates) -> bool:
        """Coloring(G, V, R)."""
        if len(V) == len(self.graph.vertices):
            return self.accept is None or self.accept(chosen.merged)  # 1
        v = self._next_vertex(V, chosen, lists)  # 2
        for S in self._candidates(v, chosen, lists):  # 3
            self._count()
            together = consistent(self.R, chosen, S, [*V, v])  # 4
            if together is None:
                continue
            V[v] = S  # 6, 7
            fewer = self._updated(V, v, together, lists)
            if fewer is not None and self._color(V, together, fewer):
                return True  # 8
            del V[v]  # 9
        return False  # 10

    def _next_vertex(self, V: dict[int, Clustering], chosen: Colours, lists: Candidates) -> int:
        uncoloured = tuple(v for v in self.graph.vertices if v not in V)
        unvisited = {v: sum(u not in V for u in self.graph.adjacent[v]) for v in uncoloured}
        many = {v: self._many(v, chosen, lists[v]) for v in uncoloured}
        v = self.strategy(View(uncoloured, many, unvisited), self.random)
        if v not in uncoloured:
            raise BadInput(
                f"the strategy chose {v!r}, which is none of the uncoloured vertices {', '.join(map(str, uncoloured))}"
            )
        return v

    def _many(self, v: int, chosen: Colours, found: list[Clustering] | None) -> float:
        if found is None:
            return logarithm(self.R, v, chosen.free.relevant[v])
        return log(len(found)) if found else -inf

    def _candidates(self, v: int, chosen: Colours, lists: Candidates) -> Iterable[Clustering]:
        """Clusterings(v.constraint, R)."""
        found = lists[v]
        if found is not None:
            return found
        return stream(self.R, self.graph, v, chosen, self.random, careful=not self._plain)

    def _updated(
        self, V: dict[int, Clustering], v: int, chosen: Colours, lists: Candidates
    ) -> Candidates | None:
        """The candidates that the colour of v leaves to its neighbours, or None where it leaves one of them none."""
        if self._plain:
            return lists
        fewer = dict(lists)
        for u in self.graph.adjacent[v] - V.keys():
            found = lists[u]
            if found is not None:
                fewer[u] = found = [S for S in found if consistent(self.R, chosen, S, [*V, u])]
            if not (found if found is not None else self._possible(u, chosen)):
                return None
        return fewer

    def _possible(self, u: int, chosen: Colours) -> bool:
        """Whether an uncoloured vertex can still be satisfied with the rows that are left."""
        published, sigma = chosen.counts[u], self.R.constraints[u]
        enough = published + chosen.free.relevant[u] >= sigma.low
        return enough and (sigma.high is None or published <= sigma.high)

    def _count(self) -> None:
        if self.stop is not None and self.stop():
            raise _EndedEarlyError("stopped")
        if self.tried >= self.budget:
            raise _EndedEarlyError("over budget")
        self.tried += 1
