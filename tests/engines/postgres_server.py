"""A real PostgreSQL server for tests: of its own data, on a free loopback port, ended by its own pid file.

It needs the programs of a PostgreSQL installation (Debian: `apt-get install postgresql`; elsewhere whatever puts `initdb`
and `pg_ctl` on the PATH) and nothing that runs already. Where tests run as root the server runs as user `postgres`, which
those packages make, for PostgreSQL refuses root.
"""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ABSENT = "no PostgreSQL server is installed here: initdb and pg_ctl are nowhere (Debian: apt-get install postgresql)"
OWNER, PASSWORD = "diva", "open sésame/?#%"
"""The superuser of the server; the password has what a URI must encode."""
_URI_PASSWORD = "open%20s%C3%A9same%2F%3F%23%25"
_SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "max_connections": "20",
    "lc_messages": "C",
}


def programs() -> Path | None:
    """The folder that has PostgreSQL's programs; None where there is none."""
    found = shutil.which("initdb")
    places = [Path(found).resolve().parent] if found else []
    places += sorted(
        Path("/usr/lib/postgresql").glob("*/bin"), key=lambda p: int(p.parent.name), reverse=True
    )
    return next((place for place in places if (place / "pg_ctl").exists()), None)


@dataclass(frozen=True)
class Server:
    """A running server."""

    programs: Path
    folder: Path
    port: int
    durable: bool

    def uri(self, database: str = "postgres", user: str = OWNER, password: str | None = _URI_PASSWORD) -> str:
        """Where a database is."""
        who = user if password is None else f"{user}:{password}"
        return f"postgresql://{who}@127.0.0.1:{self.port}/{database}"

    def connect(self, database: str = "postgres") -> Any:
        """A connection of the superuser's, each statement a transaction of its own."""
        import psycopg

        return psycopg.connect(self.uri(database), autocommit=True)

    def control(self, *words: str) -> None:
        """Start, stop or restart it, and wait until that is done."""
        settings = _SETTINGS | {"port": str(self.port), "fsync": "on" if self.durable else "off"}
        options = " ".join(f"-c {name}={value or chr(39) * 2}" for name, value in settings.items())
        command = [
            "pg_ctl",
            *words,
            "-w",
            "-s",
            "-D",
            str(self.folder / "data"),
            "-l",
            str(self.folder / "log"),
        ]
        run(self.programs, *command, *(() if words[0] == "stop" else ("-o", options)))


def run(programs: Path, program: str, *words: str) -> None:
    """Run one of PostgreSQL's programs as somebody who isn't root."""
    root = os.geteuid() == 0
    who = pwd.getpwnam("postgres") if root else None
    done = subprocess.run(
        [str(programs / program), *words],
        user=who.pw_uid if who else None,
        group=who.pw_gid if who else None,
        extra_groups=[] if who else None,
        cwd="/",
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE
        if program != "pg_ctl"
        else subprocess.DEVNULL,  # the server keeps pg_ctl's streams
        stderr=subprocess.STDOUT if program != "pg_ctl" else subprocess.DEVNULL,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, f"{program} {' '.join(words)}: {done.stdout!r}"


@contextmanager
def running(*, durable: bool = False) -> Iterator[Server]:
    """Start a server of its own, and end it. One that is durable waits for the disk, as servers do that aren't tests."""
    found = programs()
    assert found is not None, ABSENT
    with tempfile.TemporaryDirectory(prefix="diva-postgres-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        (folder / "password").write_text(PASSWORD, encoding="utf-8")
        if os.geteuid() == 0:
            for path in (folder, folder / "password"):
                shutil.chown(path, "postgres")
        secret = ["-A", "scram-sha-256", "-U", OWNER, f"--pwfile={folder / 'password'}"]
        run(
            found,
            "initdb",
            "-D",
            str(folder / "data"),
            *secret,
            "-E",
            "UTF8",
            "--locale=C.UTF-8",
            "--no-sync",
        )
        server = Server(found, folder, free_port(), durable)
        server.control("start")
        try:
            yield server
        finally:
            server.control("stop", "-m", "immediate")


def free_port() -> int:
    """A loopback port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
