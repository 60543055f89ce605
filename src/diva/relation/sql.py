"""Every SQL text of the project. Portable: no engine's hash, no implicit null order, nulls joined by IS NOT DISTINCT FROM.

Inside a query a table's columns are called c0, c1 …, so that no name of a user's column can meet one of ours.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from diva.constraints.model import Target
    from diva.relation.engine import Kind

_BETWEEN, _NULL = "chr(31)", "chr(30)"
"""Marks of one byte, as an expression, that join the cells of a row and stand for NULL."""


@dataclass(frozen=True, slots=True)
class Sql:
    """Writes SQL as the standard has it, and DuckDB reads it; dialects override what they write otherwise."""

    def name(self, identifier: str) -> str:
        """Quote an identifier."""
        return '"' + identifier.replace('"', '""') + '"'

    def text(self, value: str) -> str:
        """Write a text literal, in which a backslash is a backslash."""
        return "'" + value.replace("'", "''") + "'"

    def as_text(self, column: str, kind: Kind) -> str:
        """A column's values in their canonical text, which all engines share (docs/engines.md); NULL stays NULL.

        boolean: `true`, `false`. integer: digits. decimal: with all digits of its scale. float: the fewest digits that
        read back, as Python's repr writes them. date: `2026-11-19`. timestamp: `2026-11-19 09:30:00.25` without
        trailing zeros. instant: the same in UTC, then `+00`. DuckDB's casts write just that; a dialect whose casts
        don't has its own expressions here.
        """
        return column if kind == "text" else f"CAST({column} AS VARCHAR)"

    def scan(self, source: str, columns: Sequence[str], *, position: str | None = None) -> str:
        """A source with its columns called c0, c1 …, and `pos`, the place of a record, where it is asked for."""
        aliases = [f"{self.name(column)} AS c{i}" for i, column in enumerate(columns)]
        if position is not None:
            aliases.append(f"{position} AS pos")
        return f"SELECT {', '.join(aliases)} FROM {source}"

    def carries(self, target: Target, texts: Mapping[str, str]) -> str:
        """Whether a record carries a target; `texts` are the columns' expressions as text. Never NULL."""
        parts = [
            f"{texts[a]} = {self.text(v)}" for a, v in zip(target.attributes, target.values, strict=True)
        ]
        return f"COALESCE({' AND '.join(parts)}, FALSE)" if parts else "TRUE"

    def count_target(self, source: str, target: Target, texts: Mapping[str, str]) -> str:
        """The validation query of one constraint, as a person would write it."""
        return f"SELECT count(*) FROM {source} WHERE {self.carries(target, texts)}"

    def count_targets(self, scan: str, predicates: Sequence[str]) -> str:
        """The validation of a whole Σ in one scan."""
        sums = ", ".join(f"COALESCE(sum(CASE WHEN {p} THEN 1 ELSE 0 END), 0)" for p in predicates)
        return f"SELECT {sums or 'count(*)'} FROM ({scan}) r"

    def signatures(self, scan: str, predicates: Sequence[str]) -> str:
        """Records by the set of targets they carry, as bit masks of at most 60 bits each, and their count."""
        masks = []
        for start in range(0, len(predicates), 60):
            bits = (
                f"CASE WHEN {p} THEN {1 << i} ELSE 0 END"
                for i, p in enumerate(predicates[start : start + 60])
            )
            masks.append(f"{' + '.join(f'CAST({bit} AS BIGINT)' for bit in bits)} AS m{start // 60}")
        names = ", ".join(f"m{i}" for i in range(len(masks)))
        if not masks:
            return f"SELECT count(*) FROM ({scan}) r"
        return f"SELECT {names}, count(*) FROM (SELECT {', '.join(masks)} FROM ({scan}) r) s GROUP BY {names}"

    def types(self, scan: str, texts: Sequence[str], conditions: Sequence[str]) -> str:
        """Types as they are: texts k0 …, conditions b0 …, and their count n."""
        keys = [f"k{i}" for i in range(len(texts))] + [f"b{i}" for i in range(len(conditions))]
        selected = [f"{value} AS {key}" for value, key in zip((*texts, *conditions), keys, strict=True)]
        group = ", ".join(keys)
        return f"SELECT {group}, count(*) AS n FROM (SELECT {', '.join(selected)} FROM ({scan}) r) s GROUP BY {group}"

    def in_order(self, table: str, order: str) -> str:
        """All of a table, sorted."""
        return f"SELECT * FROM {table} ORDER BY {order}"

    def repeated(self, table: str, cells: Mapping[str, str]) -> str:
        """Every row of a table as often as its n says, one after the other."""
        named = ", ".join(f"{cell} AS {self.name(name)}" for name, cell in cells.items())
        return f"SELECT {named} FROM (SELECT *, unnest(range(n)) AS copy FROM {table}) q"

    def lines(self, rows: str, cells: Sequence[str], delimiter: str, keys: Sequence[str]) -> str:
        """Rows as lines of delimited text, named l0, in the order of some keys; NULL is nothing, empty text is `""`.

        Most lines need no quotes: those whose cells are all there, none empty, and hold neither quotes, ends of lines
        nor delimiters. So the cells are looked at one by one only in the others.
        """
        texts = [f"CAST({cell} AS VARCHAR)" for cell in cells]
        between = self.text(delimiter)
        special = ["'\"'", "chr(10)", "chr(13)", "'#'", self.text(2 * delimiter)]
        plain = [f"{cell} IS NOT NULL" for cell in cells]
        plain += [f"NOT contains(l, {mark})" for mark in special]
        plain += [f"NOT starts_with(l, {between})", f"NOT ends_with(l, {between})"]
        plain += [f"length(l) - length(replace(l, {between}, '')) = {len(cells) - 1}"]
        quoted = f" || {between} || ".join(self._field(text, delimiter) for text in texts)
        joined = f"SELECT *, concat_ws({between}, {', '.join(texts)}) AS l FROM ({rows}) q"
        named = ", ".join(f"{key} AS key{i}" for i, key in enumerate(keys))
        line = f"CASE WHEN {' AND '.join(plain)} THEN l ELSE {quoted} END AS l0"
        order = ", ".join(f"key{i}" for i in range(len(keys)))
        return f"SELECT l0 FROM (SELECT {line}, {named} FROM ({joined}) r) s ORDER BY {order}"

    def _field(self, text: str, delimiter: str) -> str:
        """A cell as delimited text has it."""
        marks = ["'\"'", "chr(10)", "chr(13)", "'#'", self.text(delimiter)]
        odd = " OR ".join([f"{text} = ''", *(f"contains({text}, {mark})" for mark in marks)])
        quoted = f"'\"' || replace({text}, '\"', '\"\"') || '\"'"
        return f"CASE WHEN {text} IS NULL THEN '' WHEN {odd} THEN {quoted} ELSE {text} END"

    def frequencies(self, scan: str, texts: Sequence[str]) -> str:
        """How often each combination of values occurs; combinations with a NULL are left out."""
        keys = ", ".join(f"{text} AS k{i}" for i, text in enumerate(texts))
        names = [f"k{i}" for i in range(len(texts))]
        known = " AND ".join(f"{name} IS NOT NULL" for name in names)
        return (
            f"SELECT {', '.join(names)}, count(*) FROM (SELECT {keys} FROM ({scan}) r) s"
            f" WHERE {known} GROUP BY {', '.join(names)}"
        )

    def typed(self, source: str, kinds: Mapping[str, str]) -> str:
        """A source of texts called c0, c1 … with the names and types they are meant to have."""
        columns = ", ".join(
            f"CAST(CAST(c{i} AS VARCHAR) AS {kind}) AS {self.name(n)}"
            for i, (n, kind) in enumerate(kinds.items())
        )
        return f"SELECT {columns} FROM {source}"

    def turn(self, seed: int, texts: Sequence[str]) -> str:
        """What decides which records of a split type go where: md5(seed ‖ `|` ‖ canonical row text), in hexadecimal."""
        return f"md5({self.text(f'{seed}|')} || {self.row_text(texts)})"

    def row_text(self, texts: Sequence[str]) -> str:
        """The canonical row text of some columns, given as texts: one that differs where rows differ.

        For each column its length in characters (code points), a colon and the text, or `N` for NULL. It is injective
        for a given number of columns, as each part tells where it ends.
        """
        if not texts:
            return "''"
        return " || ".join(f"COALESCE(CAST(length({t}) AS VARCHAR) || ':' || {t}, 'N')" for t in texts)

    def row_keys(self, scan: str, rows: Mapping[str, Sequence[str]], others: Sequence[str] = ()) -> str:
        """A scan r with one text for each of some lists of columns: it differs where, and only where, the rows differ.

        Joined by U+001F, with U+001E for NULL: injective for rows that hold neither, which is most. That costs far less
        than the canonical row text, which the others get behind two marks, so that it can't look like the rest.
        """
        joined, keys = ["*"], [*others]
        for i, (name, texts) in enumerate(rows.items()):
            cells = ", ".join(f"COALESCE({text}, {_NULL})" for text in texts)
            joined.append(f"concat_ws({_BETWEEN}, {cells}) AS j{i}")
            nulls = " + ".join(f"CASE WHEN {text} IS NULL THEN 1 ELSE 0 END" for text in texts)
            other = f"{_NULL} || {_NULL} || {self.row_text(texts)}"
            more = f"'%' || repeat({_BETWEEN} || '%', {len(texts)})"
            keys.append(
                f"CASE WHEN j{i} LIKE {more} THEN {other} WHEN NOT contains(j{i}, {_NULL}) THEN j{i}"
                f" WHEN {self._times(f'j{i}', _NULL)} = {nulls} THEN j{i} ELSE {other} END AS {name}"
            )
        return f"SELECT {', '.join(keys)} FROM (SELECT {', '.join(joined)} FROM ({scan}) r) r"

    def _times(self, text: str, mark: str) -> str:
        """How often a text holds a mark of one byte."""
        return f"strlen({text}) - strlen(replace({text}, {mark}, ''))"

    def recode(self, parts: RecodeParts) -> str:
        """The published rows: whole types by a plain join, split types by numbering their own rows only."""
        pieces = []
        cells = ", ".join(parts.cells)
        if parts.whole is not None:
            pieces.append(f"SELECT {cells} FROM ({parts.scan}) r JOIN {parts.whole} w ON {parts.on}")
        if parts.split is not None:
            number = f"row_number() OVER (PARTITION BY w.type ORDER BY {parts.turn})"
            numbered = f"SELECT r.*, w.type, {number} AS number FROM ({parts.scan}) r JOIN {parts.split} w ON {parts.on}"
            fits = "r.type = w.type AND r.number > w.after AND r.number <= w.upto"
            pieces.append(f"SELECT {cells} FROM ({numbered}) r JOIN {parts.fragments} w ON {fits}")
        return " UNION ALL ".join(pieces)

    def side_by_side(self, published: str, original: str) -> str:
        """Two sources of equally many rows, p and o, row by row. DuckDB's own; it streams where both are scanned as they are."""
        return f"{published} p POSITIONAL JOIN {original} o"

    def row_differences(
        self, pairs: str, cells: Sequence[tuple[str, str]], quasi: int, star: str | None
    ) -> str:
        """Count the pairs of rows that differ, then for each QI column the cells of the original that look suppressed.

        `cells` are a column's texts in p and o; in the first `quasi` of them a cell may also be suppressed in p.
        """
        differs = " OR ".join(f"({test})" for test in self._tests(cells, quasi, star)) or "FALSE"
        alike = [f"{o} IS NOT DISTINCT FROM {self._mark(star)}" for _, o in cells[:quasi]]
        figures = ", ".join(f"count(CASE WHEN {test} THEN 1 END)" for test in (differs, *alike))
        return f"SELECT {figures} FROM {pairs}"

    def first_difference(
        self, pairs: str, cells: Sequence[tuple[str, str]], quasi: int, star: str | None
    ) -> str:
        """The position of the first pair of rows that differ, and the number of the column in which they do."""
        tests = " ".join(f"WHEN {test} THEN {i}" for i, test in enumerate(self._tests(cells, quasi, star)))
        numbered = f"SELECT row_number() OVER () AS pos, CASE {tests} END AS k FROM {pairs}"
        return f"SELECT pos, k FROM ({numbered}) d WHERE k IS NOT NULL ORDER BY pos LIMIT 1"

    def _tests(self, cells: Sequence[tuple[str, str]], quasi: int, star: str | None) -> list[str]:
        shown = [f" AND {p} IS DISTINCT FROM {self._mark(star)}" for p, _ in cells[:quasi]]
        shown += [""] * (len(cells) - quasi)
        return [f"{p} IS DISTINCT FROM {o}{unless}" for (p, o), unless in zip(cells, shown, strict=True)]

    def _mark(self, star: str | None) -> str:
        return "CAST(NULL AS VARCHAR)" if star is None else self.text(star)

    def numbered(self, scan: str, untouched: Sequence[str], same: Sequence[str], rows: str, side: int) -> str:
        """The records of one of two tables: untouched values z0 …, and twice the number of the QI row plus `side`."""
        columns = ", ".join(
            [*(f"{text} AS z{i}" for i, text in enumerate(untouched)), f"2 * w.id + {side} AS m"]
        )
        return f"SELECT {columns} FROM ({scan}) r JOIN {rows} w ON {' AND '.join(same)}"

    def keyed(self, keys: str, rows: str, side: int) -> str:
        """The records of one of two tables: the key z of what is untouched, and twice the number of the QI row plus `side`."""
        return f"SELECT r.z, 2 * w.id + {side} AS m FROM ({keys}) r JOIN {rows} w ON r.k = w.k"

    def components(self, sides: Sequence[str], *, count_first: bool) -> str:
        """Numbered records by component (equal untouched values), components with the same members as one.

        Exact, for keys tell the values and are no hash of them. Counting first needs little memory where
        components are large, and is wasted where nearly every record has values of its own.
        """
        records = " UNION ALL ".join(sides)
        counted = f"SELECT z, m, 1 AS n FROM ({records}) a"
        if count_first:
            counted = f"SELECT z, m, count(*) AS n FROM ({records}) a GROUP BY z, m"
        lists = f"SELECT list_sort(list({{'m': m, 'n': n}})) AS members FROM ({counted}) b GROUP BY z"
        kinds = f"SELECT members, count(*) AS copies, row_number() OVER () AS component FROM ({lists}) c GROUP BY members"
        return f"SELECT component, copies, unnest(members, recursive := true) FROM ({kinds}) d"

    def exceptions(self, parts: RecodeParts, flags: Sequence[str]) -> str:
        """The positions of the records of split types that leave the home of their type, with their fragment's flags."""
        number = f"row_number() OVER (PARTITION BY w.type ORDER BY {parts.turn})"
        numbered = f"SELECT r.pos, w.type, {number} AS number FROM ({parts.scan}) r JOIN {parts.split} w ON {parts.on}"
        fits = "r.type = w.type AND r.number > w.after AND r.number <= w.upto"
        columns = ", ".join(["r.pos", *(f"w.{flag}" for flag in flags)])
        return f"SELECT {columns} FROM ({numbered}) r JOIN {parts.fragments} w ON {fits}"

    def recode_in_order(self, parts: RecodeParts, exceptions: str | None) -> str:
        """The published rows as they come: each with its type w, and with its exception x where it has one."""
        joined = f"({parts.scan}) r JOIN {parts.whole} w ON {parts.on}"
        if exceptions is not None:
            joined += f" LEFT JOIN {exceptions} x ON r.pos = x.pos"
        return f"SELECT {', '.join(parts.cells)} FROM {joined}"


@dataclass(frozen=True, slots=True)
class RecodeParts:
    """What the recoding query is made of: expressions over r (a record, columns c0 …) and w (its fragment)."""

    scan: str
    """The original with columns c0 …, and `pos` where order is kept."""
    cells: tuple[str, ...]
    """The published cells p0 … and whatever orders them."""
    on: str
    """The join of a record with its type."""
    turn: str
    """What decides which records of a split type go where: a hash of the seed and the record, never its position."""
    whole: str | None
    """Table of types that go to one group whole, with their group and its levels."""
    split: str | None
    """Table of types that are split: their keys and numbers."""
    fragments: str | None
    """Table of the fragments of split types: after < number ≤ upto, with group and levels."""
