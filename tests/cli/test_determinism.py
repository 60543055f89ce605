"""The same seed gives the same bytes: in another process, with other hashes of Python, with one thread or two."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tests.cli.shell import diva

SIGMA = ["-c", "a[1] in 100..160", "-c", "b,c[1,2] in 12.."]


@pytest.mark.parametrize("words", [[], SIGMA, [*SIGMA, "--effort", "quick"]])
def test_the_same_seed_gives_the_same_bytes(tmp_path: Path, words: list[str]) -> None:
    rows = np.minimum(np.random.default_rng(0).geometric(0.4, size=(700, 4)), 7)
    pl.DataFrame(rows, schema=list("abcs"), orient="row").write_csv(tmp_path / "t.csv")
    asked = [
        "anonymize",
        "t.csv",
        "-o",
        "out.csv",
        "--qi",
        "a,b,c",
        "--sensitive",
        "s",
        "--k",
        "6",
        "--seed",
        "5",
    ]
    found = set()
    for threads, hashes in (("1", "0"), ("2", "1")):
        environment = {"PYTHONHASHSEED": hashes, "NUMBA_NUM_THREADS": threads}
        ended = diva(*asked, *words, "--threads", threads, folder=tmp_path, **environment)
        assert ended.code == 0, ended.err
        found.add((tmp_path / "out.csv").read_bytes())
    assert len(found) == 1
