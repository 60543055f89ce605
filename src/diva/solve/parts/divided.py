"""The search on more types than it should take at once.

1. A quick plan of the whole tells which attributes groups seldom hide           (`frontier`, `greedy`)
2. Cut the types into parts along such attributes                                (`division`)
3. Give every part its share of Σ, such that each is feasible                    (`quotas`)
4. Solve the parts, in any order, anywhere                                       (`part`, `processes`)
5. Join the plans: groups that are published alike are one group
6. Solve groups at the cuts again, from several parts together, where it helps   (`borders`)

A part has k records or more, so each of its groups has, and joined groups only grow: the whole is k-anonymous. A
record is published in one part only, so counts for Σ add up to what the shares allow.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from diva.lattice.frontier import frontier_lattice
from diva.lattice.signatures import take_apart
from diva.solve.effort import BEST_SECONDS
from diva.solve.lattice.greedy import fine_to_coarse
from diva.solve.parts.borders import grouped, regions
from diva.solve.parts.division import Cloud, Division, divide
from diva.solve.parts.part import Part
from diva.solve.parts.processes import Processes
from diva.solve.parts.quotas import Demand, quotas, ranges
from diva.solve.plans import joined, renumbered

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from diva.constraints.model import Constraint
    from diva.lattice.problem import Problem
    from diva.lattice.signatures import Signatures
    from diva.relation.engine import Fragments
    from diva.relation.types import Types
    from diva.solve.effort import Search
    from diva.solve.parts.part import Solved

_GUIDES = 100_000
"""About so many types are enough to tell what groups hide."""
_ROUNDS = {"quick": 1, "standard": 1, "best": 2}
"""How often borders are looked at."""
_PARTS_SHARE = 0.6
"""The share of a time limit that goes to the parts; the rest is for borders."""


@dataclass(frozen=True)
class Whole:
    """What is to be divided."""

    problem: Problem
    types: Types
    signatures: Signatures
    signature: np.ndarray
    """int64 [D]: the signature of each type."""
    search: Search

    @property
    def constraints(self) -> tuple[Constraint, ...]:
        """Σ."""
        return self.signatures.parts.constraints

    def published(self, plan: Fragments) -> np.ndarray:
        """Bool [F, Σ]: which fragments of a plan count for which constraint."""
        counting = np.zeros((len(plan), len(self.constraints)), dtype=bool)
        quasi = frozenset(self.types.attributes)
        for c, constraint in enumerate(self.constraints):
            columns = [self.types.attributes.index(a) for a in constraint.target.only(quasi).attributes]
            carrying = np.array([self.signatures.carries(c, s) for s in range(len(self.signatures.counts))])
            counting[:, c] = carrying[self.signature[plan.type]]
            counting[:, c] &= (plan.levels[:, columns] == 0).all(axis=1)
        return counting


def solve_divided(whole: Whole, parts: int) -> Fragments | None:
    """Divide, solve the parts, and join; None where the table or Σ can't be divided."""
    solve = whole.search.elsewhere or _here(whole.search)
    guide = _guide(whole)
    division, shares = _shared(whole, guide, parts)
    if division is None:
        return None
    rounds = _ROUNDS[whole.search.effort]
    members = division.members()
    pieces = [
        _part(whole, types, whole.types.counts[types], sigma, _PARTS_SHARE / len(members))
        for types, sigma in zip(members, shares, strict=True)
    ]
    answers = solve(pieces)
    plan = joined([renumbered(a.plan, types) for a, types in zip(answers, members, strict=True)])
    size = max(1, len(plan) // len(members))
    for again in range(rounds):
        if whole.search.stop is not None and whole.search.stop():
            break
        better = _mended(whole, plan, division, size // (again + 1), solve)
        if better is None:
            break
        plan = better
    return plan


def _here(search: Search) -> Callable[[Sequence[Part]], Sequence[Solved]]:
    """By processes on this machine."""

    def solve(parts: Sequence[Part]) -> Sequence[Solved]:
        told = None if search.solved is None else partial(_tell, search.solved, len(parts))
        return Processes(search.workers, search.stop, told)(parts)

    return solve


def _tell(solved: Callable[[int, int], None], of: int, done: int) -> None:
    solved(done, of)


def _guide(whole: Whole) -> Fragments:
    """A plan made in one pass, to see what groups hide. Without Σ a sample of the types tells that as well.

    A sample is thinner than the whole, so its groups need as much fewer members.
    """
    problem = whole.problem
    step = 1 if whole.constraints else max(1, len(problem.counts) // _GUIDES)
    chosen = np.arange(0, len(problem.counts), step)
    if step > 1:
        k = max(2, problem.k // step)
        problem = replace(problem, codes=problem.codes[chosen], counts=problem.counts[chosen], k=k)
    lattice = frontier_lattice(problem, trees=1)
    return renumbered(fine_to_coarse(lattice).fragments(lattice), chosen)


def _shared(
    whole: Whole, guide: Fragments, parts: int
) -> tuple[Division | None, list[tuple[Constraint, ...]]]:
    """A division and each part's share of Σ. Where a share can't be found, the rarest targets' types stay together."""
    types = whole.types
    hidden = np.zeros(types.codes.shape, dtype=np.int64)
    np.add.at(hidden, guide.type, (guide.levels > 0) * guide.count[:, None])
    seen = np.bincount(guide.type, weights=guide.count, minlength=len(types)).astype(np.int64)
    cloud = Cloud(types.codes, np.ones(len(types), dtype=np.int64), types.counts, hidden, seen)
    division = divide(cloud, parts=parts, least=whole.problem.k)
    if division.parts < 2:
        return None, []
    counting = whole.published(guide)
    rarest = np.argsort(np.array(whole.signatures.relevant), kind="stable")
    together = 0
    while True:
        tried = _gathered(whole, division, rarest[:together])
        shares = _shares(whole, tried, guide, counting)
        if shares is not None:
            return tried, shares
        if together >= len(rarest):
            return None, []
        together = min(max(1, 2 * together), len(rarest))


def _gathered(whole: Whole, division: Division, constraints: np.ndarray) -> Division:
    """The division with all types in some I_σ in a part of their own."""
    if not len(constraints):
        return division
    every = range(len(whole.signatures.counts))
    chosen = np.array([any(whole.signatures.carries(int(c), s) for c in constraints) for s in every])
    part = np.where(chosen[whole.signature], division.parts, division.part)
    kept, part = np.unique(part, return_inverse=True)
    cut = np.vstack([division.cut, np.zeros(division.cut.shape[1], dtype=bool)])[kept]
    spoken = {a for c in constraints.tolist() for a in whole.constraints[c].target.attributes}
    cut[:, [a in spoken for a in whole.types.attributes]] = True
    return Division(part.astype(np.int32), cut)


def _shares(
    whole: Whole, division: Division, guide: Fragments, counting: np.ndarray
) -> list[tuple[Constraint, ...]] | None:
    """Each part's share of Σ, near what the guide would publish there."""
    if not whole.constraints:
        return [()] * division.parts
    counts = np.zeros((division.parts, len(whole.signatures.counts)), dtype=np.int64)
    np.add.at(counts, (division.part, whole.signature), whole.types.counts)
    demand = Demand(whole.signatures, counts, whole.problem.k)
    relevant = demand.relevant()
    now = np.zeros(relevant.shape, dtype=np.int64)
    np.add.at(now, division.part[guide.type], counting * guide.count[:, None])
    quota = quotas(demand, _wished(whole.constraints, now, relevant))
    if quota is None:
        return None
    return ranges(whole.constraints, quota, relevant, np.zeros(len(whole.constraints), dtype=np.int64))


def _wished(constraints: Sequence[Constraint], now: np.ndarray, relevant: np.ndarray) -> np.ndarray:
    """int64 [parts, Σ]: what parts publish by themselves, moved into Σ's ranges: up by what is hidden, down by what is not."""
    wish = now.copy()
    for c, constraint in enumerate(constraints):
        total = int(now[:, c].sum())
        high = total if constraint.high is None else constraint.high
        missing = min(max(total, constraint.low), high) - total
        room = relevant[:, c] - now[:, c] if missing > 0 else now[:, c]
        wish[:, c] += missing * room // max(1, int(room.sum()))
    return wish


def _part(
    whole: Whole, types: np.ndarray, counts: np.ndarray, sigma: tuple[Constraint, ...], share: float
) -> Part:
    """Some types with some of their records as a part; `share` of the time limit is for it, on one worker."""
    of = whole.types
    conditions = take_apart(sigma, of.attributes).conditions
    met = of.met[types][:, [of.conditions.index(c) for c in conditions]]
    limit = whole.search.time_limit
    if limit is None and whole.search.effort == "best":
        limit = BEST_SECONDS
    return Part(
        types=replace(of, codes=of.codes[types], counts=counts, conditions=conditions, met=met),
        k=whole.problem.k,
        constraints=sigma,
        effort=whole.search.effort,
        seed=whole.search.seed,
        time_limit=None if limit is None else max(0.01, limit * share),
        weights=whole.search.weights,
    )


def _mended(
    whole: Whole,
    plan: Fragments,
    division: Division,
    size: int,
    solve: Callable[[Sequence[Part]], Sequence[Solved]],
) -> Fragments | None:
    """Solve regions at the borders anew, and take over those that got cheaper; None where there are none."""
    found = regions(grouped(whole.types, plan), division, size=size, k=whole.problem.k)
    if not found:
        return None
    members, counts = [], []
    for fragments in found:
        types, number = np.unique(plan.type[fragments], return_inverse=True)
        records = np.zeros(len(types), dtype=np.int64)
        np.add.at(records, number, plan.count[fragments])
        members.append(types)
        counts.append(records)
    shares = _kept(whole, plan, found, members, counts)
    share = (1.0 - _PARTS_SHARE) / len(found) / _ROUNDS[whole.search.effort]
    pieces = [_part(whole, *piece, share) for piece in zip(members, counts, shares, strict=True)]
    replaced = np.zeros(len(plan), dtype=bool)
    better = []
    for fragments, types, answer in zip(found, members, solve(pieces), strict=True):
        anew = renumbered(answer.plan, types)
        if whole.problem.cost(anew) < whole.problem.cost(_only(plan, fragments)) - 1e-9:
            replaced[fragments] = True
            better.append(anew)
    return joined([_only(plan, np.flatnonzero(~replaced)), *better])


def _kept(
    whole: Whole,
    plan: Fragments,
    found: list[np.ndarray],
    members: list[np.ndarray],
    counts: list[np.ndarray],
) -> list[tuple[Constraint, ...]]:
    """Σ for each region: about what it publishes now. What is in no region keeps its count."""
    if not whole.constraints:
        return [()] * len(found)
    counting = whole.published(plan) * plan.count[:, None]
    quota = np.array([counting[fragments].sum(axis=0) for fragments in found])
    outside = counting.sum(axis=0) - quota.sum(axis=0)
    every = range(len(whole.signatures.counts))
    carried = np.array(
        [[whole.signatures.carries(c, s) for c in range(len(whole.constraints))] for s in every]
    )
    relevant = np.array(
        [n @ carried[whole.signature[types]] for types, n in zip(members, counts, strict=True)]
    )
    return ranges(whole.constraints, quota, relevant, outside)


def _only(plan: Fragments, fragments: np.ndarray) -> Fragments:
    return replace(
        plan, type=plan.type[fragments], levels=plan.levels[fragments], count=plan.count[fragments]
    )
