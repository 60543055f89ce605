"""The conflict graph of Σ on a relation, and its conflict rate cf(Σ) (the paper's Section "Parameters").

Erratum: the paper's sum for cf(Σ) runs over neighbours σ_i, σ_{i+1}; its text and its denominator say, and this
module computes, the average over all pairs.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import comb, fsum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from diva.constraints.model import Constraint

# In a label Graphviz reads backslashes and HTML entities, and its strings can't hold NUL.
_DOT = str.maketrans(
    {"\\": "\\\\", '"': '\\"', "&": "&amp;", "\n": "\\n", "\r": "\\n", "\0": "\N{REPLACEMENT CHARACTER}"}
)


@dataclass(frozen=True, slots=True)
class Edge:
    """Two constraints that some record is relevant to at once."""

    left: int
    """Number of the first constraint, from 0."""
    right: int
    """Number of the second, larger than `left`."""
    overlap: int
    """|I_σi ∩ I_σj|; at least 1."""
    score: float
    """cf(σi, σj) = |I_σi ∩ I_σj| / |I_σi ∪ I_σj|."""


@dataclass(frozen=True, slots=True)
class ConflictGraph:
    """Σ's constraints as vertices, an edge where two share relevant rows."""

    constraints: tuple[Constraint, ...]
    """Σ."""
    vertices: tuple[int, ...]
    """|I_σ| of every constraint: its relevant rows."""
    edges: tuple[Edge, ...]
    """Pairs with an overlap, in order."""

    @property
    def rate(self) -> float:
        """cf(Σ): the average of cf(σi, σj) over all pairs, those without an edge counting 0; 0 for less than a pair."""
        pairs = comb(len(self.vertices), 2)
        return fsum(edge.score for edge in self.edges) / pairs if pairs else 0.0


def conflict_graph(constraints: Sequence[Constraint], signatures: Iterable[tuple[int, int]]) -> ConflictGraph:
    """Build the graph from a relation's signature counts: (set of constraints whose target is carried, records).

    Bit i of a set stands for `constraints[i]`. Linear in the signatures times the square of their size.
    """
    vertices = [0] * len(constraints)
    overlaps: dict[tuple[int, int], int] = {}
    for signature, records in signatures:
        carried = [i for i in range(len(constraints)) if signature >> i & 1]
        for i in carried:
            vertices[i] += records
        for pair in combinations(carried, 2):
            overlaps[pair] = overlaps.get(pair, 0) + records
    edges = (
        Edge(i, j, both, both / (vertices[i] + vertices[j] - both))
        for (i, j), both in sorted(overlaps.items())
        if both
    )
    return ConflictGraph(tuple(constraints), tuple(vertices), tuple(edges))


def to_dot(graph: ConflictGraph) -> str:
    """Write the graph in Graphviz's DOT language: relevant rows in the vertices, overlap and score at the edges."""
    return "\n".join(_dot_lines(graph)) + "\n"


def _dot_lines(graph: ConflictGraph) -> Iterator[str]:
    yield "graph conflicts {"
    yield f'  label="cf = {graph.rate:.3f}";'
    yield "  node [shape=box];"
    for i, (sigma, rows) in enumerate(zip(graph.constraints, graph.vertices, strict=True)):
        yield f'  v{i} [label="{sigma.text.translate(_DOT)}\\n{rows} rows"];'
    for edge in graph.edges:
        yield f'  v{edge.left} -- v{edge.right} [label="{edge.overlap} ({edge.score:.3f})"];'
    yield "}"
