"""Spark as a user meets it: the command in a process of its own, on a real cluster, and with things going wrong."""

from __future__ import annotations

import json
import logging
import random
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import polars as pl
import pytest

from diva.relation.duck import open_table
from tests.cli.shell import COMMAND, Ended, diva
from tests.engines.harness import Row, reference, texts
from tests.engines.spark import Cluster, free_port, reason_without_spark

REASON = reason_without_spark()
RUN = (
    "anonymize",
    "in.parquet",
    "-o",
    "out.parquet",
    "--qi",
    "A,B",
    "--keep",
    "own",
    "--k",
    "5",
    "--effort",
    "quick",
    "--engine",
    "spark",
)
OPTIONS = {"qi": ("A", "B"), "keep": ("own",), "k": 5, "effort": "quick"}
_LOOK_SECONDS = 0.05
needs_spark = pytest.mark.skipif(REASON is not None, reason=str(REASON))


def table(rows: int = 6_000) -> pl.DataFrame:
    rng = random.Random(4)
    return pl.DataFrame(
        {
            "A": [f"a{int(rng.expovariate(0.1))}" for _ in range(rows)],
            "B": [f"b{rng.randrange(9)}" for _ in range(rows)],
            "own": [f"{rng.random():.9f}" for _ in range(rows)],
        }
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    table().write_parquet(tmp_path / "in.parquet", row_group_size=1_000)
    return tmp_path


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with Cluster(tmp_path_factory.mktemp("cluster")) as running:
        yield running


def nothing_but_warnings(error: str) -> bool:
    """Whether stderr has sentences of ours only: no log of Spark's, no traceback."""
    return all(line.startswith("diva: warning: nobody is published with ") for line in error.splitlines())


def names(folder: Path) -> list[str]:
    return sorted(p.name for p in folder.iterdir())


def is_complete(folder: Path) -> bool:
    """Whether the release is there with its manifest, and holds what the embedded engine publishes."""
    manifest = json.loads((folder / "out.parquet.diva.json").read_text(encoding="utf-8"))
    assert manifest["output"]["path"] == "out.parquet"
    complete = names(folder) == ["in.parquet", "out.parquet", "out.parquet.diva.json"]
    return complete and published_rows(folder) == reference(table(), **OPTIONS)


def published_rows(folder: Path) -> list[Row]:
    """The rows of the release."""
    return texts(open_table(f"{folder}/out.parquet/*.parquet"))


def started(folder: Path, *more: str) -> subprocess.Popen[str]:
    """Start the command; return when it has begun to write, or has ended."""
    process = subprocess.Popen(
        [*COMMAND, *RUN, *more], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    while not any(n.endswith(".diva-partial") for n in names(folder)):
        with suppress(subprocess.TimeoutExpired):  # looking all the time would take a core from Spark
            process.wait(_LOOK_SECONDS)
            break
    return process


@needs_spark
def test_a_cluster_publishes_what_the_embedded_engine_does(cluster: Cluster, folder: Path) -> None:
    words = (*RUN, "--master", cluster.master, "--memory-limit", "512MiB")
    ended = subprocess.run(
        [*COMMAND, *words], cwd=folder, capture_output=True, text=True, check=False, timeout=600
    )
    assert ended.returncode == 0, ended.stderr
    assert nothing_but_warnings(ended.stderr)
    assert is_complete(folder)


@needs_spark
def test_a_worker_that_is_killed_changes_nothing(cluster: Cluster, folder: Path) -> None:
    process = started(folder, "--master", cluster.master, "--memory-limit", "512MiB")
    cluster.kill_a_worker()
    _, error = process.communicate(timeout=600)
    cluster.add_worker(3)
    assert process.returncode == 0, error
    assert nothing_but_warnings(error)
    assert is_complete(folder)


@needs_spark
def test_interrupted_while_writing(folder: Path) -> None:
    process = started(folder, "--master", "local[2]")
    process.send_signal(signal.SIGINT)
    _, error = process.communicate(timeout=600)
    assert process.returncode == 130, error
    assert error.splitlines() == ["diva: interrupted; no file or table was written or changed"]
    assert names(folder) == ["in.parquet"]


@needs_spark
def test_full_disk(folder: Path) -> None:
    def small() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (30_000, 30_000))

    ended = subprocess.run(
        [*COMMAND, *RUN, "--master", "local[2]"],
        cwd=folder, capture_output=True, text=True, preexec_fn=small, check=False, timeout=600,
    )  # fmt: skip
    assert ended.returncode == 2, ended.stderr
    assert ended.stderr.splitlines()[0].startswith("diva: no space left while writing"), ended.stderr
    assert len(ended.stderr.splitlines()) == 1
    assert "out.parquet" not in names(folder)


def refused(folder: Path, *words: str, **environment: str) -> str:
    ended: Ended = diva(*RUN, *words, folder=folder, **environment)
    assert ended.code == 2, ended.err
    assert ended.err.count("\n") == 1, ended.err
    assert names(folder) == ["in.parquet"]
    return ended.err


@needs_spark
def test_a_master_that_isnt_there(folder: Path) -> None:
    nowhere = f"spark://127.0.0.1:{free_port()}"
    error = refused(folder, "--master", nowhere)
    assert (
        error
        == f"diva: can't reach the Spark master at {nowhere}: connection refused; is it running there?\n"
    )
    assert "neither local[*], local[N] nor spark://HOST:PORT" in refused(folder, "--master", "mesos://x")


def test_without_java_or_pyspark_a_sentence_says_what_to_install(folder: Path) -> None:
    if REASON is None:
        bare = f"{Path(sys.executable).parent}"
        error = refused(folder, PATH=bare, JAVA_HOME="")
        assert error.startswith("diva: Spark needs Java 17 or newer, and none was found; install one")
    hidden = "import sys; sys.modules['pyspark'] = None; from diva.cli import main; main()"
    ended = subprocess.run(
        [sys.executable, "-c", hidden, *RUN], cwd=folder, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 2
    assert ended.stderr.startswith("diva: Spark needs a package that is not installed")
    assert "pip install 'diva-anonymizer[spark]'" in ended.stderr


@needs_spark
def test_what_spark_says_of_an_interruption_isnt_passed_on(caplog: pytest.LogCaptureFixture) -> None:
    """Seen once: its connections are closed in the middle of a command, and py4j told that with a traceback."""
    from diva.relation import spark_session

    spark_session._quieten()
    logging.getLogger("py4j.clientserver").error("Exception occurred while shutting down connection")
    logging.getLogger("py4j.clientserver").error("something else")
    logging.getLogger().error("KeyboardInterrupt while sending command.")
    assert [record.message for record in caplog.records] == ["something else"]
