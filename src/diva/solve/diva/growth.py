"""Clusters grown by similarity from rows that are in none yet (steps 3 and 4 of the stream).

A row in a cluster that doesn't show its target is lost for that target. Targets that need almost all of their rows are
*scarce*, and as long as it can be helped a cluster either shows a scarce target or has no row that carries it. Under
`naive` nothing is looked at but the target of σ: neither what is scarce nor the ranges of others (step 4).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from diva.solve.diva.consistency import Colours
    from diva.solve.diva.rows import Cluster, Rows

_SPOKEN = 16.0
"""How much more an attribute that Σ speaks of weighs when rows are compared."""

Taken = dict[int, int]
"""How many rows of each type a cluster takes."""


class Growth:
    """The rows that are left for the clusters of σ_v, and what is published already."""

    def __init__(self, R: Rows, v: int, colours: Colours, *, careful: bool) -> None:
        self._R, self._v, self._careful = R, v, careful
        self._rows = np.flatnonzero(colours.free.rows)
        self.left: np.ndarray = colours.free.types.copy()
        """int64 [D]: how many rows of each type are in no cluster."""
        self._next = np.cumsum(self.left) - self.left
        self._counts = dict(colours.counts)
        self._free = dict(colours.free.relevant)
        self.carries = R.carrying_types[v]
        """bool [D]: the types that carry the target of σ."""
        self.meets = R.relevant_types[v]
        """bool [D]: those of I_σ."""
        self._weights = R.problem.weights * np.where(R.spoken, _SPOKEN, 1.0)

    def cluster(self, pool: np.ndarray, wanted: int, random: np.random.Generator) -> Cluster | None:
        """Take a cluster of the pool, with others besides where fewer than k rows are wanted."""
        least = wanted if wanted < 2 * self._R.k else self._R.k
        seed = self._seed(pool, least, random)
        size = self._size(seed, pool, wanted)
        scarce = self._scarce(size) if self._careful else 0
        taken = self._roomy(seed, pool, size, scarce)
        if taken is None and scarce:
            taken = self._roomy(seed, pool, size, 0)
        return None if taken is None else self._take(taken)

    def counted(self, cluster: Cluster) -> int:
        """How many rows of a cluster count for σ."""
        return self._R.counted(cluster, self._v)

    def _seed(self, pool: np.ndarray, least: int, random: np.random.Generator) -> int:
        """A random row, of rows that carry the same and are enough for a cluster where there are such."""
        left = np.where(pool, self.left, 0)
        enough = np.bincount(self._R.kind, weights=left)[self._R.kind] >= least
        ends = np.cumsum(np.where(enough, left, 0) if left[enough].any() else left)
        return int(np.searchsorted(ends, random.integers(ends[-1]), side="right"))

    def _size(self, seed: int, pool: np.ndarray, wanted: int) -> int:
        """All rows that carry the same where they are k to 2k−1, otherwise k; what is wanted besides is none or k too."""
        k = self._R.k
        if wanted < 2 * k:
            return wanted
        alike = int(self.left[pool & (self._R.kind == self._R.kind[seed])].sum())
        size = alike if k <= alike < 2 * k else k
        return min(size, wanted - k)

    def _scarce(self, size: int) -> int:
        """The constraints that can't spare the rows of a cluster."""
        scarce = 0
        for u, n in self._counts.items():
            low = self._R.constraints[u].low
            if u != self._v and n < low and n + self._free[u] < low + size:
                scarce |= 1 << u
        return scarce

    def _roomy(self, seed: int, pool: np.ndarray, size: int, scarce: int) -> Taken | None:
        """A cluster for which all ranges have room; with every row begun without, it shows one full target less."""
        begun = [seed]
        while len(begun) <= size:
            taken = self._grown(begun, pool, size, scarce)
            full = self._full(taken) if taken is not None and self._careful else None
            if full is None:
                return taken
            without = self._nearest(seed, self._unlike(full, begun, scarce & ~(1 << full)))
            if without is None:
                return None
            begun.append(without)  # 4
        return None

    def _grown(self, begun: list[int], pool: np.ndarray, size: int, scarce: int) -> Taken | None:
        """Step 3: similar rows, each nearest to what the cluster shows by then."""
        if len(begun) == 1 and size >= self._R.k and self.left[begun[0]] >= size:
            return {begun[0]: size}
        taken: Taken = dict.fromkeys(begun, 1)
        open_to = self._keeping(self._shown(taken), scarce)
        among = (pool | self._these(begun)) & self.meets & open_to
        if not self._filled(taken, np.where(among, self.left, 0), size):
            return None
        if size < self._R.k:
            others = self.carries & ~self.meets & open_to
            if not self._filled(taken, np.where(others, self.left, 0), self._R.k):
                return None
        return taken

    def _shown(self, taken: Taken) -> int:
        shown = -1
        for t in taken:
            shown &= self._R.carried[t]
        return shown

    def _keeping(self, shown: int, scarce: int) -> np.ndarray:
        """Bool [D]: types that neither lose a scarce target in a cluster that shows so much, nor make it lose one."""
        keeping: np.ndarray = np.array([not (mask ^ shown) & scarce for mask in self._R.kinds])[self._R.kind]
        return keeping

    def _these(self, types: list[int]) -> np.ndarray:
        found = np.zeros(len(self.left), dtype=bool)
        found[types] = True
        return found

    def _filled(self, taken: Taken, left: np.ndarray, size: int) -> bool:
        """Add the most similar rows until there are `size`; False where there aren't so many."""
        codes = self._R.problem.codes
        members = list(taken)
        shown, hidden = codes[members[0]], (codes[members] != codes[members[0]]).any(axis=0)
        for t, n in taken.items():
            left[t] = max(0, left[t] - n)
        many = sum(taken.values())
        while many < size:
            far = ((codes != shown) & ~hidden) @ self._weights
            far[left == 0] = np.inf
            nearest = float(far.min())
            if nearest == np.inf:
                return False
            alike = np.flatnonzero(far == nearest)
            for t in alike.tolist() if nearest == 0 else alike[:1].tolist():
                n = min(int(left[t]), size - many) if nearest == 0 else 1
                taken[t] = taken.get(t, 0) + n
                left[t] -= n
                many += n
                if many == size:
                    break
            hidden = hidden | (codes[alike[0]] != shown)
        return True

    def _full(self, taken: Taken) -> int | None:
        """A constraint whose range has no room for a cluster: above λr, or short of λl by less than another cluster."""
        shown = self._shown(taken)
        for u, n in self._counts.items():
            if u != self._v and shown >> u & 1:
                sigma = self._R.constraints[u]
                count = n + self._counted(taken, u)
                if sigma.high is not None and count > sigma.high:
                    return u
                if count < sigma.low and sigma.high is not None and sigma.high - count < self._R.k:
                    return u
        return None

    def _counted(self, taken: Taken, u: int) -> int:
        return sum(n for t, n in taken.items() if self._R.relevant_types[u][t])

    def _unlike(self, u: int, begun: list[int], scarce: int) -> np.ndarray:
        """Bool [D]: types of I_σ with rows left that don't carry another target."""
        keeping = self._keeping(self._shown(dict.fromkeys(begun, 1)), scarce)
        among = self.meets & (self.left > 0) & keeping
        unlike: np.ndarray = among & ~self._R.carrying_types[u] & ~self._these(begun)
        return unlike

    def _nearest(self, t: int, among: np.ndarray) -> int | None:
        if not among.any():
            return None
        far = (self._R.problem.codes != self._R.problem.codes[t]) @ self._weights
        return int(np.argmin(np.where(among, far, np.inf)))

    def _take(self, taken: Taken) -> Cluster:
        shown, rows = self._shown(taken), []
        for t, n in taken.items():
            rows += self._rows[self._next[t] : self._next[t] + n].tolist()
            self._next[t] += n
            self.left[t] -= n
        for u in self._counts:
            counted = self._counted(taken, u)
            self._free[u] -= counted
            if shown >> u & 1:
                self._counts[u] += counted
        return frozenset(rows)
