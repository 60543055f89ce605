import doctest
import json
import re
from dataclasses import fields
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import diva.metrics
from diva.metrics import Summary, classes_of, loss, risk, summary
from tests.metrics.strategies import Release, releases
from tests.metrics.tables import COLUMNS, QI, TABLE_1A, TABLE_1C, Row, types_of

DOCUMENT = Path(__file__).parents[2] / "docs" / "metrics.md"
R = types_of(TABLE_1A, QI)


def test_the_papers_table_1c_at_a_glance() -> None:
    found = summary(types_of(TABLE_1C, QI), k=2, weights={"AGE": 0}, original=R)
    assert found.to_dict() == {
        "k": 2,
        "rows": 10,
        "cells": 50,
        "groups": 5,
        "k_achieved": 2,
        "stars": 26,
        "weighted_stars": 16.0,
        "star_share": 0.52,
        "suppressed_rows": 0,
        "discernibility": 20,
        "normalised_discernibility": 0.2,
        "average_class_size": 2.0,
        "normalised_average_class_size": 1.0,
        "prosecutor": {"highest": 0.5, "mean": 0.5, "share_above": 0.0},
        "journalist": {"highest": 0.5, "mean": 0.5, "share_above": 0.0},
        "marketer": 0.5,
        "values_lost": 12,  # ten ages, MB, Winnipeg
    }


@given(releases(), st.integers(1, 5), st.booleans())
def test_the_summary_is_what_its_parts_say_and_plain_json(release: Release, k: int, given_all: bool) -> None:
    population = types_of(release.population, release.attributes) if given_all else None
    original = release.original_types if given_all else None
    found = summary(release.published_types, k=k, star=release.star, original=original, population=population)
    classes = classes_of(release.published_types, star=release.star)
    assert found.stars == loss.stars(classes) == found.weighted_stars
    assert found.discernibility == loss.discernibility(classes)
    assert found.k_achieved == min((release.published.count(row) for row in release.published), default=0)
    assert found.suppressed_rows == release.published.count((release.star,) * len(release.attributes))
    assert found.journalist == risk.journalist(classes, k, population)
    assert found.marketer == risk.marketer(classes, population)
    lost = sum(
        len({row[i] for row in release.rows} - {row[i] for row in release.published})
        for i in range(len(release.attributes))
    )
    assert found.values_lost == (lost if given_all else None)
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False)) == found.to_dict()
    assert list(found.to_dict()) == [field.name for field in fields(Summary)]


@pytest.mark.parametrize(
    "rows",
    [[], [("a",)], [("*",)], [("*", "*")] * 3, [(None, "*")]],
    ids=["empty", "one", "star", "stars", "null"],
)
def test_the_smallest_tables_have_figures(rows: list[Row]) -> None:
    attributes = ("A", "B")[: len(rows[0])] if rows else ("A",)
    found = summary(types_of(rows, attributes), k=2)
    assert found.rows == len(rows)
    assert found.normalised_discernibility == float(bool(rows))
    json.dumps(found.to_dict(), allow_nan=False)


def test_all_is_what_is_exported() -> None:
    assert sorted(diva.metrics.__all__) == diva.metrics.__all__
    assert all(hasattr(diva.metrics, name) for name in diva.metrics.__all__)


def test_the_documentation_computes_what_it_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, table in (("patients.csv", TABLE_1A), ("release.csv", TABLE_1C)):
        lines = [",".join(str(cell) for cell in row) for row in [COLUMNS, *table]]
        (tmp_path / name).write_text("\n".join(lines) + "\n")
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(
        r"^```python\n(.*?)^```$", DOCUMENT.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )
    examples = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, DOCUMENT.name, str(DOCUMENT), 0)
    printed: list[str] = []
    results = doctest.DocTestRunner(verbose=False).run(examples, out=printed.append)
    assert results.attempted >= 10
    assert results.failed == 0, "".join(printed)
