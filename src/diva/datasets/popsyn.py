"""Pop-Syn: the synthetic population of the paper's experiments (its Section "Experimental Setup").

Seven attributes, 100,000 people, each attribute drawn by itself. The paper used a tool (Synner) and doesn't give its
domains. Here there are 25,200 possible people, so that with uniform distributions about as many differ as in
the paper's Table "Data characteristics" (24,630; here 24,731). The target attributes are education, race and occupation; the paper
varies *their* distribution, and the other four stay uniform. Of a domain of n values the i-th (from 0) has weight

    uniform   1
    gaussian  exp(−(i − (n−1)/2)² / (2·(n/5)²))
    zipfian   1 / (i+1)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from diva.relation.types import Types, distinct_rows, sorted_types

if TYPE_CHECKING:
    from collections.abc import Sequence

    from diva.datasets.catalogue import Rows

Distribution = Literal["uniform", "gaussian", "zipfian"]

ROWS = 100_000
SEED = 20_190_613
DOMAINS: dict[str, tuple[str, ...]] = {
    "age": ("18-24", "25-34", "35-44", "45-54", "55-64", "65+"),
    "education": ("Primary", "Secondary", "College", "Bachelor", "Postgraduate"),
    "race": ("Asian", "Black", "Indigenous", "Other", "White"),
    "gender": ("Female", "Male"),
    "income": ("Low", "Lower middle", "Upper middle", "High"),
    "marital_status": ("Married", "Never married", "Formerly married"),
    "occupation": ("Agriculture", "Craft", "Clerical", "Management", "Professional", "Sales", "Service"),
}
TARGETS = ("education", "race", "occupation")


def weights(distribution: Distribution, n: int) -> np.ndarray:
    """How likely each of n values is: float64 [n], adding up to 1."""
    i = np.arange(n)
    raw = {
        "uniform": np.ones(n),
        "gaussian": np.exp(-((i - (n - 1) / 2) ** 2) / (2 * (n / 5) ** 2)),
        "zipfian": 1 / (i + 1),
    }[distribution]
    return np.asarray(raw / raw.sum())


def codes(distribution: Distribution, *, rows: int = ROWS, seed: int = SEED) -> np.ndarray:
    """Draw a population: for each person the number of each attribute's value, int32 [rows, 7].

    Uniform numbers are looked up among summed weights, which gives the same people whatever the version of numpy.
    """
    random = np.random.default_rng(seed)
    drawn = []
    for attribute, values in DOMAINS.items():
        chosen: Distribution = distribution if attribute in TARGETS else "uniform"
        upto = np.cumsum(weights(chosen, len(values)))[:-1]
        drawn.append(np.searchsorted(upto, random.random(rows), side="right"))
    return np.column_stack(drawn).astype(np.int32)


def rows(distribution: Distribution) -> Rows:
    """The population as texts, the header first."""
    yield tuple(DOMAINS)
    domains: Sequence[tuple[str, ...]] = tuple(DOMAINS.values())
    for person in codes(distribution).tolist():
        yield [values[code] for values, code in zip(domains, person, strict=True)]


def types(distribution: Distribution, *, rows: int = ROWS, seed: int = SEED) -> Types:
    """The population, counted; the same as counting what `rows` gives."""
    people = codes(distribution, rows=rows, seed=seed)
    first, number = distinct_rows(people)
    counts = np.bincount(number, minlength=len(first))
    nothing = np.zeros((len(first), 0), dtype=bool)
    return sorted_types(tuple(DOMAINS), tuple(DOMAINS.values()), people[first], (), nothing, counts)
