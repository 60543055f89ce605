"""Kernels work wherever diva is installed, and whoever runs it."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from pathlib import Path

import pytest

from diva.compiled import compiled

MODULE = """
from diva.compiled import compiled

@compiled(_nrt=False)
def double(number):
    return 2 * number

print(double(21), type(double).__name__, len(double.stats.cache_path or ""))
"""


def without_privileges() -> None:
    """Take root's right to write anywhere from the process that is about to start."""
    ctypes.CDLL(None).prctl(24, 1, 0, 0, 0)  # PR_CAPBSET_DROP, CAP_DAC_OVERRIDE


@pytest.mark.parametrize("writable", [True, False])
def test_kernels_are_kept_where_a_folder_can_be_written_and_work_without(
    tmp_path: Path, *, writable: bool
) -> None:
    (tmp_path / "kernels.py").write_text(MODULE, encoding="utf-8")
    tmp_path.chmod(0o700 if writable else 0o500)
    done = subprocess.run(
        [sys.executable, "kernels.py"],
        cwd=tmp_path,
        env=os.environ | {"HOME": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"},
        preexec_fn=without_privileges,
        capture_output=True,
        text=True,
        check=False,
    )
    tmp_path.chmod(0o700)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("42 CPUDispatcher ")
    assert (tmp_path / "__pycache__").exists() == writable


def test_other_errors_of_the_compiler_are_not_swallowed(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(**_: object) -> object:
        raise RuntimeError("no compiler")

    monkeypatch.setattr("numba.njit", broken)
    with pytest.raises(RuntimeError, match="no compiler"):
        compiled()(len)
