"""Clusters grown by similarity from rows that are in none yet (steps 3 and 4 of the stream)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from diva.solve.diva.rows import Cluster, Clustering, Rows

_SPOKEN = 16.0
"""How much more an attribute weighs that Σ speaks of: clusters either show a neighbour's target or leave its rows alone."""

Taken = dict[int, int]
"""How many rows of each type a cluster takes."""


class Growth:
    """The rows that are left, and what is published already."""

    def __init__(self, R: Rows, v: int, merged: Clustering, counts: dict[int, int]) -> None:
        self._R, self._v = R, v
        free = R.left(merged)
        self._rows = np.flatnonzero(free)
        self.left: np.ndarray = np.bincount(R.type[free], minlength=len(R.problem.counts))
        """int64 [D]: how many rows of each type are in no cluster."""
        self._next = np.cumsum(self.left) - self.left
        self._counts = dict(counts)
        self.carries = np.array([mask >> v & 1 for mask in R.carried], dtype=bool)
        """bool [D]: the types that carry the target of σ."""
        self.meets: np.ndarray = self.carries & np.array([mask >> v & 1 for mask in R.met], dtype=bool)
        """bool [D]: those of I_σ."""
        self._weights = R.problem.weights * np.where(R.spoken, _SPOKEN, 1.0)
        self._kind = np.array([R.kinds[mask] for mask in R.carried])

    def cluster(self, pool: np.ndarray, size: int, random: np.random.Generator) -> Cluster | None:
        """Take a cluster of `size` rows of the pool, with others besides where those are fewer than k."""
        begun = [self._seed(pool, random)]
        for _ in range(len(self._R.vertices) + 1):
            taken = self._grown(begun, pool, size)
            full = None if taken is None else self._full(taken)
            if taken is None:
                return None
            if full is None:
                return self._take(taken)
            without = self._nearest(begun[0], self._unlike(full, begun))
            if without is None or len(begun) == size:
                return None
            begun.append(without)  # 4
        return None

    def _seed(self, pool: np.ndarray, random: np.random.Generator) -> int:
        """A random row, of rows that carry the same and are enough for a cluster where there are such."""
        left = np.where(pool, self.left, 0)
        enough = np.bincount(self._kind, weights=left)[self._kind] >= self._R.k
        ends = np.cumsum(np.where(enough, left, 0) if left[enough].any() else left)
        return int(np.searchsorted(ends, random.integers(ends[-1]), side="right"))

    def _grown(self, begun: list[int], pool: np.ndarray, size: int) -> Taken | None:
        """Step 3: similar rows, each nearest to what the cluster shows by then."""
        if len(begun) == 1 and self.left[begun[0]] >= max(size, self._R.k):
            return {begun[0]: size} if size >= self._R.k else None
        taken: Taken = {}
        for t in begun:
            taken[t] = taken.get(t, 0) + 1
        if any(n > self.left[t] for t, n in taken.items()):
            return None
        complete = self._filled(taken, np.where(pool | self._among(begun), self.left, 0) * self.meets, size)
        if complete and size < self._R.k:
            complete = self._filled(taken, self.left * (self.carries & ~self.meets), self._R.k)
        return taken if complete else None

    def _among(self, types: list[int]) -> np.ndarray:
        found = np.zeros(len(self.left), dtype=bool)
        found[types] = True
        return found

    def _filled(self, taken: Taken, left: np.ndarray, size: int) -> bool:
        """Add the most similar rows until there are `size`; False where there aren't so many."""
        codes = self._R.problem.codes
        members = list(taken)
        shown, hidden = codes[members[0]], (codes[members] != codes[members[0]]).any(axis=0)
        left = left.copy()
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
        R = self._R
        shown = -1
        for t in taken:
            shown &= R.carried[t]
        for u in R.vertices:
            if u != self._v and shown >> u & 1:
                sigma = R.constraints[u]
                count = self._counts[u] + sum(n for t, n in taken.items() if R.met[t] >> u & 1)
                if sigma.high is not None and count > sigma.high:
                    return u
                if count < sigma.low and sigma.high is not None and sigma.high - count < R.k:
                    return u
        return None

    def _unlike(self, u: int, begun: list[int]) -> np.ndarray:
        """Bool [D]: types of I_σ with rows left that don't carry another target."""
        carries = np.array([mask >> u & 1 for mask in self._R.carried], dtype=bool)
        unlike: np.ndarray = self.meets & (self.left > 0) & ~carries & ~self._among(begun)
        return unlike

    def _nearest(self, t: int, among: np.ndarray) -> int | None:
        if not among.any():
            return None
        far = (self._R.problem.codes != self._R.problem.codes[t]) @ self._weights
        return int(np.argmin(np.where(among, far, np.inf)))

    def _take(self, taken: Taken) -> Cluster:
        shown, rows = -1, []
        for t, n in taken.items():
            shown &= self._R.carried[t]
            rows += self._rows[self._next[t] : self._next[t] + n].tolist()
            self._next[t] += n
            self.left[t] -= n
        for u in self._counts:
            if shown >> u & 1:
                self._counts[u] += sum(n for t, n in taken.items() if self._R.met[t] >> u & 1)
        return frozenset(rows)
