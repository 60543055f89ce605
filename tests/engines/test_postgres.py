"""What PostgreSQL has and files don't: names, schemas, types, grants, sessions and secrets."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import psycopg
import pytest

import diva
from diva.relation.duck_recode import SQL as DUCK
from diva.relation.postgres import SQL
from tests.cli.shell import COLUMNS, COMMAND, PATIENTS
from tests.cli.shell import diva as shell
from tests.cli.test_escape import NASTY, quoted
from tests.engines.harness import load
from tests.engines.postgres_server import PASSWORD, Server

QI = ("GEN", "ETH", "AGE", "PRV", "CTY")
ROLES: dict[str, Any] = {"qi": QI, "sensitive": ("DIAG",), "identifying": ("ID",), "k": 2}
WORDS = [*COLUMNS, "--k", "2"]


@pytest.fixture
def database(postgres: Server) -> Iterator[psycopg.Connection[Any]]:
    """The ten patients, as public.patients, among nothing else."""
    with postgres.connect() as connection:
        connection.execute(
            "DROP SCHEMA public CASCADE; CREATE SCHEMA public; GRANT ALL ON SCHEMA public TO PUBLIC"
        )
        load(connection, "patients", pl.read_csv(PATIENTS.encode(), infer_schema=False))
        yield connection


def rows(connection: psycopg.Connection[Any], table: str) -> list[tuple[Any, ...]]:
    return sorted(connection.execute(f"SELECT * FROM {table}").fetchall())  # type: ignore[arg-type]


def role(connection: psycopg.Connection[Any], name: str, *grants: str) -> None:
    """A user who may do what is granted and nothing else."""
    script = (
        [f"DROP OWNED BY {name}; DROP ROLE {name}"]
        if connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [name]).fetchone()
        else []
    )
    script += ["REVOKE ALL ON SCHEMA public FROM PUBLIC", "REVOKE ALL ON DATABASE postgres FROM PUBLIC"]
    script += [
        f"CREATE ROLE {name} LOGIN PASSWORD 'secret word'",
        f"GRANT CONNECT ON DATABASE postgres TO {name}",
    ]
    connection.execute("; ".join([*script, *(f"GRANT {grant} TO {name}" for grant in grants)]))  # type: ignore[arg-type]


def test_a_table_becomes_a_release_with_its_manifest(postgres: Server, database: Any, tmp_path: Path) -> None:
    sigma = ["-c", "ETH[Asian] in 2..5"]
    ended = shell(
        "anonymize",
        postgres.uri(),
        "--table",
        "patients",
        "--into",
        "patients_release",
        *WORDS,
        *sigma,
        folder=tmp_path,
    )
    assert ended.code == 0, ended.err
    assert ended.out.startswith("release        patients_release: 10 records in")
    expected = diva.anonymize(
        pl.read_csv(PATIENTS.encode(), infer_schema=False), constraints=sigma[1:], **ROLES
    )
    assert rows(database, "patients_release") == sorted(expected.to_polars().rows())
    comment = database.execute("SELECT obj_description('patients_release'::regclass)").fetchone()[0]
    manifest = json.loads(comment)
    assert manifest["input"] == [{"table": "public.patients", "database": "postgres"}]
    assert manifest["output"] == {"table": "public.patients_release", "database": "postgres"}
    assert manifest["verified"]["k_achieved"] >= 2
    assert "sésame" not in comment
    words = ["--qi", ",".join(QI), "--k", "2", *sigma]
    ended = shell(
        "verify",
        postgres.uri(),
        "--table",
        "patients_release",
        "--original-table",
        "patients",
        *words,
        folder=tmp_path,
    )
    assert (ended.code, ended.out.splitlines()[0]) == (0, "verdict         sound")
    database.execute("UPDATE patients_release SET \"DIAG\" = 'Gout' WHERE ctid = '(0,1)'")
    ended = shell(
        "verify",
        postgres.uri(),
        "--table",
        "patients_release",
        "--original-table",
        "patients",
        *words,
        folder=tmp_path,
    )
    assert ended.code == 4, ended.out


def test_check_decide_and_generate_ask_the_database(postgres: Server, database: Any, tmp_path: Path) -> None:
    place = [postgres.uri(), "--table", "public.patients"]
    sigma = ["-c", "ETH[Asian] in 2..5", "-c", "CTY[Vancouver] in 2..4"]
    assert shell("check", *place, *sigma, folder=tmp_path).out.splitlines()[1].split() == [
        "ETH[Asian]",
        "in",
        "2..5",
        "3",
        "yes",
    ]
    asked = [postgres.uri(), "--query", "SELECT * FROM patients WHERE \"PRV\" <> 'BC'"]
    assert shell("check", *asked, *sigma, folder=tmp_path).code == 4
    (query, _) = shell("check", *place, *sigma, "--sql", folder=tmp_path).out.splitlines()
    assert database.execute(query).fetchone() == (3,)
    ended = shell("decide", *place, "--qi", ",".join(QI), "--k", "3", *sigma, folder=tmp_path)
    assert (ended.code, ended.out[:30]) == (3, "ETH[Asian] in 2..5 and CTY[Van")
    ended = shell("constraints", "generate", *place, "--class", "share", "--on", "ETH", folder=tmp_path)
    assert "ETH[Asian] in 3" in ended.out
    ended = shell("constraints", "graph", *place, *sigma, folder=tmp_path)
    assert ended.out.endswith("cf(Σ) = 0.2857\n") or ended.code == 0


def test_a_query_is_published_like_a_table(postgres: Server, database: Any) -> None:
    query = "SELECT * FROM patients WHERE \"GEN\" = 'Male' ORDER BY random();"
    release = diva.anonymize(database, query=query, into="men", **ROLES)
    assert release.rows == len(rows(database, "men")) == 5
    with pytest.raises(diva.BadInput, match="not a query that PostgreSQL can read"):
        diva.anonymize(database, query="SELECT 1; DROP TABLE patients", into="x", **ROLES)
    assert len(rows(database, "patients")) == 10


def test_names_are_read_as_sql_reads_them(postgres: Server, database: Any) -> None:
    database.execute(
        'CREATE SCHEMA "My Data"; ALTER TABLE patients SET SCHEMA "My Data"; ALTER TABLE "My Data".patients RENAME TO "Patients"'
    )
    diva.anonymize(database, table='"My Data"."Patients"', into='"My Data"."The ""Release"""', **ROLES)
    assert len(rows(database, '"My Data"."The ""Release"""')) == 10
    for table, sentence in (
        ('"My Data".Patients', "in lower case"),
        ("a.b.c", "not a name that SQL can read"),
        ('"open', "not a name that SQL can read"),
    ):
        with pytest.raises(diva.BadInput, match=sentence):
            diva.anonymize(database, table=table, into="x", **ROLES)
    with pytest.raises(diva.BadInput, match="over 63 bytes"):
        diva.anonymize(database, table='"My Data"."Patients"', into="x" * 64, **ROLES)


def test_a_job_file_names_tables(postgres: Server, database: Any, tmp_path: Path) -> None:
    (tmp_path / "job.toml").write_text(
        f'[input]\npath = "{postgres.uri()}"\ntable = "patients"\n[output]\ntable = "made"\nreplace = true\n'
        '[columns]\nquasi = ["GEN","ETH","AGE","PRV","CTY"]\nsensitive = ["DIAG"]\nidentifying = ["ID"]\n[privacy]\nk = 2\n',
        encoding="utf-8",
    )  # fmt: skip
    for _ in range(2):
        ended = shell("run", "job.toml", folder=tmp_path)
        assert ended.code == 0, ended.err
    assert len(rows(database, "made")) == 10
    assert (
        shell("run", "job.toml", "--into", "other", "--table", "made", "--id", "", folder=tmp_path).code == 2
    )


def test_only_a_release_is_replaced_and_its_grants_stay(postgres: Server, database: Any) -> None:
    role(database, "reader", "USAGE ON SCHEMA public")
    with pytest.raises(diva.BadInput, match="is the input"):
        diva.anonymize(database, table="patients", into="patients", replace=True, **ROLES)
    database.execute("CREATE TABLE mine (x int)")
    with pytest.raises(diva.BadInput, match=r"public\.mine is no release of DIVA's"):
        diva.anonymize(database, table="patients", into="mine", replace=True, **ROLES)
    diva.anonymize(database, table="patients", into="release", **ROLES)
    database.execute(
        "GRANT SELECT, UPDATE ON release TO reader WITH GRANT OPTION; GRANT SELECT ON release TO PUBLIC"
    )
    before = database.execute("SELECT relacl::text FROM pg_class WHERE relname = 'release'").fetchone()
    with pytest.raises(diva.BadInput, match="is there already; --replace"):
        diva.anonymize(database, table="patients", into="release", **ROLES)
    diva.anonymize(database, table="patients", into="release", replace=True, seed=5, **ROLES)
    assert (
        database.execute("SELECT relacl::text FROM pg_class WHERE relname = 'release'").fetchone() == before
    )
    assert [
        name for (name,) in database.execute("SELECT relname FROM pg_class WHERE relname LIKE 'diva%'")
    ] == []
    database.execute("CREATE VIEW shown AS SELECT * FROM release")
    with pytest.raises(diva.BadInput, match="depend on it"):
        diva.anonymize(database, table="patients", into="release", replace=True, **ROLES)
    assert len(rows(database, "shown")) == 10


def test_the_rights_that_suffice(postgres: Server, database: Any, tmp_path: Path) -> None:
    database.execute("DROP SCHEMA IF EXISTS open CASCADE; CREATE SCHEMA open")
    uri = postgres.uri(user="steward", password="secret%20word")
    words = ["anonymize", uri, "--table", "public.patients", "--into", "open.release", *WORDS]
    rights = [
        ("USAGE ON SCHEMA public", "table 'public.patients'"),
        (
            'SELECT ("GEN","ETH","AGE","PRV","CTY","DIAG","ID") ON public.patients',
            "no permission for table 'public.patients'",
        ),
        ("USAGE, CREATE ON SCHEMA open", "DIVA needs CREATE on schema 'open'"),
        ("TEMPORARY ON DATABASE postgres", "DIVA needs TEMPORARY"),
    ]
    for granted, (_, sentence) in enumerate(rights):
        role(database, "steward", *(right for right, _ in rights[:granted]))
        ended = shell(*words, folder=tmp_path)
        assert ended.code == 2
        assert sentence in ended.err, ended.err
    role(database, "steward", *(right for right, _ in rights))
    ended = shell(*words, folder=tmp_path)
    assert ended.code == 0, ended.err
    assert len(rows(database, "open.release")) == 10
    ended = shell("check", uri, "--table", "public.patients", "-c", "ETH[Asian] in 3", folder=tmp_path)
    assert ended.code == 0, ended.err


def test_column_types_are_kept_and_starred_ones_become_text(postgres: Server, database: Any) -> None:
    database.execute(
        """CREATE DOMAIN town AS varchar(20); CREATE TYPE mood AS ENUM ('bad', 'good');
        CREATE COLLATION loose (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
        CREATE TABLE typed AS SELECT i % 3 AS kind, (i % 2)::numeric(6,2) AS price, (i % 5)::float8 / 4 AS share,
          ('2020-01-0' || 1 + i % 2)::date AS day, (i % 2 = 0) AS flag, 'abc'::char(5) AS code, ('t' || i % 2)::town AS place,
          ('{bad,good}'::mood[])[1 + i % 2] AS mood, ('{1,' || i % 2 || '}')::int[] AS list, '2020-01-01 10:00+02'::timestamptz AS moment,
          CASE WHEN i % 2 = 0 THEN 'Straße' ELSE 'STRASSE' END COLLATE loose AS street, i AS rare
        FROM generate_series(1, 60) i"""
    )
    quasi = ("kind", "price", "flag", "day", "place", "street", "rare")
    for suppressed, rare in (("star", "text"), ("null", "integer")):
        release = diva.anonymize(
            database,
            table="typed",
            into=f"typed_{suppressed}",
            qi=quasi,
            keep_rest=True,
            k=5,
            suppressed=suppressed,
        )
        types = dict(
            database.execute(
                "SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0",
                [f"typed_{suppressed}"],
            ).fetchall()
        )
        original = dict(
            database.execute(
                "SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = 'typed'::regclass AND attnum > 0"
            ).fetchall()
        )
        assert types == original | {"rare": rare}
        assert release.stars == 60
        same = "SELECT kind, price, share, day, flag, code, place, mood, list, moment, street::text FROM "
        kept = [
            sorted(map(str, database.execute(same + table))) for table in ("typed", f"typed_{suppressed}")
        ]
        assert kept[0] == kept[1]
        assert database.execute(
            f"SELECT collation_name FROM information_schema.columns WHERE table_name = 'typed_{suppressed}' AND column_name = 'street'"
        ).fetchone() == ("loose",)


def test_values_and_names_that_try_to_escape_come_out_whole(postgres: Server, database: Any) -> None:
    names = ["select", 'quo"te', "semi;colon", "new\nline", "c0", "w.type", "%s", "{}"]
    columns = ", ".join('"' + name.replace('"', '""') + '" text' for name in names)
    database.execute(f"CREATE TABLE nasty ({columns})")
    with database.cursor().copy("COPY nasty FROM STDIN") as copy:
        for value in [*NASTY, None]:
            copy.write_row([value] * len(names))
    diva.anonymize(
        database,
        table="nasty",
        into="out",
        qi=names[:4],
        keep=names[4:],
        k=1,
        constraints=[f'{quoted([names[1]])}["\'"] in 1..'],
    )
    found = database.execute("SELECT * FROM out").fetchall()
    assert sorted(map(str, found)) == sorted(str(tuple([value] * len(names))) for value in [*NASTY, None])


FLOATS = [
    "0.0", "-0.0", "1.0", "-2.5", "0.1", "1e+15", "1.5e+15", "1234567.0", "0.00012", "9.9e-05", "0.0001", "1e+16", "inf", "-inf", "nan",
]  # fmt: skip
DOUBLES = [*FLOATS, "123456789012345.6", "1234567890123456.5", "9999999999999998.0", "1.7e+308", "5e-324"]


def test_floats_have_the_canonical_text(database: Any) -> None:
    for type_, texts in (("real", FLOATS), ("double precision", DOUBLES)):
        for text in texts:
            values = f"SELECT CAST('{text}' AS {type_}) AS x"
            found = database.execute(f"SELECT {SQL.as_text('x', 'float')} FROM ({values}) t").fetchone()
            duck = "FLOAT" if type_ == "real" else "DOUBLE"
            query = f"SELECT {DUCK.as_text('x', 'float')} FROM (SELECT CAST('{text}' AS {duck}) AS x)"
            assert [found] == duckdb.execute(query).fetchall()
            if type_ == "double precision":
                assert found == (repr(float(text)),)


def test_a_connection_is_given_back_as_it_was(database: Any) -> None:
    own = psycopg.connect(database.info.dsn, password=PASSWORD, row_factory=psycopg.rows.dict_row)
    release = diva.anonymize(own, table="patients", into="through", **ROLES)
    assert release.table is None
    with pytest.raises(diva.BadInput, match="no column 'GEM'"):
        diva.anonymize(own, table="patients", into="again", **ROLES | {"qi": ("GEM",)})
    assert own.info.transaction_status == psycopg.pq.TransactionStatus.IDLE
    assert not own.autocommit
    assert len(own.execute("SELECT * FROM through").fetchall()) == 10
    with pytest.raises(diva.BadInput, match="within a transaction"):
        diva.anonymize(own, table="patients", into="again", **ROLES)
    own.close()
    with pytest.raises(diva.BadInput, match="is closed"):
        diva.check(own, table="patients", constraints=["ETH[Asian] in 3"])


def test_a_run_sees_one_snapshot(database: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from diva import walk

    def solve(*given: Any) -> Any:
        database.execute("DELETE FROM patients WHERE \"GEN\" = 'Male'")  # while a run searches
        return searched(*given)

    searched = walk.solve
    monkeypatch.setattr(walk, "solve", solve)
    with psycopg.connect(database.info.dsn, password=PASSWORD) as own:
        assert diva.anonymize(own, table="patients", into="all_of_them", **ROLES).rows == 10


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "no table": ({}, "a database holds many tables: name one with --table, or give a query with --query, not both"),
    "both": ({"table": "patients", "query": "SELECT 1"}, "a database holds many tables: name one with --table, or give a query with --query, not both"),
    "nowhere": ({"table": "patients"}, "--into is missing; say which table of the database the release becomes"),
    "a file": ({"table": "patients", "into": "x", "output": "x.csv"}, "a table of a database is published there: name the new table with --into, instead of a file with -o"),
    "an order": ({"table": "patients", "into": "x", "order": "keep"}, "a table of a database has no order to keep; leave out --order keep"),
    "threads": ({"table": "patients", "into": "x", "threads": 2}, "--threads says nothing to PostgreSQL; leave it out"),
    "no schema": ({"table": "patients", "into": "nope.x"}, "table 'nope.x' can't be made in {name}: there is no schema 'nope'; name one that is there"),
    "an empty name": ({"table": " ", "into": "x"}, "table ' ' must be a text that isn't empty"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_before_any_work(postgres: Server, database: Any, name: str) -> None:
    options, sentence = REFUSED[name]
    with pytest.raises(diva.BadInput) as refused:
        diva.anonymize(postgres.uri(), **options, **ROLES)
    assert str(refused.value) == sentence.format(name=f"database 'postgres' at 127.0.0.1:{postgres.port}")


@pytest.mark.parametrize("option", ["table", "query", "into"])
def test_options_about_databases_are_refused_with_files(tmp_path: Path, option: str) -> None:
    (tmp_path / "t.csv").write_text(PATIENTS, encoding="utf-8")
    ended = shell("anonymize", "t.csv", "-o", "out.csv", *WORDS, f"--{option}", "x", folder=tmp_path)
    assert ended.code == 2
    assert f"--{option}" in ended.err
    assert "the input is none" in ended.err


def test_no_password_is_ever_shown(postgres: Server, database: Any, tmp_path: Path) -> None:
    uri = postgres.uri()
    secrets = (PASSWORD, "sésame", "s%C3%A9same", "sesame")
    ended = shell(
        "anonymize",
        uri,
        "--table",
        "patients",
        "--into",
        "quiet",
        *WORDS,
        "--json",
        "--debug",
        folder=tmp_path,
    )
    assert ended.code == 0, ended.err
    shown = [ended.out + ended.err]
    for words in (
        ["anonymize", uri, "--table", "nope", "--into", "x", *WORDS],
        ["anonymize", uri.replace("s%C3%A9same", "sesame"), "--table", "patients", "--into", "x", *WORDS],
        ["anonymize", uri.replace("s%C3%A9same", "sesame %zz"), "--table", "patients", "--into", "x", *WORDS],
        ["check", uri.replace("127.0.0.1", "nowhere.invalid"), "--table", "x", "-c", "A[b] in 3"],
        ["verify", uri, "--table", "patients", "--original", uri, *WORDS],
        ["decide", uri, *WORDS],
    ):
        ended = shell(*words, "--debug", folder=tmp_path)
        assert ended.code == 2
        shown.append(ended.out + ended.err)
    shown.append(database.execute("SELECT obj_description('quiet'::regclass)").fetchone()[0])
    shown.append(repr(diva.Job(source=uri, table="patients", into="x", qi=QI, k=2)))
    for text in shown:
        assert not any(secret in text for secret in secrets), text


def test_a_password_leaves_the_command_line(postgres: Server, database: Any, tmp_path: Path) -> None:
    database.execute(
        "CREATE FUNCTION wait() RETURNS boolean LANGUAGE sql VOLATILE AS 'SELECT pg_advisory_lock_shared(7) IS NOT NULL'"
    )
    database.execute("CREATE VIEW gated AS SELECT * FROM patients WHERE wait()")
    database.execute("SELECT pg_advisory_lock(7)")
    words = ["check", postgres.uri(), "--table", "gated", "-c", "ETH[Asian] in 3"]
    process = subprocess.Popen(
        [*COMMAND, *words], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    try:
        while not database.execute(
            "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
        ).fetchone():
            assert process.poll() is None, process.stderr and process.stderr.read()
        seen = Path(f"/proc/{process.pid}/cmdline").read_bytes()
        assert b"same" not in seen
        assert b"postgresql://diva@127.0.0.1" in seen
    finally:
        database.execute("SELECT pg_advisory_unlock(7)")
        process.communicate()
    assert process.returncode == 0


def test_passwords_come_from_where_libpq_looks(postgres: Server, database: Any, tmp_path: Path) -> None:
    words = ["--table", "patients", "-c", "ETH[Asian] in 3"]
    bare = postgres.uri(password=None)
    assert "PGPASSWORD" in shell("check", bare, *words, folder=tmp_path).err
    assert shell("check", bare, *words, folder=tmp_path, PGPASSWORD=PASSWORD).code == 0
    passwords = tmp_path / "pass"
    passwords.write_text(f"127.0.0.1:{postgres.port}:*:diva:{PASSWORD}\n", encoding="utf-8")
    passwords.chmod(0o600)
    assert shell("check", bare, *words, folder=tmp_path, PGPASSFILE=str(passwords)).code == 0
    services = tmp_path / "services"
    services.write_text(
        f"[here]\nhost=127.0.0.1\nport={postgres.port}\nuser=diva\ndbname=postgres\n", encoding="utf-8"
    )
    surroundings = {"PGSERVICEFILE": str(services), "PGPASSFILE": str(passwords)}
    assert shell("check", "postgresql://?service=here", *words, folder=tmp_path, **surroundings).code == 0
    assert (
        "service" in shell("check", "postgresql://?service=gone", *words, folder=tmp_path, **surroundings).err
    )


def test_the_driver_is_asked_for_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "psycopg.py").write_text("raise ImportError('absent')\n", encoding="utf-8")
    ended = shell(
        "check",
        "postgresql://nowhere/x",
        "--table",
        "t",
        "-c",
        "A[b] in 1",
        folder=tmp_path,
        PYTHONPATH=f"{tmp_path}{os.pathsep}{os.environ.get('PYTHONPATH', '')}",
    )
    assert (ended.code, ended.err) == (
        2,
        "diva: to work in PostgreSQL DIVA needs its driver: pip install 'diva-anonymizer[postgres]'\n",
    )
