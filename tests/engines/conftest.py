"""The engines that the suite runs on."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engines.harness import DuckFiles, Harness, SparkFrames
from tests.engines.spark import reason_without_spark


@pytest.fixture(params=["duckdb", "spark"])
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Harness:
    """One engine after the other; one that the machine doesn't have is skipped with its reason."""
    if request.param == "spark":
        reason = reason_without_spark()
        if reason:
            pytest.skip(reason)
    return {"duckdb": DuckFiles, "spark": SparkFrames}[request.param](tmp_path)
