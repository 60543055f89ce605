"""QI rows handed over to PostgreSQL: a temporary table of texts that a scan is joined with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from diva.relation.sql_postgres import PostgresSql

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np

    from diva.relation.postgres_session import Session
    from diva.relation.types import Types

SQL = PostgresSql()


@dataclass(frozen=True)
class Known:
    """Types, as a scan's records are matched with them."""

    types: Types

    def matches(self, texts: Sequence[str], conditions: Sequence[str] = ()) -> str:
        """Whether a record, given by its texts and which conditions it meets, is of the type that w is about."""
        nulls = [self._null(i) for i in range(len(self.types.attributes))]
        parts = [
            SQL.equal(text, f"w.k{i}", null) for i, (text, null) in enumerate(zip(texts, nulls, strict=True))
        ]
        return " AND ".join([*parts, *(f"({c}) = w.b{i}" for i, c in enumerate(conditions))])

    def hand_over(
        self,
        session: Session,
        stem: str,
        type_: np.ndarray | None,
        columns: Mapping[str, np.ndarray],
        origin: str,
    ) -> str:
        """Make a table of what records of these types look like (unless None) and what else is known; return its name."""
        name = session.fresh_name(stem)
        arrays: list[list[Any]] = []
        declared: dict[str, str] = {}
        if type_ is not None:
            for i, values in enumerate(self.types.values):
                null = self._null(i)
                texts = [null if value is None else value for value in values]
                arrays.append([texts[code] for code in self.types.codes[type_, i].tolist()])
                declared[f"k{i}"] = "TEXT"
            for i in range(len(self.types.conditions)):
                arrays.append(self.types.met[type_, i].tolist())
                declared[f"b{i}"] = "BOOLEAN"
        for column, array in columns.items():
            arrays.append(array.tolist())
            declared[column] = "BOOLEAN" if array.dtype == bool else "BIGINT"
        session.run(SQL.temporary_columns(name, declared), origin)
        session.hand_over(SQL.copy_in(name), zip(*arrays, strict=True), origin)
        session.run(SQL.analyze(name), origin)
        return name

    def _null(self, i: int) -> str | None:
        """What NULL is called in an attribute that has any: a text that is none of its values."""
        values = self.types.values[i]
        if None not in values:
            return None
        longest = max((len(value) for value in values if value is not None), default=0)
        return "~" * (longest + 1)
