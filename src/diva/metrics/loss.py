"""What a release costs: stars and discernibility, from the sizes of its classes.

With classes of size |E_g| whose records have s_g stars each, m QI attributes and |R'| records. Every figure of an
empty table is 0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from diva.errors import BadInput
from diva.metrics.classes import positions, require_level
from diva.relation.names import shown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from diva.metrics.classes import Classes

MAX_WEIGHT = 1e12
"""Heavier columns are refused, so that a weighted sum can't overflow."""


def stars(classes: Classes) -> int:
    """Count the suppressed QI cells: Σ_g |E_g|·s_g, the loss in the paper's Definition of (k,Σ)-anonymization."""
    return sum(stars_by_attribute(classes).values())


def stars_by_attribute(classes: Classes) -> dict[str, int]:
    """How many cells of each QI column are suppressed."""
    sums = classes.sizes @ classes.starred
    return {attribute: int(n) for attribute, n in zip(classes.attributes, sums, strict=True)}


def weighted_stars(classes: Classes, weights: Mapping[str, float]) -> float:
    """Σ_A w_A · (stars in A); a column without a weight has weight 1."""
    positions(classes.attributes, weights, "weights")
    for attribute, weight in weights.items():
        if not 0 <= weight <= MAX_WEIGHT:
            raise BadInput(
                f"the weight {weight!r} of column {shown(attribute)} must be a number between 0 and {MAX_WEIGHT:g}"
            )
    return float(sum(weights.get(attribute, 1) * n for attribute, n in stars_by_attribute(classes).items()))


def star_share(classes: Classes) -> float:
    """Return the share of QI cells that are suppressed: stars / (|R'|·m)."""
    return stars(classes) / classes.cells if classes.cells else 0.0


def discernibility(classes: Classes) -> int:
    """disc(R') = Σ over records of |E_g|, or of |R'| where the record is suppressed.

    The paper's Section "Metrics and Parameters", after Bayardo and Agrawal, "Data privacy through optimal
    k-anonymization", ICDE 2005. The paper doesn't say when a tuple counts as suppressed. Here it is when *every*
    QI cell is a star, for then it "cannot be differentiated" by anything; a partly starred record lies in its
    class of size |E_g|. Exact: Python integers, which |R'|² can't overflow.
    """
    rows = classes.rows
    return sum(
        size * (rows if suppressed else size)
        for size, suppressed in zip(classes.sizes.tolist(), classes.suppressed.tolist(), strict=True)
    )


def normalised_discernibility(classes: Classes) -> float:
    """disc(R') / |R'|², the paper's normalised score: from 1/|R'| (all records differ) to 1 (all are alike)."""
    return discernibility(classes) / classes.rows**2 if classes.rows else 0.0


def average_class_size(classes: Classes) -> float:
    """|R'| / G, with G classes."""
    return classes.rows / len(classes) if len(classes) else 0.0


def normalised_average_class_size(classes: Classes, k: int) -> float:
    """C_avg = |R'| / (G·k): 1 when every class has exactly k records, the least that k-anonymity allows.

    LeFevre, DeWitt and Ramakrishnan, "Mondrian multidimensional k-anonymity", ICDE 2006.
    """
    require_level(k)
    return average_class_size(classes) / k
