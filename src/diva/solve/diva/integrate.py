"""Integrate (the paper's Algorithm DIVA, line 6): where R_k publishes too much of a target, suppress as few cells as possible.

R_Σ satisfies Σ by itself, so hiding the targets that are published too often in all of R_k always does. The least is
found by an integer programme (`repair.py`) with moves from ever more groups, until its cost is proven minimal:

    1  R' = R_Σ ∪ R_k; if R' ⊨ Σ: return R'
    2  the bound: the least cost when groups may have any size
    3  groups that move whole as the bound has it, until few records are left to decide
    4  those from the largest groups of each kind, then from more, until a repair costs no more than the bound: they
       hide targets and little else, or join groups that are there
    5  where none does and R' is small: moves that star anything, which is exact
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from diva.relation.engine import Fragments
from diva.solve.diva.repair import Units, any_stars, cost, counted, hitting, joining, least, units
from diva.solve.plans import joined

if TYPE_CHECKING:
    from collections.abc import Sequence

    from diva.solve.diva.repair import Move
    from diva.solve.diva.rows import Rows

_LARGEST = (4, 16, 64)
"""Of how many groups of each kind records may be moved, one attempt after the other; of all where none does."""
_OPEN = 4
"""So many times k records of each kind of move are left to decide when whole groups have been settled."""
_EXACT = 3_000
"""Up to so many moves that star anything the exact programme is solved."""
_SAME = 1e-6


class Integrated(NamedTuple):
    """The end of DIVA."""

    plan: Fragments
    cost: float
    """The (weighted) cells that were suppressed."""
    bound: float
    """No repair costs less."""

    @property
    def minimal(self) -> bool:
        """Whether it is proven that no fewer could have been."""
        return self.cost <= self.bound + _SAME


def integrate(R: Rows, R_sigma: Fragments, R_k: Fragments | None) -> Integrated:
    """Integrate(R_Σ, R_k)."""
    plan = R_sigma if R_k is None else joined([R_sigma, R_k])  # 1
    found = units(R, plan)
    exceeded = [v for v, n in counted(R, found).items() if _above(R, v, n)]
    if not exceeded:
        return Integrated(plan, 0.0, 0.0)
    moves = [(u, A) for u, mask in enumerate(found.counts_for) for A in hitting(R, mask, exceeded)]
    pooled, kinds = _pooled(found, moves)
    relaxed = _found(least(R, pooled, kinds, grouped=False))  # 2
    bound = cost(R, relaxed)
    best: dict[Move, int] | None = None
    for many in (*_LARGEST, len(found.records)):
        if best is not None and many > _LARGEST[-1]:
            break
        settled = _settled(R, found, pooled, relaxed) if many <= _LARGEST[-1] else {}  # 3
        near = _near(R, found, moves, _largest(found, many, {u for u, _ in settled}), exceeded)
        repair = least(R, found, near, grouped=True, settled=settled)  # 4
        if repair is not None and (best is None or cost(R, repair) < cost(R, best)):
            best = repair
        if best is not None and cost(R, best) <= bound + _SAME:
            break
    proven = best is not None and cost(R, best) <= bound + _SAME
    every = None if proven else _everything(found)
    if every is not None:  # 5
        best = least(R, found, every, grouped=True)
        bound = cost(R, _found(best))
    best = _found(best)
    return Integrated(_moved(found, plan, best), cost(R, best), bound)


def _above(R: Rows, v: int, n: int) -> bool:
    high = R.constraints[v].high
    return high is not None and n > high


def _found(repair: dict[Move, int] | None) -> dict[Move, int]:
    if repair is None:
        raise ValueError("R_Σ satisfies Σ, so hiding the targets in R_k does too")
    return repair


def _pooled(found: Units, moves: Sequence[Move]) -> tuple[Units, list[Move]]:
    """Units alike in what they count for are one where groups don't matter."""
    masks = sorted(set(found.counts_for))
    number = {mask: i for i, mask in enumerate(masks)}
    of = np.array([number[mask] for mask in found.counts_for], dtype=np.int64)
    records = np.bincount(of, weights=found.records, minlength=len(masks)).astype(np.int64)
    pooled = Units([], np.zeros(len(masks), dtype=np.int64), records, masks, of)
    return pooled, list(dict.fromkeys((int(of[u]), stars) for u, stars in moves))


def _settled(R: Rows, found: Units, pooled: Units, relaxed: dict[Move, int]) -> dict[Move, int]:
    """Groups that move whole as the bound has it, until little is left to decide."""
    alone = np.bincount(found.group)[found.group] == 1
    settled: dict[Move, int] = {}
    gone: set[int] = set()
    for (kind, stars), n in relaxed.items():
        left = n - _OPEN * R.k
        of_kind = np.flatnonzero((pooled.of == kind) & alone)
        for u in of_kind[np.argsort(found.records[of_kind], kind="stable")].tolist():
            if u not in gone and found.records[u] <= left:
                settled[u, stars] = int(found.records[u])
                gone.add(u)
                left -= int(found.records[u])
    return settled


def _largest(found: Units, many: int, gone: set[int]) -> list[int]:
    """The largest units of each kind that aren't gone."""
    seen: dict[int, int] = {}
    chosen = []
    for u in np.argsort(-found.records, kind="stable").tolist():
        mask = found.counts_for[u]
        if u not in gone:
            seen[mask] = seen.get(mask, 0) + 1
            if seen[mask] <= many:
                chosen.append(u)
    return chosen


def _near(
    R: Rows, found: Units, moves: Sequence[Move], largest: Sequence[int], exceeded: Sequence[int]
) -> list[Move]:
    """Moves from some units that hide targets and little else, and to groups that are there."""
    chosen = set(largest)
    direct = [move for move in moves if move[0] in chosen]
    return direct + [(u, A) for u in largest for A in joining(R, found, u, exceeded)]


def _everything(found: Units) -> list[Move] | None:
    """All moves, or None where they are too many."""
    if len(found.records) * 2 > _EXACT:
        return None
    every: list[Move] = []
    for u, g in enumerate(found.group.tolist()):
        if 2 ** sum(code >= 0 for code in found.values[g]) + len(every) > _EXACT:
            return None
        every += [(u, stars) for stars in any_stars(found.values[g])]
    return every


def _moved(found: Units, plan: Fragments, repair: dict[Move, int]) -> Fragments:
    """Carry out a repair: of a unit the first fragments go first."""
    fragments: dict[int, list[int]] = {}
    for f, u in enumerate(found.of.tolist()):
        fragments.setdefault(u, []).append(f)
    count = plan.count.copy()
    types, levels, counts = [], [], []
    for (u, stars), n in repair.items():
        wanted = n
        for f in fragments[u]:
            part = min(wanted, int(count[f]))
            if part:
                count[f] -= part
                wanted -= part
                types.append(int(plan.type[f]))
                levels.append([1 if a in stars else int(h) for a, h in enumerate(plan.levels[f])])
                counts.append(part)
    stay = count > 0
    moved = Fragments(np.array(types, np.int32), np.array(levels, np.uint8), np.array(counts, np.int64))
    return joined([Fragments(plan.type[stay], plan.levels[stay], count[stay]), moved])
