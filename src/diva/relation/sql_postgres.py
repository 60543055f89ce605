"""SQL as PostgreSQL wants it.

Every text is compared by its bytes (COLLATE "C"), whatever the collation of its column. NULLs can't be joined by
IS NOT DISTINCT FROM, which PostgreSQL never hashes, so they are joined as a text that no value of the column equals.

A scan gives columns c0, c1 … as canonical text, and n: how many records of the table a row of the scan stands for. It is
1 over the table itself, and the count over a table of distinct records (`distinct_records`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from diva.relation.sql import RecodeParts, Sql

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from diva.constraints.model import Target
    from diva.relation.engine import Kind

_NUL = "\0"
"""A character that no text of PostgreSQL has."""


@dataclass(frozen=True, slots=True)
class PostgresSql(Sql):
    """Writes SQL as PostgreSQL reads it."""

    def as_text(self, column: str, kind: Kind) -> str:
        """A column's values in their canonical text (see `Sql.as_text`), compared by its bytes."""
        text = column if kind == "text" else f"CAST({column} AS TEXT)"
        return f'{_float_text(column, text) if kind == "float" else text} COLLATE "C"'

    def qualified(self, schema: str, name: str) -> str:
        """A table in its schema."""
        return f"{self.name(schema)}.{self.name(name)}"

    def carries(self, target: Target, texts: Mapping[str, str]) -> str:
        """Whether a record carries a target; no text has a NUL, so a target with one is carried by nobody."""
        if any(_NUL in value for value in target.values):
            return "FALSE"
        return Sql.carries(self, target, texts)

    def text_scan(self, source: str, columns: Sequence[tuple[str, Kind]]) -> str:
        """A scan of a table."""
        texts = [f"{self.as_text(self.name(c), kind)} AS c{i}" for i, (c, kind) in enumerate(columns)]
        return f"SELECT {', '.join([*texts, '1 AS n'])} FROM {source}"

    def distinct_records(self, scan: str, width: int) -> str:
        """The distinct records of a scan, and how often each occurs: a scan again, usually much smaller."""
        names = ", ".join(f"c{i}" for i in range(width))
        return f"SELECT {names}, {_total('n')} AS n FROM ({scan}) r GROUP BY {names}"

    def sampled(self, scan: str, width: int, rows: int) -> str:
        """How many of the first rows of a scan there are, and how many distinct records."""
        names = ", ".join(f"c{i}" for i in range(width))
        some = f"SELECT {names}, count(*) AS n FROM ({scan} LIMIT {rows}) r GROUP BY {names}"
        return f"SELECT {_total('n')}, count(*) FROM ({some}) s"

    @property
    def plain(self) -> str:
        """The collation of a text column that was declared with none."""
        return 'pg_catalog."default"'

    def temporary(self, name: str, query: str) -> str:
        """Keep an answer until the transaction ends."""
        return f"CREATE TEMPORARY TABLE {name} ON COMMIT DROP AS {query}\n"

    def temporary_columns(self, name: str, declared: Mapping[str, str]) -> str:
        """A table for what is handed over, until the transaction ends; texts are compared by their bytes."""
        types = {"TEXT": 'TEXT COLLATE "C"'}
        columns = ", ".join(f"{column} {types.get(kind, kind)}" for column, kind in declared.items())
        return f"CREATE TEMPORARY TABLE {name} ({columns}) ON COMMIT DROP"

    def copy_in(self, name: str) -> str:
        """Fill a table from the client."""
        return f"COPY {name} FROM STDIN"

    def analyze(self, name: str) -> str:
        """Give the planner statistics."""
        return f"ANALYZE {name}"

    def create(self, name: str, query: str) -> str:
        """Make a table of an answer."""
        return f"CREATE TABLE {name} AS {query}"

    def comment(self, name: str, text: str) -> str:
        """Give a table its comment."""
        return f"COMMENT ON TABLE {name} IS {self.text(text)}"

    def drop(self, name: str) -> str:
        """Drop a table that nothing depends on."""
        return f"DROP TABLE {name}"

    def rename(self, name: str, new: str) -> str:
        """Give a table another name in its schema."""
        return f"ALTER TABLE {name} RENAME TO {self.name(new)}"

    def row_count(self, source: str) -> str:
        """|R|."""
        return f"SELECT count(*) FROM {source}"

    def types(self, scan: str, texts: Sequence[str], conditions: Sequence[str]) -> str:
        """Types with their codes and counts, then the dictionaries, in one answer: texts travel once.

        Rows of kind -1 are types (codes k0 …, conditions b0 …, count n); rows of kind i ≥ 0 say that code n of
        attribute i is the text v.
        """
        keys = [f"k{i}" for i in range(len(texts))]
        bits = [f"b{i}" for i in range(len(conditions))]
        named = dict(zip([*keys, *bits], [*texts, *conditions], strict=True))
        parts = [f"g AS MATERIALIZED ({self.grouped(scan, named)})"]
        parts += [
            f"d{key} AS MATERIALIZED (SELECT v, row_number() OVER (ORDER BY v NULLS FIRST) - 1 AS code"
            f" FROM (SELECT DISTINCT {key} AS v FROM g) u)"
            for key in keys
        ]
        joins = " ".join(f"JOIN d{key} ON {_marked(f'g.{key}')} = {_marked(f'd{key}.v')}" for key in keys)
        columns = ", ".join([*(f"d{key}.code AS {key}" for key in keys), *(f"g.{bit}" for bit in bits)])
        kinds = [f"SELECT -1 AS kind, CAST(NULL AS TEXT) AS v, n, {columns} FROM g {joins}"]
        blanks = ", ".join(["0"] * len(keys) + ["FALSE"] * len(bits))
        kinds += [f"SELECT {i}, v, code, {blanks} FROM d{key}" for i, key in enumerate(keys)]
        return f"WITH {', '.join(parts)} {' UNION ALL '.join(kinds)}"

    def grouped(self, scan: str, named: Mapping[str, str], *, where: str = "TRUE") -> str:
        """Distinct combinations of named expressions over a scan called r, and how many records have each (n)."""
        selected = ", ".join(f"{expression} AS {name}" for name, expression in named.items())
        names = ", ".join(named)
        rows = f"SELECT {selected}, n FROM ({scan}) r"
        return (
            f"SELECT {names}, {_total('n')} AS n FROM ({rows}) s WHERE {where} GROUP BY {names}"
            if named
            else f"SELECT {_total('n')} AS n FROM ({scan}) r"
        )

    def signatures(self, scan: str, predicates: Sequence[str]) -> str:
        """Records by the set of targets they carry, as bit masks of at most 60 bits each, and their count."""
        masks = {}
        for start in range(0, len(predicates), 60):
            bits = (
                f"CAST(CASE WHEN {p} THEN {1 << i} ELSE 0 END AS BIGINT)"
                for i, p in enumerate(predicates[start : start + 60])
            )
            masks[f"m{start // 60}"] = " + ".join(bits)
        return self.grouped(scan, masks)

    def count_targets(self, scan: str, predicates: Sequence[str]) -> str:
        """The validation of a whole Σ in one scan."""
        sums = ", ".join(_total(f"CASE WHEN {p} THEN n ELSE 0 END") for p in predicates)
        return f"SELECT {sums} FROM ({scan}) r"

    def frequencies(self, scan: str, texts: Sequence[str]) -> str:
        """How often each combination of values occurs; combinations with a NULL are left out."""
        named = {f"k{i}": text for i, text in enumerate(texts)}
        return self.grouped(scan, named, where=" AND ".join(f"{name} IS NOT NULL" for name in named))

    def equal(self, text: str, known: str, null: str | None) -> str:
        """Join a text with one of a table of ours; `null` is what NULL is called there, where there are NULLs."""
        return f"{text} = {known}" if null is None else f"COALESCE({text}, {self.text(null)}) = {known}"

    def restored(self, text: str, declared: str, collation: str | None) -> str:
        """A value from its canonical text, with the type and collation that its column was declared with."""
        value = f"CAST({text} AS {declared})"
        return value if collation is None else f"{value} COLLATE {collation}"

    def published(self, records: str, names: Sequence[str]) -> str:
        """A release from its distinct records (cells p0 …, n copies each), in the order of h and g.

        The series stands among what is selected, where PostgreSQL streams it; in FROM it would be stored.
        """
        cells = ", ".join(f"p{i}" for i in range(len(names)))
        ordered = f"SELECT {cells}, n FROM ({records}) q ORDER BY h, g"
        repeated = f"SELECT {cells}, generate_series(1, n) AS copy FROM ({ordered}) o"
        renamed = ", ".join(f"p{i} AS {self.name(name)}" for i, name in enumerate(names))
        return f"SELECT {renamed} FROM ({repeated}) e"

    def recode(self, parts: RecodeParts) -> str:
        """The published records and how often each is: those of whole types by a plain join, those of split types in turn.

        The copies of a record follow each other, and a fragment takes those from `after` to `upto`. Records that have
        the same turn are equal in all that is published and no QI, so which of them comes first is the same.
        """
        pieces = []
        cells = ", ".join(parts.cells)
        if parts.whole is not None:
            pieces.append(
                f"SELECT {cells}, r.n AS n FROM ({parts.scan}) r JOIN {parts.whole} w ON {parts.on}"
            )
        if parts.split is not None:
            order = f'PARTITION BY w.type ORDER BY {parts.turn} COLLATE "C" ROWS UNBOUNDED PRECEDING'
            until = f"CAST(sum(r.n) OVER ({order}) AS BIGINT) AS until"
            turns = f"SELECT r.*, w.type, {until} FROM ({parts.scan}) r JOIN {parts.split} w ON {parts.on}"
            fits = "r.type = w.type AND r.until > w.after AND r.until - r.n < w.upto"
            copies = "LEAST(r.until, w.upto) - GREATEST(r.until - r.n, w.after)"
            pieces.append(
                f"SELECT {cells}, {copies} AS n FROM ({turns}) r JOIN {parts.fragments} w ON {fits}"
            )
        return " UNION ALL ".join(pieces)

    def turn(self, seed: int, texts: Sequence[str]) -> str:
        """What decides which records of a split type go where (see `Sql.turn`), whatever the encoding of the database."""
        return f"md5(convert_to({self.text(f'{seed}|')} || {self.row_text(texts)}, 'UTF8'))"

    def shuffled(self, seed: int, texts: Sequence[str]) -> str:
        """What the release is ordered by: a hash of what is published (PostgreSQL's own), which tells nothing of the table's order."""
        return f"hashtextextended({self.row_text(texts)}, {seed} # w.g) AS h"

    def members(self, sides: Sequence[str], untouched: int) -> str:
        """Members of each component, and how many components have the same: m (ascending), n, components.

        Exact, for it groups by the values and not by a hash of them. PostgreSQL aggregates in the order of its input.
        """
        z = ", ".join(f"z{i}" for i in range(untouched))
        ordered = f"SELECT * FROM ({' UNION ALL '.join(sides)}) a ORDER BY {z}, m"
        lists = f"SELECT array_agg(m) AS ms, array_agg(n) AS ns FROM ({ordered}) b GROUP BY {z}"
        return f"SELECT ms, ns, count(*) FROM ({lists}) c GROUP BY ms, ns"

    def side(self, records: str, untouched: int, rows: str, on: str, side: int) -> str:
        """The records (z0 …, k0 …, n) of one of two tables: untouched values, twice the number of the QI row plus the side, n."""
        z = ", ".join(f"r.z{i}" for i in range(untouched))
        return f"SELECT {z}, 2 * w.id + {side} AS m, r.n FROM ({records}) r JOIN {rows} w ON {on}"

    def renamed(self, scan: str, named: Mapping[str, str]) -> str:
        """Named expressions over a scan called r, row by row."""
        return f"SELECT {', '.join(f'{expression} AS {name}' for name, expression in named.items())}, r.n FROM ({scan}) r"


def _total(n: str) -> str:
    return f"COALESCE(CAST(sum({n}) AS BIGINT), 0)"


def _marked(text: str) -> str:
    """Tell NULL from every text, the empty one too."""
    return f"COALESCE('=' || {text}, '')"


def _float_text(column: str, text: str) -> str:
    """The fewest digits that read back, as Python writes them: PostgreSQL leaves out .0 and has exponents sooner."""
    plain = f"CASE WHEN abs({column}) < 1e16 AND abs({column}) >= 1e-4 THEN CAST(CAST({text} AS NUMERIC) AS TEXT) ELSE {text} END"
    return (
        f"CASE {text} WHEN 'Infinity' THEN 'inf' WHEN '-Infinity' THEN '-inf' WHEN 'NaN' THEN 'nan'"
        f" ELSE {plain} || CASE WHEN {plain} ~ '[.e]' THEN '' ELSE '.0' END END"
    )


SESSION = """\
BEGIN ISOLATION LEVEL REPEATABLE READ;
SET LOCAL DateStyle = 'ISO, YMD'; SET LOCAL IntervalStyle = 'postgres'; SET LOCAL TimeZone = 'UTC';
SET LOCAL extra_float_digits = 1; SET LOCAL bytea_output = 'hex'; SET LOCAL standard_conforming_strings = on;
SET LOCAL idle_in_transaction_session_timeout = 0; SET LOCAL enable_mergejoin = off; SET LOCAL jit = off;
SET LOCAL parallel_setup_cost = 10; SET LOCAL parallel_tuple_cost = 0.001; SET LOCAL default_statistics_target = 10;
SELECT set_config('work_mem', '64MB', true) WHERE pg_size_bytes(current_setting('work_mem')) < 64 * 1024 * 1024;
SELECT set_config('client_connection_check_interval', '2s', true) WHERE version() LIKE '%linux%'"""
"""How a session begins: grouping by parallel workers where the server has some, small samples for statistics, one snapshot, one way to write values as text, no sorting of whole tables to join them with a
small plan, and a server that notices within seconds that its client was killed (where it can)."""

IDENTIFIER = "SELECT parse_ident(%s)"
"""The parts of a name as SQL reads it: what isn't in double quotes in lower case."""

RELATION = """\
SELECT c.oid, n.nspname, c.relname, CAST(c.relkind AS TEXT), obj_description(c.oid, 'pg_class'),
       pg_has_role(c.relowner, 'USAGE')
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = CAST(to_regclass(%s) AS OID)"""
"""What a name, with its parts quoted, stands for."""

COLUMNS = """\
SELECT a.attname, format_type(a.atttypid, a.atttypmod),
       CAST(CASE WHEN t.typtype = 'd' THEN t.typbasetype ELSE t.oid END AS BIGINT),
       CASE WHEN a.attcollation <> 0 THEN (
         SELECT quote_ident(m.nspname) || '.' || quote_ident(l.collname)
         FROM pg_collation l JOIN pg_namespace m ON m.oid = l.collnamespace WHERE l.oid = a.attcollation) END
FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
WHERE a.attrelid = %s AND a.attnum > 0 AND NOT a.attisdropped AND has_column_privilege(a.attrelid, a.attnum, 'SELECT')
ORDER BY a.attnum"""
"""The columns of a relation that the user may read: name, type, oid of the type (of a domain the one it is made of), collation."""

PLACE = """\
SELECT n.nspname, has_schema_privilege(n.oid, 'CREATE'),
       has_database_privilege(current_database(), 'TEMPORARY'), current_setting('transaction_read_only') = 'on'
FROM (SELECT 1) o LEFT JOIN pg_namespace n ON n.nspname = COALESCE(CAST(%s AS NAME), current_schema())"""
"""Whether a table can be made in a schema."""

GRANTS = """\
SELECT format('GRANT %%s ON %%s TO %%s%%s', a.privilege_type, CAST(%s AS TEXT),
              CASE WHEN a.grantee = 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END,
              CASE WHEN a.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END)
FROM pg_class c, aclexplode(c.relacl) a WHERE c.oid = %s AND a.grantee <> c.relowner"""
"""The statements that give others the same rights to another table."""
