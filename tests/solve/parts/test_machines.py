"""Parts on the machines of an engine: the same answers as here, and what they can't solve is solved here, with a warning."""

import pickle
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pytest

from diva.errors import BadInput, Unsatisfiable
from diva.relation.engine import Absent
from diva.solve.effort import Search
from diva.solve.parts import machines
from diva.solve.parts.machines import OnMachines, answer
from diva.solve.parts.part import Part
from diva.solve.parts.processes import Processes
from diva.solve.solver import solve
from tests.solve.parts.tables import table


@dataclass
class Here:
    """Machines that are this process, and can be made to fail."""

    name: str = "the machines of this test"
    answers: list[bytes | Absent | Exception] = field(default_factory=list)
    """What they answer first, instead."""
    asked: list[tuple[int, int | None]] = field(default_factory=list)
    """How long each argument was, and at_once."""

    def calls(
        self, function: str, arguments: Sequence[bytes], *, at_once: int | None = None, stop=None
    ) -> Iterator[tuple[int, bytes | Absent]]:
        assert function == "diva.solve.parts.machines:answer"
        for number in reversed(range(len(arguments))):
            if stop is not None and stop():
                return
            self.asked.append((len(arguments[number]), at_once))
            instead = self.answers.pop(0) if self.answers else None
            if isinstance(instead, Exception):
                raise instead
            yield number, instead or answer(arguments[number])


def parts(**search) -> list[Part]:
    tables = [table(seed, records=600 * (1 + seed), values=(6, 9, 4)) for seed in range(3)]
    return [Part(t, **{"k": 5, "constraints": (), "effort": "quick", "seed": 0} | search) for t in tables]


def alike(found, expected) -> bool:
    return all(
        np.array_equal(getattr(a.plan, name), getattr(b.plan, name))
        for a, b in zip(found, expected, strict=True)
        for name in ("type", "levels", "count")
    )


def test_parts_go_out_the_heaviest_first_and_come_back_in_their_order():
    there, told = Here(), []
    solver = OnMachines(there, workers=7, told=lambda *done: told.append(done))
    assert alike(solver(parts()), Processes(workers=1)(parts()))
    sizes = [size for size, _ in there.asked[1:]]
    assert sizes == sorted(sizes), "these machines take the last first"
    assert [at_once for _, at_once in there.asked[1:]] == [7] * 3
    assert told == [(1, 3), (2, 3), (3, 3)]
    assert solver.warnings == []


def test_a_search_in_parts_is_the_same_there_as_here():
    types = table(5, records=5_000, values=(6, 9, 4, 12, 3))
    there = solve(types, 10, (), Search(parts=4, effort="quick", elsewhere=OnMachines(Here())))
    here = solve(types, 10, (), Search(parts=4, effort="quick", workers=1))
    assert alike([there], [here])


@pytest.mark.parametrize(
    ("instead", "sentence"),
    [
        (Absent("ModuleNotFoundError: No module named 'numba'"), "No module named 'numba'"),
        (pickle.dumps(machines.Other("they have numpy 1.0")), "they have numpy 1.0"),
        (BadInput("they can't start Python"), "they can't start Python"),
    ],
)
@pytest.mark.parametrize("when", [0, 2], ids=["asked", "one of them"])
def test_what_machines_can_not_solve_is_solved_here_with_a_warning(instead, sentence, when):
    there, told = Here(answers=[None] * when + [instead]), []
    solver = OnMachines(there, told=lambda *done: told.append(done))
    if when and isinstance(instead, BadInput):
        with pytest.raises(BadInput, match="Python"):
            solver(parts())
        return
    assert alike(solver(parts()), Processes(workers=1)(parts()))
    assert len(there.asked) == (4 if when else 1)
    assert told[-1] == (3, 3)
    (warning,) = solver.warnings
    assert warning.startswith(
        "parts of the search were solved on this machine, for the machines of this test can't: "
    )
    assert warning.endswith(sentence)
    solver(parts())
    assert len(there.asked) == (4 if when else 1), "they aren't asked again"


def test_another_build_is_noticed_there(monkeypatch):
    ours = machines.build()
    for name, told in (
        ("numpy", "numpy 0.1"),
        ("files of diva", "other files of diva"),
        ("Python", "Python 0.1"),
    ):
        monkeypatch.setattr(machines, "build", lambda name=name: ours | {name: "0.1"})
        message = machines._message(None)
        monkeypatch.setattr(machines, "build", lambda: ours)
        other = pickle.loads(answer(message))
        assert isinstance(other, machines.Other)
        assert told in other.reason


def test_what_goes_wrong_there_is_raised_here():
    wrong = [*parts(), replace(parts()[0], k=10**6)]
    with pytest.raises(Unsatisfiable, match="the table has"):
        OnMachines(Here())(wrong)


def test_after_a_stop_the_rest_is_solved_here_at_once():
    """Without it, each part would search for five minutes."""
    there, done = Here(), []
    quick, *slow = parts(effort="best", time_limit=300.0)
    small = replace(quick, effort="quick", types=table(9, records=9_000, values=(6, 9, 4, 9)))
    solver = OnMachines(there, workers=1, stop=lambda: len(done) > 0, told=lambda *n: done.append(n))
    # The last is asked first, so the lightest would be; it is the one that ends by itself.
    assert len(solver([*slow, replace(small, types=table(1, records=9, values=(2, 2)))])) == 3
    assert len(there.asked) == 2
    assert done[-1] == (3, 3)


def test_one_part_is_solved_here():
    there = Here()
    OnMachines(there)(parts()[:1])
    assert there.asked == []
