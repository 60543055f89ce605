"""A Spark to test with: in this process, or a standalone cluster of processes of its own."""

from __future__ import annotations

import importlib.util
import os
import shutil
import signal
import socket
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from diva.relation import spark_session
from diva.relation.settings import Settings

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def reason_without_spark() -> str | None:
    """Why Spark can't be tested here; None where it can."""
    if importlib.util.find_spec("pyspark") is None:
        return "pyspark is not installed (pip install 'diva-anonymizer[spark]')"
    home = os.environ.get("JAVA_HOME")
    if shutil.which("java", path=f"{home}/bin" if home else None) is None:
        return "there is no Java, which Spark needs (apt install openjdk-17-jre-headless)"
    return None


def local_session() -> SparkSession:
    """The session that all tests of a process share."""
    return spark_session.session(Settings(engine="spark", master="local[2]"))


def free_port() -> int:
    """A port of the loopback interface that nobody uses."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@dataclass
class Cluster:
    """A standalone cluster on the loopback interface: a master and two workers with one core each."""

    folder: Path
    memory: str = "600m"
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)
    master: str = ""

    def __enter__(self) -> Cluster:
        port = free_port()
        self.master = f"spark://127.0.0.1:{port}"
        self._start(
            "master.Master", "--host", "127.0.0.1", "--port", str(port), "--webui-port", str(free_port())
        )
        for number in (1, 2):
            self.add_worker(number)
        self._await_master(port)
        return self

    def _await_master(self, port: int) -> None:
        """Until it answers, or has ended."""
        while self.processes[0].poll() is None:
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
            except OSError:
                os.sched_yield()
            else:
                return
        raise RuntimeError((self.folder / "0.log").read_text(encoding="utf-8"))

    def add_worker(self, number: int) -> None:
        """Start another worker."""
        place = [
            "--host",
            "127.0.0.1",
            "--webui-port",
            str(free_port()),
            "--work-dir",
            f"{self.folder}/work{number}",
        ]
        self._start("worker.Worker", *place, "--cores", "1", "--memory", self.memory, self.master)

    def _start(self, role: str, *words: str) -> None:
        import pyspark

        home = Path(pyspark.__file__).parent
        environment = os.environ | {
            "SPARK_HOME": str(home),
            "SPARK_LOCAL_IP": "127.0.0.1",
            "SPARK_DAEMON_MEMORY": "128m",
        }
        with (self.folder / f"{len(self.processes)}.log").open("wb") as log:
            self.processes.append(
                subprocess.Popen(
                    [home / "bin" / "spark-class", f"org.apache.spark.deploy.{role}", *words],
                    env=environment, stdout=log, stderr=subprocess.STDOUT,
                )
            )  # fmt: skip

    def kill_a_worker(self) -> None:
        """End a worker and its executor at once, as a power cut does."""
        worker = self.processes.pop()
        for process in (*children(worker.pid), worker.pid):
            os.kill(process, signal.SIGKILL)
        worker.wait()

    def __exit__(self, *_: object) -> None:
        for process in reversed(self.processes):
            process.terminate()
        for process in self.processes:
            process.wait()


def children(process: int) -> list[int]:
    """The processes that a process started."""
    listed = Path(f"/proc/{process}/task/{process}/children").read_text(encoding="ascii")
    return [int(child) for child in listed.split()]
