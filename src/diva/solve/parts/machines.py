"""Parts solved by the machines of an engine: one part for each call, the heaviest first.

A machine must have the same build of this package as this process, for the answers are to be the same bytes wherever
they come from. What no machine can solve is solved by processes here, and a warning says so.
"""

from __future__ import annotations

import hashlib
import pickle
import sys
from contextlib import closing
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING

import diva
from diva.errors import BadInput
from diva.relation.engine import Absent
from diva.solve.parts.part import Solved
from diva.solve.parts.processes import Processes
from diva.solve.parts.worker import answered

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from diva.relation.engine import Machines
    from diva.solve.parts.part import Part

_ANSWER = f"{__name__}:answer"
_LIBRARIES = ("numpy", "numba", "highspy")
"""What a search calculates with."""


@dataclass(frozen=True)
class Able:
    """A machine has the same build."""


@dataclass(frozen=True)
class Other:
    """A machine has another build, so its answers might not be ours."""

    reason: str


@dataclass(frozen=True)
class OnMachines:
    """Solves parts on the machines of an engine; where they can't, and after a stop, by processes here."""

    machines: Machines
    workers: int | None = None
    """At most how many parts are solved at a time; as many as there is room for where not given."""
    stop: Callable[[], bool] | None = None
    told: Callable[[int, int], None] | None = None
    """Called with how many parts are done, of how many."""
    warnings: list[str] = field(default_factory=list)
    """Why parts were solved here after all."""

    def __call__(self, parts: Sequence[Part]) -> list[Solved]:
        """Solve all parts; answered in their order."""
        found: dict[int, Solved] = {}
        if len(parts) > 1 and not self.warnings and self._able():
            self._ask(parts, found)
        left = [i for i in range(len(parts)) if i not in found]
        there = len(found)
        here = Processes(self.workers, self.stop, lambda done: self._tell(there + done, len(parts)))
        found |= zip(left, here([parts[i] for i in left]), strict=True)
        return [found[i] for i in range(len(parts))]

    def _able(self) -> bool:
        """Whether a machine has our build: asked before any part is sent."""
        try:
            with closing(self.machines.calls(_ANSWER, [_message(None)], stop=self.stop)) as calls:
                for _, answer in calls:
                    self._understood(answer)
        except BadInput as error:
            self._warn(str(error))
        return not self.warnings

    def _ask(self, parts: Sequence[Part], found: dict[int, Solved]) -> None:
        """Find what machines find before it is time to stop."""
        heaviest = sorted(range(len(parts)), key=lambda i: -len(parts[i].types))
        messages = [_message(parts[i]) for i in heaviest]
        with closing(self.machines.calls(_ANSWER, messages, at_once=self.workers, stop=self.stop)) as calls:
            for number, answer in calls:
                solved = self._understood(answer)
                if solved is not None:
                    found[heaviest[number]] = solved
                    self._tell(len(found), len(parts))

    def _understood(self, answer: bytes | Absent) -> Solved | None:
        """What a machine found; None where it found nothing, perhaps because it can't."""
        told = answer if isinstance(answer, Absent) else pickle.loads(answer)  # noqa: S301 - from `answer`, sent by us
        if isinstance(told, BaseException):
            raise told
        if isinstance(told, Absent | Other):
            self._warn(told.reason)
        return told if isinstance(told, Solved) else None

    def _warn(self, reason: str) -> None:
        if not self.warnings:
            self.warnings.append(
                f"parts of the search were solved on this machine, for {self.machines.name} can't: {reason}"
            )

    def _tell(self, done: int, of: int) -> None:
        if self.told is not None:
            self.told(done, of)


def answer(message: bytes) -> bytes:
    """Solve one part, on a machine; without a part tell whether it could. Parts are read only by the build that sent them."""
    build_there, part = pickle.loads(message)  # noqa: S301 - from whoever started this engine
    for name, ours in build().items():
        theirs = build_there.get(name)
        if ours != theirs:
            return pickle.dumps(
                Other(f"they have {_told(name, ours)}, and this machine {_told(name, theirs)}")
            )
    return pickle.dumps(Able() if part is None else answered(pickle.loads(part), lambda: False))  # noqa: S301


def _message(part: Part | None) -> bytes:
    sent = None if part is None else pickle.dumps(part, protocol=pickle.HIGHEST_PROTOCOL)
    return pickle.dumps((build(), sent), protocol=pickle.HIGHEST_PROTOCOL)


@cache
def build() -> dict[str, str]:
    """What an answer depends on beside its part: this package, to the letter, and what it calculates with."""
    python = ".".join(map(str, sys.version_info[:2]))
    libraries = {name: _version(name) for name in _LIBRARIES}
    return {"diva": diva.__version__, "Python": python} | libraries | {"files of diva": _digest()}


def _version(library: str) -> str:
    try:
        return version(library)
    except PackageNotFoundError:
        return "in no known version"


def _digest() -> str:
    home = Path(diva.__file__).parent
    digest = hashlib.sha256()
    for path in sorted(home.rglob("*.py")):
        digest.update(f"{path.relative_to(home)}\0".encode() + hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def _told(name: str, value: str | None) -> str:
    """A version; a digest says nothing to people."""
    return f"other {name}" if name.startswith("files") else f"{name} {value}"
