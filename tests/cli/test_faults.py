"""What can go wrong from outside while a run goes on: interruption, a full disk, a reader that goes away, a kill."""

from __future__ import annotations

import contextlib
import ctypes
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

from diva.errors import Interrupted
from diva.recode import atomic
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
    assert error.splitlines() == ["diva: interrupted; no file or table was written or changed"]
    assert snapshot(folder) == before


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_at_any_moment(folder: Path, number: signal.Signals) -> None:
    """From the first import to the last line printed: what is said about the file is true, and nothing is left over."""
    old = {"out.csv": b"old", "out.csv.diva.json": b"old", "patients.csv": PATIENTS.encode()}
    began = time.monotonic()
    assert diva(*RUN, folder=folder).code == 0
    usual = time.monotonic() - began
    new = snapshot(folder)
    for part in range(12):
        for name, content in old.items():
            (folder / name).write_bytes(content)
        process = subprocess.Popen(
            [*COMMAND, *RUN], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        )
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=(0.2 + 0.07 * part) * usual)
        process.send_signal(number)
        error = process.communicate(timeout=60)[1]
        if process.returncode in (0, -number):  # it was done, or the interpreter was about to end
            assert snapshot(folder).keys() == old.keys()
            continue
        assert process.returncode == 130, error
        told = [line for line in error.splitlines() if "warning" not in line]
        assert len(told) == 1, error
        assert snapshot(folder) == (
            old
            if "no file or table was written" in told[0]
            else snapshot(folder) | {"out.csv": new["out.csv"]}
        )


def test_an_interruption_between_the_two_renames_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(_folder: Path) -> None:
        signal.raise_signal(signal.SIGINT)

    def publish() -> None:
        with atomic.replacing_with_manifest(tmp_path / "r.csv") as (release, manifest):
            release.write_text("new", encoding="utf-8")
            manifest.write_text("{}", encoding="utf-8")

    monkeypatch.setattr(atomic, "_sync_folder", interrupt)
    with pytest.raises(Interrupted, match=r"r\.csv' was in place already"):
        publish()
    assert snapshot(tmp_path) == {"r.csv": b"new", "r.csv.diva.json": b"{}"}


@pytest.mark.parametrize("words", [RUN, ("check", "patients.csv", "-c", "ETH[Asian] in 1..")])
def test_a_module_that_would_abort_is_loaded_first(folder: Path, words: tuple[str, ...]) -> None:
    """An interruption while DuckDB's compiled module makes its enumerations: an exception there ends in an abort."""
    script = (
        "import enum, os, signal, sys\n"
        "from diva.cli import main\n"
        "def interrupt(*arguments, **options):\n"
        "    enum.EnumType._create_ = real\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "    for _ in range(10**4): pass\n"
        "    return real(*arguments, **options)\n"
        "class Watch:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == '_duckdb': enum.EnumType._create_ = interrupt\n"
        "real = enum.EnumType._create_\n"
        "sys.meta_path.insert(0, Watch())\n"
        f"main({[*words]!r})\n"
    )
    process = subprocess.run(
        [COMMAND[0], "-c", script], cwd=folder, capture_output=True, text=True, check=False
    )
    assert process.stderr == "diva: interrupted; no file or table was written or changed\n"
    assert process.returncode == 130


def test_a_swallowed_interruption_is_noticed_later(folder: Path) -> None:
    """Compilers' callbacks swallow exceptions, and imports make others of them."""
    script = (
        "import os, signal, sys\n"
        "import diva.cli.app, diva.walk\n"
        "from diva.cli import main\n"
        "def swallow(*_):\n"
        "    try:\n        os.kill(os.getpid(), signal.SIGINT)\n        for _ in range(10**6): pass\n"
        "    except KeyboardInterrupt:\n        if {error}: raise ImportError('from a compiled module') from None\n"
        "    return real(*_)\n"
        "real, diva.walk.roles_of = diva.walk.roles_of, swallow\n"
        f"main({RUN!r})\n"
    )
    for error in ("True", "False"):
        process = subprocess.run(
            [COMMAND[0], "-c", script.replace("{error}", error)],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
        assert process.returncode == 130, process.stderr
        assert process.stderr == "diva: interrupted; no file or table was written or changed\n"


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


def without_privileges() -> None:
    """Take root's right to pass by permissions from the process that is about to start."""
    for capability in (1, 2):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
        ctypes.CDLL(None).prctl(24, capability, 0, 0, 0)  # PR_CAPBSET_DROP


def test_permissions(folder: Path) -> None:
    (folder / "locked").mkdir()
    (folder / "unreadable.csv").write_text("A\n1\n", encoding="utf-8")
    (folder / "readonly.csv").write_text("old", encoding="utf-8")
    for name, mode in (("locked", 0o500), ("unreadable.csv", 0), ("readonly.csv", 0o400)):
        (folder / name).chmod(mode)
    asked = {
        "unreadable.csv": ["check", "unreadable.csv", "-c", "A[1] in 1"],
        "locked": ["anonymize", "patients.csv", "-o", "locked/out.csv", *COLUMNS, "--k", "2"],
        "unreadable.csv'": ["check", "patients.csv", "--constraints", "unreadable.csv"],
        "JOB.toml": ["run", "unreadable.csv"],
    }
    for culprit, words in asked.items():
        process = subprocess.run(
            [*COMMAND, *words],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
            preexec_fn=without_privileges,
        )
        assert process.returncode == 2, process.stderr
        assert process.stderr.count("\n") == 1
        assert culprit.rstrip("'") in process.stderr
        assert "ermission denied" in process.stderr or "not readable" in process.stderr
    assert list((folder / "locked").iterdir()) == []


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
