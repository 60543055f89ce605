"""Files that appear whole or not at all: written beside their place, checked there, then renamed."""

from __future__ import annotations

import os
import re
import secrets
import signal
import stat
import threading
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from diva.errors import BadInput, Interrupted
from diva.recode import folder
from diva.relation.files import require_name

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_PARTIAL = ".diva-partial"


def refuse_unwritable(path: Path, inputs: tuple[Path, ...], *, as_folder: bool = False) -> None:
    """Say now, before any work, what would make writing to `path` fail; `as_folder` is to be a folder of files."""
    require_name(str(path), "the output's path")
    if not path.name:
        raise BadInput(f"the output {str(path)!r} is not a file's name; name a file")
    try:
        kind = path.stat().st_mode
    except FileNotFoundError:
        _require_folder(path)
    except NotADirectoryError:
        raise BadInput(
            f"{str(path.parent)!r} is not a folder, so {path.name!r} can't be written there"
        ) from None
    except OSError as error:
        raise BadInput(f"can't write {str(path)!r}: {error.strerror}") from None
    else:
        if as_folder:
            folder.require_replaceable_folder(path, kind, manifest_path(path), inputs)
        else:
            _require_replaceable(path, kind, inputs)
    if manifest_path(path).is_dir():
        raise BadInput(
            f"{str(manifest_path(path))!r} is a directory, and the manifest goes there; move it away"
        )
    _claim(path)


def _require_replaceable(path: Path, kind: int, inputs: tuple[Path, ...]) -> None:
    """What is there already must be a file that may go."""
    if stat.S_ISDIR(kind):
        raise BadInput(f"{str(path)!r} is a directory; name a file in it")
    if not stat.S_ISREG(kind):
        raise BadInput(f"{str(path)!r} is not an ordinary file; name one")
    if any(path.samefile(other) for other in inputs):
        raise BadInput(f"the output {str(path)!r} is the input; a release never overwrites its original")


def _require_folder(path: Path) -> None:
    """The file isn't there yet, but the folder of it, or of what a link points to, must be."""
    parent = path.resolve().parent if path.is_symlink() else path.parent
    if not parent.exists():
        raise BadInput(f"there is no folder {str(parent)!r} to write {path.name!r} to; make it first")
    if not parent.is_dir():
        raise BadInput(f"{str(parent)!r} is not a folder, so {path.name!r} can't be written there")


def manifest_path(path: Path) -> Path:
    """Where the manifest of a release lies: beside it."""
    return path.with_name(path.name + ".diva.json")


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a path beside `path` to write to; rename it into place when the block ends well, remove it otherwise.

    The rename is the last step and is atomic: at any moment `path` is the old file or the new one, whole.
    """
    with _replacing(path) as (beside,):
        yield beside


@contextmanager
def replacing_with_manifest(path: Path) -> Iterator[tuple[Path, Path]]:
    """The same for a release and its manifest: the release is renamed first, its manifest, which holds its hash, next."""
    with _replacing(path, manifest_path(path)) as (beside, note):
        yield beside, note


@contextmanager
def _replacing(*paths: Path) -> Iterator[tuple[Path, ...]]:
    targets = [path.resolve() for path in paths]
    for target in targets:
        _remove_abandoned(target)
    besides = tuple(map(_beside, targets))
    try:
        yield besides
        for beside, target in zip(besides, targets, strict=True):
            _settle(beside, target)
        with uninterrupted(f"{str(paths[0])!r} was in place already, whole and verified"):
            for beside, target in zip(besides, targets, strict=True):
                folder.replace(beside, target) if beside.is_dir() else beside.replace(target)
                _sync_folder(target.parent)
    except OSError as error:
        culprit = next((p for p, b in zip(paths, besides, strict=True) if error.filename == str(b)), paths[0])
        raise BadInput(f"can't write {str(culprit)!r}: {error.strerror or 'the system refused'}") from error
    finally:
        for beside in besides:
            with suppress(OSError):
                folder.remove(beside)


def _settle(beside: Path, target: Path) -> None:
    """Make sure that the bytes are on the disk, with the permissions of the file they replace."""
    if target.exists():
        beside.chmod(target.stat().st_mode & 0o7777)
    folder.flush(beside)


def _sync_folder(path: Path) -> None:
    with suppress(OSError):
        opened = os.open(path, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)


@contextmanager
def uninterrupted(done: str) -> Iterator[None]:
    """Let an interruption wait for the end of the block, and say then what is done nevertheless."""
    if threading.current_thread() is not threading.main_thread():  # others are never interrupted
        yield
        return
    waiting: list[int] = []
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    for number, handler in handlers.items():
        if callable(handler):
            signal.signal(number, lambda number, _: waiting.append(number))
    try:
        yield
    finally:
        for number, handler in handlers.items():
            if callable(handler):
                signal.signal(number, handler)
    if waiting:
        raise Interrupted(f"interrupted, but {done}")


def _beside(target: Path) -> Path:
    return target.with_name(f".{target.name}.{os.getpid()}-{secrets.token_hex(4)}{_PARTIAL}")


def _claim(path: Path) -> None:
    """Try the folder out: permissions alone don't tell on every file system."""
    target = path.resolve()
    probe = _beside(manifest_path(target))
    try:
        probe.touch(exist_ok=False)
    except OSError as error:
        raise BadInput(
            f"can't write {path.name!r} to folder {str(target.parent)!r}: {error.strerror}"
        ) from error
    finally:
        with suppress(OSError):
            probe.unlink()


def _remove_abandoned(target: Path) -> None:
    """Remove what killed runs left beside `target`."""
    pattern = re.compile(re.escape(f".{target.name}.") + r"(\d+)-[0-9a-f]+" + re.escape(_PARTIAL))
    with suppress(OSError):
        for other in target.parent.iterdir():
            found = pattern.fullmatch(other.name)
            if found and not _alive(int(found[1])):
                folder.remove(other)


def _alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
