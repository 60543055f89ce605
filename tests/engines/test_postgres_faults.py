"""What can go wrong between a database and a release: the target is untouched or complete, the sentence names the cause."""

from __future__ import annotations

import os
import pwd
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import psycopg
import pytest

from tests.cli.shell import COLUMNS, COMMAND, PATIENTS, Ended
from tests.cli.shell import diva as shell
from tests.engines.harness import load
from tests.engines.postgres_server import Server, free_port

WORDS = ["--into", "release", *COLUMNS, "--k", "2"]
GATE = 11
"""An advisory lock: while a test holds it, runs wait where the test put a gate."""


@pytest.fixture
def database(postgres: Server) -> Iterator[psycopg.Connection[Any]]:
    """A database of its own, with the ten patients."""
    with postgres.connect() as connection:
        connection.execute("DROP DATABASE IF EXISTS faults (FORCE)")
        connection.execute("CREATE DATABASE faults")
    with postgres.connect("faults") as connection:
        load(connection, "patients", pl.read_csv(PATIENTS.encode(), infer_schema=False))
        yield connection


def tables(server: Server) -> list[str]:
    """The tables that everybody can see."""
    with server.connect("faults") as connection:
        found = connection.execute(
            "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'"
        )
        return sorted(name for (name,) in found)


def gate(connection: Any) -> None:
    """Let whoever makes a table that isn't temporary wait when it is written and not yet committed."""
    connection.execute(
        f"""CREATE FUNCTION wait() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN
          IF EXISTS (SELECT 1 FROM pg_event_trigger_ddl_commands() WHERE schema_name = 'public') THEN
            PERFORM pg_advisory_lock_shared({GATE});
          END IF; END $$;
        CREATE EVENT TRIGGER gate ON ddl_command_end WHEN TAG IN ('CREATE TABLE AS') EXECUTE FUNCTION wait();
        SELECT pg_advisory_lock({GATE})"""
    )


def started(server: Server, database: Any, folder: Path) -> subprocess.Popen[bytes]:
    """A run that waits at the gate."""
    words = [*COMMAND, "anonymize", server.uri("faults"), "--table", "patients", *WORDS]
    process = subprocess.Popen(words, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    while not database.execute(
        "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
    ).fetchone():
        assert process.poll() is None, process.communicate()
    return process


def ended(process: subprocess.Popen[bytes]) -> Ended:
    out, err = process.communicate(timeout=60)
    return Ended(process.returncode, out.decode(), err.decode())


@pytest.mark.parametrize("mode", ["immediate", "fast"])
def test_the_server_restarts_in_the_middle_of_writing(
    postgres: Server, database: Any, tmp_path: Path, mode: str
) -> None:
    gate(database)
    process = started(postgres, database, tmp_path)
    postgres.control("restart", "-m", mode)
    end = ended(process)
    assert end.code == 2
    assert (
        "while working on table public.release; nothing was changed. Run it again when the server is up"
        in end.err
    )
    assert len(end.err.splitlines()) == 1
    assert tables(postgres) == ["patients"]


def test_a_killed_client_leaves_nothing(postgres: Server, database: Any, tmp_path: Path) -> None:
    gate(database)
    process = started(postgres, database, tmp_path)
    process.kill()
    ended(process)
    mine = "SELECT 1 FROM pg_stat_activity WHERE application_name = 'diva'"
    while database.execute(mine).fetchone():  # the gate stays shut: the server must notice by itself
        pass
    assert tables(postgres) == ["patients"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption_cancels_the_query(
    postgres: Server, database: Any, tmp_path: Path, number: int
) -> None:
    gate(database)
    process = started(postgres, database, tmp_path)
    process.send_signal(number)
    end = ended(process)
    assert (end.code, end.err) == (130, "diva: interrupted; no file or table was written or changed\n")
    assert not database.execute(
        "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
    ).fetchone()
    assert tables(postgres) == ["patients"]


def test_a_run_that_is_let_through_completes(postgres: Server, database: Any, tmp_path: Path) -> None:
    gate(database)
    process = started(postgres, database, tmp_path)
    assert tables(postgres) == ["patients"]
    database.execute(f"SELECT pg_advisory_unlock({GATE})")
    assert ended(process).code == 0
    assert tables(postgres) == ["patients", "release"]


def test_the_server_cancels_what_takes_too_long(postgres: Server, database: Any, tmp_path: Path) -> None:
    gate(database)
    process = started(postgres, database, tmp_path)
    database.execute("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE application_name = 'diva'")
    end = ended(process)
    assert (end.code, "the server cancelled the work on table public.release" in end.err) == (2, True)
    assert tables(postgres) == ["patients"]


def test_the_connection_is_cut(postgres: Server, database: Any, tmp_path: Path) -> None:
    gate(database)
    process = started(postgres, database, tmp_path)
    database.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'diva'")
    assert ended(process).code == 2
    assert tables(postgres) == ["patients"]


def test_no_space_left(postgres: Server, database: Any, tmp_path: Path) -> None:
    room = postgres.folder / "room"
    room.mkdir()
    root = os.geteuid() == 0
    options = f"size=2m,mode=700,uid={pwd.getpwnam('postgres').pw_uid if root else 0}"
    mount = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(room)]
    mounted = root and not subprocess.run(mount, capture_output=True, check=False).returncode
    if not mounted:
        room.rmdir()
        pytest.skip("a full disk needs root and the right to mount a small file system")
    try:
        database.execute(f"CREATE TABLESPACE small LOCATION '{room}'")
        database.execute(
            "CREATE TABLE people AS SELECT i % 7 AS a, repeat('x', 100) AS b, i FROM generate_series(1, 50000) i"
        )
        database.execute("ALTER DATABASE faults SET default_tablespace = small")
        words = [
            "anonymize",
            postgres.uri("faults"),
            "--table",
            "people",
            "--into",
            "release",
            "--qi",
            "a",
            "--keep",
            "b",
            "--k",
            "2",
        ]
        end = shell(*words, folder=tmp_path)
        assert end.code == 2
        assert end.err == (
            "diva: no space left on the database server while working on table public.release; nothing was changed. Free some there\n"
        )
        assert tables(postgres) == ["patients", "people"]
        database.execute("ALTER DATABASE faults RESET default_tablespace")
        database.execute("DROP TABLESPACE small")
    finally:
        subprocess.run(["umount", str(room)], check=True)
        room.rmdir()


def test_a_limit_of_the_server(postgres: Server, database: Any, tmp_path: Path) -> None:
    database.execute(
        "CREATE TABLE people AS SELECT md5(CAST(i AS text)) || repeat('x', 300) AS a FROM generate_series(1, 400000) i"
    )
    database.execute("ALTER DATABASE faults SET temp_file_limit = '1MB'")
    words = [
        "anonymize",
        postgres.uri("faults"),
        "--table",
        "people",
        "--into",
        "release",
        "--qi",
        "a",
        "--k",
        "2",
    ]
    end = shell(*words, folder=tmp_path)
    assert (
        end.code,
        "exceeds a limit of the database server: temporary file size exceeds temp_file_limit" in end.err,
    ) == (2, True), end.err
    assert tables(postgres) == ["patients", "people"]


def test_a_database_that_is_read_only(postgres: Server, database: Any, tmp_path: Path) -> None:
    database.execute("ALTER DATABASE faults SET default_transaction_read_only = on")
    place = [postgres.uri("faults"), "--table", "patients"]
    end = shell("anonymize", *place, *WORDS, folder=tmp_path)
    assert end.code == 2
    assert "is read-only, so no release can be made there; use the primary server" in end.err
    assert shell("check", *place, "-c", "ETH[Asian] in 3", folder=tmp_path).code == 0
    assert shell("decide", *place, "--qi", "ETH", "--k", "2", folder=tmp_path).code == 0


def unreachable(server: Server) -> dict[str, tuple[str, str]]:
    return {
        "refused": (f"postgresql://diva:x@127.0.0.1:{free_port()}/faults", "connection refused"),
        "wrong password": (server.uri("faults", password="wrong"), "refuses the user or the password; give the right one in PGPASSWORD or ~/.pgpass"),
        "unknown user": (server.uri("faults", user="nobody"), "refuses the user or the password"),
        "no database": (server.uri("gone"), f"there is no database 'gone' at 127.0.0.1:{server.port}"),
        "no host": ("postgresql://diva@nowhere.invalid/faults", "there is no such host"),
        "malformed": ("postgresql://diva:p%zz@127.0.0.1/faults", "the URI of the database is malformed"),
        "malformed port": ("postgresql://diva:x@127.0.0.1:port/faults", "the URI of the database is malformed"),
        "unknown option": ("postgresql://diva:x@127.0.0.1/faults?colour=red", "the URI of the database is malformed"),
    }  # fmt: skip


@pytest.mark.parametrize(
    "name",
    [
        "refused",
        "wrong password",
        "unknown user",
        "no database",
        "no host",
        "malformed",
        "malformed port",
        "unknown option",
    ],
)
def test_a_database_that_cannot_be_reached(
    postgres: Server, database: Any, tmp_path: Path, name: str
) -> None:
    uri, sentence = unreachable(postgres)[name]
    end = shell("anonymize", uri, "--table", "patients", *WORDS, folder=tmp_path)
    assert end.code == 2
    assert sentence in end.err
    assert len(end.err.splitlines()) == 1


ABSENT = {
    "table": (["--table", "patents", *WORDS], "there is no table 'patents' in database 'faults'"),
    "column": (["--table", "patients", "--into", "x", "--qi", "GEM", "--k", "2"], "there is no column 'GEM' in the table (--qi); did you mean 'GEN'?"),
    "column of a query": (["--query", "SELECT gem FROM patients", *WORDS], 'the query can\'t be read: column "gem" does not exist'),
    "table of a query": (["--query", "SELECT * FROM patents", *WORDS], 'the query can\'t be read: relation "patents" does not exist'),
    "sense": (["--query", "SELEC", *WORDS], "the query is not a query that PostgreSQL can read: syntax error"),
    "a value": (["--query", "SELECT CAST(\"DIAG\" AS int) FROM patients", *WORDS], "the query can't be processed: PostgreSQL refused it (InvalidTextRepresentation)"),
}  # fmt: skip


@pytest.mark.parametrize("name", ABSENT)
def test_what_is_absent_is_named(postgres: Server, database: Any, tmp_path: Path, name: str) -> None:
    words, sentence = ABSENT[name]
    end = shell("anonymize", postgres.uri("faults"), *words, folder=tmp_path)
    assert end.code == 2
    assert sentence in end.err
    assert tables(postgres) == ["patients"]
