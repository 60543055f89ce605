"""A release as one Spark plan over the original and a small broadcast plan; nothing is run until its rows are wanted.

Whole types go by a broadcast join. Records of split types go by comparing their turns with the cuts found beforehand
(spark_cuts.py), in the same scan. No window and no sort by type: a type with a billion rows stays spread over all tasks.
"""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from diva.relation import files, spark_cuts
from diva.relation.spark_cuts import Cuts, Segments, Split
from diva.relation.spark_faults import told
from diva.relation.spark_files import write
from diva.relation.spark_frames import keys, named, small
from diva.relation.sql_spark import TURN_DIGITS, SparkParts, SparkSql
from diva.relation.types import distinct_rows

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pyspark.sql import DataFrame

    from diva.relation.engine import Fragments, Layout
    from diva.relation.spark import SparkTable
    from diva.relation.types import Types

SQL = SparkSql()
_COPIES_A_PIECE = 100_000
_LEAST_SPREAD = 50_000
_LEAST_A_TASK, _MOST_A_TASK = 100_000, 2_000_000
"""Records that a task writes, where a release is written from counts."""
_TASKS = 512
"""A group with more records than a 512th of the table, and than 50,000, is spread over several tasks."""


@dataclass(frozen=True)
class SparkRecoding:
    """The release that a plan describes, not yet produced."""

    table: SparkTable
    types: Types
    plan: Fragments
    layout: Layout
    open: Callable[[DataFrame, str], SparkTable]

    def write(self, path: Path, *, like: Path) -> SparkTable:
        """Write the release to a folder, in the format that the name of `like` tells, and open it."""
        form = files.format_of(like)
        with told(self.table.session, repr(str(like))):
            write(self._frame(as_text=not form.parquet), path, form)
        return self.table.reopened(path, like=like)

    def materialise(self) -> SparkTable:
        """The release as a lazy DataFrame."""
        with told(self.table.session, self.table.origin):
            return self.open(self._frame(as_text=False), "the release")

    @cached_property
    def _kept(self) -> np.ndarray:
        """The fragments that have records, by type, in the order of the plan."""
        some = np.flatnonzero(self.plan.count > 0)
        return some[np.argsort(self.plan.type[some], kind="stable")]

    @cached_property
    def _whole(self) -> np.ndarray:
        whole: np.ndarray = self.plan.count[self._kept] == self.types.counts[self.plan.type[self._kept]]
        return whole

    @cached_property
    def _split(self) -> Split:
        pieces = self._kept[~self._whole]
        type_, count = self.plan.type[pieces], self.plan.count[pieces].astype(np.int64)
        split, first, owner = np.unique(type_, return_index=True, return_inverse=True)
        upto = np.cumsum(count)
        upto -= (upto[first] - count[first])[owner] if len(split) else 0
        return Split(split.astype(np.int64), self.types.counts[split], owner, upto - count, upto)

    @cached_property
    def _flags(self) -> dict[str, np.ndarray]:
        """For each kept fragment: which attributes are starred, the number of its group, over how many tasks it goes."""
        type_, levels = self.plan.type[self._kept], self.plan.levels[self._kept]
        group = distinct_rows(np.where(levels > 0, -1, self.types.codes[type_]))[1]
        size = np.bincount(group, weights=self.plan.count[self._kept]).astype(np.int64)
        spread = -(-size // max(_LEAST_SPREAD, self.types.rows // _TASKS))
        starred = {f"s{i}": levels[:, i] > 0 for i in range(levels.shape[1])}
        return starred | {"g": group.astype(np.int64), "spread": spread[group]}

    @cached_property
    def _columns(self) -> tuple[str, ...]:
        """The columns that are read."""
        needed = {*self.layout.published, *self.table.used(self.types.attributes, self.types.conditions)}
        return tuple(name for name in self.table.names if name in needed)

    @cached_property
    def _texts(self) -> dict[str, str]:
        return self.table.texts(self._columns)

    @cached_property
    def _visible(self) -> list[str]:
        """Without QI columns: they are equal within a type, and a suppressed one must not decide anything visible."""
        return [self._texts[c] for c in self.layout.published if c not in self.types.attributes]

    @cached_property
    def _cuts(self) -> Cuts:
        if not self._visible:
            digest = hashlib.md5(f"{self.layout.seed}|".encode(), usedforsecurity=False).hexdigest()
            return spark_cuts.constant(self._split, int(digest[:TURN_DIGITS], 16))
        return spark_cuts.find(self._split, self._count_turns)

    def _count_turns(self, types: np.ndarray, buckets: np.ndarray, only: bool) -> Segments:  # noqa: FBT001 - as spark_cuts.find calls it
        session, split = self.table.session, self._split
        place = np.arange(len(split.type))
        frames = {
            "table": self.table.source(self._columns),
            "split": small(session, keys(self.types, split.type) | {"type": place, "shift": split.shift}),
            "windows": small(session, {"type": types, "bucket": buckets}),
        }
        with named(frames) as views:
            query = SQL.turns(self._parts(views, as_text=False), views["windows"], only=only)
            answer = session.sql(query)
        counted = answer.toArrow()
        of = {n: counted.column(n).to_numpy() for n in ("type", "bucket", "low", "high", "n")}
        return Segments(of["type"], of["bucket"].astype(np.int64), of["low"], of["high"], of["n"])

    def _frame(self, *, as_text: bool) -> DataFrame:
        """The release, lazily; the cuts of split types are found now."""
        frames = {"table": self.table.source(self._columns)} | self._plan_frames()
        with named(frames) as views:
            parts = self._parts(views, as_text=as_text)
            query = self._from_counts(parts) if self._counted else self._from_records(parts)
            frame = self.table.session.sql(query)
        return frame.toDF(*self.layout.published)

    @property
    def _counted(self) -> bool:
        return self.table.counted is not None and self.table.counted.holds(self._columns)

    def _from_records(self, parts: SparkParts) -> str:
        pieces = [SQL.whole_and_cut(parts)]
        if parts.ties is not None:
            pieces.append(SQL.tied(parts))
        kinds = {c.name: c.kind for c in self.table.columns}
        hashed = [
            i
            for i, name in enumerate(self.layout.published)
            if name not in self.types.attributes and kinds[name] != "other"
        ]
        return SQL.unordered(pieces, len(self.layout.published), hashed, _key())

    def _from_counts(self, parts: SparkParts) -> str:
        pieces = [SQL.whole_and_cut(parts)]
        if parts.ties is not None:
            pieces.append(SQL.tied_counts(parts))
        most = 4 * self.table.session.sparkContext.defaultParallelism
        tasks = max(min(most, -(-self.types.rows // _LEAST_A_TASK)), -(-self.types.rows // _MOST_A_TASK))
        return SQL.unordered_copies(pieces, len(self.layout.published), _key(), tasks)

    def _plan_frames(self) -> dict[str, DataFrame]:
        """The tables that the plan joins."""
        session, split, flags = self.table.session, self._split, self._flags
        whole = {name: values[self._whole] for name, values in flags.items()}
        type_ = self.plan.type[self._kept][self._whole]
        of_split = {name: np.zeros(len(split.type), values.dtype) for name, values in flags.items()}
        chosen = np.concatenate([type_, split.type]).astype(np.int64)
        place = np.concatenate([np.full(len(type_), -1), np.arange(len(split.type))])
        joined = {name: np.concatenate([whole[name], of_split[name]]) for name in flags}
        frames = {"plan": small(session, keys(self.types, chosen) | {"type": place} | joined)}
        if not len(split.type):
            return frames
        cuts, fragment = self._cuts, {name: values[~self._whole] for name, values in flags.items()}
        some = cuts.low <= cuts.high
        pieces = {"type": split.owner, "low": cuts.low, "high": cuts.high} | fragment
        if some.any():
            frames["fragments"] = small(session, {n: v[some] for n, v in pieces.items()})
        if len(cuts.tie):
            frames["split"] = small(
                session, keys(self.types, split.type) | {"type": np.arange(len(split.type))}
            )
            frames |= self._tie_frames(cuts, fragment)
        return frames

    def _tie_frames(self, cuts: Cuts, fragment: dict[str, np.ndarray]) -> dict[str, DataFrame]:
        """Shared turns, and how many copies each fragment takes of them, in pieces of a size that a task can write."""
        session, owner = self.table.session, self._split.owner[cuts.tie]
        shared = np.unique(np.column_stack([owner, cuts.turn]), axis=0)
        number = -(-cuts.copies // _COPIES_A_PIECE)
        which = np.repeat(np.arange(len(number)), number)
        copies = np.full(len(which), _COPIES_A_PIECE)
        copies[np.cumsum(number) - 1] = cuts.copies - (number - 1) * _COPIES_A_PIECE
        pieces = {
            "type": owner[which],
            "u": cuts.turn[which],
            "copies": copies,
            "piece": np.arange(len(which)),
        }
        flags = {name: values[cuts.tie][which] for name, values in fragment.items()}
        return {
            "ties": small(session, {"type": shared[:, 0], "u": shared[:, 1]}),
            "pieces": small(session, pieces | flags),
        }

    def _parts(self, views: dict[str, str], *, as_text: bool) -> SparkParts:
        texts, types = self._texts, self.types
        matches = [f"{texts[c]} IS NOT DISTINCT FROM w.k{i}" for i, c in enumerate(types.attributes)]
        matches += [f"{SQL.carries(c, texts)} = w.b{i}" for i, c in enumerate(types.conditions)]
        return SparkParts(
            scan=SQL.scan(views["table"], [f"x{i}" for i in range(len(self._columns))]),
            width=len(self._columns),
            on=" AND ".join(matches),
            turn=SQL.turn(self.layout.seed, self._visible),
            published=tuple(self._cell(name, as_text=as_text) for name in self.layout.published),
            starred=self._starred,
            plan=views.get("plan", ""),
            split=views.get("split"),
            fragments=views.get("fragments"),
            ties=views.get("ties"),
            pieces=views.get("pieces"),
        )

    @cached_property
    def _starred(self) -> tuple[int, ...]:
        return tuple(np.flatnonzero((self.plan.levels[self._kept] > 0).any(axis=0)).tolist())

    def _cell(self, name: str, *, as_text: bool) -> tuple[str, str, int]:
        """The expression of a published column, what a star shows there, and the number of the QI attribute or -1."""
        attribute = self.types.attributes.index(name) if name in self.types.attributes else -1
        star = self.layout.star
        becomes_text = as_text or (attribute in self._starred and star is not None)
        column = self._texts[name] if becomes_text else f"r.c{self._columns.index(name)}"
        return column, "NULL" if star is None else SQL.text(star), attribute


def _key() -> int:
    """A key that is thrown away: who knows only the release can't tell from its order where a record stood."""
    return secrets.randbits(62)
