"""Folders that take the place of other folders: exchanged in one step where the system can do that."""

from __future__ import annotations

import ctypes
import os
import shutil
import stat
from contextlib import suppress
from typing import TYPE_CHECKING

from diva.errors import BadInput

if TYPE_CHECKING:
    from pathlib import Path

_AT_FDCWD, _EXCHANGE = -100, 2


def require_replaceable_folder(path: Path, kind: int, manifest: Path, inputs: tuple[Path, ...]) -> None:
    """What is there already must be an empty folder or a release of ours, and hold none of the inputs."""
    if not stat.S_ISDIR(kind):
        raise BadInput(
            f"{str(path)!r} is a file, and this release is a folder; name another output or move it away"
        )
    target = path.resolve()
    if any(target in other.resolve().parents for other in inputs):
        raise BadInput(f"the output {str(path)!r} holds the input; a release never overwrites its original")
    if any(path.iterdir()) and not manifest.is_file():
        raise BadInput(
            f"folder {str(path)!r} is not empty, and no manifest beside it says that it is a release; name another folder"
        )


def replace(beside: Path, target: Path) -> None:
    """Put a folder in place of another, which is removed.

    Linux exchanges the two in one step. Elsewhere the old one is moved away first, so that for a moment there is none.
    """
    if not target.exists():
        beside.replace(target)
        return
    if not _exchanged(beside, target):
        old = beside.with_name(f"{beside.name}-old")
        target.replace(old)
        beside.replace(target)
        old.replace(beside)
    remove(beside)


def remove(path: Path) -> None:
    """Remove a file or a folder, if it is there."""
    with suppress(FileNotFoundError):
        shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()


def flush(path: Path) -> None:
    """Make sure that the bytes of a file, or of all in a folder, are on the disk."""
    for file in sorted(path.rglob("*")) if path.is_dir() else (path,):
        if file.is_file():
            with file.open("rb") as stream:
                os.fsync(stream.fileno())


def _exchanged(one: Path, other: Path) -> bool:
    system = ctypes.CDLL(None, use_errno=True)
    if not hasattr(system, "renameat2"):
        return False
    paths = os.fsencode(one), os.fsencode(other)
    result: int = system.renameat2(_AT_FDCWD, paths[0], _AT_FDCWD, paths[1], _EXCHANGE)
    return result == 0
