"""The command line as a benchmark runs it: in a process of its own, with its memory at the peak."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from typing import Any

MEGA = 2**20


@dataclass(frozen=True)
class Run:
    """What one command reported, and what it took."""

    report: dict[str, Any]
    wall: float
    peak: int
    """Bytes of memory at the peak."""


def command(arguments: list[str]) -> Run:
    """Run `diva` in a process of its own."""
    began = time.perf_counter()
    with tempfile.TemporaryFile() as out:
        process = subprocess.Popen(
            [sys.executable, "-m", "diva", *arguments, "--json"], stdout=out, stderr=subprocess.DEVNULL
        )
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            sys.exit(f"diva ended with {process.returncode}")
        out.seek(0)
        return Run(json.loads(out.read()), time.perf_counter() - began, peak_of(used))


def peak_of(used: resource.struct_rusage) -> int:
    """Bytes at the peak: Linux counts kilobytes, macOS bytes."""
    return int(used.ru_maxrss) * (1 if sys.platform == "darwin" else 1024)
