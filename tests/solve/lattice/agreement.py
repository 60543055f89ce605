"""Compare search and bound with exhaustion on one tiny instance; tests and the fuzzing benchmark share this."""

from dataclasses import dataclass

from diva.solve.bounds import lower_bound
from diva.solve.lattice import solve
from tests.solve.lattice.oracle import instance, optimum

SLACK = 1e-6


@dataclass(frozen=True)
class Verdict:
    faults: tuple[str, ...]
    optimum: float
    standard: float


def judge(seed: int) -> Verdict | None:
    """None where the instance has no plan."""
    problem = instance(seed)
    least = optimum(problem)
    if least is None:
        return None
    faults = []
    costs = {}
    for effort in ("quick", "standard", "best"):
        outcome = solve(problem, effort=effort, seed=seed, time_limit=20 if effort == "best" else None)
        faults += [f"{effort}: {flaw}" for flaw in problem.flaws(outcome.plan)]
        costs[effort] = problem.cost(outcome.plan)
        if abs(costs[effort] - outcome.cost) > SLACK:
            faults.append(f"{effort}: says {outcome.cost}, is {costs[effort]}")
        if costs[effort] < least - SLACK:
            faults.append(f"{effort}: {costs[effort]} below the optimum {least}")
        if outcome.bound is not None and outcome.bound.value > least + SLACK:
            faults.append(f"{effort}: bound {outcome.bound.value} above the optimum {least}")
        if outcome.optimal and costs[effort] > least + SLACK:
            faults.append(f"{effort}: {costs[effort]} called optimal, {least} is")
    if costs["best"] > least + SLACK:
        faults.append(f"best: {costs['best']} instead of {least}")
    for passes in (0, 1, 3, 10):
        left = iter(range(passes))
        bound = lower_bound(problem, stop=lambda left=left: next(left, None) is None)
        if bound.value > least + SLACK:
            faults.append(f"bound {bound.value} after {bound.passes} passes above the optimum {least}")
    return Verdict(tuple(faults), least, costs["standard"])
