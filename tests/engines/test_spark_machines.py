"""Parts of the search on Spark's executors: the same release as from processes here, whatever ends or is missing there."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from diva.errors import BadInput
from diva.relation.engine import Absent
from diva.solve.parts.machines import OnMachines
from diva.solve.parts.processes import Processes
from tests.cli.shell import COMMAND
from tests.engines.harness import reference
from tests.engines.spark import Cluster, local_session, reason_without_spark
from tests.engines.test_spark_processes import names, published_rows
from tests.solve.parts.test_machines import alike, parts

REASON = reason_without_spark()
pytestmark = pytest.mark.skipif(REASON is not None, reason=str(REASON))
OPTIONS: dict[str, Any] = {"qi": ("A", "B", "C", "D"), "keep": ("own",), "k": 5, "parts": 4}
RUN = (
    "anonymize", "in.parquet", "-o", "out.parquet", "--qi", "A,B,C,D", "--keep", "own", "--k", "5", "--parts", "4",
    "--engine", "spark", "--memory-limit", "512MiB",
)  # fmt: skip
_EVAL = "builtins:eval"
_LOOK_SECONDS = 0.05


def executors() -> Any:
    """The executors of the session that all tests share, which are this machine's."""
    from diva.relation.spark_machines import SparkMachines

    return SparkMachines(local_session())


def test_executors_solve_parts_as_processes_here_do() -> None:
    told: list[tuple[int, int]] = []
    solver = OnMachines(executors(), told=lambda *done: told.append(done))
    assert alike(solver(parts()), Processes(workers=1)(parts()))
    assert solver.warnings == []
    assert told == [(1, 3), (2, 3), (3, 3)]


@pytest.mark.parametrize("at_once", [1, None])
def test_answers_come_with_their_numbers(at_once: int | None) -> None:
    asked = [b"b'a'", b"b'b' * 3_000_000", b"b'c'"]
    with closing(executors().calls(_EVAL, asked, at_once=at_once)) as calls:
        assert dict(calls) == {0: b"a", 1: b"b" * 3_000_000, 2: b"c"}


def test_what_isnt_there_is_told() -> None:
    ((_, answer),) = executors().calls("diva.nowhere:answer", [b""])
    assert answer == Absent("ModuleNotFoundError: No module named 'diva.nowhere'")


def test_a_python_process_that_dies_ends_in_a_sentence() -> None:
    with pytest.raises(
        BadInput, match="ended while it worked on the parts of the search, perhaps for want of memory"
    ):
        list(executors().calls(_EVAL, [b"__import__('os')._exit(3)"]))
    assert not local_session().sparkContext.statusTracker().getActiveJobsIds()


def test_a_stop_gives_up_what_isnt_done() -> None:
    asked = [b"b'a'", b"__import__('time').sleep(300)"]
    seen: list[int] = []
    for number, _ in executors().calls(_EVAL, asked, at_once=1, stop=lambda: bool(seen)):
        seen.append(number)
    assert seen == [0]
    assert not local_session().sparkContext.statusTracker().getActiveJobsIds()


def test_an_interruption_gives_up_everything() -> None:
    def interrupted() -> bool:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        next(executors().calls(_EVAL, [b"__import__('time').sleep(300)"], stop=interrupted))
    assert not local_session().sparkContext.statusTracker().getActiveJobsIds()


def test_in_local_mode_there_are_no_other_machines() -> None:
    from diva.relation.spark import from_frame

    assert from_frame(local_session().range(3)).machines() is None


def table() -> pl.DataFrame:
    codes = np.minimum(np.random.default_rng(2).geometric(0.3, size=(5_000, 4)), 9)
    columns = {name: [f"{name}{code}" for code in codes[:, i]] for i, name in enumerate("ABCD")}
    return pl.DataFrame(columns | {"own": [str(i % 7) for i in range(len(codes))]})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    table().write_parquet(tmp_path / "in.parquet")
    return tmp_path


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with Cluster(tmp_path_factory.mktemp("cluster")) as running:
        yield running


def started(folder: Path, cluster: Cluster, *words: str, **environment: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*COMMAND, *RUN, "--master", cluster.master, *words],
        cwd=folder, env=os.environ | environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def warnings(error: str) -> list[str]:
    """The warnings about where parts were solved; stderr has sentences of ours only."""
    assert all(line.startswith("diva: warning: ") for line in error.splitlines()), error
    return [line for line in error.splitlines() if "nobody is published with" not in line]


def test_a_cluster_searches_in_parts_as_this_machine_does(cluster: Cluster, folder: Path) -> None:
    process = started(folder, cluster, "--effort", "quick")
    _, error = process.communicate(timeout=600)
    assert process.returncode == 0, error
    assert warnings(error) == []
    assert published_rows(folder) == reference(table(), effort="quick", **OPTIONS)


def test_executors_without_python_are_told_and_done_without(cluster: Cluster, folder: Path) -> None:
    process = started(folder, cluster, "--effort", "quick", PYSPARK_PYTHON="/nowhere/python")
    _, error = process.communicate(timeout=600)
    assert process.returncode == 0, error
    (warning,) = warnings(error)
    assert "parts of the search were solved on this machine, for Spark's executors can't" in warning
    assert "PYSPARK_PYTHON" in warning
    assert published_rows(folder) == reference(table(), effort="quick", **OPTIONS)


def searching(cluster: Cluster, process: subprocess.Popen[str]) -> bool:
    """Wait until an executor's Python works, or the command has ended."""
    while process.poll() is None:
        if any(
            is_python(cluster, int(entry.name)) for entry in Path("/proc").iterdir() if entry.name.isdigit()
        ):
            return True
        with suppress(subprocess.TimeoutExpired):
            process.wait(_LOOK_SECONDS)
    return False


def is_python(cluster: Cluster, process: int) -> bool:
    """Whether it is a Python of an executor of the cluster, by where it works."""
    try:
        home = (Path("/proc") / str(process) / "cwd").readlink()
        return (
            home.is_relative_to(cluster.folder)
            and b"pyspark.daemon" in Path(f"/proc/{process}/cmdline").read_bytes()
        )
    except OSError:
        return False


def test_an_executor_that_is_killed_while_it_searches_changes_nothing(cluster: Cluster, folder: Path) -> None:
    process = started(folder, cluster, "--effort", "best", "--time-limit", "8")
    assert searching(cluster, process)
    cluster.kill_a_worker()
    _, error = process.communicate(timeout=600)
    cluster.add_worker(3)
    assert process.returncode == 0, error
    assert warnings(error) == []
    assert names(folder) == ["in.parquet", "out.parquet", "out.parquet.diva.json"]


def test_the_first_interruption_ends_the_search_there_too(cluster: Cluster, folder: Path) -> None:
    """Without it, the parts would search for five minutes."""
    process = started(folder, cluster, "--effort", "best", "--time-limit", "600")
    assert searching(cluster, process)
    process.send_signal(signal.SIGINT)
    _, error = process.communicate(timeout=600)
    assert process.returncode == 0, error
    assert "stopping the search" in error
    assert names(folder) == ["in.parquet", "out.parquet", "out.parquet.diva.json"]
