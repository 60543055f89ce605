"""A Spark session: the one that runs already, or one started for a master; what is missing is said in a sentence."""

from __future__ import annotations

import atexit
import logging
import os
import re
import shutil
import signal
import socket
import sys
import tempfile
import threading
import time
import warnings
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from diva.errors import BadInput

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from diva.relation.settings import Settings

LOCAL = "local[*]"
_MASTER = re.compile(
    r"local(?:\[(?:\*|[1-9][0-9]{0,3})\])?|spark://[^/\s:,]+:[0-9]{1,5}(?:,[^/\s:,]+:[0-9]{1,5})*"
)
_REACH_SECONDS = 5.0
_WORKER_SECONDS = 60.0
_LEAST_PARTITIONS = 8
_JAVA = "Java 17 or newer, and none was found; install one (on Debian: apt install openjdk-17-jre-headless) or set JAVA_HOME"


def require_pyspark() -> None:
    """Refuse where pyspark isn't installed."""
    try:
        with warnings.catch_warnings():
            # It warns of a pandas newer than it knows; nothing here goes through pandas.
            warnings.simplefilter("ignore")
            import pyspark.testing.utils  # noqa: F401, PLC0415 - imported by parts of it later, when warnings matter again
    except ImportError as error:
        raise BadInput(
            f"Spark needs a package that is not installed ({error.name}); install diva with it: pip install 'diva-anonymizer[spark]'"
        ) from None


def require_master(master: str) -> None:
    """Refuse what is no master that a run can start on."""
    if not _MASTER.fullmatch(master):
        raise BadInput(
            f"master {master!r} is neither local[*], local[N] nor spark://HOST:PORT; for another kind of cluster"
            " start a session yourself and hand its DataFrame to diva.anonymize"
        )


def session(settings: Settings) -> SparkSession:
    """Return the session that is active, or start one as the settings say."""
    master = settings.master
    from pyspark.sql import SparkSession  # noqa: PLC0415 - an extra, and slow to load

    active = SparkSession.getActiveSession()
    if active is not None:
        running = active.sparkContext.master
        if master not in (None, running):
            raise BadInput(
                f"a Spark session on {running} is active, so none can be started on {master}; stop it, or leave the master out"
            )
        settings.refuse("a Spark session that is there already", "memory_limit", "temp_dir")
        return active
    master = LOCAL if master is None else master
    require_master(master)
    _require_java()
    if master.startswith("spark://"):
        settings.refuse("a Spark cluster, whose workers choose theirs", "temp_dir")
        _require_reachable(master)
    return _start(master, settings)


def _require_java() -> None:
    home = os.environ.get("JAVA_HOME")
    if shutil.which("java", path=f"{home}/bin" if home else None) is None:
        raise BadInput(f"Spark needs {_JAVA}")


def _hosts(master: str) -> list[tuple[str, int]]:
    places = (place.rsplit(":", 1) for place in master.removeprefix("spark://").split(","))
    return [(host, int(port)) for host, port in places]


def _require_reachable(master: str) -> None:
    """Spark itself would try for a minute before it gives up."""
    reasons = []
    for host, port in _hosts(master):
        try:
            socket.create_connection((host, port), _REACH_SECONDS).close()
        except (OSError, OverflowError) as error:
            reasons.append(getattr(error, "strerror", None) or "no answer")
        else:
            return
    raise BadInput(f"can't reach the Spark master at {master}: {reasons[0].lower()}; is it running there?")


def _configuration(master: str, settings: Settings) -> dict[str, str]:
    configuration = {
        "spark.master": master,
        "spark.app.name": "diva",
        "spark.ui.enabled": "false",  # a page about the data, open to whoever reaches the port
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "OFF",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.sources.partitionColumnTypeInference.enabled": "false",
        "spark.sql.execution.arrow.pyspark.enabled": "true",
    }
    if _stays_here(master):
        configuration |= {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
    if settings.bytes is not None:
        who = "driver" if master.startswith("local") else "executor"
        configuration[f"spark.{who}.memory"] = f"{settings.bytes >> 20}m"
    if settings.temp_dir is not None:
        configuration["spark.local.dir"] = str(settings.temp_dir)
    return configuration


def _stays_here(master: str) -> bool:
    return master.startswith("local") or all(h in {"localhost", "127.0.0.1"} for h, _ in _hosts(master))


def _start(master: str, settings: Settings) -> SparkSession:
    from py4j.protocol import Py4JError  # noqa: PLC0415 - an extra, and slow to load
    from pyspark import SparkConf, SparkContext  # noqa: PLC0415
    from pyspark.errors import PySparkException  # noqa: PLC0415
    from pyspark.java_gateway import launch_gateway  # noqa: PLC0415
    from pyspark.sql import SparkSession  # noqa: PLC0415

    _quieten()
    configuration = _configuration(master, settings)
    conf = SparkConf().setAll(list(configuration.items()))
    handler = signal.getsignal(signal.SIGINT)
    with tempfile.TemporaryFile() as log:
        # The JVM's own stderr: it talks there before any log level is known.
        try:
            gateway = launch_gateway(conf, popen_kwargs={"stdout": log, "stderr": log})
            context = SparkContext(gateway=gateway, conf=conf)
        except (PySparkException, Py4JError, OSError) as error:
            log.seek(0)
            raise BadInput(_not_started(log.read().decode(errors="replace"), str(error), master)) from error
        finally:
            if threading.current_thread() is threading.main_thread():
                signal.signal(signal.SIGINT, handler)  # SparkContext puts one of its own there
    atexit.register(_stop, context)
    if _stays_here(master) and "PYSPARK_PYTHON" not in os.environ:
        context.pythonExec = sys.executable  # Spark's `python3` may be another, without this package
    if not master.startswith("local"):
        _await_workers(context, master)
    session = SparkSession(context)
    # Spark's 200 are for clusters; adaptive execution joins those that turn out small.
    session.conf.set(
        "spark.sql.shuffle.partitions", str(max(_LEAST_PARTITIONS, 4 * context.defaultParallelism))
    )
    return session


def _not_started(log: str, error: str, master: str) -> str:
    text = log + error
    if re.search(r"UnsupportedClassVersionError|compiled by a more recent version|Unrecognized option", text):
        return "Spark needs Java 17 or newer, and an older one was found; install a newer one or set JAVA_HOME to it"
    if re.search(r"masters are unresponsive|Failed to connect|Connection refused", text):
        return f"can't reach the Spark master at {master}; is it running there?"
    if re.search(
        r"Invalid maximum heap|Could not reserve|System memory \d+ must be|insufficient memory", text
    ):
        return "Spark could not start with this memory limit; give it at least 512MB, and no more than the machine has"
    if re.search(r"Failed to create local dir|No space left|Permission denied", text):
        return (
            "Spark could not start, for want of a folder to put temporary files in; name one with --temp-dir"
        )
    return f"Spark could not start on {master}; try `pyspark --master {master}` to see why"


def _await_workers(context: Any, master: str) -> None:
    """Without a worker jobs wait forever; a minute is enough for one that is there."""
    until = time.monotonic() + _WORKER_SECONDS
    status = context._jsc.sc()  # noqa: SLF001 - pyspark has no public way to ask for executors
    while status.getExecutorMemoryStatus().size() < 2:  # the driver is one of them
        if time.monotonic() > until:
            context.stop()
            raise BadInput(
                f"the Spark master at {master} has no free worker with enough memory; start one, or give it less with --memory-limit"
            )
        time.sleep(0.1)


def _stop(context: Any) -> None:
    from py4j.protocol import Py4JError  # noqa: PLC0415

    with suppress(Py4JError, OSError):  # a JVM that is gone already needs no stopping
        context.stop()


class _Interruptions(logging.Filter):
    """py4j reports an interruption with a traceback; whoever interrupted knows."""

    _SAID = ("KeyboardInterrupt while sending command", "Exception occurred while shutting down connection")

    def filter(self, record: logging.LogRecord) -> bool:
        return not str(record.msg).startswith(self._SAID)


def _quieten() -> None:
    for logger in (logging.getLogger(), logging.getLogger("py4j.clientserver")):
        if not any(isinstance(f, _Interruptions) for f in logger.filters):
            logger.addFilter(_Interruptions())
    logging.getLogger("py4j").addHandler(logging.NullHandler())
