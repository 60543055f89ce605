"""The engines that the suite runs on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engines import postgres_server
from tests.engines.harness import DuckFiles, Harness, PostgresTables


@pytest.fixture(scope="session")
def postgres() -> Iterator[postgres_server.Server]:
    """A PostgreSQL server that the tests share."""
    if postgres_server.programs() is None:
        pytest.skip(postgres_server.ABSENT)
    with postgres_server.running() as server:
        yield server


@pytest.fixture(params=["duckdb", "postgresql"])
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Harness:
    """One engine after the other; one that the machine doesn't have is skipped with its reason."""
    if request.param == "postgresql":
        return PostgresTables(request.getfixturevalue("postgres"))
    return DuckFiles(tmp_path)
