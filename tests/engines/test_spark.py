"""What only Spark does: folders in and out, lazy releases, cuts without numbering, and its own ways of reading CSV."""

from __future__ import annotations

import datetime as dt
import json
import math
import random
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import diva
from diva.relation.duck import open_table as open_in_duckdb
from diva.relation.opening import open_table
from diva.relation.settings import Settings
from tests.engines.harness import SparkFrames, reference, texts
from tests.engines.spark import local_session, reason_without_spark

REASON = reason_without_spark()
pytestmark = pytest.mark.skipif(REASON is not None, reason=str(REASON))
SPARK: dict[str, Any] = {"engine": "spark"}


@pytest.fixture(autouse=True, scope="module")
def _session() -> Any:
    return local_session()


def published(folder: Path, pattern: str) -> list[Any]:
    """The rows of a folder that Spark wrote, as DuckDB reads them."""
    return texts(open_in_duckdb(f"{folder}/{pattern}"))


def lopsided(rows: int = 3000, seed: int = 1) -> pl.DataFrame:
    """One type has most of the records, and Σ will cut it in two."""
    rng = random.Random(seed)
    return pl.DataFrame(
        {
            "A": ["big" if rng.random() < 0.9 else rng.choice("xyz") for _ in range(rows)],
            "B": ["b" if rng.random() < 0.9 else rng.choice("uvw") for _ in range(rows)],
            "few": [rng.choice(["flu", "cold", None]) for _ in range(rows)],
            "own": [str(i) for i in range(rows)],
        }
    )


@pytest.mark.parametrize(
    ("keep", "counted"),
    [((), True), (("few",), True), (("few",), False), (("own",), False)],
    ids=["QI only", "few values", "few values, by record", "unlike"],
)
def test_a_type_that_is_cut_is_published_as_elsewhere_and_never_numbered(
    keep: tuple[str, ...], counted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = lopsided()
    if keep == ("few",) and not counted:
        monkeypatch.setattr("diva.relation.spark.repeats", lambda *_, **__: False)
    options: dict[str, Any] = {
        "qi": ("A", "B"), "keep": keep, "k": 5, "constraints": ("A[big] in 1000..1500", "B[b] in 100..700"),
        "effort": "quick",
    }  # fmt: skip
    release = diva.anonymize(local_session().createDataFrame(frame.to_arrow()), **options)
    rows = sorted(
        (tuple(row) for row in release.to_spark().collect()),
        key=lambda row: [(v is not None, v or "") for v in row],
    )
    assert rows == reference(frame, **options)
    plan = release.to_spark()._jdf.queryExecution().toString()
    assert "Window" not in plan
    assert "BroadcastHashJoin" in plan or "BroadcastExchange" in plan or "broadcast" in plan


def test_rows_that_repeat_are_counted_once_and_let_go() -> None:
    frame = lopsided(400)
    opened: Any = open_table(local_session().createDataFrame(frame.to_arrow()))
    table = opened.focused(("A", "B"))
    assert table.counted is not None
    table.types(("A", "B")).counts[:] = 0
    assert table.types(("A", "B")).rows == 400, "who asks may do what they like with the answer"
    assert table.counts([diva.Target(("A",), ("big",))]) == [int((frame["A"] == "big").sum())]
    assert "InMemoryRelation" in plan_of(table)
    assert opened.focused(("A", "own")).counted is None, "every row is another"
    opened.close()
    assert "InMemoryRelation" not in plan_of(table)


def plan_of(table: Any) -> str:
    """How Spark would read a table now."""
    plan: str = table.source(("A", "B"))._jdf.queryExecution().toString()
    return plan


def test_csv_is_read_and_written_as_the_embedded_engine_does(tmp_path: Path) -> None:
    path, out = tmp_path / "in.csv", tmp_path / "out.csv"
    cells = [
        "plain",
        '"quo""ted"',
        '"a,b"',
        '""',
        "",
        " blanks ",
        "back\\slash",
        '"two\nlines"',
        "ünï",
        "NULL",
    ]
    rng = random.Random(2)
    lines = [f"{rng.choice('xy')},{rng.choice(cells)},{cell}" for cell in cells for _ in range(8)]
    path.write_text("q,\" a b\",'c'\n" + "\n".join(lines) + "\n", encoding="utf-8")
    options: dict[str, Any] = {"qi": ["q", " a b"], "keep": ["'c'"], "k": 4, "effort": "quick"}
    release = diva.anonymize(path, output=out, **options, **SPARK)
    assert published(out, "*.csv") == texts(diva.anonymize(path, **options).table)  # type: ignore[arg-type]
    assert release.rows == len(lines)
    noted = json.loads((tmp_path / "out.csv.diva.json").read_text(encoding="utf-8"))
    assert noted["output"]["path"] == str(out)
    assert not local_session().catalog.listTables()


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"a,b\n1,\xff\n", "is not UTF-8; save it as UTF-8"),
        (b"a,b\n1\n", "is not valid CSV"),
        (b"a,b\n1,2,3\n", "is not valid CSV"),
        (b"a\n1\n\n2\n", "has one column and empty lines"),
        (b'a,b\r\n"1\n2",3\r\n4,5\n', "mixes line ends"),
    ],
)
def test_what_spark_would_read_otherwise_is_refused(tmp_path: Path, content: bytes, sentence: str) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(content)
    with pytest.raises(diva.BadInput, match=sentence):
        diva.anonymize(path, qi=["a"], k=1, **SPARK)


def test_partitioned_folders_go_in_and_typed_columns_stay_typed(tmp_path: Path) -> None:
    frame = lopsided(400).with_columns(n=pl.int_range(400) % 7)
    for value in ("big", "x", "y", "z"):
        (tmp_path / "in" / f"A={value}").mkdir(parents=True)
        frame.filter(pl.col("A") == value).drop("A").write_parquet(tmp_path / f"in/A={value}/part.parquet")
    (tmp_path / "in" / "_SUCCESS").touch()
    options: dict[str, Any] = {"qi": ("B", "A"), "sensitive": ("n",), "k": 8, "effort": "quick"}
    diva.anonymize(tmp_path / "in", output=tmp_path / "out.parquet", **options, **SPARK)
    expected = reference(frame.select("B", "few", "own", "n", "A"), **options)
    assert published(tmp_path / "out.parquet", "*.parquet") == expected
    assert pl.read_parquet(tmp_path / "out.parquet" / "*.parquet")["n"].dtype == pl.Int64


def test_a_release_is_verified_checked_and_decided_in_spark(tmp_path: Path) -> None:
    frame = lopsided(500)
    frame.write_parquet(tmp_path / "in.parquet")
    out = tmp_path / "out.parquet"
    options: dict[str, Any] = {"qi": ["A", "B"], "k": 6}
    release = diva.anonymize(tmp_path / "in.parquet", sensitive=["few"], output=out, **options, **SPARK)
    found = diva.verify_release(out, original=tmp_path / "in.parquet", **options, **SPARK)
    assert found.ok
    assert found.stars == release.stars
    tampered = pl.read_parquet(out / "*.parquet").with_columns(few=pl.lit("flu"))
    tampered.write_parquet(tmp_path / "bad.parquet")
    found = diva.verify_release(
        tmp_path / "bad.parquet", original=tmp_path / "in.parquet", **options, **SPARK
    )
    assert not found.ok
    sigma = ["A[big] in 1.."]
    assert diva.check(tmp_path / "in.parquet", constraints=sigma, **SPARK) == diva.check(
        tmp_path / "in.parquet", constraints=sigma
    )
    assert diva.decide(tmp_path / "in.parquet", constraints=sigma, **options, **SPARK).feasible
    with pytest.raises(diva.BadInput, match="no order of rows"):
        diva.verify_release(out, original=tmp_path / "in.parquet", order="keep", **options, **SPARK)


def test_instants_read_alike_whatever_the_zone_of_the_session() -> None:
    session = local_session()
    noon = dt.datetime(2026, 3, 29, 2, 30, tzinfo=dt.UTC)
    frame = pl.DataFrame({"t": [noon, noon.replace(microsecond=500)] * 3, "a": ["x"] * 6})
    session.conf.set("spark.sql.session.timeZone", "Europe/Berlin")
    try:
        types = open_table(session.createDataFrame(frame.to_arrow())).types(("t",))
    finally:
        session.conf.set("spark.sql.session.timeZone", "UTC")
    assert types.values == (("2026-03-29 02:30:00+00", "2026-03-29 02:30:00.0005+00"),)


def test_floats_read_as_python_writes_them() -> None:
    values = [
        0.0,
        -0.0,
        1.0,
        0.1,
        1e-3,
        1e-4,
        1.25e-4,
        -1e-5,
        1e7,
        -12345678.5,
        1e15,
        123456789012345.6,
        1e16,
        1.5e300,
    ]
    values += [math.inf, -math.inf, 2.5e-10, 9007199254740993.0, 1e100]
    frame = pl.DataFrame({"f": [*values, math.nan]})
    types = open_table(local_session().createDataFrame(frame.to_arrow())).types(("f",))
    assert Counter(types.values[0]) == Counter(map(repr, [*values, math.nan]))


REFUSALS: list[tuple[dict[str, Any], str]] = [
    ({"engine": "sparks"}, "engine 'sparks' is not one of duckdb, spark"),
    ({"master": "local[2]"}, "--master says where Spark runs; give it with --engine spark"),
    ({"engine": "spark", "master": "yarn"}, "a Spark session on local[2] is active, so none can be started on yarn; stop it, or leave the master out"),
    ({"engine": "spark", "threads": 2}, "--threads says nothing to Spark, whose master tells how many there are; leave it out"),
    ({"engine": "spark", "memory_limit": "2GB"}, "--memory-limit says nothing to a Spark session that is there already; leave it out"),
    ({"engine": "spark", "order": "keep"}, "a table in Spark has no order to keep; leave out --order keep, or use --engine duckdb"),
]  # fmt: skip


@pytest.mark.parametrize(("options", "sentence"), REFUSALS, ids=[s[:20] for _, s in REFUSALS])
def test_no_option_is_accepted_and_ignored(tmp_path: Path, options: dict[str, Any], sentence: str) -> None:
    lopsided(50).write_parquet(tmp_path / "in.parquet")
    with pytest.raises(diva.BadInput) as refused:
        diva.anonymize(tmp_path / "in.parquet", qi=["A"], k=2, **options)
    assert str(refused.value) == sentence


def test_the_target_is_a_new_folder(tmp_path: Path) -> None:
    lopsided(50).write_parquet(tmp_path / "in.parquet")
    (tmp_path / "full.parquet").mkdir()
    (tmp_path / "full.parquet" / "mine").touch()
    for name, sentence in (
        ("full.parquet", "is not empty, and no manifest"),
        ("in.parquet", "is a file"),
        ("no/out.parquet", "no folder"),
    ):
        with pytest.raises(diva.BadInput, match=sentence):
            diva.anonymize(tmp_path / "in.parquet", qi=["A"], k=2, output=tmp_path / name, **SPARK)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["full.parquet", "in.parquet"]


def test_other_frames_are_told_to_leave_the_engine_out() -> None:
    with pytest.raises(diva.BadInput, match="not DataFrame; leave the engine out"):
        open_table(lopsided(5), Settings(engine="spark"))
    with pytest.raises(diva.BadInput, match="lives in Spark"):
        open_table(local_session().range(3), Settings(engine="duckdb"))
    with pytest.raises(diva.BadInput, match="isn't in Spark"):
        diva.anonymize(lopsided(50), qi=["A"], k=2).to_spark()


def test_what_is_kept_has_few_partitions_and_leaves_no_setting() -> None:
    session = local_session()
    frame = session.createDataFrame(lopsided(400).to_arrow()).repartition(30)
    settings = session.conf.getAll
    opened: Any = open_table(frame)
    table = opened.focused(("A", "B"))
    table.types(("A", "B"))
    assert table.counted.frame.rdd.getNumPartitions() <= 2, "Spark would keep as many as it shuffles into"
    assert session.conf.getAll == settings
    opened.close()


@pytest.mark.parametrize("kind", [pl.Float64, pl.Float32])
def test_floats_that_repeat_are_counted_though_spark_takes_two_zeros_for_one(kind: Any) -> None:
    values = [0.0, -0.0, 1.5, math.nan, math.inf, -math.inf, None, 1e-7]
    frame = lopsided(800).with_columns(f=pl.Series(values * 100, dtype=kind))
    opened: Any = open_table(local_session().createDataFrame(frame.to_arrow()))
    table = opened.focused(("A", "f"))
    assert table.counted is not None
    types = table.types(("f",))
    expected = ["-0.0", "-inf", "0.0", "1.5", "1e-07", "inf", "nan"]
    assert dict(zip(types.values[0], types.counts[np.argsort(types.codes[:, 0])].tolist(), strict=True)) == {
        None: 100, **dict.fromkeys(expected, 100)
    }  # fmt: skip
    opened.close()
    for roles in ({"qi": ("A", "f")}, {"qi": ("A",), "keep": ("f",)}):
        options: dict[str, Any] = {**roles, "k": 5, "effort": "quick"}
        release = diva.anonymize(local_session().createDataFrame(frame.to_arrow()), **options)
        assert SparkFrames.rows(None, release) == reference(frame, **options)  # type: ignore[arg-type]
