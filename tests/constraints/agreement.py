"""One tiny instance through the product and through the oracle: every answer and every witness must agree."""

from __future__ import annotations

from typing import TYPE_CHECKING

from diva.constraints import axioms, exact
from diva.constraints.cover import minimal_cover
from diva.constraints.model import Constraint, Target
from diva.errors import BadInput
from tests.oracles.implication import Instance, Oracle, Rule

if TYPE_CHECKING:
    from diva.constraints.witness import Witness


def disagreements(instance: Instance) -> list[str]:
    """Name what differs, by question; empty when all is well."""
    oracle = Oracle((*instance.rules, instance.query), instance.domains)
    questions = {
        "satisfiability": satisfiability_agrees,
        "implication": implication_agrees,
        "cover": cover_agrees,
    }
    return [name for name, agrees in questions.items() if not agrees(instance, oracle)]


def satisfiability_agrees(instance: Instance, oracle: Oracle) -> bool:
    """The answer, the size of the witness, the witness itself, and that the conflict is one and minimal."""
    answer = exact.satisfiable(map(constraint, instance.rules), instance.domains)
    fewest = oracle.smallest(instance.rules)
    if answer.witness is not None:
        return (
            answer.satisfiable
            and not answer.conflict
            and answer.witness.rows == fewest
            and satisfied(answer.witness, instance.rules, instance.domains)
        )
    conflict = tuple(rule(sigma) for sigma in answer.conflict)
    smaller = (conflict[:i] + conflict[i + 1 :] for i in range(len(conflict)))
    return (
        not answer.satisfiable
        and fewest is None
        and all(r in instance.rules for r in conflict)
        and oracle.smallest(conflict) is None
        and all(oracle.smallest(rules) is not None for rules in smaller)
    )


def implication_agrees(instance: Instance, oracle: Oracle) -> bool:
    """The answer, the size of the witness, the witness itself, and that the axioms claim no more."""
    sigma_set = [constraint(r) for r in instance.rules]
    query = constraint(instance.query)
    answer = exact.implies(sigma_set, query, instance.domains)
    fewest = oracle.smallest(instance.rules, violating=instance.query)
    if answer.witness is None:
        return answer.holds and fewest is None
    return (
        not answer.holds
        and answer.witness.rows == fewest
        and satisfied(answer.witness, instance.rules, instance.domains)
        and not satisfied(answer.witness, (instance.query,), instance.domains)
        and not axioms.implies(sigma_set, query)
    )


def cover_agrees(instance: Instance, oracle: Oracle) -> bool:
    """The cover says the same as Σ, none of it is redundant, and an unsatisfiable Σ is refused."""
    sigma_set = [constraint(r) for r in instance.rules]
    satisfiable = oracle.smallest(instance.rules) is not None
    try:
        cover = tuple(map(rule, minimal_cover(sigma_set, domains=instance.domains)))
    except BadInput:
        return not satisfiable
    remaining = iter(instance.rules)
    return (
        satisfiable
        and all(r in remaining for r in cover)
        and oracle.equivalent(cover, instance.rules)
        and not any(oracle.equivalent(cover[:i] + cover[i + 1 :], cover) for i in range(len(cover)))
    )


def constraint(r: Rule) -> Constraint:
    """Return the product's constraint."""
    return Constraint(Target(tuple(r.target), tuple(r.target.values())), r.low, r.high)


def rule(sigma: Constraint) -> Rule:
    """Return the oracle's rule."""
    return Rule(dict(zip(sigma.target.attributes, sigma.target.values, strict=True)), sigma.low, sigma.high)


def satisfied(witness: Witness, rules: tuple[Rule, ...], domains: dict[str, list[str]]) -> bool:
    """Count the witness record by record."""
    records = [record for record, times in witness.records for _ in range(times)]
    allowed = all(v in domains.get(a, [v]) for record in records for a, v in record.items())
    counts = [sum(all(rec.get(a) == v for a, v in r.target.items()) for rec in records) for r in rules]
    return allowed and all(
        r.low <= n and (r.high is None or n <= r.high) for r, n in zip(rules, counts, strict=True)
    )
