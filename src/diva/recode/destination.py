"""A release that becomes files: one file, whole or not at all, with its manifest beside it."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from diva.recode.atomic import refuse_unwritable, replacing_with_manifest
from diva.relation import files

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from diva.relation.engine import Rows, Table


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
        files.format_of(self.path)
        refuse_unwritable(self.path, self.sources)

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
