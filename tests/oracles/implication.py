"""What Σ implies on every relation there is, by exhaustion; shares no code with the product.

**Why it is exact.** A relation is a multiset of records, and a constraint looks at one number only: how many
records carry its target. Which targets a record carries depends on its values of the attributes that Σ mentions,
and for each of them only on whether it is this or that mentioned value or none of them. So the records over the
universe {mentioned values, one other, NULL} per attribute, or over the declared domain, stand for all records.

With all bounds ≤ b, a bound can't tell a count of b+1 from a larger one. So counts are capped at b+1. Capping
commutes with adding a record (min(cap, x + 1) = min(cap, min(cap, x) + 1)), so the capped count vectors of all
relations are what can be reached from 0 by adding records, in any order: kind after kind, and each kind at most
b+1 times, after which nothing changes. This is a walk over (b+2)^targets cells, and it also knows the fewest
records with which each cell is reached.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np

NEVER = 10**6
MAX_BOUND = 3


@dataclass(frozen=True)
class Rule:
    """A constraint as plain data."""

    target: dict[str, str]
    low: int
    high: int | None


@dataclass(frozen=True)
class Instance:
    """Σ, a constraint that it may imply, and declared domains."""

    rules: tuple[Rule, ...]
    query: Rule
    domains: dict[str, list[str]]


class Oracle:
    """All relations over the mentioned attributes, as capped count vectors."""

    def __init__(self, rules: tuple[Rule, ...], domains: dict[str, list[str]]) -> None:
        self.targets: list[dict[str, str]] = []
        for rule in rules:
            if rule.target not in self.targets:
                self.targets.append(rule.target)
        self.cap = 1 + max((bound for rule in rules for bound in (rule.low, rule.high or 0)), default=0)
        self.domains = domains

    def kinds(self) -> set[tuple[bool, ...]]:
        """Which targets a record carries, for every record of the universe."""
        attributes = sorted({a for target in self.targets for a in target})
        universe = []
        for attribute in attributes:
            mentioned = {t[attribute] for t in self.targets if attribute in t}
            universe.append(self.domains.get(attribute) or [*sorted(mentioned), "something else", None])
        found = set()
        for values in product(*universe):
            record = dict(zip(attributes, values, strict=True))
            found.add(tuple(all(record[a] == v for a, v in target.items()) for target in self.targets))
        return found

    @cached_property
    def fewest(self) -> np.ndarray:
        """The fewest records that reach each capped count vector; NEVER where none do."""
        cells = np.full((self.cap + 1,) * len(self.targets), NEVER)
        cells[(0,) * len(self.targets)] = 0
        for kind in sorted(self.kinds()):
            for _ in range(self.cap if any(kind) else 0):
                np.minimum(cells, _add_record(cells, kind), out=cells)
        return cells

    def satisfying(self, rules: tuple[Rule, ...]) -> np.ndarray:
        """Which cells satisfy all the rules, reached or not."""
        good = np.ones(self.fewest.shape, dtype=bool)
        for rule in rules:
            counts = np.arange(self.cap + 1)
            allowed = (counts >= rule.low) & (counts <= (self.cap if rule.high is None else rule.high))
            axis = self.targets.index(rule.target)
            good &= allowed.reshape([-1 if i == axis else 1 for i in range(good.ndim)])
        return good

    def smallest(self, rules: tuple[Rule, ...], *, violating: Rule | None = None) -> int | None:
        """The fewest records of a relation that satisfies the rules (and violates one); None if there is none."""
        good = self.satisfying(rules)
        if violating is not None:
            good &= ~self.satisfying((violating,))
        best = int(np.min(self.fewest[good], initial=NEVER))
        return None if best == NEVER else best

    def equivalent(self, some: tuple[Rule, ...], others: tuple[Rule, ...]) -> bool:
        """Whether the same relations satisfy both."""
        differing = self.satisfying(some) ^ self.satisfying(others)
        return bool((self.fewest[differing] == NEVER).all())


def _add_record(cells: np.ndarray, kind: tuple[bool, ...]) -> np.ndarray:
    moved = cells + 1
    for axis, carried in enumerate(kind):
        if carried:
            moved = np.moveaxis(moved, axis, 0)
            top = np.minimum(moved[-1], moved[-2])
            moved = np.concatenate([np.full_like(moved[:1], NEVER), moved[:-2], top[None]])
            moved = np.moveaxis(moved, 0, axis)
    return moved


def instance(seed: int) -> Instance:
    """Make a random tiny instance: 1-3 attributes of 1-3 values, 1-4 constraints, bounds 0-3, some domains."""
    random_ = random.Random(seed)
    values = {a: ["a", "b", "c"][: random_.randint(1, 3)] for a in "ABC"[: random_.randint(1, 3)]}
    rules = tuple(_rule(random_, values) for _ in range(random_.randint(1, 4)))
    domains = {a: _domain(random_, known) for a, known in values.items() if random_.random() < 0.3}
    query = _rule(random_, values)
    if random_.random() < 0.3:
        query = Rule(random_.choice(rules).target, query.low, query.high)
    return Instance(rules, query, domains)


def _rule(random_: random.Random, values: dict[str, list[str]]) -> Rule:
    attributes = random_.sample(sorted(values), random_.randint(1, len(values)))
    low = random_.choice([0, 0, 1, 2, 3])
    high = random_.choice([None, *range(low, MAX_BOUND + 1)])
    return Rule({a: random_.choice(values[a]) for a in attributes}, low, high)


def _domain(random_: random.Random, known: list[str]) -> list[str]:
    """Usually what may be mentioned, sometimes with a value more or one less."""
    domain = known + random_.choice([[], [], ["z"]])
    return domain[1:] if len(domain) > 1 and random_.random() < 0.2 else domain
