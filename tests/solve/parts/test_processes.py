"""Worker processes: the same answers whatever their number, one sentence when one dies, and none outlives the run."""

import os
import pickle
import signal
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from diva.errors import GaveUp, Unsatisfiable
from diva.solve.effort import Search
from diva.solve.parts import processes
from diva.solve.parts.part import Part
from diva.solve.parts.processes import Processes
from diva.solve.solver import solve
from tests.solve.parts.tables import flaws, sigma, table

WORKER = "diva.solve.parts.worker"


def part(seed: int = 0, **search) -> Part:
    types = table(seed, records=2_000, values=(6, 9, 4))
    return Part(types, **{"k": 5, "constraints": (), "effort": "quick", "seed": 0} | search)


def workers_of(pid: int) -> list[int]:
    """The worker processes that a process has started and that are still there."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if (
                WORKER in (entry / "cmdline").read_text()
                and f"\nPPid:\t{pid}\n" in (entry / "status").read_text()
            ):
                found.append(int(entry.name))
        except (OSError, ValueError):
            continue
    return found


@pytest.mark.parametrize("constrained", [False, True])
def test_the_plan_is_the_same_for_any_number_of_workers(constrained):
    types = table(1, records=3_000, values=(6, 9, 4, 8))
    constraints = tuple(c for c in sigma(types, 8, many=3) if c.low == 0) if constrained else ()
    one, two = (solve(types, 7, constraints, Search(parts=4, workers=w)) for w in (1, 2))
    assert flaws(types, 7, constraints, two.plan) == []
    assert np.array_equal(one.plan.type, two.plan.type)
    assert np.array_equal(one.plan.levels, two.plan.levels)
    assert np.array_equal(one.plan.count, two.plan.count)


def test_what_goes_wrong_in_a_worker_is_raised_here():
    with pytest.raises(Unsatisfiable, match="the table has 2000") as raised:
        Processes(workers=2)([part(), part(1, k=10**6)])
    assert raised.value.decision.rows == 2_000


def test_parts_and_answers_can_be_sent():
    again = pickle.loads(pickle.dumps(part()))
    assert np.array_equal(again.types.codes, part().types.codes)


def test_progress_tells_how_many_parts_are_done():
    for workers in (1, 2):
        told: list[int] = []
        Processes(workers=workers, told=told.append)([part(i) for i in range(3)])
        assert sorted(told) == [1, 2, 3]


def test_stopping_reaches_the_workers():
    """Without it, each part would search for five minutes."""
    parts = [part(i, effort="best", time_limit=300.0) for i in range(2)]
    assert len(Processes(workers=2, stop=lambda: True)(parts)) == 2


@pytest.mark.skipif(not Path("/proc").exists(), reason="needs /proc to find processes")
def test_a_worker_that_is_killed_ends_the_search_with_a_sentence():
    parts = [part(i, effort="best", time_limit=300.0) for i in range(2)]

    def kill() -> bool:
        for worker in workers_of(os.getpid()):
            os.kill(worker, signal.SIGKILL)
        return False

    with pytest.raises(GaveUp, match="a worker process was killed by signal 9"):
        Processes(workers=2, stop=kill)(parts)
    assert workers_of(os.getpid()) == []


@pytest.mark.skipif(not Path("/proc").exists(), reason="needs /proc to find processes")
@pytest.mark.parametrize(
    ("number", "effort", "code"),
    [
        (signal.SIGINT, "standard", 130),
        (signal.SIGINT, "best", 0),
        (signal.SIGTERM, "best", 130),
        (signal.SIGKILL, "best", -9),
    ],
)
def test_no_worker_outlives_the_command(number, effort, code, tmp_path):
    source, target = tmp_path / "people.csv", tmp_path / "release.csv"
    random = np.random.default_rng(0)
    lines = [",".join(map(str, row)) for row in random.integers(0, 9, size=(5_000, 5)).tolist()]
    source.write_text("\n".join(["A,B,C,D,E", *lines]) + "\n")
    target.write_text("what was there\n")
    words = ["anonymize", str(source), "-o", str(target), "--qi", "A,B,C,D,E", "--k", "9"]
    words += ["--parts", "4", "--workers", "2", "--effort", effort, "--time-limit", "300"]
    command = subprocess.Popen(
        [sys.executable, "-m", "diva", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    seen: list[int] = []
    while len(seen) < 2 and command.poll() is None:
        seen = workers_of(command.pid)
    assert len(seen) == 2
    command.send_signal(number)
    _, said = command.communicate()
    assert command.returncode == code
    if code == 130:
        assert said.strip().splitlines()[-1].startswith("diva: interrupted")
    assert (target.read_text() == "what was there\n") == (code != 0)
    gone = threading.Event()
    for _ in range(600):
        if not any(Path(f"/proc/{worker}").exists() and _alive(worker) for worker in seen):
            gone.set()
            break
        gone.wait(0.1)
    assert gone.is_set()


def _alive(pid: int) -> bool:
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False


def test_a_killed_worker_leaves_the_target_alone(tmp_path, monkeypatch):
    import diva

    source, target = tmp_path / "people.csv", tmp_path / "release.csv"
    rows = np.random.default_rng(0).integers(0, 9, size=(2_000, 4)).tolist()
    source.write_text("\n".join(["A,B,C,D", *(",".join(map(str, row)) for row in rows)]) + "\n")
    target.write_text("what was there\n")

    def started(crew) -> None:
        original(crew)
        crew._processes[-1].kill()

    original = processes._Crew._start
    monkeypatch.setattr(processes._Crew, "_start", started)
    with pytest.raises(GaveUp, match="use more --parts or fewer --workers"):
        diva.anonymize(source, qi=["A", "B", "C", "D"], k=9, parts=3, workers=2, output=target)
    assert target.read_text() == "what was there\n"
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []
