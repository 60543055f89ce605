"""A release as one statement of PostgreSQL over the distinct records of a table and a small plan."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from diva.errors import BadInput
from diva.relation.plan_parts import PlanParts, Shown, take_apart
from diva.relation.postgres_known import SQL, Known
from diva.relation.sql import RecodeParts

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np

    from diva.relation.engine import Fragments, Layout, Table
    from diva.relation.postgres import PostgresTable
    from diva.relation.types import Types


@dataclass(frozen=True)
class PostgresRecoding:
    """The release that a plan describes, not yet produced."""

    table: PostgresTable
    types: Types
    plan: Fragments
    layout: Layout

    def write(self, path: Path, *, like: Path) -> Table:
        """Refuse: rows stay in the database."""
        return self.table.write(path, like=like)

    def materialise(self) -> Table:
        """Refuse: a release stays in the database, under a name."""
        raise BadInput(
            f"the release of {self.table.origin} stays in the database; name a table for it with --into"
        )

    def query(self) -> str:
        """Hand over the plan, and write the query whose answer is the release."""
        scan = self.table.scan(self.layout.published)
        texts = scan.texts
        types, layout = self.types, self.layout
        conditions = [SQL.carries(c, texts) for c in types.conditions]
        visible = [texts[c] for c in layout.published if c not in types.attributes]
        whole, split, fragments = self._handed_over()
        parts = RecodeParts(
            scan=scan.query,
            cells=(
                *(f"{self._cell(name, texts[name])} AS p{i}" for i, name in enumerate(layout.published)),
                SQL.shuffled(layout.seed, visible),
                "w.g",
            ),
            on=Known(types).matches([texts[a] for a in types.attributes], conditions),
            turn=SQL.turn(layout.seed, visible),
            whole=whole,
            split=split,
            fragments=fragments,
        )
        return SQL.published(SQL.recode(parts), layout.published)

    @cached_property
    def _pieces(self) -> PlanParts:
        return take_apart(self.types, self.plan)

    def _handed_over(self) -> tuple[str | None, str | None, str | None]:
        """The tables of whole types, of split types and of their fragments; None where there are none of these."""
        known, session, origin = Known(self.types), self.table.session, self.table.origin
        pieces = self._pieces
        whole = split = fragments = None
        if len(pieces.whole.type):
            whole = known.hand_over(session, "whole", pieces.whole.type, _flags(pieces.whole), origin)
        if len(pieces.split):
            split = known.hand_over(session, "split", pieces.split, {"type": pieces.split}, origin)
            places = {"type": pieces.fragments.type, "after": pieces.after, "upto": pieces.upto}
            fragments = known.hand_over(session, "fragments", None, places | _flags(pieces.fragments), origin)
        return whole, split, fragments

    def _cell(self, name: str, text: str) -> str:
        """What is published in a column; its type is kept unless it holds stars."""
        declared = self.table.declared[name]
        value = SQL.restored(text, declared.type, declared.collation)
        if name not in self.types.attributes:
            return value
        i = self.types.attributes.index(name)
        if not self._pieces.starred[i]:
            return value
        if self.layout.star is None:
            return f"CASE WHEN w.s{i} THEN NULL ELSE {value} END"
        return SQL.restored(
            f"CASE WHEN w.s{i} THEN {SQL.text(self.layout.star)} ELSE {text} END", "TEXT", SQL.plain
        )


def _flags(shown: Shown) -> dict[str, np.ndarray]:
    return {f"s{i}": shown.starred[:, i] for i in range(shown.starred.shape[1])} | {"g": shown.group}
