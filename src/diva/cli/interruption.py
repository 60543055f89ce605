"""Ctrl-C, and being asked to end: one clean end at any moment, also where a library swallows the exception.

A search that goes on for as long as it may (`--effort best`) is different: the first Ctrl-C ends the search, not the run.
"""

from __future__ import annotations

import _thread
import signal
import sys
import threading
from importlib.machinery import ExtensionFileLoader
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types import FrameType, TracebackType

_SOON = 0.02
"""Seconds after which an interruption that came while a compiled module was loaded comes again."""
_asked: list[int] = []
_published: list[str] = []
_patient = False
_enough: list[int] = []


def install() -> None:
    """Take SIGINT and SIGTERM, unless whoever started us wants them ignored."""
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, _interrupt)
    sys.unraisablehook = _unraisable
    sys.excepthook = _uncaught  # compiled modules print with it what happens while they are imported


def published(path: str) -> None:
    """From now on an interruption comes too late for this file."""
    _published.append(path)


def sentence() -> str:
    """What to say when it is over."""
    if _published:
        return f"interrupted, but {_published[-1]!r} was in place already, whole and verified"
    return "interrupted; no file or table was written or changed"


def patient(on: bool) -> None:  # noqa: FBT001 - a switch
    """While on, the first Ctrl-C means that the search has found enough; the second ends everything."""
    global _patient  # noqa: PLW0603 - there is one process and one pair of signals
    _patient = on


def enough() -> bool:
    """Whether the search should return what it has."""
    return bool(_enough)


def check() -> None:
    """Raise an interruption that was swallowed, as in a compiler's callback, or became another error, as in an import."""
    if _asked:
        raise KeyboardInterrupt


def _interrupt(number: int, frame: FrameType | None) -> None:
    if _patient and number == signal.SIGINT and not _enough and not _asked:
        _enough.append(number)
        return
    _asked.append(number)
    if not _loading(frame):
        raise KeyboardInterrupt
    again = threading.Timer(_SOON, _thread.interrupt_main, (number,))
    again.daemon = True
    again.start()


def _loading(frame: FrameType | None) -> bool:
    """Whether a compiled module is being loaded: some abort the process when an exception passes through them."""
    while frame is not None:
        if isinstance(frame.f_locals.get("self"), ExtensionFileLoader):
            return True
        frame = frame.f_back
    return False


def _unraisable(unraisable: Any) -> None:
    if not _asked:  # what an interruption left half-made complains when it is thrown away
        sys.__unraisablehook__(unraisable)


def _uncaught(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    if not _asked:
        sys.__excepthook__(kind, error, trace)
