"""A worker process: solves the parts that come in on stdin, one after the other, and answers on stdout.

Its thread that reads is its lifeline: when whoever started it is gone, however, stdin ends and the worker with it.
"""

from __future__ import annotations

import os
import pickle
import queue
import sys
import threading
from typing import TYPE_CHECKING, Any, BinaryIO

from diva.errors import DivaError
from diva.solve.parts.part import Part, solve_part

if TYPE_CHECKING:
    from collections.abc import Callable

STOP = b"stop"


def main() -> None:
    """Work until stdin ends."""
    # What a library prints must not get in between the answers.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    parts: queue.Queue[Part] = queue.Queue()
    stopped = threading.Event()
    threading.Thread(target=_read, args=(sys.stdin.buffer, parts, stopped), daemon=True).start()
    while True:
        pickle.dump(answered(parts.get(), stopped.is_set), answers)
        answers.flush()


def _read(stream: BinaryIO, parts: queue.Queue[Part], stopped: threading.Event) -> None:
    while True:
        try:
            message: Any = pickle.load(stream)  # noqa: S301 - from the process that started this one
        except EOFError:
            os._exit(0)
        if message == STOP:
            stopped.set()
        else:
            parts.put(message)


def answered(part: Part, stop: Callable[[], bool]) -> object:
    """The plan of a part, or what went wrong as an exception that can be sent."""
    try:
        return solve_part(part, stop)
    except DivaError as error:
        return error
    except MemoryError:
        return DivaError(
            "a worker process has too little memory for its part; use more --parts or fewer --workers"
        )
    except BaseException as error:  # noqa: BLE001 - it is raised where the part came from
        return RuntimeError(f"a worker failed: {type(error).__name__}: {error}")


if __name__ == "__main__":
    main()
