"""What a run tells while it runs, and how long its parts took."""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_SECONDS_BETWEEN = 0.25


class Observer:
    """Is told how a run goes, and may ask it to stop; this one says nothing and never asks."""

    def stage(self, name: str) -> None:
        """A part of the walk begins."""

    def percent(self, name: str, done: float) -> None:
        """So many percent of a part are done; called from another thread while an engine works."""

    def follows(self) -> bool:
        """Whether it wants to hear of that."""
        return False

    def searching(self, stars: float, bound: float) -> None:
        """The search has a plan of this cost; no plan costs less than the bound."""

    def published(self, name: str) -> None:
        """The release is in its place, verified."""

    def stopping(self) -> bool:
        """Whether the search should return the best it has."""
        return False


@dataclass
class Watch:
    """Times the parts of a run and tells an observer of each."""

    observer: Observer
    seconds: dict[str, float] = field(default_factory=dict)
    began: float = field(default_factory=time.perf_counter)
    percent: Callable[[], float] | None = None
    """How many percent of an engine's running query are done; below 0 where that isn't known."""

    @contextmanager
    def part(self, name: str, told: str) -> Iterator[None]:
        """Time a part; parts of one name add up."""
        self.observer.stage(told)
        start = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - start

    @contextmanager
    def work(self, name: str, told: str) -> Iterator[None]:
        """The same for a part that an engine works on, which is asked now and then how far it is."""
        with self.part(name, told), self._followed(told):
            yield

    @contextmanager
    def _followed(self, told: str) -> Iterator[None]:
        if self.percent is None:
            yield
            return
        ended = threading.Event()
        follower = threading.Thread(target=self._follow, args=(told, self.percent, ended), daemon=True)
        follower.start()
        try:
            yield
        finally:
            ended.set()
            follower.join()

    def _follow(self, told: str, percent: Callable[[], float], ended: threading.Event) -> None:
        while not ended.wait(_SECONDS_BETWEEN):
            done = percent()
            if 0 <= done <= 100:
                self.observer.percent(told, done)

    def total(self) -> dict[str, float]:
        """The parts and the whole."""
        return self.seconds | {"total": time.perf_counter() - self.began}
