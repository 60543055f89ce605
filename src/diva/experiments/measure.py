"""One run: solved, recounted from its plan, timed.

The clock runs over the algorithm alone: tables are counted before, and whether Σ can be satisfied was decided when it was
made. What an answer says of itself isn't believed: k, Σ and every figure are recomputed from the plan.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from diva.errors import GaveUp, OverBudget, VerificationFailed
from diva.experiments.points import SAMPLE_SEED
from diva.experiments.spec import ANONYMIZERS, LINES, PAPER, Line
from diva.lattice.problem import Problem
from diva.lattice.signatures import take_apart
from diva.metrics.classes import classes_of
from diva.metrics.loss import discernibility
from diva.solve.alone import published
from diva.solve.anonymizers import anonymizer
from diva.solve.diva.algorithm import diva
from diva.solve.diva.rows import rows_of
from diva.solve.effort import Colouring, Search
from diva.solve.solver import solve

if TYPE_CHECKING:
    from diva.experiments.points import Run
    from diva.experiments.problems import Posed
    from diva.relation.engine import Fragments
    from diva.relation.types import Types


@dataclass(frozen=True, slots=True)
class Measured:
    """What came of a run."""

    outcome: str
    """`found`, `gave up`, `over budget` (of candidates), or `out of time`."""
    seconds: float
    """Processor time of the algorithm; on a machine with other work the clock measures that too."""
    wall_seconds: float
    stars: int | None = None
    discernibility: int | None = None
    groups: int | None = None
    lower_bound: float | None = None
    """No release of the problem that was posed has fewer stars; only the lattice search proves one."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A plan, and the bound where the solver proves one."""

    plan: Fragments
    lower_bound: float | None = None


def line_of(run: Run) -> Line:
    """Who solves a run: a line, or for a sampled release some strategy and some anonymizer."""
    if run.line in LINES:
        return LINES[run.line]
    number = _sample(run)
    return Line(
        solver="diva", strategy=PAPER[number % len(PAPER)], anonymizer=ANONYMIZERS[number % len(ANONYMIZERS)]
    )


def seed_of(run: Run) -> int:
    """A line's seed is the repetition; sampled releases have seeds of their own."""
    return run.repetition if run.line in LINES else SAMPLE_SEED * (1 + _sample(run)) + run.repetition


def measure(run: Run, posed: Posed, limit: float) -> Measured:
    """Solve and measure; after `limit` processor seconds a colouring gives up and the search returns the best it has."""
    line = line_of(run)
    algorithm = {"diva": _by_colouring, "lattice": _by_search}.get(line.solver, _alone)
    began, busy = time.perf_counter(), time.process_time()
    try:
        answer = algorithm(posed, line, seed_of(run), limit)
    except GaveUp as end:
        busy, wall = time.process_time() - busy, time.perf_counter() - began
        return Measured(_outcome(end, busy, limit), busy, wall)
    busy, wall = time.process_time() - busy, time.perf_counter() - began
    check(posed, answer.plan, diverse=line.diverse)
    classes = classes_of(as_published(posed.types, answer.plan))
    return Measured(
        "found", busy, wall, answer.plan.stars, discernibility(classes), len(classes), answer.lower_bound
    )


def _outcome(end: GaveUp, seconds: float, limit: float) -> str:
    if seconds >= limit:
        return "out of time"
    return "over budget" if isinstance(end, OverBudget) else "gave up"


def _by_colouring(posed: Posed, line: Line, seed: int, limit: float) -> Answer:
    end = time.process_time() + limit
    parts = take_apart(posed.sigma.constraints, posed.types.attributes)
    colouring = Colouring(strategy=line.strategy, anonymizer=line.anonymizer)
    return Answer(
        diva(
            rows_of(_problem(posed), posed.types, parts), colouring, seed, lambda: time.process_time() > end
        ).plan
    )


def _by_search(posed: Posed, _line: Line, seed: int, limit: float) -> Answer:
    found = solve(posed.types, posed.k, posed.sigma.constraints, Search(seed=seed, time_limit=limit))
    return Answer(found.plan, found.lower_bound)


def _alone(posed: Posed, line: Line, seed: int, _limit: float) -> Answer:
    return Answer(anonymizer(line.anonymizer)(_problem(posed), np.random.default_rng(seed)))


def _problem(posed: Posed) -> Problem:
    m = len(posed.types.attributes)
    return Problem(posed.types.codes, posed.types.counts, posed.k, np.ones(m), np.zeros(m, dtype=bool))


def _sample(run: Run) -> int:
    return int(run.line.removeprefix("sample "))


def check(posed: Posed, plan: Fragments, *, diverse: bool) -> None:
    """Refuse a plan that isn't k-anonymous, loses a record or breaks the Σ it was asked to satisfy."""
    flaws = _problem(posed).flaws(plan)
    for constraint in posed.sigma.constraints if diverse else ():
        if not constraint.admits(published(plan, posed.types, constraint)):
            flaws.append(f"{constraint.text} doesn't hold")
    if flaws:
        raise VerificationFailed(f"a solver broke its promise in an experiment: {'; '.join(flaws)}")


def as_published(types: Types, plan: Fragments) -> Types:
    """Tell the types of the release that a plan makes."""
    star = np.array([len(values) for values in types.values], dtype=types.codes.dtype)
    some = plan.count > 0
    codes = np.where(plan.levels[some] > 0, star, types.codes[plan.type[some]])
    return replace(
        types,
        values=tuple((*values, "*") for values in types.values),
        codes=codes,
        conditions=(),
        met=np.zeros((len(codes), 0), dtype=bool),
        counts=plan.count[some],
    )
