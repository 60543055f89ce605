"""The engines that the suite runs on."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engines.harness import DuckFiles, Harness


@pytest.fixture(params=["duckdb"])
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Harness:
    """One engine after the other; one that the machine doesn't have is skipped with its reason."""
    return {"duckdb": DuckFiles}[request.param](tmp_path)
