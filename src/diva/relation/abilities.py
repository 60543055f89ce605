"""What each engine can and cannot, declared beside its code and told in docs/engines.md."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


class Ability(Enum):
    """Something that a user may want of an engine."""

    FILES = "reads CSV and Parquet files"
    FOLDERS = "reads partitioned folders"
    FRAMES = "reads pandas, polars and pyarrow frames"
    TABLES = "reads tables and queries of a database"
    FILE = "writes one file, whole or not at all"
    FOLDER = "writes a folder of files, whole or not at all"
    IN_PLACE = "writes a table where the data lives"
    TYPES = "keeps the types of columns without stars"
    SHUFFLE = "shuffles the release"
    KEEP = "keeps the order of the rows"
    SPILLS = "larger than memory"
    LIMITS = "keeps to a memory limit, threads and a folder for temporary files"
    DISTRIBUTED = "uses several machines"
    SEARCH = "searches the parts of a table on several machines"


@dataclass(frozen=True, slots=True)
class Answer:
    """Whether an engine can do something, and what there is to know about it."""

    word: str
    """`yes`, `not yet` or `never`."""
    note: str = ""

    def __str__(self) -> str:
        return f"{self.word}: {self.note}" if self.note else self.word


def yes(note: str = "") -> Answer:
    """It can."""
    return Answer("yes", note)


def not_yet(note: str = "") -> Answer:
    """It could, and nobody has written that."""
    return Answer("not yet", note)


def never(why: str) -> Answer:
    """It can't, for a reason."""
    return Answer("never", why)


ENGINES = {"DuckDB": "duck_abilities", "PostgreSQL": "postgres_abilities", "Spark": "spark_abilities"}
"""The engines, and the module beside each that says what it can (as `ABILITIES`)."""


def declared() -> dict[str, Mapping[Ability, Answer]]:
    """What the engines say of themselves; loads no engine."""
    return {name: import_module(f"diva.relation.{module}").ABILITIES for name, module in ENGINES.items()}


def as_markdown() -> str:
    """The table in docs/engines.md."""
    engines = declared()
    rows = [["", *engines], ["---"] * (len(engines) + 1)]
    rows += [[ability.value, *(str(able[ability]) for able in engines.values())] for ability in Ability]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)
