"""What Spark raises as plain sentences that never show values of the data, and an end to its jobs when a run ends early."""

from __future__ import annotations

import re
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING
from uuid import uuid4

from py4j.protocol import Py4JError, Py4JJavaError, Py4JNetworkError
from pyspark.errors import PySparkException

from diva.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

_SENTENCES = (
    (
        r"No space left on device|File too large|Disk quota exceeded",
        "no space left while writing {origin}; free some or write elsewhere",
    ),
    (r"PATH_NOT_FOUND|FileNotFoundException|FILE_NOT_EXIST", "{origin} is not there, or not on every worker; put it where all of them see it"),
    (r"AccessControlException|Permission denied|Mkdirs failed", "no permission for {origin}, on this machine or on a worker"),
    (r"unclosed|MALFORMED_CSV|MALFORMED_RECORD|Malformed (?:CSV|records)|TextParsingException", "{origin} is not valid CSV: every line must have as many cells as the header, and no stray quotes"),
    (r"is not a Parquet file|Could not read footer|CANNOT_READ_FILE_FOOTER|not a parquet", "{origin} is not a readable Parquet file"),
    (r"incorrect header check|ZipException|Not in GZIP|unexpected end of file|Unexpected end of ZLIB", "{origin} is compressed but damaged"),
    (r"CANNOT_MERGE_SCHEMAS|PARQUET_COLUMN_DATA_TYPE_MISMATCH|incompatible schema", "the files of {origin} have different columns; they must be parts of one table"),
    (r"OutOfMemoryError|Java heap space|GC overhead|maxResultSize|CANNOT_ACQUIRE_MEMORY|Cannot broadcast", "Spark has not enough memory for {origin}; give it more with --memory-limit"),
    (r"PYTHON_VERSION_MISMATCH|PYTHON_VERSION_IN_WORKER", "Spark's executors have another Python than this process; set PYSPARK_PYTHON to one like it"),
    (r"Cannot run program|PYTHON_DAEMON|pyspark\.daemon|NO_PYTHON", "Spark's executors can't start Python; set PYSPARK_PYTHON to one that they have"),
    (r"Python worker exited unexpectedly|PYTHON_WORKER_EXITED", "a Python process of Spark's ended while it worked on {origin}, perhaps for want of memory; use more --parts or fewer --workers"),
    (r"ExecutorLostFailure|executor .* exited|FetchFailed|worker lost|Master removed our application|has been shut down|stopped SparkContext|SparkContext was shut down", "the Spark cluster failed while it worked on {origin}: too many of its workers ended; try again"),
)  # fmt: skip


@contextmanager
def told(session: SparkSession, origin: str) -> Iterator[None]:
    """Turn what Spark raises into a sentence about `origin`; what still runs when the block ends early is cancelled."""
    context = session.sparkContext
    tag = f"diva-{uuid4().hex}"
    context.addJobTag(tag)
    try:
        yield
    except (PySparkException, Py4JJavaError) as error:
        raise BadInput(_sentence(error, origin)) from error
    except (Py4JNetworkError, ConnectionError, EOFError) as error:
        raise BadInput(
            f"Spark ended while it worked on {origin}, perhaps for want of memory; give it more with --memory-limit"
        ) from error
    except KeyboardInterrupt:
        with suppress(Py4JError, OSError):
            context.cancelJobsWithTag(tag)
        raise
    finally:
        with suppress(Py4JError, OSError):
            context.removeJobTag(tag)


def _sentence(error: PySparkException | Py4JJavaError, origin: str) -> str:
    message = str(error)
    for pattern, sentence in _SENTENCES:
        if re.search(pattern, message):
            return sentence.format(origin=origin)
    kind = error.getCondition() if isinstance(error, PySparkException) else None
    if kind is None:
        found = re.search(r"\[([A-Z][A-Z_.0-9]{3,})\]", message)
        kind = found[1] if found else "no reason that can be told without values of the data"
    return f"{origin} can't be processed: Spark refused it ({kind})"
