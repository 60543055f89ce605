"""One suite for all engines: the same inputs, compared with plain Python and with what the embedded engine publishes."""

from __future__ import annotations

import datetime as dt
import os
import random
from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import diva
from diva.verify import verify
from tests.engines.harness import Harness, opened, pair, reference
from tests.paper import COLUMNS, TABLE_1A

DATA = Path(os.environ.get("DIVA_DATA", Path(__file__).parents[3] / "shared" / "data"))
CENSUS_QI = ("sex", "class_of_worker", "marital_stat", "race", "country_of_birth_self")
SHARED: dict[str, tuple[str, dict[str, Any]]] = {
    "census": (
        "census_income_kdd.parquet",
        {"qi": CENSUS_QI, "keep": ("age", "education"), "k": 20, "constraints": ("race[Black] in 25000..40000",)},
    ),
    "pantheon": (
        "pantheon.csv",
        {"qi": ("sex", "city", "country", "continent"), "keep": ("occupation",), "k": 20,
         "constraints": ("sex[Female] in 900..1400", "continent[Africa] in 100..400")},
    ),
    "credit": (
        "german_credit_kaggle.csv",
        {"qi": ("Sex", "Job", "Housing", "Saving accounts"), "keep": ("Age",), "k": 20,
         "constraints": ("Sex[female] in 200..300",)},
    ),
    "adult": (
        "adult_arx.csv",
        {"qi": ("sex", "age", "race", "marital-status", "education"), "keep": ("occupation",), "k": 10,
         "constraints": ("race[Black] in 1500..3000",)},
    ),
}  # fmt: skip


QI = ("GEN", "ETH", "AGE", "PRV", "CTY")


def patients() -> pl.DataFrame:
    return pl.DataFrame([dict(zip(COLUMNS, row, strict=True)) for row in TABLE_1A])


def typed(rows: int = 600, seed: int = 3) -> pl.DataFrame:
    """Columns of every kind, with NULLs, empty texts and texts that look alike to sloppy engines."""
    rng = random.Random(seed)
    day = dt.date(2020, 2, 28)
    noon = dt.datetime(2020, 2, 28, 12, 0, 0)
    kinds: dict[str, list[Any]] = {
        "text": ["a", "A", "a ", "", None, "ü", "u\u0308", "'\"", "\\", "10", "9"],
        "flag": [True, False, None],
        "whole": [0, -1, 7, 2**40, None],
        "day": [day, day + dt.timedelta(days=1), None],
        "moment": [noon, noon.replace(microsecond=250_000), noon.replace(microsecond=1), None],
    }
    return pl.DataFrame(
        {
            name: [rng.choice(values[: 1 + rng.randrange(len(values))]) for _ in range(rows)]
            for name, values in kinds.items()
        }
    )


def as_text(value: Any) -> str | None:
    """The canonical text of a value of those kinds, in plain Python."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dt.datetime):
        return str(value).rstrip("0") if value.microsecond else str(value)
    return None if value is None else str(value)


def records(frame: pl.DataFrame) -> list[dict[str, str | None]]:
    return [{name: as_text(value) for name, value in row.items()} for row in frame.to_dicts()]


def test_types_are_counted_as_plain_python_counts(engine: Harness) -> None:
    frame = typed()
    quasi = ("text", "flag", "day")
    condition = diva.Target(("moment", "whole"), ("2020-02-28 12:00:00.25", "7"))
    types = opened(engine, frame).types(quasi, (condition,))
    found = Counter[Any]()
    for codes, met, count in zip(
        types.codes.tolist(), types.met[:, 0].tolist(), types.counts.tolist(), strict=True
    ):
        found[(*(types.values[i][code] for i, code in enumerate(codes)), met)] += count
    expected = Counter(
        (*(r[q] for q in quasi), (r["moment"], r["whole"]) == condition.values) for r in records(frame)
    )
    assert found == expected
    for values in types.values:
        assert list(values) == sorted(values, key=lambda v: (v is not None, v or ""))


def test_targets_are_counted_as_plain_python_counts(engine: Harness) -> None:
    frame = typed()
    targets = [
        diva.Target(("text",), ("a",)),
        diva.Target(("text",), ("",)),
        diva.Target(("text",), ("\\",)),
        diva.Target(("flag", "whole"), ("true", "-1")),
        diva.Target(("day",), ("2020-02-29",)),
        diva.Target(("moment",), ("2020-02-28 12:00:00.000001",)),
        diva.Target(("text",), ("nobody's",)),
    ]
    table = opened(engine, frame)
    carried = [[all(r[a] == v for a, v in t.items) for t in targets] for r in records(frame)]
    assert table.row_count() == len(frame)
    assert table.counts(targets) == [sum(column) for column in zip(*carried, strict=True)]
    masks = Counter(sum(1 << i for i, c in enumerate(row) if c) for row in carried)
    assert table.signatures(targets) == sorted(masks.items())
    expected = Counter((r["text"], r["flag"]) for r in records(frame) if None not in (r["text"], r["flag"]))
    assert dict(table.frequencies(("text", "flag"))) == dict(expected)


@pytest.mark.parametrize("order", ["shuffle", "keep"])
@pytest.mark.parametrize("seed", [0, 11])
def test_typed_columns_are_published_alike(engine: Harness, order: str, seed: int) -> None:
    frame = typed()
    options: dict[str, Any] = {
        "qi": ("text", "whole", "moment"),
        "keep": ("flag", "day"),
        "k": 7,
        "seed": seed,
        "effort": "quick",
    }
    if order == "keep" and not engine.keeps_order:
        with pytest.raises(diva.BadInput, match="no order to keep"):
            engine.anonymize(frame, order=order, **options)
        return
    release = engine.anonymize(frame, order=order, **options)
    assert engine.rows(release) == reference(frame, **options)


def test_the_example_of_the_paper(engine: Harness) -> None:
    options: dict[str, Any] = {"qi": ("GEN", "ETH", "AGE", "PRV", "CTY"), "sensitive": ("DIAG",), "k": 2}
    sigma = ("ETH[Asian] in 2..5", "ETH[African] in 1..3", "CTY[Vancouver] in 2..4")
    release = engine.anonymize(patients(), constraints=sigma, **options)
    assert release.stars == 22
    assert engine.rows(release) == reference(patients(), constraints=sigma, **options)


@pytest.mark.parametrize("name", SHARED)
@pytest.mark.parametrize("diverse", [False, True], ids=["k", "k,Σ"])
def test_shared_tables_are_published_alike(engine: Harness, name: str, diverse: bool) -> None:
    file, options = SHARED[name]
    if name == "census" and engine.name == "spark" and not diverse:
        pytest.skip("the largest table is published in Spark once, with Σ, which asks for more")
    if not (DATA / file).exists():
        pytest.skip(f"{file} is not there; set DIVA_DATA to the folder that has it")
    path = DATA / file
    frame = pl.read_parquet(path) if path.suffix == ".parquet" else pl.read_csv(path, infer_schema=False)
    options = options | {"constraints": options["constraints"] if diverse else (), "effort": "quick"}
    release = engine.anonymize(frame, **options)
    assert engine.rows(release) == reference(frame, **options)


def test_the_verifier_accepts_suppression_and_nothing_else(engine: Harness) -> None:
    original = patients()
    starred = original.with_columns(
        GEN=pl.lit("*"), AGE=pl.lit("*"), CTY=pl.lit("*"), PRV=pl.lit("*"), ETH=pl.lit("*")
    )
    swapped = starred.with_columns(
        DIAG=pl.when(pl.col("DIAG") == "Hypertension").then(pl.lit("Influenza")).otherwise("DIAG")
    )
    shuffled = starred.reverse()
    for frame, order, sound in (
        (starred, "keep", True), (shuffled, "keep", False), (shuffled, "shuffle", True), (swapped, "shuffle", False),
        (swapped, "keep", False), (starred[:-1], "shuffle", False),
    ):  # fmt: skip
        published, before = pair(engine, frame, original)
        told: dict[str, Any] = {"k": 2, "original": before, "order": order}
        if order == "keep" and not engine.keeps_order:
            with pytest.raises(diva.BadInput, match="no order"):
                verify(published, quasi=QI, **told)
            continue
        found = verify(published, quasi=QI, **told)
        assert found.ok is sound, (order, found.problems)


REFUSALS: dict[str, tuple[dict[str, Any], str]] = {
    "no such column": ({"qi": ("GEM",)}, "there is no column 'GEM' in the table (--qi); did you mean 'GEN'?"),
    "a star before": ({"qi": ("GEN",), "star": "Male"}, "column 'GEN' has cells 'Male', which would look suppressed; choose another --star"),
    "a dropped column": (
        {"qi": ("GEN",), "constraints": ("DIAG[Seizure] in 1..",)},
        "DIAG[Seizure] in 1..: column 'DIAG' is dropped, so nothing of it is published; declare it with --qi, --sensitive or --keep",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSALS)
def test_refusals_read_alike(engine: Harness, name: str) -> None:
    options, sentence = REFUSALS[name]
    with pytest.raises(diva.BadInput) as refused:
        engine.anonymize(patients(), k=2, **options)
    assert str(refused.value) == sentence


def test_no_release_reads_alike(engine: Harness) -> None:
    for k, words in ((11, "11"), (3, "ETH[Asian]")):
        with pytest.raises(diva.Unsatisfiable, match=words.replace("[", r"\[")):
            engine.anonymize(
                patients(),
                qi=("ETH", "CTY"),
                k=k,
                constraints=("ETH[Asian] in 3..", "CTY[Vancouver] in 3.."),
            )
