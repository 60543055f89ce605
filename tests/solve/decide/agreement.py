"""Compares `decide` with brute force on one instance; the tests and the long campaign share it."""

from __future__ import annotations

from collections import Counter

from diva.constraints.model import Constraint, Target
from diva.lattice.signatures import Parts, Signatures, take_apart
from diva.solve.decide import decide
from diva.solve.decide.signature_programme import feasible
from tests.oracles import release as oracle


def constraints_of(instance: oracle.Instance) -> list[Constraint]:
    return [Constraint(Target(tuple(t), tuple(t.values())), low, high) for t, low, high in instance.sigma]


def signatures_of(instance: oracle.Instance) -> Signatures:
    """Count signatures in plain Python."""
    parts: Parts = take_apart(constraints_of(instance), instance.columns[: instance.width])
    counted: Counter[tuple[int, int]] = Counter()
    for row in instance.rows:
        record = dict(zip(instance.columns, row, strict=True))
        masks = [
            sum(1 << i for i, t in enumerate(targets) if all(record[a] == v for a, v in t.items))
            for targets in (parts.quasi, parts.conditions)
        ]
        counted[masks[0], masks[1]] += 1
    keys = sorted(counted)
    return Signatures(
        parts, tuple(a for a, _ in keys), tuple(b for _, b in keys), tuple(counted[key] for key in keys)
    )


def agree(instance: oracle.Instance, *, thoroughly: bool) -> None:
    """Assert that the decision is that of brute force; thoroughly: with its conflict, nearest bounds and largest k."""
    found = oracle.releases(instance)
    signatures = signatures_of(instance)
    possible = oracle.feasible(found, instance, instance.k)
    skeleton = feasible(signatures, instance.k, rich=thoroughly)
    assert (skeleton is not None) == possible, instance
    if skeleton is not None:
        assert skeleton.proves(instance.k), instance
    if not thoroughly:
        return
    decision = decide(signatures, instance.k)
    assert decision.feasible == possible, instance
    assert decision.largest_k == oracle.largest_k(found, instance), instance
    assert decision.explanation, instance
    if possible or len(instance.rows) < instance.k:
        assert not decision.conflict, instance
        assert not decision.nearest, instance
        return
    _check_reasons(instance, found, decision)


def _check_reasons(instance: oracle.Instance, found: oracle.Releases, decision: object) -> None:
    sigma = constraints_of(instance)
    remaining = list(range(len(sigma)))
    conflict = []
    for constraint in decision.conflict:
        conflict.append(next(i for i in remaining if sigma[i] == constraint))
        remaining.remove(conflict[-1])
    assert not oracle.feasible(found, instance, instance.k, conflict), instance
    for c in conflict:
        assert oracle.feasible(found, instance, instance.k, [d for d in conflict if d != c]), instance
    moved = sum(
        n.constraint.low - n.low + ((n.high or 0) - (n.constraint.high or 0)) for n in decision.nearest
    )
    assert moved == oracle.least_slack(found, instance), instance
