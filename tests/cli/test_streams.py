"""Whatever stdout and stderr are, the command does its work, says one sentence at most, and exits as it should."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.cli.shell import COLUMNS, COMMAND, PATIENTS

RUN = ["anonymize", "patients.csv", "-o", "out.csv", *COLUMNS, "--k", "2", "-c", "ETH[African] in 1.."]
HOLDS = ["check", "patients.csv", "-c", "ETH[Asian] in 3"]
BROKEN = ["check", "patients.csv", "-c", "ETH[Asian] in 4"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "patients.csv").write_text(PATIENTS, encoding="utf-8")
    (tmp_path / "café.csv").write_text("café\ncafé\n", encoding="utf-8")
    return tmp_path


def run(folder: Path, words: list[str], redirection: str, **environment: str) -> tuple[int, str]:
    """Run through a shell, which can close streams; return the exit code and what came out on what was left open."""
    done = subprocess.run(
        ["sh", "-c", f'"$@" {redirection}', "sh", *COMMAND, *words],
        cwd=folder,
        capture_output=True,
        check=False,
        env=os.environ | environment,
    )
    return done.returncode, (done.stdout + done.stderr).decode()


@pytest.mark.parametrize(
    ("words", "code"), [([], 0), (["--help"], 0), (["--version"], 0), (HOLDS, 0), (BROKEN, 4), (RUN, 0)]
)
def test_stdout_is_closed(folder: Path, words: list[str], code: int) -> None:
    assert run(folder, words, ">&-") == (code, "")


@pytest.mark.parametrize(("words", "code"), [(HOLDS, 0), (BROKEN, 4), (RUN, 0), (["nonsense"], 2)])
@pytest.mark.parametrize("redirection", ["2>&-", "2>/dev/full"])
def test_stderr_is_closed_or_full(folder: Path, words: list[str], code: int, redirection: str) -> None:
    found, told = run(folder, words, redirection)
    assert found == code
    assert "diva" not in told, "errors don't belong on stdout"


@pytest.mark.parametrize("words", [[], ["--version"], ["anonymize", "--help"], HOLDS, [*HOLDS, "--json"]])
def test_stdout_is_full(folder: Path, words: list[str]) -> None:
    code, told = run(folder, words, ">/dev/full")
    assert code == 2
    assert told.startswith("diva: can't print the ")
    assert "No space left" in told
    assert told.count("\n") == 1


def test_a_release_is_whole_although_its_figures_could_not_be_printed(folder: Path) -> None:
    code, told = run(folder, RUN, ">/dev/full")
    assert (code, told.count("\n")) == (2, 1)
    assert (folder / "out.csv").read_text(encoding="utf-8").count("\n") == 11
    assert (folder / "out.csv.diva.json").exists()


def test_stdout_that_lacks_letters(folder: Path) -> None:
    words = ["check", "café.csv", "-c", "café[café] in 1"]
    code, told = run(folder, words, "", PYTHONIOENCODING="ascii")
    assert code == 0
    assert "caf\\xe9[caf\\xe9] in 1" in told
    code, told = run(folder, [*words, "--json"], "", PYTHONIOENCODING="ascii")
    assert code == 0
    assert json.loads(told)["constraints"][0]["text"] == "café[café] in 1"


def test_debug_alone_is_help_and_the_module_is_a_command(folder: Path) -> None:
    usage = run(folder, [], "")
    assert usage[0] == 0
    assert usage[1].startswith("Usage: diva")
    assert run(folder, ["--debug"], "") == usage
    done = subprocess.run([COMMAND[0], "-m", "diva"], capture_output=True, check=False)
    assert (done.returncode, done.stdout.decode()) == usage
