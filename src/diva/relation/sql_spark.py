"""Every SQL text that is Spark's own: canonical texts, numbering without a window, and an order that tells nothing.

Sources are views whose columns are called x0, x1 …, so no name of a user's stands in a query, and n, how often their row
comes: in a view of records that is 1, in one of distinct rows their count. The queries below add n up.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from diva.relation.sql import Sql

if TYPE_CHECKING:
    from collections.abc import Sequence

    from diva.relation.engine import Kind

TURN_DIGITS = 15
"""So many hexadecimal digits of the md5 fit into a BIGINT; two records of a type that agree in them are a tie."""
TURN_BITS = 4 * TURN_DIGITS
_ESCAPES = str.maketrans({"\\": "\\\\", "'": "\\'", "\0": "\\0", "\n": "\\n", "\r": "\\r", "\t": "\\t"})
"""What a Spark literal writes with a backslash."""
COPIES_A_TASK = 10_000
"""Of a row that comes more often, each so many copies go their own way."""


@dataclass(frozen=True, slots=True)
class SparkSql(Sql):
    """Writes Spark SQL."""

    def name(self, identifier: str) -> str:
        """Quote an identifier."""
        return "`" + identifier.replace("`", "``") + "`"

    def text(self, value: str) -> str:
        """Write a text literal. Spark replaces ${…} before it parses, so the dollar is written as its code."""
        escaped = value.translate(_ESCAPES)
        return "'" + escaped.replace("${", "\\u0024{") + "'"

    def as_text(self, column: str, kind: Kind) -> str:
        """A column's values in the canonical text that all engines share."""
        if kind == "text":
            return column
        if kind == "float":
            return _float_text(column)
        if kind == "instant":
            # Microseconds since 1970: a cast would write the session's own time zone.
            seconds = f"CAST(unix_micros({column}) AS DECIMAL(20, 0)) / 1000000"
            since = "TIMESTAMP_NTZ '1970-01-01 00:00:00'"
            return f"(CAST({since} + make_dt_interval(0, 0, 0, {seconds}) AS STRING) || '+00')"
        return f"CAST({column} AS STRING)"

    def scan(self, source: str, columns: Sequence[str], *, position: str | None = None) -> str:  # noqa: ARG002 - Spark has none
        """A source with its columns called c0, c1 …, and n."""
        return f"SELECT {', '.join([*(f'{column} AS c{i}' for i, column in enumerate(columns)), 'n'])} FROM {source}"

    def count_targets(self, scan: str, predicates: Sequence[str]) -> str:
        """The validation of a whole Σ in one scan."""
        sums = ", ".join(f"COALESCE(sum(CASE WHEN {p} THEN n ELSE 0 END), 0)" for p in predicates)
        return f"SELECT {sums} FROM ({scan}) r"

    def row_text(self, texts: Sequence[str]) -> str:
        """The canonical row text of some columns, as the other engines write it."""
        if not texts:
            return "''"
        return " || ".join(f"COALESCE(CAST(length({t}) AS STRING) || ':' || {t}, 'N')" for t in texts)

    def number(self, turn: str) -> str:
        """The first digits of a turn as a number."""
        return f"CAST(conv(substr({turn}, 1, {TURN_DIGITS}), 16, 10) AS BIGINT)"

    def grouped(self, scan: str, texts: Sequence[str], conditions: Sequence[str]) -> str:
        """The types as texts k0 …, the conditions they meet b0 …, and their counts n."""
        keys = [f"k{i}" for i in range(len(texts))]
        bits = [f"b{i}" for i in range(len(conditions))]
        selected = [f"{text} AS {key}" for text, key in zip(texts, keys, strict=True)]
        selected += [f"{condition} AS {bit}" for condition, bit in zip(conditions, bits, strict=True)]
        group = ", ".join([*keys, *bits])
        return f"SELECT {group}, sum(n) AS n FROM (SELECT {', '.join(selected)}, n FROM ({scan}) r) s GROUP BY {group}"

    def quality(self, lines: str) -> str:
        """What a delimited file's raw lines (column `value`, broken at line feeds only) tell about how it can be read."""
        quotes = "length(value) - length(replace(value, '\"', ''))"
        figures = {
            "lines": "count(*)",
            "ill_coded": "count_if(NOT is_valid_utf8(value))",
            "returns": r"count_if(value LIKE '%\r')",
            "inner_returns": r"count_if(value LIKE '%\r_%')",
            "open_quotes": f"count_if(({quotes}) % 2 = 1)",
            "blank": r"count_if(trim(BOTH ' \t\r' FROM value) = '')",
        }
        return f"SELECT {', '.join(f'{figure} AS {name}' for name, figure in figures.items())} FROM {lines}"

    def turns(self, parts: SparkParts, windows: str, *, only: bool) -> str:
        """Count the records of split types by buckets of their turn u, and within windows by u itself.

        One row for each (type, bucket) or (type, bucket, u): how many records, and the least and greatest u.
        """
        keyed = (
            f"SELECT w.type, w.shift, {self.number(parts.turn)} AS u, r.n"
            f" FROM ({parts.scan}) r JOIN {parts.split} w ON {parts.on}"
        )
        placed = f"SELECT type, u, n, CAST(shiftright(u, shift) AS INT) AS bucket FROM ({keyed}) a"
        join = f"{'' if only else 'LEFT '}JOIN {windows} v ON a.type = v.type AND a.bucket = v.bucket"
        marked = f"SELECT a.type, a.bucket, a.u, a.n, CASE WHEN v.type IS NOT NULL THEN a.u END AS x FROM ({placed}) a {join}"
        return (
            "SELECT type, bucket, x, sum(n) AS n, min(u) AS low, max(u) AS high"
            f" FROM ({marked}) b GROUP BY type, bucket, x"
        )

    def whole_and_cut(self, parts: SparkParts) -> str:
        """Rows of whole types, and those of split types whose turn lies inside a fragment: one scan, no numbering."""
        turn = f"CASE WHEN w.type >= 0 THEN {self.number(parts.turn)} END" if parts.fragments else "NULL"
        joined = (
            f"SELECT r.*, w.*, {turn} AS u, spark_partition_id() AS origin"
            f" FROM ({parts.scan}) r JOIN {parts.plan} w ON {parts.on}"
        )
        if parts.fragments is None:
            cells = ", ".join(parts.cells("r"))
            return f"SELECT {cells}, r.g, r.spread, r.origin, r.n FROM ({joined}) r WHERE r.type < 0"
        fits = "r.type = f.type AND r.u >= f.low AND r.u <= f.high"
        cells = ", ".join(parts.cells("r", "f"))
        return (
            f"SELECT {cells}, COALESCE(f.g, r.g) AS g, COALESCE(f.spread, r.spread) AS spread, r.origin, r.n"
            f" FROM ({joined}) r LEFT JOIN {parts.fragments} f ON {fits} WHERE r.type < 0 OR f.type IS NOT NULL"
        )

    def tied(self, parts: SparkParts) -> str:
        """Records of equal turn between two fragments: equal in all that is published, so counted and written anew.

        Nothing numbers them: a fragment gets as many copies as it needs, in pieces that any task can write.
        """
        columns = [f"c{i}" for i in range(parts.width)]
        keyed = self._keyed(parts)
        firsts = ", ".join(f"first(a.{c}) AS {c}" for c in columns)
        tie = "a.type = t.type AND a.u = t.u"
        one = (
            f"SELECT a.type, a.u, {firsts} FROM ({keyed}) a JOIN {parts.ties} t ON {tie} GROUP BY a.type, a.u"
        )
        pieces = (
            f"SELECT o.*, p.copies, p.piece, p.g, p.spread, {parts.flags('p')}"
            f" FROM {parts.pieces} p JOIN ({one}) o ON o.type = p.type AND o.u = p.u DISTRIBUTE BY p.piece"
        )
        cells = ", ".join(parts.cells("r"))
        return (
            f"SELECT {cells}, r.g, r.spread, CAST(r.piece AS INT) AS origin"
            f" FROM (SELECT q.*, explode(sequence(1, copies)) AS copy FROM ({pieces}) q) r"
        )

    def tied_counts(self, parts: SparkParts) -> str:
        """The same where the source has distinct rows: a fragment takes as many copies of a row as it needs."""
        cells = ", ".join(parts.cells("r"))
        taken = (
            f"SELECT a.*, p.copies, p.piece, p.g, p.spread, {parts.flags('p')} FROM ({self._keyed(parts)}) a"
            f" JOIN {parts.pieces} p ON a.type = p.type AND a.u = p.u"
        )
        return (
            f"SELECT {cells}, r.g, r.spread, CAST(r.piece AS INT) AS origin, r.copies AS n FROM ({taken}) r"
        )

    def _keyed(self, parts: SparkParts) -> str:
        """The rows of split types with their turns."""
        turn = self.number(parts.turn)
        return f"SELECT r.*, w.type, {turn} AS u FROM ({parts.scan}) r JOIN {parts.split} w ON {parts.on}"

    def unordered(self, pieces: Sequence[str], width: int, hashed: Sequence[int], key: int) -> str:
        """The published rows p0 …, spread and sorted by a keyed hash of themselves, large groups over several tasks."""
        cells = ", ".join(f"p{i}" for i in range(width))
        others = "".join(f", p{i}" for i in hashed)
        salt = f"pmod(xxhash64({key}, origin{others}), spread)"
        rows = f"SELECT {cells}, xxhash64({key}, g, {salt}) AS place, xxhash64({key}, g{others}) AS rank FROM ({{}}) s"
        union = " UNION ALL ".join(rows.format(piece) for piece in pieces)
        return f"SELECT {cells} FROM (SELECT * FROM ({union}) t DISTRIBUTE BY place SORT BY rank) v"

    def unordered_copies(self, pieces: Sequence[str], width: int, key: int, tasks: int) -> str:
        """The same from rows that come n times: they are spread and sorted while they are few, and copied at the end.

        What comes very often is spread over several tasks, in pieces. The number of tasks is told, for Spark would
        give what looks so small to one.
        """
        cells = ", ".join(f"p{i}" for i in range(width))
        union = " UNION ALL ".join(f"SELECT {cells}, g, n FROM ({piece}) s" for piece in pieces)
        number = f"explode(sequence(0, CAST((n - 1) DIV {COPIES_A_TASK} AS INT))) AS piece"
        hashed = f"{key}, g, {cells}"
        placed = (
            f"SELECT {cells}, CAST(least({COPIES_A_TASK}, n - piece * {COPIES_A_TASK}) AS INT) AS copies,"
            f" xxhash64({hashed}, piece) AS place, xxhash64({hashed}) AS rank FROM (SELECT *, {number} FROM ({union}) t) s"
        )
        spread = f"SELECT /*+ REPARTITION({tasks}, place) */ * FROM ({placed}) v"
        return f"SELECT {cells} FROM (SELECT {cells}, explode(sequence(1, copies)) AS copy FROM (SELECT * FROM ({spread}) w SORT BY rank) x) y"

    def numbered(self, scan: str, untouched: Sequence[str], same: Sequence[str], rows: str, side: int) -> str:
        """The rows of one of two tables: untouched values z0 …, twice the number of the QI row plus `side`, and n."""
        columns = ", ".join(f"{text} AS z{i}" for i, text in enumerate(untouched))
        return f"SELECT {columns}, 2 * w.id + {side} AS m, r.n FROM ({scan}) r JOIN {rows} w ON {' AND '.join(same)}"

    def member_lists(self, sides: Sequence[str], untouched: int, *, counted: bool) -> str:
        """Numbered rows by component (equal untouched values): the lists of (m, n), and how many components have each.

        Rows that are counted already aren't added up again: a number may come several times in a list.
        """
        z = ", ".join(f"z{i}" for i in range(untouched))
        rows = " UNION ALL ".join(sides)
        if not counted:
            # Distributed before they are listed: lists that are begun earlier are only carried along.
            rows = f"SELECT {z}, m, sum(n) AS n FROM ({rows}) a GROUP BY {z}, m DISTRIBUTE BY {z}"
        lists = f"SELECT sort_array(collect_list(named_struct('m', m, 'n', n))) AS members FROM ({rows}) b GROUP BY {z}"
        return f"SELECT members, count(*) AS copies FROM ({lists}) c GROUP BY members"


@dataclass(frozen=True, slots=True)
class SparkParts:
    """What the recoding queries are made of."""

    scan: str
    """The original with columns c0 …"""
    width: int
    """How many columns the scan has."""
    on: str
    """The join of a record r with its type w."""
    turn: str
    """What decides which records of a split type go where."""
    published: tuple[tuple[str, str, int], ...]
    """For each published column: the expression of r, what a star shows, and the number of the QI attribute or -1."""
    starred: tuple[int, ...]
    """The QI attributes that have stars at all."""
    plan: str
    """View of all types: where whole ones go; split ones have a number (`type`), and others -1."""
    split: str | None = None
    """View of the split types."""
    fragments: str | None = None
    """View of the turns that fragments of split types take."""
    ties: str | None = None
    """View of the turns that are shared between fragments."""
    pieces: str | None = None
    """View of how many copies fragments take of them."""

    def cells(self, record: str, fragment: str | None = None) -> tuple[str, ...]:
        """The published cells p0 …; flags come from the fragment where there is one."""
        found = []
        for i, (column, star, attribute) in enumerate(self.published):
            flag = f"{record}.s{attribute}"
            if fragment is not None:
                flag = f"COALESCE({fragment}.s{attribute}, {flag})"
            cell = f"CASE WHEN {flag} THEN {star} ELSE {column} END" if attribute in self.starred else column
            found.append(f"{cell} AS p{i}")
        return tuple(found)

    def flags(self, fragment: str) -> str:
        """The flags of starred attributes."""
        return ", ".join([f"{fragment}.s{i}" for i in self.starred] or ["1 AS s"])


def _float_text(column: str) -> str:
    """Python's repr of a float from Spark's text of it, which is Java's: 1.0E20 for 1e+20, 1.5E7 for 15000000.0."""
    t = f"CAST({column} AS STRING)"
    sign = f"CASE WHEN {t} LIKE '-%' THEN '-' ELSE '' END"
    head = f"regexp_extract({t}, '([0-9])[.]', 1)"
    tail = f"regexp_replace(regexp_extract({t}, '[.]([0-9]+)E', 1), '^0$', '')"
    e = f"try_cast(regexp_extract({t}, 'E(-?[0-9]+)$', 1) AS INT)"
    plain = (
        f"CASE WHEN length({tail}) <= {e} THEN {head} || rpad({tail}, {e}, '0') || '.0'"
        f" ELSE {head} || substr({tail}, 1, {e}) || '.' || substr({tail}, {e} + 1) END"
    )
    dotted = f"CASE WHEN {tail} = '' THEN '' ELSE '.' || {tail} END"
    power = (
        f"CASE WHEN {e} < 0 THEN '-' ELSE '+' END || CASE WHEN abs({e}) < 10 THEN '0' ELSE '' END || abs({e})"
    )
    return (
        f"CASE WHEN {t} = 'NaN' THEN 'nan' WHEN {t} = 'Infinity' THEN 'inf' WHEN {t} = '-Infinity' THEN '-inf'"
        f" WHEN {t} NOT LIKE '%E%' THEN {t} WHEN {e} BETWEEN 0 AND 15 THEN {sign} || {plain}"
        f" WHEN {e} = -4 THEN {sign} || '0.000' || {head} || {tail}"
        f" ELSE {sign} || {head} || {dotted} || 'e' || {power} END"
    )
