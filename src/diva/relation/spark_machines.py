"""Spark's executors as machines that call functions of this package: one job of one task for each call.

Only bytes go there and come back, and nothing of the user's session goes with them. Jobs of their own, and not tasks of
one job: each answer is here as soon as it is found, and stays when the others are given up.
"""

from __future__ import annotations

import queue
import threading
import time
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from py4j.protocol import Py4JError
from pyspark import InheritableThread

from diva.relation.engine import Absent
from diva.relation.spark_faults import told

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    from pyspark import SparkContext
    from pyspark.sql import SparkSession

_MOST_AT_ONCE = 64
"""Jobs that wait for Spark at a time; each has a thread here."""
_GLANCE = 0.1
"""Seconds between two looks at whether to stop."""
_PATIENCE = 10.0
"""Seconds that jobs get to end; a cluster that is gone doesn't answer."""
_WORK = "the parts of the search"


@dataclass(frozen=True)
class SparkMachines:
    """The executors of a session. Spark tries what fails again, elsewhere if it can."""

    session: SparkSession
    name: str = "Spark's executors"

    def calls(
        self,
        function: str,
        arguments: Sequence[bytes],
        *,
        at_once: int | None = None,
        stop: Callable[[], bool] | None = None,
    ) -> Generator[tuple[int, bytes | Absent]]:
        """Call a function (`module:name`, from bytes to bytes) for every argument, the first ones first."""
        jobs = _Jobs(self.session.sparkContext, function, arguments)
        with told(self.session, _WORK):
            try:
                jobs.start(min(len(arguments), at_once or _MOST_AT_ONCE))
                for _ in arguments:
                    answer = jobs.next(stop)
                    if answer is None:
                        return
                    yield answer
            finally:
                jobs.end()


class _Jobs:
    """Calls that threads have Spark do, one after the other each."""

    def __init__(self, context: SparkContext, function: str, arguments: Sequence[bytes]) -> None:
        self._context = context
        self._call = _by_value(function)
        self._arguments = arguments
        self._turn = threading.Lock()
        self._waiting = deque(range(len(arguments)))
        self._answers: queue.Queue[tuple[int, Any]] = queue.Queue()
        self._threads: list[InheritableThread] = []
        self._tag = f"diva-{uuid4().hex}"

    def start(self, threads: int) -> None:
        """Begin with the first calls."""
        for _ in range(threads):
            thread = InheritableThread(target=self._work, daemon=True)
            self._threads.append(thread)
            thread.start()

    def next(self, stop: Callable[[], bool] | None) -> tuple[int, bytes | Absent] | None:
        """The next answer; None when it is time to stop."""
        while stop is None or not stop():
            with suppress(queue.Empty):
                number, answer = self._answers.get(timeout=_GLANCE)
                if isinstance(answer, BaseException):
                    raise answer
                return number, answer
        return None

    def end(self) -> None:
        """Give up what isn't done; none of these jobs is left then."""
        self._waiting.clear()
        until = time.monotonic() + _PATIENCE
        while any(thread.is_alive() for thread in self._threads) and time.monotonic() < until:
            # Again and again: a thread may have been just about to start its job.
            with suppress(Py4JError, OSError):
                self._context.cancelJobsWithTag(self._tag)
            for thread in self._threads:
                thread.join(_GLANCE)

    def _work(self) -> None:
        try:
            self._context.addJobTag(self._tag)
            while self._waiting:
                self._do_next()
        except BaseException as error:  # noqa: BLE001 - raised by whoever waits for the answers
            self._answers.put((-1, error))

    def _do_next(self) -> None:
        """One job. Jobs are made in turn, so that Spark gets them in order."""
        with self._turn:
            if not self._waiting:
                return
            number = self._waiting.popleft()
            # A broadcast, since a task may not be larger than a message; only the executor that needs it asks for it.
            sent, call = self._context.broadcast(self._arguments[number]), self._call
            job = self._context.parallelize([0], 1).mapPartitions(lambda _: [call(sent.value)])
            _ = job._jrdd  # noqa: SLF001 - it would be made by `collect`, after our turn
        try:
            found, answer = job.collect()[0]
        finally:
            with suppress(Py4JError, OSError):
                sent.destroy()
        self._answers.put((number, bytes(answer) if found else Absent(str(answer))))


def _by_value(function: str) -> Callable[[bytes], tuple[bool, bytes | str]]:
    """What runs on an executor. It is sent whole, since the package may not be there: it uses nothing around it."""

    def call(argument: bytes) -> tuple[bool, bytes | str]:
        from importlib import import_module  # noqa: PLC0415 - as above

        module, _, name = function.partition(":")
        try:
            called = getattr(import_module(module), name)
        except Exception as error:  # noqa: BLE001 - whatever a broken installation raises
            return False, f"{type(error).__name__}: {error}"
        return True, called(argument)

    return call
