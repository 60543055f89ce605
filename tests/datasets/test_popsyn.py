"""The synthetic population."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from diva.datasets import popsyn
from diva.datasets.catalogue import DATASETS
from diva.datasets.get import write_csv
from diva.relation.duck import open_table

DISTRIBUTIONS: tuple[popsyn.Distribution, ...] = ("uniform", "gaussian", "zipfian")


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_a_population_is_always_the_same(distribution: popsyn.Distribution, tmp_path: Path) -> None:
    digest = write_csv(popsyn.rows(distribution), tmp_path / "people.csv")
    assert digest == DATASETS[f"pop-syn-{distribution}"].sha256


def test_counting_in_memory_is_counting_the_file(tmp_path: Path) -> None:
    write_csv(popsyn.rows("zipfian"), tmp_path / "people.csv")
    counted, direct = (
        open_table(tmp_path / "people.csv").types(tuple(popsyn.DOMAINS)),
        popsyn.types("zipfian"),
    )
    assert counted.values == tuple(tuple(sorted(v)) for v in popsyn.DOMAINS.values())
    assert counted.values == direct.values
    assert np.array_equal(counted.codes, direct.codes)
    assert np.array_equal(counted.counts, direct.counts)


def test_only_target_attributes_follow_the_distribution() -> None:
    people = popsyn.codes("zipfian", rows=40_000)
    for column, (attribute, values) in enumerate(popsyn.DOMAINS.items()):
        shape: popsyn.Distribution = "zipfian" if attribute in popsyn.TARGETS else "uniform"
        shares = np.bincount(people[:, column], minlength=len(values)) / len(people)
        assert np.allclose(shares, popsyn.weights(shape, len(values)), atol=0.015), attribute


def test_about_as_many_types_as_in_the_paper() -> None:
    assert abs(len(popsyn.types("uniform")) - 24_630) < 0.01 * 24_630


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
@pytest.mark.parametrize("n", [1, 2, 7])
def test_weights_are_probabilities(distribution: popsyn.Distribution, n: int) -> None:
    found = popsyn.weights(distribution, n)
    assert found.min() > 0
    assert np.isclose(found.sum(), 1)
