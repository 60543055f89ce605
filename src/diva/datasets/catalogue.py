"""Which tables there are, where they come from, and how to know that what one has is the table that is meant.

What is checked is the SHA-256 of the *prepared* table, written as CSV (UTF-8, a header, commas, quotes only where needed, line
feeds), whatever format it is stored in. The publishers' own files come in many wrappings; the table in them is one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from diva.datasets import popsyn, prepare

if TYPE_CHECKING:
    from pathlib import Path

_UCI = "https://archive.ics.uci.edu/ml/machine-learning-databases/"
Rows = Iterator[Sequence[str]]


@dataclass(frozen=True, kw_only=True)
class Dataset:
    """A table that can be had."""

    name: str
    about: str
    rows: int
    columns: int
    file: str
    """Its name in the cache, and in a folder that DIVA_DATA names."""
    sha256: str
    """Of the prepared table as CSV."""
    base: str = ""
    """Where the publisher's files are; empty where they can't be downloaded without an account."""
    sources: tuple[str, ...] = ()
    """The publisher's files, below `base`; none for a generated table."""
    page: str = ""
    """Where a person finds them."""
    prepared: Callable[[Sequence[Path]], Rows]
    """The rows of the table, its header first, from the publisher's files."""


def _generated(distribution: popsyn.Distribution, sha256: str) -> Dataset:
    return Dataset(
        name=f"pop-syn-{distribution}",
        about=f"synthetic population with {distribution} target attributes, after the paper",
        rows=popsyn.ROWS,
        columns=len(popsyn.DOMAINS),
        file=f"pop_syn_{distribution}.csv",
        sha256=sha256,
        prepared=lambda _: popsyn.rows(distribution),
    )


_ALL = (
    Dataset(
        name="adult",
        about="UCI Adult (Census Income), training and test part",
        rows=48_842,
        columns=15,
        file="adult_uci.csv",
        sha256="6f8f2babc5ee744afd03f6d978d8d6b3e3b0aae240d931c4976a9cce7af0d347",
        base=f"{_UCI}adult/",
        sources=("adult.data", "adult.test"),
        page="https://archive.ics.uci.edu/dataset/2/adult",
        prepared=prepare.adult,
    ),
    Dataset(
        name="census",
        about="UCI Census-Income (KDD), training and test part",
        rows=299_285,
        columns=42,
        file="census_income_kdd.parquet",
        sha256="1ae9a2eb9b616d82c1d41fee92ebe46be9ff90040794ea1a5bf049a14245d66d",
        base=f"{_UCI}census-income-mld/",
        sources=("census-income.data.gz", "census-income.test.gz"),
        page="https://archive.ics.uci.edu/dataset/117/census+income+kdd",
        prepared=prepare.census,
    ),
    Dataset(
        name="credit",
        about="UCI Statlog German Credit, with the ten columns and readable values that are usual on Kaggle",
        rows=1_000,
        columns=10,
        file="german_credit_kaggle.csv",
        sha256="f73c59064763d85fc63e0d71b6fbd3973b2179f39fde64482cd78402779c3ddb",
        base=f"{_UCI}statlog/german/",
        sources=("german.data",),
        page="https://archive.ics.uci.edu/dataset/144/statlog+german+credit+data",
        prepared=prepare.credit,
    ),
    Dataset(
        name="pantheon",
        about="Pantheon 1.0: globally famous people, as published on Kaggle",
        rows=11_341,
        columns=17,
        file="pantheon.csv",
        sha256="16599882309b1b16e8faad04e50a33e0b2a2515cc648172ad36cea0ba77045ff",
        sources=("database.csv",),
        page="https://www.kaggle.com/datasets/mit/pantheon-project",
        prepared=prepare.as_it_is,
    ),
    _generated("uniform", "ca25ca73a57a98d4b53dd94e2fc216d99cc63b2f726dbbe25c349705325c7510"),
    _generated("gaussian", "03b6ac839b09136a9917bfd6f5fc30a7495d66d36556d03aa05bdb2fa71e1e90"),
    _generated("zipfian", "402011c2d95a213a1fde236025639caf3c8331404969e95dbad12ed80d800ccf"),
)
DATASETS: dict[str, Dataset] = {dataset.name: dataset for dataset in _ALL}
"""The tables by name."""
