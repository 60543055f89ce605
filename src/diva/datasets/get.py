"""Brings a table into the cache: download, prepare, check, and only then give it its name.

This is the only part of diva that uses the network, and only when it is asked to.
"""

from __future__ import annotations

import csv
import hashlib
import http.client
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.error import HTTPError, URLError
from urllib.parse import urljoin, urlsplit
from urllib.request import urlopen

from diva.datasets.find import Found, cache, find, named
from diva.errors import BadInput
from diva.recode.atomic import replacing

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from diva.datasets.catalogue import Dataset, Rows

    Told = Callable[[str], None]

_SECONDS = 60
_CHUNK = 1 << 20


def get(
    name: str, *, files: Sequence[Path] = (), mirror: str | None = None, told: Told = lambda _: None
) -> Found:
    """Return where a table is; where it is nowhere, download its files (or take `files`), prepare and check it.

    `mirror` is an address that has files of the same names. A table that is there already is left alone, unless files
    are given to make it from.
    """
    dataset = named(name)
    found = find(dataset)
    if found is not None and not files:
        return found
    target = cache() / dataset.file
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInput(f"can't make the cache folder {str(target.parent)!r}: {error.strerror}") from None
    with tempfile.TemporaryDirectory(prefix="diva-") as folder, replacing(target) as beside:
        raw = _given(dataset, files) if files else _downloaded(dataset, Path(folder), mirror, told)
        told(f"preparing {name}")
        _write(dataset, raw, Path(folder) / "table.csv", beside)
    return Found(target, "cache")


def _given(dataset: Dataset, files: Sequence[Path]) -> tuple[Path, ...]:
    if len(files) != len(dataset.sources):
        wanted = ", ".join(dataset.sources) or "none: it is generated"
        raise BadInput(
            f"{dataset.name} is made from {len(dataset.sources)} files ({wanted}), not {len(files)}"
        )
    for path in files:
        if not path.is_file():
            raise BadInput(f"there is no file {str(path)!r}")
    return tuple(files)


def _downloaded(dataset: Dataset, folder: Path, mirror: str | None, told: Told) -> tuple[Path, ...]:
    base = dataset.base if mirror is None else mirror.rstrip("/") + "/"
    if dataset.sources and not base:
        raise BadInput(
            f"{dataset.name} can't be downloaded without an account: fetch {dataset.sources[0]} from {dataset.page}"
            f" and give it: diva datasets get {dataset.name} --from {dataset.sources[0]}"
        )
    if mirror is not None and urlsplit(base).scheme not in {"http", "https"}:
        raise BadInput(f"the mirror {mirror!r} is no address that begins with http:// or https://")
    paths = []
    for source in dataset.sources:
        paths.append(folder / source)
        told(f"downloading {urljoin(base, source)}")
        _download(dataset, urljoin(base, source), paths[-1])
    return tuple(paths)


def _download(dataset: Dataset, address: str, path: Path) -> None:
    try:
        with urlopen(address, timeout=_SECONDS) as answer, path.open("wb") as stream:  # noqa: S310 - http(s) only, see above
            while chunk := answer.read(_CHUNK):
                stream.write(chunk)
    except HTTPError as error:
        raise _unreachable(dataset, address, f"it answers {error.code}") from None
    except URLError as error:
        raise _unreachable(
            dataset, address, str(getattr(error.reason, "strerror", None) or error.reason)
        ) from None
    except (OSError, http.client.HTTPException) as error:
        raise _unreachable(dataset, address, str(error) or type(error).__name__) from None


def _unreachable(dataset: Dataset, address: str, why: str) -> BadInput:
    return BadInput(
        f"can't download {dataset.name} from {address}: {why}; try again online, or fetch its files elsewhere from"
        f" {dataset.page} and give them with --from"
    )


def _write(dataset: Dataset, raw: Sequence[Path], table: Path, beside: Path) -> None:
    """Write the prepared table, hashing it on the way; nothing is kept of a table that isn't the one meant."""
    stored_as_csv = dataset.file.endswith(".csv")
    digest = write_csv(dataset.prepared(raw), beside if stored_as_csv else table)
    if digest != dataset.sha256:
        raise BadInput(
            f"what was prepared for {dataset.name} is not the table that is meant: its SHA-256 is {digest} and should be"
            f" {dataset.sha256}; the publisher may have changed the files"
        )
    if not stored_as_csv:
        from diva.relation.opening import open_table  # noqa: PLC0415 - listing tables must not load an engine

        open_table(table).write(beside, like=Path(dataset.file))


def write_csv(rows: Rows, path: Path) -> str:
    """Write rows as CSV and return the SHA-256 of the file."""
    digest = hashlib.sha256()
    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(_Hashing(stream, digest), lineterminator="\n").writerows(rows)
    return digest.hexdigest()


class _Hashing:
    """Writes to a stream and hashes what goes through."""

    def __init__(self, stream: Any, digest: Any) -> None:
        self._stream, self._digest = stream, digest

    def write(self, text: str) -> int:
        self._digest.update(text.encode())
        return int(self._stream.write(text))
