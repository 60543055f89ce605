"""DiverseClustering (the paper's Algorithm DiverseClustering): clusters that guarantee Σ.

    1  G = BuildGraph(R, Σ)
    2  V = ∅; 𝒮_Σ = ∅
    3  if Coloring(G, V, R):
    4      for each ⟨v, c⟩ in V: 𝒮_Σ = Merge(𝒮_Σ, c.clustering)
    5  return 𝒮_Σ

The paper doesn't say what becomes of a rest of fewer than k rows, which can't be anonymised (erratum 11). Here a rest
must be empty, have k rows, or find places in the clusters (`rest.py`); where it doesn't, the colouring goes on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from diva.solve.diva.build_graph import build_graph
from diva.solve.diva.components import color, color_all
from diva.solve.diva.merge import merge
from diva.solve.diva.rest import placed
from diva.solve.diva.rows import Clustering

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from diva.solve.diva.build_graph import Graph
    from diva.solve.diva.coloring import Coloured
    from diva.solve.diva.components import Plan
    from diva.solve.diva.rows import Rows


class Found(NamedTuple):
    """A diverse clustering, or why there is none."""

    clustering: Clustering | None
    """𝒮_Σ."""
    colourings: tuple[Coloured, ...]
    """How the colouring of each component ended."""

    @property
    def tried(self) -> int:
        """How many candidates were tried."""
        return sum(c.tried for c in self.colourings)


def diverse_clustering(R: Rows, plan: Plan, stop: Callable[[], bool] | None = None) -> Found:
    """DiverseClustering(R, Σ, k)."""
    components = build_graph(R).components()  # 1
    colourings = color_all(R, components, plan, stop)  # 2, 3
    if any(c.end != "coloured" for c in colourings):
        return Found(None, tuple(colourings))
    fitting = placed(R, _merged(colourings))  # 4
    if fitting is None:
        return _without_rest(R, plan, components, colourings, stop)
    return Found(fitting, tuple(colourings))  # 5


def _without_rest(
    R: Rows,
    plan: Plan,
    components: Sequence[Graph],
    colourings: Sequence[Coloured],
    stop: Callable[[], bool] | None,
) -> Found:
    """Colour one component after the other so that no rest is left over, while the others keep their colours."""
    for i, graph in enumerate(components):
        others = _merged([*colourings[:i], *colourings[i + 1 :]])

        def fits(merged: Clustering, others: Clustering = others) -> bool:
            return placed(R, merge(others, merged)) is not None

        again = color(R, graph, plan, fits, stop)
        changed = (*colourings[:i], again, *colourings[i + 1 :])
        if again.end != "exhausted":
            fitting = placed(R, _merged(changed)) if again.end == "coloured" else None
            return Found(fitting, changed)
    return Found(None, tuple(colourings))


def _merged(colourings: Iterable[Coloured]) -> Clustering:
    merged = Clustering()
    for coloured in colourings:
        for clustering in coloured.V.values():
            merged = merge(merged, clustering)
    return merged
