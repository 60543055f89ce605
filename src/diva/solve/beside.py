"""Work that a thread does while this one waits for others: it is asked for at the end, or told to stop."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Future
    from types import TracebackType

T = TypeVar("T")


@dataclass
class Beside(Generic[T]):
    """Does some work from the beginning of a `with`; leaving it without having asked for the result ends the work."""

    work: Callable[[Callable[[], bool]], T]
    """Given a question that is answered yes once it should stop."""
    stop: Callable[[], bool] | None = None
    """A further reason to stop."""
    at_once: bool = True
    """Whether there may be another thread; else the work is done when it is asked for."""
    _left: threading.Event = field(init=False, default_factory=threading.Event)
    _pool: ThreadPoolExecutor = field(init=False, default_factory=lambda: ThreadPoolExecutor(1))
    _future: Future[T] | None = field(init=False, default=None)

    def __enter__(self) -> Beside[T]:
        if self.at_once:
            self._begun()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._left.set()
        self._pool.shutdown()

    def result(self) -> T:
        """Wait for the result."""
        return self._begun().result()

    def _begun(self) -> Future[T]:
        if self._future is None:
            self._future = self._pool.submit(self.work, self._over)
        return self._future

    def _over(self) -> bool:
        return self._left.is_set() or (self.stop is not None and self.stop())
