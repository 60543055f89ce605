"""A Spark to test with: in this process, or a standalone cluster of processes of its own."""

from __future__ import annotations

import importlib.util
import os
import shutil
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
