"""Relations whose counts of targets lie in given ranges: found, or shown not to exist, by an integer programme.

Which targets a relation has how often depends only on how many of its records have each signature. So the
relations sought are the whole-number solutions n_s ≥ 0, one for every realisable signature s, of

    low_X[t] ≤ Σ_{s ∋ X[t]} n_s ≤ high_X[t]            for every target X[t].

Targets in different components share no attribute, so a record of one goes with any record of another. Each
component then has signatures of its own, and only the number N of records must be the same in all. Where every
component has a signature without targets, the shorter ones are filled up with it, and each component is a
programme of its own. Where declared domains leave a component without it, Σ_s n_s = N ties them together.

In a smallest solution no record can be left out, so each carries a target whose count is exactly its lower
bound, and N ≤ Σ low. This makes every programme finite.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from diva.constraints.signatures import components, examples
from diva.programme import Programme, ProgrammeError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from diva.constraints.axioms import Range
    from diva.constraints.model import Target
    from diva.constraints.signatures import Domains

    Ranges = Mapping[Target, Range]
    Record = Mapping[str, str]
    Records = list[tuple[Record, int]]

SMALLEST_UP_TO = 400
"""Up to so many signatures the smallest relation is found; proving that with thousands can take HiGHS minutes."""


@dataclass(frozen=True, slots=True)
class Witness:
    """A relation over the attributes that the targets mention.

    No record of it can be left out, and with up to `SMALLEST_UP_TO` signatures it is a smallest one.
    """

    records: tuple[tuple[Record, int], ...]
    """Distinct records and how often each occurs. A value that no target mentions stands for any other."""

    @property
    def rows(self) -> int:
        """The number of records, repetitions counted."""
        return sum(times for _, times in self.records)

    def count(self, target: Target) -> int:
        """Return how many records carry the target."""
        return sum(times for record, times in self.records if target.items <= record.items())


@dataclass(frozen=True, slots=True)
class _Component:
    """Targets that share attributes, and their realisable signatures."""

    targets: list[Target]
    """The targets; bit i of a signature stands for the i-th."""
    records: dict[int, dict[str, str]]
    """Each realisable signature with a record that has it."""

    def fill_up(self, records: Records, rows: int) -> Records:
        """Return as many records as asked, adding some that carry no target; there is one unless none is missing."""
        missing = rows - sum(times for _, times in records)
        return [*records, (self.records[0], missing)] if missing else records


def find(ranges: Ranges, domains: Domains | None = None) -> Witness | None:
    """Return a relation with every target's count in its range, or None when there is none."""
    if any(delta.empty for delta in ranges.values()):
        return None
    parts = [_Component(targets, examples(targets, domains)) for targets in components(list(ranges))]
    separate = all(0 in part.records for part in parts)
    found: list[Records] = []
    for together in [[part] for part in parts] if separate else [parts]:
        solution = _solve(together, ranges)
        if solution is None:
            return None
        found += solution
    rows = max((sum(times for _, times in records) for records in found), default=0)
    joined = _join([part.fill_up(records, rows) for part, records in zip(parts, found, strict=True)])
    return _checked(_needed(joined, ranges), ranges)


def _solve(parts: Sequence[_Component], ranges: Ranges) -> list[Records] | None:
    """Return records for each component, equally many if there are several; or None when there are none."""
    largest = sum(ranges[target].low for part in parts for target in part.targets)
    if largest == 0:
        return [[] for _ in parts]
    cost = float(sum(len(part.records) for part in parts) <= SMALLEST_UP_TO)
    programme = Programme()
    total = programme.variable(0, largest, cost=cost) if len(parts) > 1 else None
    columns = []
    for part in parts:
        numbers = {s: programme.variable(0, largest, cost=cost * (total is None)) for s in part.records}
        if total is not None:
            programme.row([(total, -1), *((number, 1) for number in numbers.values())], 0, 0)
        for bit, target in enumerate(part.targets):
            carriers = [(number, 1) for signature, number in numbers.items() if signature >> bit & 1]
            _bound(programme, carriers, ranges[target])
        columns.append([(part.records[s], number) for s, number in numbers.items()])
    solution = programme.solve()
    if solution is None:
        return None
    return [[(record, int(solution[n])) for record, n in part if solution[n]] for part in columns]


def _bound(programme: Programme, carriers: Sequence[tuple[int, float]], delta: Range) -> None:
    if delta.high is None:
        programme.row(carriers, delta.low)
    else:
        programme.row(carriers, delta.low, delta.high)


def _join(parts: Sequence[Records]) -> Records:
    """Lay the components' records side by side, each part as many; any order will do, so runs stay together."""
    joined: Records = [({}, sum(times for _, times in parts[0]))] if parts and parts[0] else []
    for part in parts:
        left = list(reversed(joined))
        joined = []
        for record, wanted in part:
            missing = wanted
            while missing:
                start, available = left.pop()
                times = min(available, missing)
                joined.append(({**start, **record}, times))
                missing -= times
                if available > times:
                    left.append((start, available - times))
    return joined


def _needed(records: Records, ranges: Ranges) -> Witness:
    """Leave out records while every lower bound holds: one pass is enough, since counts only fall."""
    spare = {target: Witness(tuple(records)).count(target) - delta.low for target, delta in ranges.items()}
    kept: Records = []
    for record, times in records:
        carried = [target for target in ranges if target.items <= record.items()]
        surplus = min([times, *(spare[target] for target in carried)])
        for target in carried:
            spare[target] -= surplus
        if times > surplus:
            kept.append((record, times - surplus))
    return Witness(tuple(kept))


def _checked(witness: Witness, ranges: Ranges) -> Witness:
    """Return the witness after counting it anew, so that no wrong answer leaves the solver."""
    for target, delta in ranges.items():
        if witness.count(target) not in delta:
            raise ProgrammeError(f"the witness breaks the bounds of {target.text}")
    return witness
