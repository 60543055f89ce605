"""Tiny instances with Σ, made to be hard: what the public interface answers is held against brute force.

Tests and `benchmarks/optimal_small.py` share this.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

import diva
from diva.progress import Observer
from tests.oracles.published import flaws
from tests.oracles.release import Instance, Sigma, fewest_stars, releases

if TYPE_CHECKING:
    from collections.abc import Mapping

SLACK = 1e-6
EFFORTS = ("quick", "standard", "best")


@dataclass(frozen=True)
class Case:
    """An instance and what stars cost in its columns."""

    instance: Instance
    weights: Mapping[str, float]

    @property
    def frame(self) -> pl.DataFrame:
        columns = dict.fromkeys(self.instance.columns, pl.String)
        return pl.DataFrame(list(self.instance.rows), schema=columns, orient="row")

    @property
    def options(self) -> dict[str, Any]:
        """What `diva.anonymize` is asked."""
        columns, width = self.instance.columns, self.instance.width
        sigma = [
            diva.Constraint(diva.Target(tuple(t), tuple(t.values())), low, high)
            for t, low, high in self.instance.sigma
        ]
        return {
            "qi": columns[:width],
            "sensitive": columns[width:],
            "k": self.instance.k,
            "constraints": sigma,
            "weights": self.weights,
        }


def small_case(seed: int, *, diverse: bool) -> Case:
    """NULLs, repeated rows, weights; Σ with multi-attribute, overlapping and sensitive targets and bands of every kind."""
    rng = np.random.default_rng([seed, 20261119])
    width = int(rng.integers(1, 4))
    n = int(rng.integers(1, {1: 13, 2: 7, 3: 4}[width] + 1))
    columns = (*"ABC"[:width], "S")
    values = np.array(["a", "b", None, "c"], dtype=object)
    spread = int(rng.integers(1, 5))
    rows = tuple(tuple(values[rng.integers(0, spread, len(columns))]) for _ in range(n))
    k = int(rng.integers(1, 5))
    sigma: Sigma = []
    for _ in range(int(rng.integers(1, 5)) if diverse else 0):
        attributes = rng.choice(columns, size=int(rng.integers(1, min(3, len(columns)) + 1)), replace=False)
        row = rows[int(rng.integers(n))]
        target = {str(a): row[columns.index(a)] or str(rng.choice(["a", "b", "z"])) for a in attributes}
        relevant = sum(all(r[columns.index(a)] == v for a, v in target.items()) for r in rows)
        sigma.append((target, *_band(rng, relevant, k)))
    return Case(Instance(columns, width, rows, k, sigma), _weights(rng, columns[:width]))


def _band(rng: np.random.Generator, relevant: int, k: int) -> tuple[int, int | None]:
    """Suppress some, save some, all, none, exactly so many, a band of width one, λl < k, λr < k, no upper bound."""
    count = int(rng.integers(0, relevant + 1))
    bands: list[tuple[int, int | None]] = [
        (0, count),
        (count, None),
        (relevant, relevant),
        (0, 0),
        (count, count),
        (count, count + 1),
        (1, None),
        (0, max(0, k - 1)),
        (min(k, relevant), max(k, count)),
    ]
    return bands[int(rng.integers(len(bands)))]


def _weights(rng: np.random.Generator, quasi: tuple[str, ...]) -> dict[str, float]:
    kind = rng.random()
    if kind < 0.5:
        return {}
    if kind < 0.75:
        return {a: float(rng.integers(0, 4)) for a in quasi}
    return {a: round(float(rng.random()), 2) for a in quasi}


@dataclass(frozen=True)
class Verdict:
    """What was wrong, and what plans cost: by brute force, and at `standard`."""

    faults: tuple[str, ...]
    optimum: float | None
    standard: float = 0.0


class Impatient(Observer):
    """Asks the search to stop after so many questions."""

    def __init__(self, patience: int) -> None:
        self.patience = patience

    def stopping(self) -> bool:
        self.patience -= 1
        return self.patience < 0


def judge(case: Case, *, efforts: tuple[str, ...] = EFFORTS, impatience: tuple[int, ...] = ()) -> Verdict:
    """Ask at every effort, and some more times with a search that is stopped early."""
    least = fewest_stars(releases(case.instance, case.weights), case.instance)
    faults: list[str] = []
    standard = 0.0
    asked = [(effort, None) for effort in efforts] + [("best", patience) for patience in impatience]
    for effort, patience in asked:
        label = effort if patience is None else f"{effort}, stopped after {patience}"
        try:
            observer = None if patience is None else Impatient(patience)
            release = diva.anonymize(
                case.frame, **case.options, effort=effort, order="keep", observer=observer
            )
        except diva.Unsatisfiable:
            faults += [] if least is None else [f"{label}: called unsatisfiable, {least} is possible"]
            continue
        except diva.BadInput as error:
            if len(case.instance.rows) >= case.instance.k or case.instance.sigma:
                faults.append(f"{label}: {error}")
            continue
        if least is None:
            faults.append(f"{label}: a release where there is none")
            continue
        faults += [f"{label}: {fault}" for fault in _faults(case, release, least)]
        if effort == "best" and patience is None:
            faults += [f"{label}: {fault}" for fault in _shortfalls(release, least)]
        if effort == "standard":
            standard = release.cost
    return Verdict(tuple(faults), least, standard)


def _faults(case: Case, release: diva.Release, least: float) -> list[str]:
    """What no release may get wrong, however short the search."""
    found = flaws(case.instance, release.to_polars().rows())
    if release.cost < least - SLACK:
        found.append(f"costs {release.cost}, below the optimum {least}")
    if release.lower_bound > least + SLACK:
        found.append(f"bound {release.lower_bound} above the optimum {least}")
    if not release.gap and release.cost > least + SLACK:
        found.append(f"{release.cost} called optimal, {least} is")
    return found


def _shortfalls(release: diva.Release, least: float) -> list[str]:
    """What `best` promises for small tables."""
    if release.cost > least + SLACK:
        return [f"{release.cost} instead of {least}"]
    return [f"bound {release.lower_bound} doesn't prove {release.cost} optimal"] if release.gap else []
