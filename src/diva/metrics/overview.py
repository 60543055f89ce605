"""All scalar figures of a release in one object."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from diva.metrics import loss, risk
from diva.metrics.classes import classes_of
from diva.metrics.survival import survival

if TYPE_CHECKING:
    from collections.abc import Mapping

    from diva.relation.types import Types


@dataclass(frozen=True, slots=True)
class Summary:
    """What a release costs and how much risk is left; every number is explained where it is computed."""

    k: int
    """The privacy level that the figures are relative to."""
    rows: int
    """|R'|."""
    cells: int
    """QI cells: |R'|·m."""
    groups: int
    """G, the number of classes."""
    k_achieved: int
    """The size of the smallest class; 0 for an empty table."""
    stars: int
    """Suppressed QI cells."""
    weighted_stars: float
    """The same, each column with its weight."""
    star_share: float
    """The share of QI cells that are suppressed."""
    suppressed_rows: int
    """Records of which every QI cell is suppressed."""
    discernibility: int
    """disc(R')."""
    normalised_discernibility: float
    """disc(R') / |R'|²."""
    average_class_size: float
    """|R'| / G."""
    normalised_average_class_size: float
    """C_avg = |R'| / (G·k)."""
    prosecutor: risk.Risk
    """From someone who knows that the person is in the release."""
    journalist: risk.Risk
    """From someone who knows that the person is in the population; the prosecutor's where none was given."""
    marketer: float
    """The expected share of records re-identified by someone who matches them all."""
    values_lost: int | None
    """How many values of the original's QI attributes no published record shows; None where no original was given."""

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain JSON types."""
        return asdict(self)


def summary(
    published: Types,
    *,
    k: int,
    star: str | None = "*",
    weights: Mapping[str, float] | None = None,
    original: Types | None = None,
    population: Types | None = None,
) -> Summary:
    """Compute every scalar figure of a release from its types, as counted from what was published.

    `star` marks a suppressed cell (None: NULL). The original's types are needed for `values_lost` only, those of a
    population only for what the journalist and the marketer could do with it.
    """
    classes = classes_of(published, star=star)
    anybody = risk.journalist(classes, k, population)
    return Summary(
        k=k,
        rows=classes.rows,
        cells=classes.cells,
        groups=len(classes),
        k_achieved=int(classes.sizes.min()) if len(classes) else 0,
        stars=loss.stars(classes),
        weighted_stars=loss.weighted_stars(classes, weights or {}),
        star_share=loss.star_share(classes),
        suppressed_rows=int(classes.sizes[classes.suppressed].sum()),
        discernibility=loss.discernibility(classes),
        normalised_discernibility=loss.normalised_discernibility(classes),
        average_class_size=loss.average_class_size(classes),
        normalised_average_class_size=loss.normalised_average_class_size(classes, k),
        prosecutor=risk.prosecutor(classes, k),
        journalist=anybody,
        marketer=anybody.mean,  # the same sum (see risk.marketer); matching a population twice would be waste
        values_lost=None if original is None else sum(not v.published for v in survival(original, classes)),
    )
