"""Runs the command as a user does: a process of its own, in a folder of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

PATIENTS = (Path(__file__).parents[2] / "examples" / "patients.csv").read_text(encoding="utf-8")
COLUMNS = ["--qi", "GEN,ETH,AGE,PRV,CTY", "--sensitive", "DIAG", "--id", "ID"]
COMMAND = (sys.executable, "-c", "from diva.cli import main; main()")


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str


def diva(*words: str, folder: Path, **environment: str) -> Ended:
    """Run `diva words…` in a folder."""
    done = subprocess.run(
        [*COMMAND, *words],
        cwd=folder,
        capture_output=True,
        timeout=120,
        check=False,
        env=os.environ | environment,
    )
    return Ended(done.returncode, done.stdout.decode(), done.stderr.decode())


def snapshot(folder: Path) -> dict[str, bytes | None]:
    """Every file below a folder with its bytes."""
    return {
        str(p.relative_to(folder)): p.read_bytes() if p.is_file() else None for p in sorted(folder.rglob("*"))
    }
