"""The server that tests share, and settings of Hypothesis: the same cases in every run, so that a change is judged by what it changes.

`HYPOTHESIS_PROFILE=explore` draws new ones.
"""

import os
import signal
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

from tests.engines import postgres_server

signal.signal(signal.SIGINT, signal.default_int_handler)
"""A shell that runs the tests in the background has interruptions ignored, here and in every process that is started."""

settings.register_profile(
    "steady", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("explore", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))


@pytest.fixture(scope="session")
def postgres() -> Iterator[postgres_server.Server]:
    """A PostgreSQL server that the tests share."""
    if postgres_server.programs() is None:
        pytest.skip(postgres_server.ABSENT)
    with postgres_server.running() as server:
        yield server
