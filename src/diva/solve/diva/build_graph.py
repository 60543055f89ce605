"""BuildGraph (Section 4.1): a vertex for each constraint, an edge where two share relevant rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from diva.constraints.graph import conflict_graph

if TYPE_CHECKING:
    from diva.solve.diva.rows import Rows


@dataclass(frozen=True)
class Graph:
    """G = (Γ, E)."""

    vertices: tuple[int, ...]
    """Γ: v_i is the number of σi."""
    adjacent: dict[int, frozenset[int]]
    """E: the neighbours of each vertex."""

    def components(self) -> list[Graph]:
        """The connected components, by their first vertex. No cluster of one overlaps a cluster of another."""
        found: list[Graph] = []
        seen: set[int] = set()
        for vertex in self.vertices:
            if vertex not in seen:
                reached, waiting = {vertex}, [vertex]
                while waiting:
                    more = self.adjacent[waiting.pop()] - reached
                    reached |= more
                    waiting += more
                seen |= reached
                members = tuple(sorted(reached))
                found.append(Graph(members, {v: self.adjacent[v] for v in members}))
        return found


def build_graph(R: Rows) -> Graph:
    """BuildGraph(R, Σ). Rows that carry a QI target but don't meet its condition can be in clusters too, so they count."""
    records: dict[int, int] = {}
    for mask, n in zip(R.carried, R.problem.counts.tolist(), strict=True):
        records[mask] = records.get(mask, 0) + n
    graph = conflict_graph(R.constraints, records.items())
    pairs = {(e.left, e.right) for e in graph.edges}
    pairs |= {(right, left) for left, right in pairs}
    return Graph(
        R.vertices,
        {v: frozenset(u for u in R.vertices if (v, u) in pairs) for v in R.vertices},
    )
