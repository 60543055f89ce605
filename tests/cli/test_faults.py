"""What can go wrong from outside while a run goes on: interruption, a full disk, a reader that goes away, a kill."""

from __future__ import annotations

import json
import os
import random
import resource
import signal
import subprocess
import time
from pathlib import Path

import duckdb
import pytest

from tests.cli.shell import COLUMNS, COMMAND, PATIENTS, diva, snapshot

RUN = ["anonymize", "patients.csv", "-o", "out.csv", *COLUMNS, "--k", "2"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "patients.csv").write_text(PATIENTS, encoding="utf-8")
    return tmp_path


def large(folder: Path, rows: int) -> list[str]:
    """A table that takes a while, and the command that anonymises it."""
    duckdb.execute(
        f"COPY (SELECT i % 7 AS a, i % 1000 AS b, i % 13 AS c, i AS d FROM range({rows}) t(i)) TO '{folder / 'large.csv'}' (HEADER)"
    )
    return ["anonymize", "large.csv", "-o", "out.csv", "--qi", "a,b", "--keep", "c,d", "--k", "2"]


def test_interrupted(folder: Path) -> None:
    words = large(folder, 3_000_000)
    before = snapshot(folder)
    process = subprocess.Popen([*COMMAND, *words], cwd=folder, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 60
    while not list(folder.glob(".out.csv.*")) and time.monotonic() < deadline and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    error = process.communicate(timeout=60)[1]
    assert process.returncode == 130, error
    assert error.splitlines() == ["diva: interrupted; no file was written or changed"]
    assert snapshot(folder) == before


def test_full_disk(folder: Path) -> None:
    words = large(folder, 300_000)
    (folder / "out.csv").write_text("the old release", encoding="utf-8")
    before = snapshot(folder)
    process = subprocess.run(
        [*COMMAND, *words],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000)),
    )
    assert process.returncode == 2, process.stderr
    assert process.stderr.count("\n") == 1
    assert "out.csv" in process.stderr
    assert "space" in process.stderr
    assert snapshot(folder) == before


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_read_only_folder(folder: Path) -> None:
    (folder / "sub").mkdir(mode=0o500)
    ended = diva("anonymize", "patients.csv", "-o", "sub/out.csv", *COLUMNS, "--k", "2", folder=folder)
    assert ended.code == 2
    assert "sub" in ended.err


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_unreadable_table(folder: Path) -> None:
    (folder / "patients.csv").chmod(0)
    ended = diva(*RUN, folder=folder)
    assert ended.code == 2
    assert "patients.csv" in ended.err


def test_a_reader_that_goes_away(folder: Path) -> None:
    for words in ([*RUN, "--json"], ["check", "patients.csv", "-c", "ETH[Asian] in 2..5"]):
        reader, writer = os.pipe()
        os.close(reader)
        process = subprocess.run(
            [*COMMAND, *words], cwd=folder, stdout=writer, stderr=subprocess.PIPE, text=True, check=False
        )
        os.close(writer)
        assert process.returncode == 0, process.stderr
        assert "Traceback" not in process.stderr
        assert "Broken" not in process.stderr


def test_abandoned_partial_files_are_removed_and_others_are_not(folder: Path) -> None:
    ended = subprocess.run([*COMMAND, "--version"], capture_output=True, check=True)
    assert ended.returncode == 0
    dead = 2**22 - 3
    abandoned = folder / f".out.csv.{dead}-0a1b2c3d.diva-partial"
    alive = folder / f".out.csv.{os.getpid()}-0a1b2c3d.diva-partial"
    for path in (abandoned, alive):
        path.write_text("half", encoding="utf-8")
    assert diva(*RUN, folder=folder).code == 0
    assert not abandoned.exists()
    assert alive.exists()


def kill_once(folder: Path, delay: float) -> None:
    """Start a run that overwrites the release, and kill it after a delay."""
    process = subprocess.Popen(
        [*COMMAND, *RUN, "--seed", "1"], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        process.wait(timeout=delay)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def test_killed_runs_leave_the_old_release_or_the_new_one(folder: Path) -> None:
    began = time.monotonic()
    assert diva(*RUN, "--seed", "1", folder=folder).code == 0
    usual = time.monotonic() - began
    new = (folder / "out.csv").read_bytes()
    old = b"the old release\n"
    chance = random.Random(0)
    for _ in range(20):
        (folder / "out.csv").write_bytes(old)
        kill_once(folder, chance.uniform(0.3, 1.0) * usual)
        assert (folder / "out.csv").read_bytes() in (old, new)
    assert diva(*RUN, "--seed", "1", folder=folder).code == 0
    assert {p.name for p in folder.iterdir()} == {"patients.csv", "out.csv", "out.csv.diva.json"}


def test_the_release_keeps_the_permissions_of_the_one_it_replaces(folder: Path) -> None:
    (folder / "out.csv").write_text("old", encoding="utf-8")
    (folder / "out.csv").chmod(0o640)
    assert diva(*RUN, folder=folder).code == 0
    assert (folder / "out.csv").stat().st_mode & 0o777 == 0o640


def test_a_link_keeps_pointing_where_it_did(folder: Path) -> None:
    (folder / "real.csv").write_text("old", encoding="utf-8")
    (folder / "out.csv").symlink_to("real.csv")
    assert diva(*RUN, folder=folder).code == 0
    assert (folder / "out.csv").is_symlink()
    assert (folder / "real.csv").read_text(encoding="utf-8").startswith("GEN,")


def test_json_goes_to_stdout_alone(folder: Path) -> None:
    ended = diva(*RUN, "--json", folder=folder)
    assert ended.code == 0
    assert json.loads(ended.out)["rows"] == 10
    assert all(line.startswith("diva: warning: nobody is published with ") for line in ended.err.splitlines())
