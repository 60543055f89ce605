"""Which engine opens a source. The one place that knows all engines; each is loaded only when it is needed.

Another engine enters here: recognise its sources in `open_table`, import its module inside the branch (help and the other
engines must not load it), refuse the settings that it would ignore (`Settings.refuse`), and return its `Table`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from diva.relation.settings import DEFAULTS

if TYPE_CHECKING:
    from pathlib import Path

    from diva.relation.engine import Table
    from diva.relation.files import Pieces
    from diva.relation.settings import Settings


def open_table(source: object, settings: Settings = DEFAULTS, *, beside: Table | None = None) -> Table:
    """Open whatever holds a table: a path or glob, a frame with the Arrow C stream, a DuckDB relation.

    With `beside` it is to be compared with that table, so both are opened in one session of one engine where possible.
    """
    from diva.relation import duck  # noqa: PLC0415 - loaded only when it is needed

    connection = beside.connection if isinstance(beside, duck.DuckTable) else duck.connect(settings)
    return duck.open_table(source, connection)


def spread(written: Table, folder: Path, like: Path, pieces: Pieces) -> Table:
    """Divide a file that any engine wrote among the files of a new folder, in the format of `like`; DuckDB does it."""
    from diva.relation import duck  # noqa: PLC0415 - loaded only when it is needed

    table = written if isinstance(written, duck.DuckTable) else duck.open_table(written.paths[0])
    return table.spread(folder, like, pieces)
