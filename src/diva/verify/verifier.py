"""Is this a sound release? Recomputed from what was published, whoever made it and however."""

from __future__ import annotations

from typing import TYPE_CHECKING

from diva.errors import BadInput
from diva.verify.original import Comparison
from diva.verify.published import Published
from diva.verify.verification import Verification

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from diva.constraints.model import Constraint
    from diva.relation.engine import Table
    from diva.verify.witness import Witness


def verify(  # noqa: PLR0913 - a check has one option per guarantee
    published: Table,
    *,
    quasi: Sequence[str],
    k: int,
    constraints: Sequence[Constraint] = (),
    star: str | None = "*",
    original: Table | None = None,
    identifying: Sequence[str] = (),
    published_columns: Sequence[str] | None = None,
    order: str = "shuffle",
    witness: Witness | None = None,
) -> Verification:
    """Check a published table: k-anonymity, Σ, its columns and, given the original, R ⊑ R*.

    A suppressed cell reads `star` (None: is NULL). With order `keep` records are compared with the original in their
    places, with `shuffle` as multisets, for which a `witness` may save a search. Reads the published table once, or twice
    with an original.
    """
    _require(quasi, k, order)
    present = tuple(c for c in quasi if c in published.names)
    if not present:
        raise BadInput(
            f"{published.origin} has none of the quasi-identifying columns; the columns are {_list(published.names)}"
        )
    figures = Published.count(published, present, constraints, star)
    counted = tuple(figures.fares(c) for c in constraints)
    problems = [
        *_misplaced(published.names, quasi, identifying, original),
        *(() if published_columns is None else _undeclared(published.names, quasi, published_columns)),
        *figures.too_small(k),
        *(figures.broken(c) for c in counted if not c.satisfied),
    ]
    if original is not None:
        comparison = Comparison(published, figures, original)
        if comparison.quasi:
            problems += comparison.row_by_row() if order == "keep" else comparison.as_multisets(witness)
    return Verification(
        rows=figures.types.rows,
        cells=figures.types.rows * len(present),
        groups=len(figures.types),
        stars=figures.stars,
        k_achieved=figures.k,
        constraints=counted,
        problems=tuple(problems),
        types=figures.types,
    )


def _require(quasi: Sequence[str], k: int, order: str) -> None:
    for name in quasi:
        if list(quasi).count(name) > 1:
            raise BadInput(f"quasi-identifying column {name!r} is named twice; name it once")
    if not quasi:
        raise BadInput("no quasi-identifying columns to verify: name at least one")
    if k < 1:
        raise BadInput(f"k must be at least 1, not {k}")
    if order not in {"shuffle", "keep"}:
        raise BadInput(f"order {order!r} is not one of shuffle, keep")


def _misplaced(
    names: Sequence[str], quasi: Sequence[str], identifying: Sequence[str], original: Table | None
) -> Iterator[str]:
    """Say which columns of a release should not be there, and which QI attributes are not."""
    persons = {name.casefold() for name in identifying}  # engines ignore case in names
    for name in names:
        if name.casefold() in persons:
            yield f"column {name!r} identifies people and yet is published"
        if original is not None and name not in original.names:
            yield f"column {name!r} is published and is no column of the original"
    for name in quasi:
        if name not in names:
            yield f"quasi-identifying column {name!r} is missing from the release"


def _undeclared(names: Sequence[str], quasi: Sequence[str], declared: Sequence[str]) -> Iterator[str]:
    """Say how the columns of a release are not what was declared."""
    for name in declared:
        if name not in names and name not in quasi:
            yield f"column {name!r} is missing from the release"
    for name in names:
        if name not in declared:
            yield f"column {name!r} should not be published"
    if set(names) == set(declared) and tuple(names) != tuple(declared):
        yield f"the columns of the release stand in another order than {_list(declared)}"


def _list(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names))
