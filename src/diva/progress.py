"""What a run tells while it runs, and how long its parts took."""

from __future__ import annotations

import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


class Observer:
    """Is told how a run goes, and may ask it to stop; this one says nothing and never asks."""

    def stage(self, name: str) -> None:
        """A part of the walk begins."""

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

    @contextmanager
    def part(self, name: str, told: str) -> Iterator[None]:
        """Time a part; parts of one name add up."""
        self.observer.stage(told)
        start = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - start

    def total(self) -> dict[str, float]:
        """The parts and the whole."""
        return self.seconds | {"total": time.perf_counter() - self.began}
