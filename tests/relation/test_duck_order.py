"""Releases in the order of the table are streamed, by several threads; the verifier compares them row by row."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import diva


def table(rows: int = 300_000) -> pl.DataFrame:
    """Few types, many of them split, over more rows than a thread takes at once."""
    rng = np.random.default_rng(2)
    columns = {c: rng.zipf(1.3, rows).clip(1, 9 + 20 * i) for i, c in enumerate("abc")}
    return pl.DataFrame(columns).with_columns(pl.col("a").cast(pl.String), n=pl.int_range(rows))


def sources(folder: Path) -> dict[str, Path | pl.DataFrame]:
    frame = table()
    frame[:120_000].write_parquet(folder / "part1.parquet", row_group_size=20_000)
    frame[120_000:].write_parquet(folder / "part2.parquet", row_group_size=50_000)
    frame.write_csv(folder / "t.csv")
    frame.rename({"n": "FILE_ROW_NUMBER"}).write_parquet(folder / "virtual.parquet")
    return {
        "parquet": folder / "part*.parquet",
        "csv": folder / "t.csv",
        "a column called as DuckDB's own": folder / "virtual.parquet",
        "frame": frame,
    }


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("kind", ["parquet", "csv", "a column called as DuckDB's own", "frame"])
def test_the_order_is_kept(tmp_path: Path, kind: str, ending: str) -> None:
    source = sources(tmp_path)[kind]
    number = "FILE_ROW_NUMBER" if kind.startswith("a column") else "n"
    options = {"qi": ["a", "b", "c"], "keep": [number], "k": 50, "effort": "quick", "threads": 2}
    sigma = ["a[1] in ..60000"]  # most records of these types leave their home
    path = tmp_path / f"100% {{0}} out.{ending}"
    kept = diva.anonymize(source, order="keep", output=path, constraints=sigma, **options)
    assert kept.rows == 300_000
    written = pl.read_parquet(path) if ending == "parquet" else pl.read_csv(path, infer_schema=False)
    assert written[number].cast(pl.Int64).to_list() == list(range(300_000))
    # what is published doesn't depend on how: a shuffled release in memory is sorted and holds the same rows
    shuffled = diva.anonymize(source, constraints=sigma, **options).to_polars()
    text = [pl.col(c).cast(pl.String) for c in written.columns]
    assert shuffled.select(text).sort(pl.all()).equals(written.select(text).sort(pl.all()))


def test_a_plan_that_might_not_fit_is_sorted(tmp_path: Path) -> None:
    rows = 60_000
    frame = pl.DataFrame({"a": pl.int_range(rows, eager=True), "b": pl.Series([0, 1] * (rows // 2))})
    frame.write_parquet(tmp_path / "t.parquet")
    release = diva.anonymize(
        tmp_path / "t.parquet",
        qi=["a", "b"],
        k=5,
        order="keep",
        output=tmp_path / "o.parquet",
        memory_limit="64MB",
        effort="quick",
    )
    assert release.stars == rows
    assert pl.read_parquet(tmp_path / "o.parquet")["b"].to_list() == [0, 1] * (rows // 2)
