"""Medians of repeated runs, interleaved so that a noisy machine is noisy for all alike."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import NamedTuple


class Seconds(NamedTuple):
    """What a run took."""

    clock: float
    """By the clock on the wall: what counts, on a machine that does nothing else."""
    processor: float
    """Of all threads together: what can be compared while others compute too."""


def medians(runs: dict[str, Callable[[], object]], times: int = 5) -> dict[str, float]:
    """Run each once to warm up, then all of them in turn; the median seconds of each, by the clock."""
    return {name: seconds.clock for name, seconds in measured(runs, times).items()}


def measured(runs: dict[str, Callable[[], object]], times: int = 5) -> dict[str, Seconds]:
    """Run each once to warm up, then all of them in turn; the medians of each."""
    taken: dict[str, list[Seconds]] = {name: [] for name in runs}
    for run in runs.values():
        run()
    for _ in range(times):
        for name, run in runs.items():
            began = Seconds(time.perf_counter(), time.process_time())
            run()
            taken[name].append(
                Seconds(time.perf_counter() - began.clock, time.process_time() - began.processor)
            )
    return {name: Seconds(*map(statistics.median, zip(*all_, strict=True))) for name, all_ in taken.items()}


def compared(one: Seconds, other: Seconds) -> str:
    """Two medians as a ratio, and that of the processor time."""
    return (
        f"{one.clock * 1000:.0f} ms to {other.clock * 1000:.0f} ms: ratio {one.clock / other.clock:.2f}"
        f" (processor time: {one.processor / other.processor:.2f})"
    )
