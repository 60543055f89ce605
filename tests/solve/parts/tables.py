"""Random tables with a Σ that some release satisfies, and what a plan for them must fulfil."""

import numpy as np

from diva.constraints.model import Constraint, Target
from diva.lattice.problem import Problem
from diva.relation.types import Types, sorted_types
from diva.solve.alone import published


def table(seed: int, *, records: int, values: tuple[int, ...], conditions: int = 0) -> Types:
    """A table whose attributes lean towards small codes; records also meet some of `conditions`."""
    random = np.random.default_rng(seed)
    rows = np.column_stack(
        [np.minimum(random.geometric(2.0 / max(2, v), size=records) - 1, v - 1) for v in values]
    )
    met = random.random((records, conditions)) < 0.5
    distinct, counts = np.unique(np.hstack([rows, met.astype(int)]), axis=0, return_counts=True)
    m = len(values)
    return sorted_types(
        [f"A{i}" for i in range(m)],
        [[f"v{code}" for code in range(v)] for v in values],
        distinct[:, :m],
        [Target((f"S{i}",), ("yes",)) for i in range(conditions)],
        distinct[:, m:].astype(bool),
        counts,
    )


def sigma(types: Types, seed: int, many: int) -> tuple[Constraint, ...]:
    """Constraints with ranges of any width, possible or not."""
    random = np.random.default_rng(seed)
    found = {}
    for _ in range(many):
        chosen = random.permutation(len(types.attributes))[: int(random.integers(1, 3))]
        like = types.codes[int(random.integers(len(types)))]
        items = {types.attributes[a]: str(types.values[a][like[a]]) for a in chosen.tolist()}
        if types.conditions and random.random() < 0.3:
            items[types.conditions[0].attributes[0]] = "yes"
        target = Target(tuple(items), tuple(items.values()))
        low = int(random.integers(0, 1 + carriers(types, target)))
        high = low + int(random.integers(0, 40)) if random.random() < 0.6 else None
        found[target] = Constraint(target, low, high)
    return tuple(found.values())


def split(types: Types, constraints: tuple[Constraint, ...]) -> Types:
    """The same table, split by just the conditions that Σ speaks of."""
    quasi = frozenset(types.attributes)
    spoken = dict.fromkeys(t for c in constraints if (t := c.target.without(quasi)).attributes)
    columns = [types.conditions.index(t) for t in spoken]
    return Types(
        types.attributes, types.values, types.codes, tuple(spoken), types.met[:, columns], types.counts
    )


def carriers(types: Types, target: Target) -> int:
    """|I_σ|."""
    quasi = frozenset(types.attributes)
    carrying = types.carries(target.only(quasi))
    other = target.without(quasi)
    if other.attributes:
        carrying &= types.met[:, types.conditions.index(other)]
    return int(types.counts[carrying].sum())


def flaws(types: Types, k: int, constraints: tuple[Constraint, ...], plan) -> list[str]:
    """What a plan breaks: every record once, k, Σ."""
    m = len(types.attributes)
    problem = Problem(types.codes, types.counts, k, np.ones(m), np.zeros(m, dtype=bool))
    missed = [c.text for c in constraints if not c.admits(published(plan, types, c))]
    return [*problem.flaws(plan), *missed]
