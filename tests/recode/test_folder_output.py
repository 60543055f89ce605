"""Releases in folders: of a size, or by the values of columns; whole or not at all, and the same bytes in every run."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import diva
from diva.recode import folder as folders
from diva.recode.atomic import manifest_path


def table(rows: int = 30_000) -> pl.DataFrame:
    rng = np.random.default_rng(4)
    columns = {c: rng.zipf(1.5, rows).clip(1, 12).astype(str) for c in "abc"}
    return pl.DataFrame(columns).with_columns(n=pl.int_range(rows))


OPTIONS: dict[str, Any] = {"qi": ["a", "b", "c"], "keep": ["n"], "k": 20, "effort": "quick"}


def digest(folder: Path) -> str:
    inside = sorted(path for path in folder.rglob("*") if path.is_file())
    lines = (f"{p.relative_to(folder)}\0{hashlib.sha256(p.read_bytes()).hexdigest()}\n" for p in inside)
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def left_over(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if "partial" in path.name)


@pytest.mark.parametrize("name", ["release", "release.parquet", "release.csv", "release.csv.gz"])
def test_hive_folders_hold_the_rows_and_the_same_bytes(tmp_path: Path, name: str) -> None:
    frame, found = table(), set()
    for threads in (1, 2, 2):
        diva.anonymize(frame, output=tmp_path / name, partition_by=["b", "a"], threads=threads, **OPTIONS)
        found.add(digest(tmp_path / name))
    assert len(found) == 1
    assert left_over(tmp_path) == []
    manifest = json.loads(manifest_path(tmp_path / name).read_text(encoding="utf-8"))
    assert manifest["output"]["sha256"] == found.pop()
    assert manifest["job"]["output"]["partition_by"] == ["b", "a"]
    assert any("b=%2A" in str(path) for path in (tmp_path / name).iterdir())  # a star names a folder, encoded
    assert diva.verify_release(tmp_path / name, qi=["a", "b", "c"], k=20, original=frame).ok
    inside = diva.anonymize(frame, **OPTIONS).to_polars()
    assert diva.verify_release(tmp_path / name, qi=["a", "b", "c"], k=20, original=inside).stars


@pytest.mark.parametrize("order", ["keep", "shuffle"])
def test_files_of_a_size_keep_the_order(tmp_path: Path, order: str) -> None:
    frame = table(200_000)
    diva.anonymize(frame, output=tmp_path / "r.csv", file_size="100KB", order=order, **OPTIONS)
    inside = sorted(path.name for path in (tmp_path / "r.csv").iterdir())
    assert len(inside) > 10  # else two digits would never be needed
    assert inside[0] == "part-00000.csv"
    assert diva.verify_release(tmp_path / "r.csv", qi=["a", "b", "c"], k=20, original=frame, order=order).ok


def test_only_a_release_or_an_empty_folder_is_replaced(tmp_path: Path) -> None:
    frame = table(2_000)
    target = tmp_path / "r"
    target.mkdir()
    (target / "letter.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(
        diva.BadInput, match="is not empty, and no manifest beside it says that it is a release"
    ):
        diva.anonymize(frame, output=target, partition_by=["a"], **OPTIONS)
    (target / "letter.txt").unlink()
    diva.anonymize(frame, output=target, partition_by=["a"], **OPTIONS)
    before = digest(target)
    with pytest.raises(diva.Unsatisfiable):
        diva.anonymize(frame, output=target, partition_by=["a"], constraints=["a[1] in 5000.."], **OPTIONS)
    assert digest(target) == before
    diva.anonymize(frame, output=target, file_size="1MB", **OPTIONS)
    assert [path.name for path in target.iterdir()] == ["part-00000.parquet"]
    assert left_over(tmp_path) == []


def test_a_release_never_replaces_the_folder_it_is_made_from(tmp_path: Path) -> None:
    diva.anonymize(table(2_000), output=tmp_path / "r", file_size="10KB", **OPTIONS)
    with pytest.raises(diva.BadInput, match="holds the input"):
        diva.anonymize(tmp_path / "r", output=tmp_path / "r", file_size="10KB", **OPTIONS | {"star": "+"})


@pytest.mark.parametrize("exchanged", [True, False])
def test_a_folder_takes_the_place_of_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, exchanged: bool
) -> None:
    if not exchanged:
        monkeypatch.setattr(folders, "_exchanged", lambda *_: False)
    for name in ("new", "old"):
        (tmp_path / name).mkdir()
        (tmp_path / name / name).touch()
    folders.replace(tmp_path / "new", tmp_path / "old")
    assert [path.relative_to(tmp_path).as_posix() for path in sorted(tmp_path.rglob("*"))] == [
        "old",
        "old/new",
    ]


REFUSALS: dict[str, tuple[dict[str, Any], str]] = {
    "kept order": ({"partition_by": ["a"], "order": "keep"}, "can't keep their order"),
    "unpublished": ({"partition_by": ["z"]}, "no column 'z' in the table \\(--partition-by"),
    "twice": ({"partition_by": ["a", "a"]}, "named twice in --partition-by"),
    "everything": ({"partition_by": ["a", "b", "c", "n"]}, "names all published columns"),
    "no size": ({"file_size": "big"}, "must be a size, as in"),
    "no output": ({"file_size": "1MB", "output": None}, "name its folder with -o"),
    "a text": ({"partition_by": "a"}, "must be a list of columns"),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_refusals(tmp_path: Path, name: str) -> None:
    options, sentence = REFUSALS[name]
    with pytest.raises(diva.BadInput, match=sentence):
        diva.anonymize(table(100), **OPTIONS | {"output": tmp_path / "r"} | options)
    assert list(tmp_path.iterdir()) == []


def test_a_file_in_the_way(tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text("mine", encoding="utf-8")
    with pytest.raises(diva.BadInput, match="is a file, and this release is a folder"):
        diva.anonymize(table(100), output=tmp_path / "r.csv", file_size="1MB", **OPTIONS)
    assert (tmp_path / "r.csv").read_text(encoding="utf-8") == "mine"
