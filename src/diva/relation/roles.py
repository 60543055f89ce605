"""Who is what in a table: the role of every column."""

from __future__ import annotations

from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import TYPE_CHECKING

from diva.errors import BadInput
from diva.relation.names import listed, shown

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class Roles:
    """Every column of a table has exactly one role; columns that were declared nowhere are dropped."""

    quasi: tuple[str, ...]
    """Quasi-identifiers (QI): together they can single somebody out; the only columns that are suppressed."""
    sensitive: tuple[str, ...] = ()
    """What is said about people; published as it is."""
    identifying: tuple[str, ...] = ()
    """What names a person; never published."""
    kept: tuple[str, ...] = ()
    """Anything else that is published as it is."""
    dropped: tuple[str, ...] = ()
    """Declared nowhere, so not published."""
    published: tuple[str, ...] = ()
    """The columns of the release, in the order of the table."""

    @property
    def untouched(self) -> tuple[str, ...]:
        """The published columns that are no quasi-identifiers."""
        quasi = set(self.quasi)
        return tuple(c for c in self.published if c not in quasi)

    def with_last(self, columns: Sequence[str]) -> Roles:
        """The same roles, with some columns published behind the others: those that name the folders of a release."""
        for position, name in enumerate(columns):
            require(name, self.published, "--partition-by, which takes published columns")
            if name in columns[:position]:
                raise BadInput(f"column {shown(name)} is named twice in --partition-by; name it once")
        rest = tuple(name for name in self.published if name not in columns)
        if not rest:
            raise BadInput("--partition-by names all published columns; files must hold at least one")
        return replace(self, published=(*rest, *columns))


def assign(
    columns: Sequence[str],
    *,
    quasi: Sequence[str],
    sensitive: Sequence[str] = (),
    identifying: Sequence[str] = (),
    keep: Sequence[str] = (),
    keep_rest: bool = False,
) -> Roles:
    """Give every column of a table its role, or say which declaration can't be followed."""
    declared: dict[str, str] = {}
    for option, names in (("qi", quasi), ("sensitive", sensitive), ("id", identifying), ("keep", keep)):
        for name in names:
            require(name, columns, f"--{option}")
            if declared.get(name) == option:
                raise BadInput(f"column {name!r} is named twice in --{option}; name it once")
            if name in declared:
                raise BadInput(
                    f"column {name!r} is declared in --{declared[name]} and in --{option}; a column has one role"
                )
            declared[name] = option
    if not quasi:
        raise BadInput("no quasi-identifying columns: name at least one with --qi")
    rest = tuple(c for c in columns if c not in declared)
    return Roles(
        quasi=tuple(quasi),
        sensitive=tuple(sensitive),
        identifying=tuple(identifying),
        kept=(*keep, *rest) if keep_rest else tuple(keep),
        dropped=() if keep_rest else rest,
        published=tuple(c for c in columns if declared.get(c, "keep" if keep_rest else "id") != "id"),
    )


def require(name: str, columns: Sequence[str], where: str) -> None:
    """Refuse a column that the table doesn't have, with the nearest name it has."""
    if name in columns:
        return
    folded = {column.casefold(): column for column in columns}
    near = get_close_matches(name.casefold(), folded, n=1)
    hint = f"did you mean {shown(folded[near[0]])}?" if near else f"the columns are {listed(columns)}"
    raise BadInput(f"there is no column {shown(name)} in the table ({where}); {hint}")
