"""Exact programmes that end early when they are asked to: an interruption must not wait for HiGHS."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    import highspy
    from highspy.highs import HighsCallbackEvent


def run_until(highs: highspy.Highs, stop: Callable[[], bool] | None) -> None:
    """Run; as soon as `stop` says so, end with what there is. Being asked doesn't change what HiGHS does.

    An interruption while `stop` is asked waits until HiGHS has ended: no exception may pass through its frames.
    """
    if stop is None:
        highs.run()
        return
    interruptions: list[KeyboardInterrupt] = []

    def ask(event: HighsCallbackEvent) -> None:
        try:
            if interruptions or stop():
                event.interrupt()
        except KeyboardInterrupt as interruption:
            interruptions.append(interruption)
            event.interrupt()

    highs.cbMipInterrupt += ask
    highs.cbSimplexInterrupt += ask
    highs.run()
    if interruptions:
        raise interruptions[0]
