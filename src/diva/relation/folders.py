"""Tables in many files: patterns, folders, and hive folders, whose names hold the values of columns (`year=1994/sex=Male/…`)."""

from __future__ import annotations

import stat
from dataclasses import dataclass
from glob import glob, has_magic
from pathlib import Path

from diva.errors import BadInput
from diva.relation import files

_HIDDEN = (".", "_")
"""How the names of files and folders begin that hold no records, as `_SUCCESS`."""


@dataclass(frozen=True, slots=True)
class Parts:
    """The files of a table."""

    paths: tuple[Path, ...]
    """Sorted; this is the order of their records."""
    keys: tuple[str, ...] = ()
    """The columns that stand in the names of folders."""


def parts_of(path: str | Path) -> Parts:
    """List the files that a path names: one, those that match a pattern, or those in a folder and its folders."""
    text = str(path)
    files.require_name(text, "the table's path")
    single = Path(text)
    try:
        kind = single.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return _matching(text)
    except OSError as error:
        raise BadInput(f"can't read {text!r}: {error.strerror}") from None
    if stat.S_ISDIR(kind):
        return _within(single)
    if not stat.S_ISREG(kind):
        raise BadInput(f"{text!r} is not an ordinary file; a table is read more than once, so save it to one")
    return Parts((single,))


def _matching(pattern: str) -> Parts:
    if not has_magic(pattern):
        raise BadInput(f"there is no file {pattern!r}")
    found = tuple(Path(name) for name in sorted(glob(pattern, recursive=True)) if Path(name).is_file())  # noqa: PTH207
    if not found:
        raise BadInput(f"no file matches {pattern!r}")
    for path in found:
        files.require_name(str(path), "a file's name")
    fixed = Path(pattern).parts[:-1]
    depth = next((i for i, part in enumerate(fixed) if has_magic(part)), len(fixed))
    return Parts(found, _keys(pattern, [path.parts[depth:-1] for path in found]))


def _within(folder: Path) -> Parts:
    try:
        inside = sorted(path for path in folder.rglob("*") if path.is_file())
    except OSError as error:
        raise BadInput(f"can't read {str(folder)!r}: {error.strerror}") from None
    below = {path: path.relative_to(folder).parts for path in inside}
    seen = [path for path in inside if not any(part.startswith(_HIDDEN) for part in below[path])]
    if not seen:
        raise BadInput(
            f"{str(folder)!r} is a directory that holds no files; name a file, a folder of them, or a pattern such as {folder}/*.parquet"
        )
    for path in seen:
        files.require_name(str(path), "a file's name")
    return Parts(tuple(seen), _keys(str(folder), [below[path][:-1] for path in seen]))


def _keys(named: str, folders: list[tuple[str, ...]]) -> tuple[str, ...]:
    """The columns in the names of folders; all files must lie in folders of the same ones."""
    found = {tuple(part.split("=", 1)[0] for part in parts if "=" in part) for parts in folders}
    if len(found) > 1:
        some, other = sorted(found)[:2]
        raise BadInput(
            f"the files of {named!r} lie in folders for different columns ({_listed(some)}; {_listed(other)});"
            " they must be parts of one table"
        )
    keys = found.pop()
    if "" in keys:
        raise BadInput(f"a folder of {named!r} has a name without a column before its equals sign; rename it")
    return keys


def _listed(keys: tuple[str, ...]) -> str:
    return ", ".join(map(repr, keys)) or "none"
