"""Where the benchmarks find real tables: the folder that DIVA_DATA names (default ../shared/data)."""

from __future__ import annotations

import os
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDER = Path(os.environ.get("DIVA_DATA", ROOT.parent / "shared" / "data"))
CENSUS = FOLDER / "census_income_kdd.parquet"
ADULT_QI = ("sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation")
CENSUS_QI = (
    "sex", "class_of_worker", "marital_stat", "detailed_household_and_family_stat", "race", "country_of_birth_self",
)  # fmt: skip


def require(path: Path) -> Path:
    """Stop with a plain reason where a table is absent."""
    if not path.exists():
        sys.exit(f"{path.name} is not there; set DIVA_DATA to the folder that has it")
    return path
