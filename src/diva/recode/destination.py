"""A release that becomes a file, or a folder of files: whole or not at all, with its manifest beside it."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from diva.errors import BadInput
from diva.recode.atomic import refuse_unwritable, replacing_with_manifest
from diva.relation import files
from diva.relation.opening import spread

if TYPE_CHECKING:
    from collections.abc import Iterator

    from diva.relation.engine import Rows, Table


def destination_at(
    path: Path,
    rows: Table,
    sources: tuple[Path, ...],
    *,
    pieces: files.Pieces | None = None,
    temp_dir: Path | None = None,
) -> FileDestination | FolderDestination:
    """Where a release goes that becomes files: one file, or a folder of them where that is asked for or the engine's way."""
    if rows.folders and pieces:
        raise BadInput(
            "--partition-by and --file-size say nothing to an engine that divides its files itself; leave them out"
        )
    if rows.folders:
        return FolderDestination(path, None, sources)
    return FolderDestination(path, pieces, sources, temp_dir) if pieces else FileDestination(path, sources)


@dataclass(frozen=True, slots=True)
class FileDestination:
    """A path, for the release of any engine that can write files."""

    path: Path
    sources: tuple[Path, ...] = ()
    """The files that it is made from, which it never overwrites."""

    @property
    def name(self) -> str:
        """The path."""
        return str(self.path)

    def refuse_unwritable(self) -> None:
        """Say now what would make writing there fail."""
        refuse_unwritable(self.path, self.sources)
        files.format_of(self.path)

    @contextmanager
    def staged(self) -> Iterator[FileStaging]:
        """Write beside the path; rename into place when the block ends well."""
        with replacing_with_manifest(self.path) as (beside, note):
            yield FileStaging(self.path, beside, note)


@dataclass(frozen=True, slots=True)
class FileStaging:
    """A release that lies beside its place."""

    path: Path
    beside: Path
    note: Path

    def produce(self, rows: Rows) -> Table:
        """Write the release beside its place."""
        return rows.write(self.beside, like=self.path)

    def identity(self) -> dict[str, Any]:
        """The path it will have, and its hash."""
        return {"path": str(self.path), "sha256": files.sha256(self.beside)}

    def attach(self, manifest: str) -> None:
        """Write the manifest, beside its place too."""
        self.note.write_text(manifest, encoding="utf-8")


@dataclass(frozen=True, slots=True)
class FolderDestination:
    """A folder of files, in folders by the values of columns, or of a certain size, or both."""

    path: Path
    pieces: files.Pieces | None = None
    """How the rows are divided among files; None leaves that to an engine that writes folders itself."""
    sources: tuple[Path, ...] = ()
    """The files that it is made from, which it never overwrites."""
    temp_dir: Path | None = None
    """Where the release is written in one file first."""

    @property
    def name(self) -> str:
        """The path."""
        return str(self.path)

    def refuse_unwritable(self) -> None:
        """Say now what would make writing there fail."""
        files.format_of(files.named_as(self.path))
        refuse_unwritable(self.path, self.sources, as_folder=True)

    @contextmanager
    def staged(self) -> Iterator[FolderStaging]:
        """Write beside the path; put the folder into place when the block ends well."""
        with replacing_with_manifest(self.path) as (beside, note):
            yield FolderStaging(self, beside, note)


@dataclass(frozen=True, slots=True)
class FolderStaging:
    """A release that lies in a folder beside its place."""

    destination: FolderDestination
    beside: Path
    note: Path

    def produce(self, rows: Rows) -> Table:
        """Write the release in one file, in its order, then divide that among the files of the folder."""
        like = files.named_as(self.destination.path)
        if self.destination.pieces is None:
            return rows.write(self.beside, like=like)
        with TemporaryDirectory(prefix="diva-", dir=self.destination.temp_dir) as temporary:
            whole = rows.write(Path(temporary) / "release.parquet", like=like.with_suffix(".parquet"))
            return spread(whole, self.beside, like, self.destination.pieces)

    def identity(self) -> dict[str, Any]:
        """The path it will have, how many files there are, and a hash over their names and hashes."""
        inside = sorted(path for path in self.beside.rglob("*") if path.is_file())
        lines = (f"{path.relative_to(self.beside).as_posix()}\0{files.sha256(path)}\n" for path in inside)
        digest = sha256("".join(lines).encode()).hexdigest()
        return {"path": str(self.destination.path), "files": len(inside), "sha256": digest}

    def attach(self, manifest: str) -> None:
        """Write the manifest, beside its place too."""
        self.note.write_text(manifest, encoding="utf-8")
