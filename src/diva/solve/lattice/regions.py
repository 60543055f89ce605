"""Regions: the whole problem after fixing, or the neighbourhood of a type, ready for the exact programme."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from diva.solve.lattice.exact import Region

if TYPE_CHECKING:
    from diva.lattice.groups import Lattice
    from diva.solve.lattice.state import Assignment


def region_of(lattice: Lattice, assignment: Assignment, types: np.ndarray) -> tuple[Region, np.ndarray]:
    """Free all records of some types; return the region and the numbers of its groups in the lattice.

    Groups that the region can't open for want of records are left out.
    """
    inside = np.zeros(len(lattice.counts), dtype=bool)
    inside[types] = True
    outside = np.zeros(lattice.groups, dtype=np.int64)
    others = ~inside[assignment.type]
    np.add.at(outside, assignment.group[others], assignment.count[others])
    owner, group = _pairs(lattice, types)
    reach = outside.copy()
    np.add.at(reach, group, lattice.counts[owner])
    useful = reach >= lattice.k
    owner, group = owner[useful[group]], group[useful[group]]
    groups = np.unique(group)
    number = np.full(lattice.groups, -1, dtype=np.int64)
    number[groups] = np.arange(len(groups))
    local = np.full(len(lattice.counts), -1, dtype=np.int64)
    local[types] = np.arange(len(types))
    now = _now(lattice, assignment, inside, owner, group)
    region = Region(
        lattice.cost[groups],
        outside[groups],
        lattice.counts[types],
        local[owner],
        number[group],
        lattice.k,
        now,
    )
    return region, groups


def neighbourhood(
    lattice: Lattice, assignment: Assignment, size: int, random: np.random.Generator, near: np.ndarray
) -> np.ndarray:
    """Pick a random type and, group by group, about `size` types that share a group of small value with it.

    `near` tells how likely good plans use each group (float64 [G], small is likely). Sorted.
    """
    current = np.full(len(lattice.counts), -1, dtype=np.int64)
    current[assignment.type] = assignment.group
    members = _grouped(assignment.group, assignment.type, lattice.groups)
    start = int(random.integers(len(lattice.counts)))
    chosen = dict.fromkeys([start])
    queue = [start]
    seen: set[int] = set()
    while queue and len(chosen) < size:
        t = queue.pop(0)
        groups = lattice.group[lattice.type_start[t] : lattice.type_start[t + 1]]
        ranked = groups[np.argsort(near[groups] + 0.1 * random.random(len(groups)), kind="stable")][:4]
        for g in [int(current[t]), *ranked.tolist()]:
            if g in seen:
                continue
            seen.add(g)
            listed = (
                members[g] if len(members[g]) else lattice.member[lattice.start[g] : lattice.start[g + 1]]
            )
            if len(listed) > size:
                continue
            for other in listed.tolist():
                if other not in chosen:
                    chosen[other] = None
                    queue.append(other)
    return np.array(sorted(list(chosen)[:size]), dtype=np.int64)


def _pairs(lattice: Lattice, types: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    spans = [np.arange(lattice.type_start[t], lattice.type_start[t + 1]) for t in types]
    positions = np.concatenate(spans)
    owner = np.repeat(types, [len(span) for span in spans])
    return owner, lattice.group[positions].astype(np.int64)


def _now(
    lattice: Lattice, assignment: Assignment, inside: np.ndarray, owner: np.ndarray, group: np.ndarray
) -> np.ndarray:
    """How many records of each pair there are at present."""
    keys = owner * lattice.groups + group
    order = np.argsort(keys, kind="stable")
    mine = inside[assignment.type]
    wanted = assignment.type[mine] * lattice.groups + assignment.group[mine]
    now = np.zeros(len(keys), dtype=np.int64)
    now[order[np.searchsorted(keys[order], wanted)]] = assignment.count[mine]
    return now


def _grouped(group: np.ndarray, value: np.ndarray, groups: int) -> list[np.ndarray]:
    order = np.argsort(group, kind="stable")
    return np.split(value[order], np.cumsum(np.bincount(group, minlength=groups))[:-1])
