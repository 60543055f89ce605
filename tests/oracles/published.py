"""Whether published rows are a sound release of an instance, in plain Python, straight from the definitions.

No product code is used, and no array: rows are tuples, counted with dictionaries.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.oracles.release import Instance, Row

STAR = "*"


def flaws(instance: Instance, published: Sequence[Row], *, ordered: bool = True) -> list[str]:
    """Say what is wrong: k-anonymity, Σ, R ⊑ R*; `published` has the instance's columns, suppressed cells are stars."""
    width, found = instance.width, []
    smallest = min(Counter(row[:width] for row in published).values())
    if smallest < instance.k:
        found.append(f"a group has {smallest} members, k is {instance.k}")
    for target, low, high in instance.sigma:
        count = sum(all(row[instance.columns.index(a)] == v for a, v in target.items()) for row in published)
        if count < low or (high is not None and count > high):
            found.append(f"{count} records published for {target}, {low}..{high} are asked for")
    if len(published) != len(instance.rows):
        found.append(f"{len(published)} records published of {len(instance.rows)}")
    elif ordered:
        wrong = sum(
            not refines(original, row, width) for original, row in zip(instance.rows, published, strict=True)
        )
        found += [f"{wrong} records are changed"] if wrong else []
    elif not _paired(instance.rows, published, width):
        found.append("published records can't be paired with originals")
    return found


def refines(original: Row, published: Row, width: int) -> bool:
    """Whether a published record is the original with some of its first `width` cells suppressed."""
    return all(
        p == o or (p == STAR and i < width) for i, (o, p) in enumerate(zip(original, published, strict=True))
    )


def _paired(originals: Sequence[Row], published: Sequence[Row], width: int) -> bool:
    """A perfect matching by augmenting paths."""
    fits = [[o for o, row in enumerate(originals) if refines(row, p, width)] for p in published]
    owner: dict[int, int] = {}

    def place(p: int, seen: set[int]) -> bool:
        for o in fits[p]:
            if o not in seen:
                seen.add(o)
                if o not in owner or place(owner[o], seen):
                    owner[o] = p
                    return True
        return False

    return all(place(p, set()) for p in range(len(published)))
