"""What an engine is allowed: memory, threads, temporary files; nothing is accepted and ignored."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pytest

import diva
from diva.progress import Observer
from diva.relation import duck
from diva.relation.opening import open_table
from diva.relation.settings import Settings
from tests.cli.shell import diva as shell


def setting(connection: duckdb.DuckDBPyConnection, name: str) -> Any:
    return connection.execute(f"SELECT current_setting('{name}')").fetchall()[0][0]


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("2GB", 2 * 10**9),
        ("64mb", 64 * 10**6),
        ("1.5 GiB", 3 << 29),
        ("512MiB", 512 << 20),
        ("100000000B", 10**8),
    ],
)
def test_limits_reach_the_engine(tmp_path: Path, text: str, size: int) -> None:
    settings = Settings(memory_limit=text, threads=1, temp_dir=tmp_path)
    assert settings.bytes == size
    connection = duck.connect(settings)
    assert setting(connection, "threads") == 1
    assert Path(setting(connection, "temp_directory")).parent == tmp_path
    limited = float(setting(connection, "memory_limit").split()[0])
    unit = {"MiB": 1 << 20, "GiB": 1 << 30}[setting(connection, "memory_limit").split()[1]]
    assert abs(limited * unit - size) < 0.1 * unit


@pytest.mark.parametrize(
    "options",
    [
        {"memory_limit": "2 bananas"},
        {"memory_limit": "10MB"},
        {"memory_limit": 2},
        {"threads": 0},
        {"threads": True},
        {"threads": 1.5},
        {"temp_dir": "/nowhere/at/all"},
        {"temp_dir": 7},
    ],
)
def test_what_makes_no_sense_is_refused(options: dict[str, Any]) -> None:
    frame = pl.DataFrame({"a": ["x", "x"]})
    sigma = ["a[x] in 1.."]
    questions = {
        "anonymize": lambda: diva.anonymize(frame, qi=["a"], k=2, **options),
        "decide": lambda: diva.decide(frame, qi=["a"], k=2, **options),
        "check": lambda: diva.check(frame, constraints=sigma, **options),
        "verify": lambda: diva.verify_release(frame, qi=["a"], k=2, **options),
    }
    sentences = set()
    for ask in questions.values():
        with pytest.raises(diva.BadInput) as refused:
            ask()
        sentences.add(str(refused.value))
    assert len(sentences) == 1


def test_every_command_that_scans_takes_the_limits(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a\nx\nx\n", encoding="utf-8")
    (tmp_path / "job.toml").write_text(
        '[input]\npath = "t.csv"\n[columns]\nquasi = ["a"]\n[privacy]\nk = 2\n[output]\npath = "o.csv"\n'
        '[engine]\nmemory_limit = "100MB"\nthreads = 1\ntemp_dir = "."\n',
        encoding="utf-8",
    )
    commands = [
        ["anonymize", "t.csv", "--qi", "a", "--k", "2", "-o", "o.csv"],
        ["run", "job.toml"],
        ["decide", "t.csv", "--qi", "a", "--k", "2"],
        ["check", "t.csv", "-c", "a[x] in 1.."],
        ["verify", "t.csv", "--qi", "a", "--k", "2"],
    ]
    for words in commands:
        fine = shell(*words, "--memory-limit", "200MB", "--threads", "2", "--temp-dir", ".", folder=tmp_path)
        assert fine.code == 0, fine.err
        refused = shell(*words, "--threads", "0", folder=tmp_path)
        assert (refused.code, refused.err) == (
            2,
            "diva: threads 0 must be a whole number from 1 to 4,096\n",
        )


def wide(folder: Path) -> Path:
    path = folder / "t.parquet"
    query = "SELECT (i % 50)::VARCHAR AS a, md5(i::VARCHAR) AS b, md5((i + 1)::VARCHAR) AS c FROM range(1500000) t(i)"
    duckdb.execute(f"COPY ({query}) TO '{path}' (FORMAT parquet)")
    return path


def test_what_does_not_fit_is_spilled_and_removed(tmp_path: Path) -> None:
    source, spill = wide(tmp_path), tmp_path / "spill"
    spill.mkdir()
    options: dict[str, Any] = {"qi": ["a"], "keep": ["b", "c"], "k": 5, "effort": "quick"}
    diva.anonymize(source, output=tmp_path / "o.parquet", memory_limit="200MB", temp_dir=spill, **options)
    limited = (tmp_path / "o.parquet").read_bytes()
    assert list(spill.iterdir()) == []
    diva.anonymize(source, output=tmp_path / "o.parquet", **options)
    assert pl.read_parquet(tmp_path / "o.parquet").equals(pl.read_parquet(limited))  # row groups may differ


def test_no_room_for_temporary_files_is_told_and_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, connect = wide(tmp_path), duck.connect
    before = sorted(path.name for path in tmp_path.iterdir())

    def cramped(settings: Settings) -> duckdb.DuckDBPyConnection:
        connection = connect(settings)
        connection.execute(
            "SET max_temp_directory_size = '1MB'"
        )  # what DuckDB sets to the space that is left
        return connection

    monkeypatch.setattr(duck, "connect", cramped)
    with pytest.raises(diva.BadInput, match=r"no space left for the temporary files .* --temp-dir"):
        diva.anonymize(
            source,
            qi=["a"],
            keep=["b", "c"],
            k=5,
            memory_limit="64MB",
            threads=1,
            output=tmp_path / "o.parquet",
        )
    assert sorted(path.name for path in tmp_path.iterdir()) == before


class Follower(Observer):
    """Remembers how far the engine was with what."""

    def __init__(self) -> None:
        self.heard: dict[str, list[float]] = {}

    def follows(self) -> bool:
        return True

    def percent(self, name: str, done: float) -> None:
        self.heard.setdefault(name, []).append(done)


def test_an_observer_hears_how_far_the_engine_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("diva.progress._SECONDS_BETWEEN", 0.001)
    follower = Follower()
    diva.anonymize(
        wide(tmp_path), qi=["a"], keep=["b", "c"], k=5, observer=follower, output=tmp_path / "o.parquet"
    )
    assert {"recoding and writing", "verifying"} <= set(follower.heard)
    assert "searching" not in follower.heard
    assert all(0 <= done <= 100 for heard in follower.heard.values() for done in heard)


def test_tables_are_opened_without_limits_too() -> None:
    assert open_table(pl.DataFrame({"a": [1]})).row_count() == 1


def test_nothing_is_spilled_into_the_working_folder(tmp_path: Path) -> None:
    program = f"import diva; diva.anonymize({str(wide(tmp_path))!r}, qi=['a'], keep=['b', 'c'], k=5, memory_limit='200MB', effort='quick')"
    (tmp_path / "here").mkdir()
    subprocess.run([sys.executable, "-c", program], cwd=tmp_path / "here", check=True)
    assert list((tmp_path / "here").iterdir()) == []


def test_duckdb_prints_no_bar_of_its_own() -> None:
    program = "from diva.relation.duck import connect; print(connect().execute(\"SELECT current_setting('enable_progress_bar')\").fetchall())"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[(False,)]\n"
