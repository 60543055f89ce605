"""The engines that the suite runs on."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engines.harness import DuckFiles, Harness, PostgresTables, SparkFrames
from tests.engines.spark import reason_without_spark


@pytest.fixture(params=["duckdb", "postgresql", "spark"])
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Harness:
    """One engine after the other; one that the machine doesn't have is skipped with its reason."""
    if request.param == "postgresql":
        return PostgresTables(request.getfixturevalue("postgres"))
    if request.param == "duckdb":
        return DuckFiles(tmp_path)
    reason = reason_without_spark()
    if reason:
        pytest.skip(reason)
    return SparkFrames(tmp_path)
