"""Optima by exhaustion: every record tries every pattern. Shares nothing with the search but the problem."""

import itertools

import numpy as np

from diva.lattice.problem import Problem, Taboo


def optimum(problem: Problem) -> float | None:
    """The least cost of any plan, or None where there is none; for at most a few hundred thousand combinations."""
    types = np.repeat(np.arange(len(problem.counts)), problem.counts)
    patterns = [np.array(p, dtype=bool) for p in itertools.product((False, True), repeat=problem.width)]
    patterns = [p for p in patterns if not (p & problem.visible).any()]
    keys: dict[tuple[int, ...], int] = {}
    group = np.zeros((len(types), len(patterns)), dtype=np.int64)
    cost = np.array([problem.weights[p].sum() for p in patterns])
    allowed = np.ones(group.shape, dtype=bool)
    for i, t in enumerate(types):
        for j, hidden in enumerate(patterns):
            key = tuple(np.where(hidden, -1, problem.codes[t]).tolist())
            group[i, j] = keys.setdefault(key, len(keys))
            allowed[i, j] = not any(
                taboo.types[t] and not (hidden & taboo.attributes).any() for taboo in problem.taboos
            )
    choices = np.array(
        list(itertools.product(*[np.flatnonzero(a).tolist() for a in allowed])), dtype=np.int64
    )
    if not len(choices):
        return None
    published = group[np.arange(len(types)), choices]
    sizes = (published[:, :, None] == published[:, None, :]).sum(axis=2)
    valid = (sizes >= problem.k).all(axis=1)
    return float(cost[choices].sum(axis=1)[valid].min()) if valid.any() else None


def instance(seed: int) -> Problem:
    """A tiny problem: ties, repeated types, weights, visible attributes and taboos all occur."""
    random = np.random.default_rng(seed)
    m = int(random.integers(1, 4))
    records = int(random.integers(1, {1: 7, 2: 7, 3: 6}[m]))
    rows = random.integers(0, int(random.integers(1, 4)), size=(records, m))
    visible = random.random(m) < 0.15
    rows[:, visible] = 0
    codes, counts = np.unique(rows, axis=0, return_counts=True)
    if random.random() < 0.2:  # Types that differ only in what isn't a QI attribute.
        codes, counts = np.concatenate([codes, codes[:1]]), np.concatenate([counts, [1]])
    taboos = []
    for _ in range(int(random.integers(0, 3)) if random.random() < 0.4 else 0):
        attributes = random.random(m) < 0.5
        if not (attributes & ~visible).any():
            continue
        types = (codes[:, attributes] == codes[random.integers(len(codes))][attributes]).all(axis=1)
        taboos.append(Taboo(attributes, types))
    weights = random.choice([np.ones(m), random.integers(0, 4, m).astype(float), random.random(m).round(2)])
    return Problem(
        codes=codes.astype(np.int32),
        counts=counts.astype(np.int64),
        k=int(random.integers(1, 5)),
        weights=np.asarray(weights, dtype=np.float64),
        visible=visible,
        taboos=tuple(taboos),
    )


def table(seed: int, types: int, attributes: int, values: int, *, k: int) -> Problem:
    """A larger problem without known optimum."""
    random = np.random.default_rng(seed)
    rows = np.minimum(random.geometric(0.4, size=(types, attributes)) - 1, values - 1)
    codes, counts = np.unique(rows, axis=0, return_counts=True)
    return problem_of(codes, counts, k)


def problem_of(codes: np.ndarray, counts: np.ndarray, k: int) -> Problem:
    m = np.asarray(codes).shape[1]
    return Problem(
        np.asarray(codes, dtype=np.int32),
        np.asarray(counts, dtype=np.int64),
        k,
        np.ones(m),
        np.zeros(m, dtype=bool),
    )
