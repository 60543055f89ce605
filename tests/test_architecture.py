"""The way of the data, as the imports show it: a room knows only the rooms before it."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import diva

SOURCE = Path(diva.__file__).parent
ROOMS = (
    "relation",
    "constraints",
    "lattice",
    "solve",
    "recode",
    "verify",
    "metrics",
    "datasets",
    "experiments",
)
FOUNDATION = {"compiled", "errors", "programme", "version"}
FORBIDDEN = {
    "verify": {"solve", "lattice", "recode"},
    "solve": {"recode", "relation.duck", "relation.files", "relation.sql"},
    "metrics": {"solve", "lattice", "recode", "verify"},
    "recode": {"solve"},
}


def imports(path: Path, *, types_too: bool) -> set[str]:
    """The modules of diva that a file imports; without those that only type checkers see unless asked."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    skipped: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING" and not types_too:
            skipped |= {id(inner) for inner in ast.walk(node)}
    found = set()
    for node in ast.walk(tree):
        if id(node) in skipped:
            continue
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("diva"):
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names if alias.name.startswith("diva")}
    return {name.removeprefix("diva.") for name in found if name != "diva"}


def modules() -> list[Path]:
    return sorted(SOURCE.rglob("*.py"))


@pytest.mark.parametrize("path", modules(), ids=lambda p: str(p.relative_to(SOURCE)))
def test_rooms_know_only_rooms_before_them(path: Path) -> None:
    room = path.relative_to(SOURCE).parts[0].removesuffix(".py")
    used = imports(path, types_too=False)
    if room in FOUNDATION:
        assert not {name.split(".")[0] for name in used} - FOUNDATION
    if room in ROOMS:
        allowed = {*FOUNDATION, *ROOMS[: ROOMS.index(room) + 1]}
        assert not {name for name in used if name.split(".")[0] not in allowed}
    for forbidden in FORBIDDEN.get(room, ()):
        assert not {name for name in used if name == forbidden or name.startswith(f"{forbidden}.")}


def test_only_the_engine_imports_duckdb_and_only_sql_writes_sql() -> None:
    for path in modules():
        text = path.read_text(encoding="utf-8")
        if path.parent.name != "relation" and "import duckdb" in text:
            assert "TYPE_CHECKING" in text.split("import duckdb")[0], path
        if path.parent.name != "relation":
            assert "SELECT " not in text, path


def test_only_one_place_compiles() -> None:
    compiling = [p.name for p in modules() if "import numba" in p.read_text(encoding="utf-8")]
    assert compiling == ["compiled.py"]


def test_only_relation_knows_which_engines_there_are() -> None:
    protocols = {
        "engine",
        "opening",
        "records",
        "settings",
        "abilities",
        "files",
        "folders",
        "names",
        "places",
        "roles",
        "types",
    }
    for path in modules():
        if path.parent.name != "relation":
            used = {n.split(".")[1] for n in imports(path, types_too=True) if n.startswith("relation.")}
            assert used <= protocols, (path, used - protocols)


def test_what_is_exported_is_what_there_is() -> None:
    assert sorted(diva.__all__) == diva.__all__
    for name in diva.__all__:
        assert getattr(diva, name) is not None


@pytest.mark.parametrize(
    "words", [["--help"], ["--version"], ["anonymize", "--help"], ["constraints", "imply", "--help"]]
)
def test_help_loads_no_engine(words: list[str]) -> None:
    heavy = "{'numba', 'duckdb', 'pyarrow', 'numpy', 'highspy', 'pandas', 'polars', 'psycopg', 'pyspark'}"
    program = (
        "import sys\nfrom diva.cli import main\n"
        f"try:\n    main({words!r})\nexcept SystemExit as end:\n    assert not end.code\n"
        f"found = {heavy} & set(sys.modules)\nassert not found, found"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
