"""Small tables with their suppressions."""

from dataclasses import dataclass

from hypothesis import strategies as st

from diva.constraints.model import Target
from diva.relation.types import Types
from tests.metrics.tables import Row, types_of

SICK = Target(("DIAG",), ("ill",))


@dataclass(frozen=True)
class Release:
    """A table, what was published of it, and a population that contains it."""

    attributes: tuple[str, ...]
    star: str | None
    rows: list[Row]
    published: list[Row]
    diagnoses: list[str]
    others: list[Row]

    @property
    def original_types(self) -> Types:
        return types_of(self.rows, self.attributes)

    @property
    def published_types(self) -> Types:
        """As counted from the release, split by a condition on a sensitive column."""
        rows = [(*row, diagnosis) for row, diagnosis in zip(self.published, self.diagnoses, strict=True)]
        return types_of(rows, self.attributes, (*self.attributes, "DIAG"), (SICK,))

    @property
    def population(self) -> list[Row]:
        return self.rows + self.others


@st.composite
def releases(draw: st.DrawFn) -> Release:
    width = draw(st.integers(1, 4))
    star = draw(st.sampled_from(["*", "", None]))
    value = st.sampled_from(["a", "b", "c"] if star is None else ["a", "b", None])
    row = st.tuples(*[value] * width)
    rows = draw(st.lists(row, max_size=14))
    mask = st.tuples(*[st.booleans()] * width) | st.just((True,) * width)
    masks = draw(st.lists(mask, min_size=len(rows), max_size=len(rows)))
    return Release(
        attributes=("A", "B", "C", "D")[:width],
        star=star,
        rows=rows,
        published=[
            tuple(star if hidden else cell for cell, hidden in zip(cells, hides, strict=True))
            for cells, hides in zip(rows, masks, strict=True)
        ],
        diagnoses=draw(st.lists(st.sampled_from(["ill", "well"]), min_size=len(rows), max_size=len(rows))),
        others=draw(st.lists(row, max_size=6)),
    )
