"""DIVA against brute force on one tiny instance; the tests and the benchmark share it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

import numpy as np

from diva.errors import GaveUp, Unsatisfiable
from diva.lattice.problem import Problem
from diva.lattice.signatures import Parts, take_apart
from diva.relation.engine import Fragments
from diva.relation.types import Types, sorted_types
from diva.solve.anonymizers import anonymizer
from diva.solve.diva.anonymize import anonymize
from diva.solve.diva.components import Plan
from diva.solve.diva.diverse_clustering import Found, diverse_clustering
from diva.solve.diva.integrate import integrate
from diva.solve.diva.rows import Rows, rows_of
from diva.solve.diva.strategies import STRATEGIES
from diva.solve.diva.suppress import suppress
from diva.solve.effort import Colouring, Search
from diva.solve.plans import joined
from diva.solve.solver import solve
from tests.oracles import release as oracle
from tests.solve.decide.agreement import constraints_of

BUDGET = 2_000
Row = oracle.Row


@dataclass(frozen=True)
class Verdict:
    """What one strategy did with an instance."""

    feasible: bool
    """Whether a release exists, by exhaustion."""
    end: str
    """found, unsatisfiable, or gave up: exhausted, over budget."""
    repaired: bool = False
    """Whether Integrate had something to do."""
    minimal: bool = True
    """Whether Integrate's repair is proven minimal."""
    faults: tuple[str, ...] = ()


def types_of(instance: oracle.Instance) -> tuple[Types, Parts]:
    """Count types in plain Python."""
    m = instance.width
    parts = take_apart(constraints_of(instance), instance.columns[:m])
    counted: Counter[tuple[Row, tuple[bool, ...]]] = Counter()
    for row in instance.rows:
        record = dict(zip(instance.columns, row, strict=True))
        met = tuple(all(record[a] == v for a, v in c.items) for c in parts.conditions)
        counted[row[:m], met] += 1
    values = [sorted({row[j] for row in instance.rows}, key=str) for j in range(m)]
    codes = [[values[j].index(quasi[j]) for j in range(m)] for quasi, _ in counted]
    met = np.array([met for _, met in counted], dtype=bool).reshape(len(counted), len(parts.conditions))
    counts = np.array(list(counted.values()))
    names = instance.columns[:m]
    return sorted_types(names, values, np.array(codes, np.int32), parts.conditions, met, counts), parts


def judge(
    instance: oracle.Instance, strategy: str, seed: int, releases: oracle.Releases | None = None
) -> Verdict:
    """Run DIVA whole, and its colouring by itself; all releases may be given."""
    types, parts = types_of(instance)
    releases = releases or oracle.releases(instance)
    feasible = oracle.feasible(releases, instance, instance.k)
    colouring = Colouring(strategy=strategy, budget=BUDGET)
    try:
        plan = solve(types, instance.k, parts.constraints, Search(seed=seed, colouring=colouring)).plan
    except Unsatisfiable:
        return Verdict(feasible, "unsatisfiable", faults=("a release exists",) if feasible else ())
    except GaveUp as error:
        end = "over budget" if "budget" in str(error) else "exhausted"
        faults = _of_giving_up(instance, releases, feasible=feasible, end=end)
        return Verdict(feasible, end, faults=faults)
    faults = [*_of_plan(types, instance, plan, "release")]
    m = instance.width
    problem = Problem(types.codes, types.counts, instance.k, np.ones(m), np.zeros(m, dtype=bool))
    R = rows_of(problem, types, parts)
    found = diverse_clustering(R, Plan(STRATEGIES[strategy], BUDGET, seed))
    faults += _of_clustering(R, types, instance, found)
    R_sigma = suppress(R, found.clustering)
    R_k = anonymize(R, found.clustering, anonymizer("k-member"), np.random.default_rng(seed))
    before = R_sigma if R_k is None else joined([R_sigma, R_k])
    done = integrate(R, R_sigma, R_k)
    more = done.plan.stars - before.stars
    if more and done.minimal:
        least = oracle.fewest_stars(*_further(types, instance, before))
        if least != more:
            faults.append(f"Integrate suppresses {more} cells, {least} would do")
    return Verdict(feasible, "found", bool(more), done.minimal, tuple(faults))


def _of_giving_up(
    instance: oracle.Instance, releases: oracle.Releases, *, feasible: bool, end: str
) -> tuple[str, ...]:
    """The lists of tiny instances are complete, so the colouring may fail only where upper bounds are in the way."""
    if not feasible:
        return ("gave up instead of saying that there is no release",)
    capped = any(high is not None for _, _, high in instance.sigma)
    if end == "exhausted" and not capped and oracle.feasible(releases, instance, instance.k):
        return ("exhausted without an upper bound",)
    return ()


def _of_clustering(R: Rows, types: Types, instance: oracle.Instance, found: Found) -> list[str]:
    """A clustering is disjoint, of clusters of at least k, and satisfies Σ once it is suppressed."""
    clusters = found.clustering.clusters
    faults = []
    if sum(map(len, clusters)) != len(found.clustering.covered) or any(len(c) < R.k for c in clusters):
        faults.append("clusters overlap or are too small")
    columns = set(instance.columns[: instance.width])
    for target, low, high in instance.sigma:
        names = [a for a in target if a in columns]
        if not names:
            continue
        count = 0
        for cluster in clusters:
            records = [_record(types, int(R.type[r])) for r in cluster]
            if all(record[a] == target[a] for record in records for a in names):
                count += sum(_meets(types, int(R.type[r]), target, columns) for r in cluster)
        if count < low or (high is not None and count > high):
            faults.append(f"the clustering publishes {count} of {target}")
    return faults


def _record(types: Types, t: int) -> dict[str, str | None]:
    return {a: types.values[j][types.codes[t, j]] for j, a in enumerate(types.attributes)}


def _meets(types: Types, t: int, target: dict[str, str], columns: set[str]) -> bool:
    wanted = {(a, v) for a, v in target.items() if a not in columns}
    return all(types.met[t, i] for i, c in enumerate(types.conditions) if c.items == wanted)


def _of_plan(types: Types, instance: oracle.Instance, plan: Fragments, name: str) -> list[str]:
    """What a plan breaks, from its rows."""
    published: Counter[tuple[str | None, ...]] = Counter()
    counts = [0] * len(instance.sigma)
    columns = set(types.attributes)
    for t, levels, n in zip(plan.type.tolist(), plan.levels, plan.count.tolist(), strict=True):
        record = _record(types, t)
        shown = {a: "*" if h else record[a] for a, h in zip(types.attributes, levels, strict=True)}
        published[tuple(shown.values())] += n
        for c, (target, _, _) in enumerate(instance.sigma):
            visible = all(shown[a] == v for a, v in target.items() if a in columns)
            counts[c] += n * (visible and _meets(types, t, target, columns))
    faults = [f"{name}: a group of {n}" for n in published.values() if n < instance.k]
    if sum(published.values()) != len(instance.rows):
        faults.append(f"{name}: {sum(published.values())} records")
    for (target, low, high), n in zip(instance.sigma, counts, strict=True):
        if n < low or (high is not None and n > high):
            faults.append(f"{name}: {n} of {target}")
    return faults


def _further(
    types: Types, instance: oracle.Instance, plan: Fragments
) -> tuple[oracle.Releases, oracle.Instance]:
    """All ways of suppressing R' further. Conditions become columns of their own."""
    m = instance.width
    names = [f"C{i}" for i in range(len(types.conditions))]
    rows = []
    for t, levels, n in zip(plan.type.tolist(), plan.levels, plan.count.tolist(), strict=True):
        record = _record(types, t)
        shown = tuple("*" if h else record[a] for a, h in zip(types.attributes, levels, strict=True))
        rows += [(*shown, *("yes" if met else "no" for met in types.met[t]))] * n
    sigma = []
    for target, low, high in instance.sigma:
        rest = {(a, v) for a, v in target.items() if a not in types.attributes}
        number = [i for i, c in enumerate(types.conditions) if c.items == rest]
        visible = {a: v for a, v in target.items() if a in types.attributes}
        sigma.append((visible | ({names[number[0]]: "yes"} if number else {}), low, high))
    further = replace(instance, columns=(*types.attributes, *names), rows=tuple(rows), sigma=sigma, width=m)
    return oracle.releases(further), further
