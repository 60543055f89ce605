"""How likely somebody is re-identified, under three attackers.

A published class g has f_g records; F_g people of a population show the same where g shows anything, so an
attacker who knows the QI values of everybody guesses one of its records right with 1/F_g.

* The *prosecutor* looks for somebody known to be in the release: F_g = f_g.
* The *journalist* looks for anybody, and would have to tell them from the whole population.
* The *marketer* wants to name as many as possible.

Formulas as in El Emam, "Guide to the De-Identification of Personal Health Information", 2013, and Dankar and El Emam,
"A method for evaluating marketer re-identification risk", EDBT/ICDT workshops 2010. Every figure of an empty table is 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from diva.errors import BadInput
from diva.metrics.classes import require_level, totals
from diva.relation.names import shown
from diva.relation.types import distinct_rows

if TYPE_CHECKING:
    from diva.metrics.classes import Classes, Codes, Counts
    from diva.relation.types import Types


@dataclass(frozen=True, slots=True)
class Risk:
    """The risk that a record is re-identified, over all published records."""

    highest: float
    """Of the record most at risk: max 1/F_g."""
    mean: float
    """Of an average record: Σ f_g/F_g / |R'|."""
    share_above: float
    """The share of records whose risk is above 1/k, which are those with F_g < k."""


def prosecutor(classes: Classes, k: int) -> Risk:
    """Risk from someone who knows that the person is in the release: 1/f_g. The mean is then G/|R'|."""
    return _risk(classes, classes.sizes, k)


def journalist(classes: Classes, k: int, population: Types | None = None) -> Risk:
    """Risk from someone who only knows that the person is in the population: 1/F_g.

    Without a population table nothing is known to hide in but the release, and this is the prosecutor's risk.
    """
    return _risk(classes, _lookalikes(classes, population), k)


def marketer(classes: Classes, population: Types | None = None) -> float:
    """Return the share of records that someone who matches them all at random is expected to get right.

    Σ_g f_g/F_g / |R'|, and G/|R'| without a population table, when everybody published is all there is.
    """
    return _mean(classes, _lookalikes(classes, population))


def population_sizes(classes: Classes, population: Types) -> Counts:
    """int64 [G]: F_g, how many people of the population have all the values that a class shows.

    A star is matched by every value. `population` is unsuppressed, contains everybody in the release, and has at
    least the release's QI attributes. Takes O(D·m) for each pattern that occurs.
    """
    columns = [_column(population, attribute) for attribute in classes.attributes]
    wanted = _translated(classes.types, population, columns)
    found = np.zeros(len(classes), dtype=np.int64)
    first, number = distinct_rows(classes.starred.astype(np.int8))
    for pattern, row in enumerate(first):
        members = np.flatnonzero(number == pattern)
        visible = np.flatnonzero(~classes.starred[row])
        people = population.codes[:, [columns[i] for i in visible]]
        found[members] = _matched(wanted[np.ix_(members, visible)], people, population.counts)
    _check_contained(classes, found)
    return found


def _column(population: Types, attribute: str) -> int:
    if attribute not in population.attributes:
        raise BadInput(
            f"the population table has no column {shown(attribute)}; it needs every quasi-identifier"
        )
    return population.attributes.index(attribute)


def _lookalikes(classes: Classes, population: Types | None) -> Counts:
    return classes.sizes if population is None else population_sizes(classes, population)


def _risk(classes: Classes, lookalikes: Counts, k: int) -> Risk:
    require_level(k)
    if not len(classes):
        return Risk(0.0, 0.0, 0.0)
    return Risk(
        highest=1 / int(lookalikes.min()),
        mean=_mean(classes, lookalikes),
        share_above=int(classes.sizes[lookalikes < k].sum()) / classes.rows,
    )


def _mean(classes: Classes, lookalikes: Counts) -> float:
    return float((classes.sizes / lookalikes).sum()) / classes.rows if len(classes) else 0.0


def _translated(published: Types, population: Types, columns: list[int]) -> Codes:
    """Turn the published codes into codes of the population's values, -1 where nobody there has the value."""
    codes = np.empty_like(published.codes)
    for i, column in enumerate(columns):
        known = {text: code for code, text in enumerate(population.values[column])}
        translation = np.array([known.get(text, -1) for text in published.values[i]], dtype=codes.dtype)
        codes[:, i] = translation[published.codes[:, i]]
    return codes


def _matched(wanted: Codes, people: Codes, counts: Counts) -> Counts:
    """How many people have each of the wanted combinations of codes."""
    first, number = distinct_rows(np.vstack([wanted, people]))
    matched: Counts = totals(number[len(wanted) :], counts, len(first))[number[: len(wanted)]]
    return matched


def _check_contained(classes: Classes, found: Counts) -> None:
    short = np.flatnonzero(found < classes.sizes)
    if len(short):
        worst = int(short[0])
        raise BadInput(
            f"the release has {classes.sizes[worst]} records that show {classes.described(worst)}, the population"
            f" {found[worst]}; a population table must contain everybody in the release, unsuppressed"
        )
