"""The end of the walk: the release is produced, verified, and only then handed over."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from diva.constraints.model import Target
from diva.manifest import manifest
from diva.metrics import Survival, classes_of, survival
from diva.release import Published, Release
from diva.verify import Verification, Witness, verify

if TYPE_CHECKING:
    from collections.abc import Mapping

    from diva.job import Job
    from diva.progress import Watch
    from diva.relation.engine import Destination, Recoding, Table
    from diva.relation.roles import Roles
    from diva.relation.types import Types
    from diva.solve.solver import Solution


_ROUNDING = 1e-9
"""Sums of the same weights in another order differ by less than this share."""


@dataclass(frozen=True)
class Publisher:
    """Knows what was asked and what was found, and turns a recoding into a verified release."""

    job: Job
    table: Table
    roles: Roles
    types: Types
    solution: Solution
    watch: Watch

    def publish(self, recoding: Recoding, destination: Destination | None) -> Release:
        """Produce the release, verify it, and put it in its place; without one the release holds its rows."""
        if destination is not None:
            return self._to(destination, recoding)
        with self.watch.work("write", "recoding"):
            rows = recoding.materialise()
        return self._release(self._verify(rows), rows)

    def _to(self, destination: Destination, recoding: Recoding) -> Release:
        with destination.staged() as staging:
            with self.watch.work("write", "recoding and writing"):
                rows = staging.produce(recoding)
            release = self._release(self._verify(rows), None)
            staging.attach(manifest(self.job, release, self.table.identity(), staging.identity()))
        self.watch.observer.published(destination.name)
        return release

    def _vouch(self, release: Release, rows: Table, written: Mapping[str, Any]) -> str:
        self._verify(rows)
        return manifest(self.job, release, self.table.identity(), written)

    def _verify(self, rows: Table) -> Verification:
        with self.watch.work("verify", "verifying"):
            found = verify(
                rows,
                quasi=self.roles.quasi,
                k=self.job.k,
                constraints=self.job.constraints,
                star=self.job.cell,
                original=self.table,
                identifying=self.roles.identifying,
                published_columns=self.roles.published,
                order=self.job.order,
                witness=Witness(self.types, self.solution.plan),
            )
            found.require()
        return found

    def _release(self, found: Verification, rows: Table | None) -> Release:
        cost = self._cost(found)
        bound = self.solution.lower_bound
        if abs(cost - bound) <= _ROUNDING * cost:
            bound = cost
        seconds = self.watch.total()
        solving = seconds.pop("solve")
        seconds["search"] = solving - self.solution.bound_seconds
        seconds["bound"] = self.solution.bound_seconds
        relevant = self.table.counts([c.target for c in self.job.constraints])
        return Release(
            rows=found.rows,
            cells=found.cells,
            types=self.types.distinct_quasi(),
            groups=found.groups,
            stars=found.stars,
            k=self.job.k,
            k_achieved=found.k_achieved,
            lower_bound=bound,
            bound_without_constraints=self.solution.bound_without,
            gap=max(0.0, (cost - bound) / cost) if cost else 0.0,
            cost=cost,
            solver=self.job.solver,
            seed=self.job.seed,
            dropped_columns=(*self.roles.identifying, *self.roles.dropped),
            constraints=tuple(
                Published(constraint, before, count, satisfied, price)
                for before, (constraint, count, satisfied), price in zip(
                    relevant, found.constraints, self.solution.prices, strict=True
                )
            ),
            seconds=seconds,
            warnings=(*self.solution.warnings, *self._disappeared(found)),
            table=rows,
            sources=self.table.paths,
            vouch=self._vouch,
        )

    def _disappeared(self, found: Verification) -> tuple[str, ...]:
        """Sentences about values that enough people share and nobody is published with, though Σ doesn't ask for that.

        For each column the largest.
        """
        lost: dict[str, list[Survival]] = {}
        unwanted = {c.target for c in self.job.constraints if c.high is not None and c.high < self.job.k}
        for value in survival(self.types, classes_of(found.types, star=self.job.cell)):
            if value.published or value.value is None or value.before < self.job.k:
                continue
            if Target((value.attribute,), (value.value,)) not in unwanted:
                lost.setdefault(value.attribute, []).append(value)
        return tuple(
            _sentence(max(values, key=lambda v: v.before), len(values) - 1, self.job.k)
            for values in lost.values()
        )

    def _cost(self, found: Verification) -> float:
        if not self.job.weights:
            return float(found.stars)
        starred = (self.solution.plan.levels > 0).T @ self.solution.plan.count
        weights = [self.job.weights.get(a, 1.0) for a in self.roles.quasi]
        return float(sum(w * n for w, n in zip(weights, starred.tolist(), strict=True)))


def _sentence(lost: Survival, others: int, k: int) -> str:
    more = (
        f", nor with {others} other {'value' if others == 1 else 'values'} of this column" if others else ""
    )
    target = Target((lost.attribute,), (str(lost.value),)).text
    carriers = "1 record carries" if lost.before == 1 else f"{lost.before:,} records carry"
    return (
        f"nobody is published with {target}, which {carriers}{more};"
        f' a constraint such as -c "{target} in {k}.." keeps them'
    )
