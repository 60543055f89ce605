"""An experiment from its spec to tables, figures and the page; it goes on where it stopped."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from diva.errors import BadInput
from diva.experiments import conduct as conducting
from diva.experiments import draw, page
from diva.experiments.conduct import Results, carry_out, compose, conduct
from diva.experiments.measure import Measured
from diva.experiments.points import Run, runs
from diva.experiments.spec import Experiment
from diva.experiments.tidy import COLUMNS
from diva.experiments.watcher import Watcher
from diva.relation.duck import open_table
from tests.experiments.specs import small

SMALL = small()


class Counting(Watcher):
    """Counts what it is told; interrupts after so many runs."""

    def __init__(self, stop: int = -1) -> None:
        self.before, self.runs, self.ended, self.stop = 0, 0, 0, stop

    def begins(self, experiment: Experiment, wanted: int, done: int) -> None:
        self.before = done

    def ran(self, run: Run, measured: Measured) -> None:
        self.runs += 1
        if self.runs == self.stop:
            raise KeyboardInterrupt

    def ends(self, experiment: Experiment, path: Path) -> None:
        self.ended += 1


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    return carry_out(SMALL, tmp_path_factory.mktemp("out"), "quick", Watcher())


def test_the_table_is_tidy_in_both_formats(results: Results) -> None:
    with results.table.open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == len(runs(SMALL, "quick")) == len(results.rows)
    assert list(rows[0]) == list(COLUMNS)
    parquet = open_table(results.table.with_suffix(".parquet"))
    assert {c.name: c.type for c in parquet.columns} == COLUMNS
    values = parquet.relation().fetchall()
    for written, row, value in zip(rows, results.rows, values, strict=True):
        assert value == tuple(row[name] for name in COLUMNS)
        assert written["stars"] == ("" if row["stars"] is None else str(row["stars"]))
        assert row["seconds"] > 0


def test_accuracy_is_the_best_sampled_over_ours(results: Results) -> None:
    for point in {row["k"] for row in results.rows}:
        here = [row for row in results.rows if row["k"] == point]
        sampled = [
            r["discernibility"]
            for r in here
            if r["line"] not in {"k-member", "lattice"} and r["discernibility"]
        ]
        for row in here:
            assert row["best_discernibility"] == min(sampled)
            if row["discernibility"]:
                assert row["accuracy"] == pytest.approx(min(sampled) / row["discernibility"])
            if row["outcome"] == "found" and row["line"] != "k-member":
                assert 0 < row["accuracy_certified"] <= 1


def test_the_figure_has_a_panel_for_each_measure_and_all_lines(results: Results) -> None:
    spec = json.loads(results.table.with_suffix(".vl.json").read_text(encoding="utf-8"))
    assert len(spec["hconcat"]) == 2
    shown = {value["line"] for value in spec["hconcat"][1]["data"]["values"]}
    assert shown == set(SMALL.lines)
    assert "url" not in json.dumps(spec["hconcat"])


def test_pictures_are_drawn(results: Results) -> None:
    if not draw.can_draw():
        pytest.skip("vl-convert is not installed")
    assert results.table.with_suffix(".png").read_bytes().startswith(b"\x89PNG")
    svg = results.table.with_suffix(".svg").read_text(encoding="utf-8")
    assert svg.startswith("<svg")
    assert all(name in svg for name in ("naive", "lattice", "Exp-0: A small one"))


def test_without_vl_convert_there_are_no_pictures(
    results: Results, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(draw, "can_draw", lambda: False)
    journal = results.table.with_suffix(".jsonl")
    (tmp_path / journal.name).write_bytes(journal.read_bytes())
    carry_out(SMALL, tmp_path, "quick", Watcher())
    assert sorted(p.suffix for p in tmp_path.iterdir()) == [".csv", ".json", ".jsonl", ".parquet"]


def test_it_goes_on_where_it_stopped(tmp_path: Path, results: Results) -> None:
    with pytest.raises(KeyboardInterrupt):
        carry_out(SMALL, tmp_path, "quick", Counting(stop=4))
    journal = tmp_path / "exp0.jsonl"
    with journal.open("a", encoding="utf-8") as stream:
        stream.write('{"run": "half a li')  # as a kill in the middle of writing leaves it
    assert [p.name for p in tmp_path.iterdir()] == ["exp0.jsonl"]
    second = Counting()
    again = carry_out(SMALL, tmp_path, "quick", second)
    assert (second.before, second.runs, second.ended) == (4, len(results.rows) - 4, 1)
    stars = [row["stars"] for row in results.rows if row["outcome"] == "found"]
    assert [row["stars"] for row in again.rows if row["outcome"] == "found"] == stars
    third = Counting()
    assert carry_out(SMALL, tmp_path, "quick", third).rows == again.rows
    assert third.runs == 0


def test_the_page_of_an_unfinished_run_has_its_whole_repetitions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conducting, "names", lambda: ("exp0",))
    monkeypatch.setattr(conducting, "load", lambda _: SMALL)
    folder = tmp_path / "experiments"
    folder.mkdir()
    with pytest.raises(BadInput, match="no repetition of exp0 is whole"):
        compose(tmp_path, "full")
    once = len(runs(SMALL, "full")) // 2
    with pytest.raises(KeyboardInterrupt):
        carry_out(SMALL, folder, "full", Counting(stop=once + 3))
    (result,) = compose(tmp_path, "full")
    assert (result.repetitions, len(result.rows)) == (1, once)
    assert {row["repetition"] for row in result.rows} == {0}
    text = (tmp_path / "experiments.md").read_text(encoding="utf-8")
    assert "**Only 1 of 2 repetitions are done**" in text
    assert result.table.exists()


def test_a_journal_of_another_run_is_refused(tmp_path: Path, results: Results) -> None:
    journal = results.table.with_suffix(".jsonl")
    (tmp_path / journal.name).write_bytes(journal.read_bytes())
    with pytest.raises(BadInput, match=r"belongs to another run \(exp0 quick.*, now exp0 full"):
        carry_out(SMALL, tmp_path, "full", Watcher())


def test_all_writes_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, results: Results) -> None:
    monkeypatch.setattr(conducting, "names", lambda: ("exp0",))
    monkeypatch.setattr(conducting, "load", lambda _: SMALL)
    folder = tmp_path / "new" / "experiments"
    folder.mkdir(parents=True)
    journal = results.table.with_suffix(".jsonl")
    (folder / journal.name).write_bytes(journal.read_bytes())
    conduct(["all"], tmp_path / "new", "quick", Watcher())
    text = (tmp_path / "new" / "experiments.md").read_text(encoding="utf-8")
    assert text == page.rendered([results], "quick")
    assert "![A small one](experiments/exp0.svg)" in text
    assert "figures of a quick run" in text
    assert "| Accuracy rises. |" in text
    assert SMALL.remark in text
    for line in SMALL.lines:
        assert f"| {line} |" in text


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInput, match="can't make the folder"):
        conduct(["exp8"], tmp_path / "file", "quick", Watcher())
