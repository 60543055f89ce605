"""Parts solved by processes on this machine. The answers are the same whatever the number of workers."""

from __future__ import annotations

import os
import pickle
import queue
import subprocess
import sys
import threading
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from diva.errors import GaveUp
from diva.solve.parts.part import Solved, solve_part
from diva.solve.parts.worker import STOP

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import TracebackType

    from diva.solve.parts.part import Part

MOST_WORKERS = 8
"""Workers where their number isn't given: each holds the lattice of a part."""
_GLANCE = 0.1
"""Seconds between two looks at whether to stop."""


def cores() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@dataclass(frozen=True)
class Processes:
    """Solves parts in some processes, or in this one where one suffices."""

    workers: int | None = None
    stop: Callable[[], bool] | None = None
    """Asked now and then whether the searches should return the best they have."""
    told: Callable[[int], None] | None = None
    """Called with the number of parts that are done."""

    def __call__(self, parts: Sequence[Part]) -> list[Solved]:
        """Solve all parts; the heaviest first, answered in their order."""
        workers = min(len(parts), self.workers or min(MOST_WORKERS, cores()))
        if workers <= 1:
            return [self._here(part, i) for i, part in enumerate(parts)]
        answers: dict[int, Solved] = {}
        with _Crew(parts, workers) as crew:
            stopping = False
            while len(answers) < len(parts):
                if not stopping and self.stop is not None and self.stop():
                    stopping = True
                    crew.stop()
                with suppress(queue.Empty):
                    i, answer = crew.answers.get(timeout=_GLANCE)
                    if isinstance(answer, BaseException):
                        raise answer
                    answers[i] = answer
                    if self.told is not None:
                        self.told(len(answers))
        return [answers[i] for i in range(len(parts))]

    def _here(self, part: Part, before: int) -> Solved:
        solved = solve_part(part, self.stop)
        if self.told is not None:
            self.told(before + 1)
        return solved


class _Crew:
    """Worker processes, each with a thread that hands it one part after the other. None outlives the `with`."""

    def __init__(self, parts: Sequence[Part], workers: int) -> None:
        self.answers: queue.Queue[tuple[int, Solved | BaseException]] = queue.Queue()
        self._parts = parts
        self._waiting = deque(sorted(range(len(parts)), key=lambda i: -len(parts[i].types)))
        self._processes: list[subprocess.Popen[bytes]] = []
        self._turn = threading.Lock()
        self._workers = workers

    def __enter__(self) -> _Crew:
        try:
            for _ in range(self._workers):
                self._start()
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()

    def stop(self) -> None:
        """Ask all to return the best they have."""
        for process in self._processes:
            self._send(process, STOP)

    def _start(self) -> None:
        # In a session of its own: Ctrl-C in a terminal is for the process that decides what becomes of the workers.
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "diva.solve.parts.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
        )
        self._processes.append(process)
        threading.Thread(target=self._serve, args=(process,), daemon=True).start()

    def _serve(self, process: subprocess.Popen[bytes]) -> None:
        """Hand parts to a worker until there are none."""
        while True:
            try:
                i = self._waiting.popleft()
            except IndexError:
                return
            answer = self._asked(process, self._parts[i])
            self.answers.put((i, answer))
            if isinstance(answer, BaseException):
                return

    def _asked(self, process: subprocess.Popen[bytes], part: Part) -> Solved | BaseException:
        self._send(process, part)
        if process.stdout is None:
            raise ValueError("a worker is started with a pipe")
        try:
            answer: Solved | BaseException = pickle.load(process.stdout)  # noqa: S301 - our own worker
        except (EOFError, OSError, ValueError, pickle.UnpicklingError):
            return GaveUp(_died(process))
        except BaseException as error:  # noqa: BLE001 - raised by whoever waits for the answer
            return error
        return answer

    def _send(self, process: subprocess.Popen[bytes], message: object) -> None:
        """A worker that is gone is noticed when its answer is missing."""
        if process.stdin is None:
            raise ValueError("a worker is started with a pipe")
        with self._turn, suppress(OSError, ValueError):
            pickle.dump(message, process.stdin, protocol=pickle.HIGHEST_PROTOCOL)
            process.stdin.flush()

    def _end(self) -> None:
        for process in self._processes:
            process.kill()
        for process in self._processes:
            process.wait()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    with suppress(OSError):
                        pipe.close()


def _died(process: subprocess.Popen[bytes]) -> str:
    code = process.wait()
    how = f"was killed by signal {-code}" if code < 0 else f"ended with code {code}"
    return (
        f"a worker process {how} in the middle of its part of the search; if memory was short,"
        " use more --parts or fewer --workers"
    )
