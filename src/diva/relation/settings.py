"""How an engine may use the machine: memory, threads, and where it puts what doesn't fit."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from numbers import Integral
from pathlib import Path
from typing import Any, Literal, get_args

from diva.errors import BadInput

Engine = Literal["duckdb", "spark"]
_UNITS = {"": 1, "K": 1000, "M": 1000**2, "G": 1000**3, "T": 1000**4}
_BINARY = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
_SIZE = re.compile(r"([0-9]{1,15}(?:\.[0-9]{1,6})?)\s*([KMGT]?)(I?)B", re.IGNORECASE)
MIN_MEMORY = 64 * 1000**2
"""Less than this isn't enough for any engine to sort with."""
MAX_MEMORY = 1 << 60
MAX_THREADS = 4096


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What a user allows an engine; what is None is left to the engine."""

    memory_limit: str | None = None
    """How much memory it may use, as in 2GB or 512MiB."""
    threads: int | None = None
    temp_dir: Path | None = None
    """The folder for what doesn't fit into memory; it must be there."""
    engine: Engine | None = None
    """Who reads files; duckdb where not given. Where a table says itself where it lives, that decides."""
    master: str | None = None
    """Where Spark runs: local[*], local[N] or spark://HOST:PORT; local[*] where not given."""

    def __post_init__(self) -> None:
        self._require_engine()
        if (
            self.memory_limit is not None
            and not MIN_MEMORY <= size(self.memory_limit, "memory limit") <= MAX_MEMORY
        ):
            raise BadInput(f"memory limit {self.memory_limit!r} must be at least 64MB and at most 1EiB")
        object.__setattr__(self, "threads", _threads(self.threads))
        if self.temp_dir is not None:
            object.__setattr__(self, "temp_dir", _folder(self.temp_dir))

    def _require_engine(self) -> None:
        if self.engine not in (None, *get_args(Engine)):
            raise BadInput(f"engine {self.engine!r} is not one of {', '.join(get_args(Engine))}")
        if self.master is not None and not isinstance(self.master, str):
            raise BadInput(f"master {self.master!r} must be a text, as in local[*]")
        if self.master is not None and self.engine != "spark":
            raise BadInput("--master says where Spark runs; give it with --engine spark")

    def refuse(self, engine: str, *names: str) -> None:
        """Refuse settings that an engine would ignore."""
        for name in names:
            if getattr(self, name) is not None:
                raise BadInput(f"--{name.replace('_', '-')} says nothing to {engine}; leave it out")

    @property
    def bytes(self) -> int | None:
        """The memory limit in bytes."""
        return None if self.memory_limit is None else size(self.memory_limit, "memory limit")


def size(text: object, what: str) -> int:
    """Read a size such as 2GB (powers of 1000) or 2GiB (powers of 1024)."""
    found = _SIZE.fullmatch(text.strip()) if isinstance(text, str) else None
    if found is None:
        raise BadInput(f"{what} {text!r} must be a size, as in 2GB or 512MiB")
    unit = (_BINARY if found[3] else _UNITS)[found[2].upper()]
    return int(float(found[1]) * unit)


def _threads(threads: Any) -> int | None:
    if threads is None:
        return None
    whole = isinstance(threads, Integral) and not isinstance(threads, bool)
    if not whole or not 1 <= int(threads) <= MAX_THREADS:
        raise BadInput(f"threads {threads!r} must be a whole number from 1 to {MAX_THREADS:,}")
    return int(threads)


def _folder(path: object) -> Path:
    if not isinstance(path, str | Path):
        raise BadInput(f"temp dir {path!r} must be a path")
    folder = Path(path)
    if not folder.is_dir():
        raise BadInput(
            f"there is no folder {str(folder)!r} to put temporary files in (--temp-dir); make it first"
        )
    if not os.access(folder, os.W_OK | os.X_OK):
        raise BadInput(
            f"no permission to put temporary files in folder {str(folder)!r} (--temp-dir); name another"
        )
    return folder


DEFAULTS = Settings()
