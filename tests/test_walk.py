"""The whole walk through the Python interface: every kind of source, hostile shapes, every option, verified."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import diva
from tests.oracles.release import fewest_stars, random_instance, releases

PATIENTS = Path(__file__).parents[1] / "examples" / "patients.csv"
QI = ["GEN", "ETH", "AGE", "PRV", "CTY"]
SIGMA = ["ETH[Asian] in 2..5", "ETH[African] in 1..3", "CTY[Vancouver] in 2..4"]
ROLES = {"qi": QI, "sensitive": ["DIAG"], "identifying": ["ID"]}


def rows_of(release: diva.Release) -> Counter[tuple[object, ...]]:
    return Counter(release._rows.relation().fetchall())


def sources() -> dict[str, object]:
    frame = pl.read_csv(PATIENTS, infer_schema=False)
    return {
        "polars": frame,
        "polars lazy": frame.lazy().collect(),
        "pandas": pd.read_csv(PATIENTS, dtype=str),
        "pyarrow": frame.to_arrow(),
        "duckdb": duckdb.sql(f"SELECT * FROM read_csv('{PATIENTS}', all_varchar=true)"),
        "text": str(PATIENTS),
        "path": PATIENTS,
    }


@pytest.mark.parametrize("kind", list(sources()))
def test_every_kind_of_source_gives_the_same_rows(kind: str) -> None:
    release = diva.anonymize(sources()[kind], k=2, constraints=SIGMA, **ROLES)
    expected = diva.anonymize(PATIENTS, k=2, constraints=SIGMA, **ROLES)
    assert rows_of(release) == rows_of(expected)
    assert release.k_achieved >= 2
    assert all(p.satisfied for p in release.constraints)


def test_a_source_that_is_no_table() -> None:
    with pytest.raises(diva.BadInput, match="int"):
        diva.anonymize(7, qi=["A"], k=2)
    with pytest.raises(diva.BadInput, match="effrot"):
        diva.anonymize(PATIENTS, k=2, effrot="best", **ROLES)


@pytest.mark.parametrize(
    ("options", "culprit"),
    [
        ({"qi": "GEN"}, "'GEN' must be a list"),
        ({"qi": None}, "None must be a list"),
        ({"qi": [1]}, "column 1"),
        ({"sensitive": "DIAG"}, "'DIAG' must be a list"),
        ({"constraints": "ETH[Asian] in 2"}, "must be a list"),
        ({"constraints": [3]}, "constraint '3'"),
        ({"k": 2.0}, "k=2.0"),
        ({"k": True}, "k=True"),
        ({"seed": 0.5}, "seed 0.5"),
        ({"time_limit": "3"}, "time limit '3'"),
        ({"weights": [1]}, r"weights \[1\]"),
        ({"weights": {"GEN": "x"}}, "weight 'x'"),
        ({"weights": {"GEN": 1e300}}, "weight 1e\\+300"),
        ({"star": 5}, "star 5"),
        ({"star": "?", "suppressed": "null"}, "'\\?' and --suppressed null"),
        ({"keep_rest": "no"}, "keep_rest 'no'"),
        ({"output": 5}, "output 5"),
        ({"output": "a\0.csv"}, "output"),
        ({"order": None}, "order None"),
    ],
)
def test_options_that_make_no_sense(options: dict[str, object], culprit: str) -> None:
    with pytest.raises(diva.BadInput, match=culprit):
        diva.anonymize(PATIENTS, **({"k": 2} | ROLES | options))


def test_numbers_of_other_libraries(tmp_path: Path) -> None:
    release = diva.anonymize(
        PATIENTS, k=np.int64(2), seed=np.uint8(3), weights={"AGE": np.float32(0.5)}, **ROLES
    )
    assert (release.k, release.seed) == (2, 3)
    release.write(tmp_path / "r.csv")
    manifest = json.loads((tmp_path / "r.csv.diva.json").read_text(encoding="utf-8"))
    assert manifest["job"]["solve"]["weights"] == {"AGE": 0.5}
    assert diva.decide(PATIENTS, qi=QI, k=np.int64(2)).feasible


def test_frames_that_cannot_be_read() -> None:
    mixed = pd.DataFrame({"A": pd.Series(["a", 1], dtype=object)})
    with pytest.raises(diva.BadInput, match=r"pandas table .* mixes"):
        diva.anonymize(mixed, qi=["A"], k=1)
    with pytest.raises(diva.BadInput, match="polars table has no columns"):
        diva.anonymize(pl.DataFrame(), qi=["A"], k=1)
    with pytest.raises(diva.BadInput, match="polars table has a column of missing values only"):
        diva.anonymize(pl.DataFrame({"A": [None, None]}), qi=["A"], k=1)


@pytest.mark.parametrize(
    "frame", [pd.DataFrame({"A": [None] * 3, "B": ["x"] * 3}), pa.table({"A": pa.nulls(3), "B": ["x"] * 3})]
)
def test_columns_without_any_value(frame: object) -> None:
    assert rows_of(diva.anonymize(frame, qi=["A", "B"], k=3)) == Counter({(None, "x"): 3})


def test_a_release_never_overwrites_its_original(tmp_path: Path) -> None:
    path = tmp_path / "patients.csv"
    path.write_bytes(PATIENTS.read_bytes())
    release = diva.anonymize(path, k=2, **ROLES)
    with pytest.raises(diva.BadInput, match="is the input"):
        release.write(path)
    assert path.read_bytes() == PATIENTS.read_bytes()


def test_results_in_every_form(tmp_path: Path) -> None:
    release = diva.anonymize(PATIENTS, k=2, **ROLES)
    assert isinstance(release.to_arrow(), pa.Table)
    assert isinstance(release.to_pandas(), pd.DataFrame)
    assert release.to_polars().columns == [*QI, "DIAG"]
    for name in ("r.csv", "r.parquet", "r.tsv.gz"):
        release.write(tmp_path / name)
        found = diva.verify_release(tmp_path / name, qi=QI, k=2, original=PATIENTS, identifying=["ID"])
        assert found.ok, found.problems
        assert found.stars == release.stars


def test_partitioned_input(tmp_path: Path) -> None:
    frame = pl.read_csv(PATIENTS, infer_schema=False)
    frame[:4].write_parquet(tmp_path / "part-1.parquet")
    frame[4:].write_parquet(tmp_path / "part-2.parquet")
    release = diva.anonymize(tmp_path / "part-*.parquet", k=2, **ROLES)
    assert rows_of(release) == rows_of(diva.anonymize(PATIENTS, k=2, **ROLES))


def test_a_name_that_looks_like_a_pattern(tmp_path: Path) -> None:
    path = tmp_path / "part[1]*?.csv"
    path.write_bytes(PATIENTS.read_bytes())
    (tmp_path / "part1x.csv").write_text("other\n1\n", encoding="utf-8")
    assert diva.anonymize(path, k=2, **ROLES).rows == 10


def test_column_types_survive_where_nothing_is_suppressed(tmp_path: Path) -> None:
    frame = pl.DataFrame({"a": [1, 1, 2, 2], "b": [1, 2, 3, 4], "c": [0.5, None, 1.5, 2.5]})
    frame.write_parquet(tmp_path / "t.parquet")
    starred = diva.anonymize(tmp_path / "t.parquet", qi=["a", "b"], keep=["c"], k=2).to_polars()
    assert starred.schema == {"a": pl.Int64, "b": pl.String, "c": pl.Float64}
    nulled = diva.anonymize(
        tmp_path / "t.parquet",
        qi=["a", "b"],
        keep=["c"],
        k=2,
        suppressed="null",
        output=tmp_path / "r.parquet",
    )
    assert nulled.stars == 4
    assert pl.read_parquet(tmp_path / "r.parquet").schema == {"a": pl.Int64, "b": pl.Int64, "c": pl.Float64}


def test_order(tmp_path: Path) -> None:
    kept = diva.anonymize(PATIENTS, k=2, order="keep", **ROLES).to_polars()
    assert kept["DIAG"].to_list() == pl.read_csv(PATIENTS)["DIAG"].to_list()
    shuffled = diva.anonymize(PATIENTS, k=2, **ROLES).to_polars()
    assert shuffled["DIAG"].to_list() != kept["DIAG"].to_list()
    assert Counter(shuffled.rows()) == Counter(kept.rows())
    reverse = pl.read_csv(PATIENTS, infer_schema=False)[::-1]
    assert diva.anonymize(reverse, k=2, **ROLES).to_polars().equals(shuffled)


@pytest.mark.parametrize("name", ["r.csv", "r.parquet"])
def test_the_same_seed_and_input_give_the_same_bytes(tmp_path: Path, name: str) -> None:
    rng = np.random.default_rng(5)
    table = pl.DataFrame({c: rng.zipf(1.6, 20_000).clip(1, 30).astype(str) for c in "abcd"})
    table.write_parquet(tmp_path / "t.parquet")
    hashes = set()
    for threads in (1, 2, 2):
        script = (
            f"import diva\ndiva.anonymize({str(tmp_path / 't.parquet')!r}, qi=['a', 'b', 'c'], keep=['d'], k=5,"
            f" effort='quick', threads={threads}, output={str(tmp_path / name)!r})"
        )
        import subprocess
        import sys

        subprocess.run([sys.executable, "-c", script], check=True)
        hashes.add(hashlib.sha256((tmp_path / name).read_bytes()).hexdigest())
    assert len(hashes) == 1


def test_weights_move_the_stars() -> None:
    dear = diva.anonymize(PATIENTS, k=2, weights={"AGE": 0.1, "GEN": 10.0}, **ROLES).to_polars()
    assert (dear["GEN"] == "*").sum() == 0


def test_manifest(tmp_path: Path) -> None:
    sigma = ["ETH[African] in 0", "ETH[Asian] in 2..5"]
    diva.anonymize(PATIENTS, k=3, constraints=sigma, output=tmp_path / "r.csv", **ROLES)
    text = (tmp_path / "r.csv.diva.json").read_text(encoding="utf-8")
    manifest = json.loads(text)
    assert manifest["output"]["sha256"] == hashlib.sha256((tmp_path / "r.csv").read_bytes()).hexdigest()
    assert manifest["input"][0]["sha256"] == hashlib.sha256(PATIENTS.read_bytes()).hexdigest()
    assert manifest["verified"]["constraints"][0]["text"] == "ETH[…] in 0"
    assert "African" not in text
    assert "before" not in text


def test_unsatisfiable_carries_the_decision() -> None:
    with pytest.raises(diva.Unsatisfiable, match="only 2 records") as caught:
        diva.anonymize(PATIENTS, k=3, constraints=SIGMA[1:2], **ROLES)
    assert caught.value.decision.largest_k == 2


@pytest.mark.parametrize(
    ("rows", "k"),
    [
        ([("a",)], 1),
        ([("a",)] * 7, 7),
        ([(str(i),) for i in range(50)], 3),
        ([(None,)] * 3 + [("",)] * 3, 3),
        ([(str(i % 2),) * 40 for i in range(8)], 4),
        ([tuple(str((i >> j) & 1) for j in range(40)) for i in range(64)], 5),
        ([(None if i % 3 else "", "x" * 10_000, str(i % 2)) for i in range(12)], 2),
        ([("9" * 300, str(-i), f"{i}e308") for i in range(9)], 2),
    ],
    ids=[
        "one row",
        "all equal",
        "all distinct",
        "nulls",
        "40 equal columns",
        "40 columns",
        "huge values",
        "numbers",
    ],
)
@pytest.mark.parametrize("effort", ["quick", "standard"])
def test_hostile_shapes(rows: list[tuple[str | None, ...]], k: int, effort: str) -> None:
    names = [f"q{i}" for i in range(len(rows[0]))]
    table = pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String), orient="row")
    release = diva.anonymize(table, qi=names, k=k, effort=effort)
    assert release.k_achieved >= k
    assert release.lower_bound <= release.cost


@settings(max_examples=150, deadline=None)
@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from(["quick", "standard", "best"]),
    st.sampled_from(["shuffle", "keep"]),
)
def test_releases_of_tiny_tables(seed: int, effort: str, order: str) -> None:
    """Whatever is feasible is released and verified; what isn't is refused; bounds hold against every release."""
    instance = random_instance(np.random.default_rng(seed))
    width = instance.width
    table = pl.DataFrame(list(instance.rows), schema=dict.fromkeys(instance.columns, pl.String), orient="row")
    sigma = [
        diva.Constraint(diva.Target(tuple(t), tuple(t.values())), low, high)
        for t, low, high in instance.sigma
    ]
    options = {"qi": instance.columns[:width], "sensitive": instance.columns[width:], "constraints": sigma}
    optimum = fewest_stars(releases(instance), instance)
    if optimum is None:
        with pytest.raises(diva.Unsatisfiable):
            diva.anonymize(table, k=instance.k, **options)
        return
    release = diva.anonymize(table, k=instance.k, effort=effort, order=order, **options)
    assert release.k_achieved >= instance.k
    assert all(p.satisfied for p in release.constraints)
    assert release.lower_bound <= optimum <= release.stars


def test_write_vouches_for_what_it_wrote(tmp_path: Path) -> None:
    release = diva.anonymize(PATIENTS, k=2, order="keep", **ROLES)
    release.write(tmp_path / "r.parquet")
    manifest = json.loads((tmp_path / "r.parquet.diva.json").read_text(encoding="utf-8"))
    assert manifest["output"]["sha256"] == hashlib.sha256((tmp_path / "r.parquet").read_bytes()).hexdigest()
    release._rows.connection.execute(f"UPDATE {release._rows.source} SET \"GEN\" = 'Nobody'")
    with pytest.raises(diva.VerificationFailed):
        release.write(tmp_path / "r.csv")
    assert {p.name for p in tmp_path.iterdir()} == {"r.parquet", "r.parquet.diva.json"}


def test_nobody_disappears_unnoticed() -> None:
    release = diva.anonymize(PATIENTS, k=3, **ROLES)
    asian = [w for w in release.warnings if "ETH[Asian]" in w]
    assert len(asian) == 1
    assert "3 records" in asian[0]
    assert "ETH[Asian] in 3.." in asian[0]
    assert not any("African" in w for w in release.warnings), (
        "two people can't be published at k=3 whatever is done"
    )
    unwanted = diva.anonymize(PATIENTS, k=3, constraints=["ETH[Asian] in 0"], **ROLES)
    assert not any("ETH[Asian]" in w for w in unwanted.warnings), "it was asked for"
    kept = diva.anonymize(PATIENTS, k=3, constraints=["ETH[Asian] in 3.."], **ROLES)
    assert not any("ETH[Asian]" in w for w in kept.warnings)
