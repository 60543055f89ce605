"""Every command that README.md and docs/*.md show is run as a reader would run it, and must print what they show.

A fenced block marked `console` is a session: lines that begin with `$ ` are commands (a trailing backslash continues one
on the next line), the lines below each are all that it prints, stdout and stderr together. All blocks of a page are one
session, in a folder that holds a copy of `examples/`; `$ echo $?` shows the exit code of the command before. Two
things may differ from what is shown: a line that ends in `…` says only how the line begins, and in a line that begins
with `seconds` (or `"seconds…"` in JSON) every number may be another. Blocks about setting up (git, make, pip, uv) are not run.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import polars as pl
import pytest

from tests.engines.harness import load
from tests.engines.postgres_server import Server
from tests.engines.spark import reason_without_spark

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
SETTING_UP = {"git", "make", "pip", "uv", "cd", "python3"}
RUN = {"diva", "cat", "echo", "head"}

_FENCE = re.compile(r"^```(?P<info>[^\n`]*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
_SECONDS = re.compile(r'\s*"?seconds')
_NUMBER = re.compile(r"[0-9.]+(?:e-?[0-9]+)?")


@dataclass(frozen=True)
class Step:
    """A command and what a page says it prints."""

    line: int
    command: str
    output: list[str]


def fences(page: Path) -> list[tuple[str, int, str]]:
    """The fenced blocks of a page: what they are marked, where their text begins, and the text."""
    text = page.read_text(encoding="utf-8")
    return [
        (m["info"].strip(), text.count("\n", 0, m.start("body")) + 1, m["body"])
        for m in _FENCE.finditer(text)
    ]


def steps(page: Path) -> list[Step]:
    """The commands of a page that are run."""
    found = []
    for info, start, body in fences(page):
        if info == "console":
            block = _steps(start, body)
            assert block, f"{page.name}:{start}: a console block without a command"
            found += [step for step in block if step.command.split()[0] not in SETTING_UP]
    return found


def _steps(start: int, body: str) -> list[Step]:
    block: list[Step] = []
    continued = False
    for line, text in enumerate(body.splitlines(), start):
        if continued:
            last = block.pop()
            block.append(Step(last.line, f"{last.command}\n{text}", []))
            continued = text.endswith("\\")
        elif text.startswith("$ "):
            block.append(Step(line, text[2:], []))
            continued = text.endswith("\\")
        else:
            assert block, f"line {line}: output before any command"
            block[-1].output.append(text)
    return block


def session(folder: Path, page: Path, more: dict[str, str]) -> list[str]:
    """Run all commands of a page in one folder, with more in the environment; return what differs from what the page shows."""
    shutil.copytree(ROOT / "examples", folder / "examples")
    environment = {"PATH": f"{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin", "HOME": str(folder)}
    environment |= {"LC_ALL": "C.UTF-8", "PYTHONUTF8": "1", "COLUMNS": "200"} | more
    code, differences = 0, []
    for step in steps(page):
        done = subprocess.run(
            ["bash", "-c", f"(exit {code})\n{step.command}"],
            cwd=folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
        code, printed = done.returncode, done.stdout.decode().splitlines()
        if not same(step.output, printed):
            differences.append(
                f"{page.name}:{step.line}: {step.command}\nprints\n" + "\n".join(printed) + "\n"
            )
    return differences


def hospital(page: Path, server: Server) -> dict[str, str]:
    """The database that a page is about: the example's patients, and what the page's SQL does to it; where it is."""
    with server.connect() as connection:
        connection.execute("DROP DATABASE IF EXISTS hospital (FORCE)")
        connection.execute("CREATE DATABASE hospital")
        if connection.execute("SELECT 1 FROM pg_roles WHERE rolname = 'steward'").fetchall():
            connection.execute("DROP OWNED BY steward; DROP ROLE steward")  # another test's
    with server.connect("hospital") as connection:
        load(connection, "patients", pl.read_csv(ROOT / "examples" / "patients.csv", infer_schema=False))
        connection.execute("REVOKE ALL ON DATABASE hospital FROM PUBLIC")
        for info, _, body in fences(page):
            if info == "sql":
                connection.execute(body)  # type: ignore[arg-type]
    return {"PGHOST": "127.0.0.1", "PGPORT": str(server.port), "PGPASSWORD": "choose a better one"}


def same(shown: list[str], printed: list[str]) -> bool:
    """Whether a page shows what was printed."""
    return len(shown) == len(printed) and all(map(_same_line, shown, printed))


def _same_line(shown: str, printed: str) -> bool:
    if shown.endswith("…"):
        return printed.startswith(shown[:-1])
    if _SECONDS.match(shown):
        return _NUMBER.sub("0", shown) == _NUMBER.sub("0", printed)
    return shown == printed.rstrip()


def titled(pages: list[Path]) -> list[object]:
    return [pytest.param(page, id=str(page.relative_to(ROOT))) for page in pages]


@pytest.mark.parametrize("page", titled([page for page in PAGES if steps(page)]))
def test_commands_print_what_the_page_shows(
    page: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    reason = reason_without_spark()
    if page.name == "spark.md" and reason is not None:
        pytest.skip(reason)
    more = hospital(page, request.getfixturevalue("postgres")) if page.name == "postgresql.md" else {}
    differences = session(tmp_path, page, more)
    assert not differences, "\n".join(differences)


@pytest.mark.parametrize("page", titled(PAGES))
def test_no_command_escapes_its_test(page: Path) -> None:
    for info, start, body in fences(page):
        if info != "console":
            assert not re.search(r"^\s*\$?\s*diva ", body, re.MULTILINE), (
                f"{page.name}:{start}: mark it console"
            )
    for step in steps(page):
        assert step.command.split()[0] in RUN, f"{page.name}:{step.line}: neither run nor about setting up"


@pytest.mark.parametrize("page", titled(PAGES))
def test_links_lead_somewhere(page: Path) -> None:
    text = _FENCE.sub("", page.read_text(encoding="utf-8"))
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text):
        if "://" not in target:
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


@pytest.mark.parametrize("page", titled(PAGES))
def test_files_that_are_named_exist(page: Path) -> None:
    # Of paths that a page names in backticks, those that begin at the root of the repository.
    text = _FENCE.sub("", page.read_text(encoding="utf-8"))
    for named in re.findall(r"`((?:src|tests|docs|benchmarks|examples)/[^`\s*…:]*)", text):
        assert (ROOT / named).exists(), f"{page.name} names {named}"


def test_every_named_test_exists() -> None:
    text = (ROOT / "docs" / "errata.md").read_text(encoding="utf-8")
    named = re.findall(r"`(tests/[^`:]+\.py)::(\w+)`", text)
    assert named
    for file, test in named:
        assert f"def {test}(" in (ROOT / file).read_text(encoding="utf-8"), f"{file}::{test}"


@pytest.mark.parametrize(
    ("shown", "printed", "alike"),
    [
        (["stars  22"], ["stars  22"], True),
        (["stars  22"], ["stars  23"], False),
        (["stars  22"], ["stars  22", "more"], False),
        (["SELECT count(*) FROM …"], ["SELECT count(*) FROM read_csv"], True),
        (["seconds  0.41"], ["seconds  12.30"], True),
        (["seconds  0.41"], ["second  12.30"], False),
        (['  "seconds": 0.01,'], ['  "seconds": 3e-05,'], True),
        (['  "seconds": 0.01,'], ['  "rows": 0.01,'], False),
    ],
)
def test_what_may_differ(shown: list[str], printed: list[str], alike: bool) -> None:
    assert same(shown, printed) is alike


def test_a_session_reads_continued_commands_and_their_output() -> None:
    body = "$ diva check a.csv \\\n    -c x\none\n\ntwo\n$ echo $?\n0\n"
    assert _steps(7, body) == [
        Step(7, "diva check a.csv \\\n    -c x", ["one", "", "two"]),
        Step(12, "echo $?", ["0"]),
    ]
