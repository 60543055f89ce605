"""Files that appear whole or not at all: written beside their place, checked there, then renamed."""

from __future__ import annotations

import os
import re
import secrets
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from diva.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_PARTIAL = ".diva-partial"


def refuse_unwritable(path: Path, inputs: tuple[Path, ...]) -> None:
    """Say now, before any work, what would make writing to `path` fail."""
    folder = path.parent
    if path.is_dir():
        raise BadInput(f"{str(path)!r} is a directory; name a file in it")
    if path.exists() and not path.is_file():
        raise BadInput(f"{str(path)!r} is not an ordinary file; name one")
    if not folder.exists():
        raise BadInput(f"there is no folder {str(folder)!r} to write {path.name!r} to; make it first")
    if not folder.is_dir():
        raise BadInput(f"{str(folder)!r} is not a folder, so {path.name!r} can't be written there")
    for other in inputs:
        if path.exists() and path.samefile(other):
            raise BadInput(f"the output {str(path)!r} is the input; a release never overwrites its original")
    _claim(path)


def manifest_path(path: Path) -> Path:
    """Where the manifest of a release lies: beside it."""
    return path.with_name(path.name + ".diva.json")


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a path beside `path` to write to; rename it into place when the block ends well, remove it otherwise.

    The rename is the last step and is atomic: at any moment `path` is the old file or the new one, whole.
    """
    target = path.resolve()
    _remove_abandoned(target)
    beside = target.with_name(f".{target.name}.{os.getpid()}-{secrets.token_hex(4)}{_PARTIAL}")
    try:
        yield beside
        _finish(beside, target)
    except OSError as error:
        raise BadInput(f"can't write {str(path)!r}: {error.strerror or 'the system refused'}") from error
    finally:
        with suppress(OSError):
            beside.unlink()


def _finish(beside: Path, target: Path) -> None:
    """Make sure that the bytes are on the disk, then rename."""
    if target.exists():
        beside.chmod(target.stat().st_mode & 0o7777)
    with beside.open("rb") as stream:
        os.fsync(stream.fileno())
    beside.replace(target)
    with suppress(OSError):
        folder = os.open(target.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _claim(path: Path) -> None:
    """Try the folder out: permissions alone don't tell on every file system."""
    probe = path.resolve().with_name(f".{path.name}.{os.getpid()}-probe{_PARTIAL}")
    try:
        probe.touch(exist_ok=False)
        probe.unlink()
    except OSError as error:
        raise BadInput(f"can't write to folder {str(path.parent)!r}: {error.strerror}") from error


def _remove_abandoned(target: Path) -> None:
    """Remove what killed runs left beside `target`."""
    pattern = re.compile(re.escape(f".{target.name}.") + r"(\d+)-[0-9a-f]+" + re.escape(_PARTIAL))
    with suppress(OSError):
        for other in target.parent.iterdir():
            found = pattern.fullmatch(other.name)
            if found and not _alive(int(found[1])):
                other.unlink(missing_ok=True)


def _alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
