"""The engines that the suite runs on."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engines.harness import DuckFiles, Harness, PostgresTables


@pytest.fixture(params=["duckdb", "postgresql"])
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Harness:
    """One engine after the other; one that the machine doesn't have is skipped with its reason."""
    if request.param == "postgresql":
        return PostgresTables(request.getfixturevalue("postgres"))
    return DuckFiles(tmp_path)
