"""Medians of repeated runs, interleaved so that a noisy machine is noisy for all alike."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable


def medians(runs: dict[str, Callable[[], object]], times: int = 5) -> dict[str, float]:
    """Run each once to warm up, then all of them in turn; the median seconds of each."""
    taken: dict[str, list[float]] = {name: [] for name in runs}
    for run in runs.values():
        run()
    for _ in range(times):
        for name, run in runs.items():
            began = time.perf_counter()
            run()
            taken[name].append(time.perf_counter() - began)
    return {name: statistics.median(seconds) for name, seconds in taken.items()}
