"""`--effort best` goes on until it is stopped: what it tells meanwhile, and that Ctrl-C hands over what it has."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from diva.cli import interruption, show
from tests.cli.shell import COMMAND, diva

RUN = [
    "anonymize",
    "people.csv",
    "-o",
    "out.csv",
    "--qi",
    "a,b,c,d,e",
    "--k",
    "9",
    "--effort",
    "best",
    "--json",
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rows = np.minimum(np.random.default_rng(0).geometric(0.35, size=(6000, 5)), 9)
    pl.DataFrame(rows, schema=list("abcde"), orient="row").write_csv(tmp_path / "people.csv")
    return tmp_path


def on_a_terminal(folder: Path, words: list[str], enough: str) -> tuple[int, str, str]:
    """Press Ctrl-C as soon as stderr, a terminal, shows a pattern; return the exit code, stdout and stderr."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [*COMMAND, *words], cwd=folder, stdout=subprocess.PIPE, stderr=theirs, text=True
    )
    os.close(theirs)
    shown, pressed = "", False
    while True:
        try:
            read = os.read(ours, 4096)
        except OSError:  # the other end is closed
            break
        if not read:
            break
        shown += read.decode()
        if not pressed and re.search(enough, shown):
            process.send_signal(signal.SIGINT)
            pressed = True
    os.close(ours)
    out = process.communicate(timeout=60)[0]
    assert pressed, shown
    return process.returncode, out, shown


@pytest.mark.parametrize("sigma", [[], ["-c", "a[1] in 900..1000", "-c", "b,c[1,1] in 50.."]])
def test_ctrl_c_publishes_the_best_so_far(folder: Path, sigma: list[str]) -> None:
    pattern = r"searching … [\d,]+ stars, at least [\d,]+ needed"
    code, out, shown = on_a_terminal(folder, [*RUN, "--time-limit", "600", *sigma], pattern)
    assert code == 0, shown
    assert "stopping the search; the best release so far is verified and written" in shown
    told = json.loads(out)
    assert told["lower_bound"] <= told["stars"]
    words = ["--qi", "a,b,c,d,e", "--k", "9", *sigma, "--original", "people.csv"]
    assert diva("verify", "out.csv", *words, folder=folder).code == 0


def test_no_bar_where_stderr_is_no_terminal(folder: Path) -> None:
    ended = diva(*RUN, "--time-limit", "2", folder=folder)
    assert ended.code == 0
    assert "searching" not in ended.err
    assert "\r" not in ended.err


def test_the_first_ctrl_c_ends_the_search_and_the_second_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("_enough", "_asked"):
        monkeypatch.setattr(interruption, name, [])
    monkeypatch.setattr(interruption, "_patient", False)
    bar = show.Bar(patient=True)
    bar.stage("searching")
    assert not bar.stopping()
    interruption._interrupt(signal.SIGINT, None)
    assert bar.stopping()
    with pytest.raises(KeyboardInterrupt):
        interruption._interrupt(signal.SIGINT, None)
    with pytest.raises(KeyboardInterrupt):
        bar.stopping()


@pytest.mark.parametrize(
    ("patient", "stage", "number"),
    [
        (False, "searching", signal.SIGINT),
        (True, "recoding", signal.SIGINT),
        (True, "searching", signal.SIGTERM),
    ],
)
def test_elsewhere_the_first_ends_everything(
    monkeypatch: pytest.MonkeyPatch, patient: bool, stage: str, number: int
) -> None:
    for name in ("_enough", "_asked"):
        monkeypatch.setattr(interruption, name, [])
    monkeypatch.setattr(interruption, "_patient", False)
    show.Bar(patient=patient).stage(stage)
    with pytest.raises(KeyboardInterrupt):
        interruption._interrupt(number, None)
