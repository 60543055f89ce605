"""stdout and stderr as they may be: closed, full, a pipe that nobody reads, or of an encoding that lacks letters."""

from __future__ import annotations

import os
import sys
from contextlib import suppress


def prepare() -> None:
    """Let printing never fail for what a stream is; runs before help, so it loads nothing."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:  # closed by whoever started us
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115 - stays open
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def emit(text: str) -> None:
    """Print a result. Whoever read our output may have gone: the work goes on without them."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        forget()
    except OSError:
        forget()
        raise


def tell(text: str) -> None:
    """Write to stderr, or say nothing where it takes nothing: no message is worth a failed run."""
    with suppress(OSError):
        sys.stderr.write(text)
        sys.stderr.flush()


def forget() -> None:
    """Let what is still buffered for stdout go nowhere, or the interpreter would complain at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
