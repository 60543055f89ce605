"""Specs are read and validated, and are those of the paper."""

from __future__ import annotations

from typing import Any

import pytest

from diva.errors import BadInput
from diva.experiments.points import points, runs
from diva.experiments.spec import LINES, PAPER, load, names
from tests.experiments.specs import CONTENT, small


def test_the_nine_experiments_are_there() -> None:
    assert names() == tuple(f"exp{i}" for i in range(1, 10))


@pytest.mark.parametrize("name", names())
def test_each_is_the_papers(name: str) -> None:
    """Parameters of the Table "Parameter values", five repetitions, `lattice` as a further line, and claims to check."""
    experiment = load(name)
    values = experiment.full.parameters
    assert set(values["k"]) in ({20}, {10, 20, 30, 40, 50})
    assert set(values["constraints"]) in ({8}, {4, 8, 12, 16, 20})
    assert set(values["rate"]) in ({0.2}, {0.0, 0.2, 0.4, 0.6, 0.8, 1.0})
    assert experiment.full.repetitions == 5
    assert "lattice" in experiment.lines
    assert experiment.claims
    assert len(values[experiment.x]) > 1
    assert ("accuracy" in experiment.measures) == (experiment.full.samples > 0)
    if set(values["rows"]) != {0}:
        assert "samples of the table" in experiment.sampled


@pytest.mark.parametrize("name", names())
def test_a_quick_run_is_smaller(name: str) -> None:
    experiment = load(name)
    assert len(runs(experiment, "quick")) < len(runs(experiment, "full"))
    assert experiment.quick.limit < experiment.full.limit


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"x": "colour"}, "there is no parameter 'colour'"),
        ({"lines": ["fast"]}, "there is no line 'fast'"),
        ({"wings": 2}, "an entry 'wings' that nothing reads"),
        ({"quick_parameters": {"speed": 2}}, "every one of table, class"),
        ({"quick_parameters": {"k": []}}, "needs at least one value"),
        ({"claims": [{"says": "a", "kind": "sings", "measure": "stars"}]}, "there is no kind 'sings'"),
        ({"claims": [{"says": "a", "kind": "above", "measure": "stars"}]}, "only above and below compare"),
        (
            {"claims": [{"says": "a", "kind": "rises", "measure": "stars", "line": "fast"}]},
            "there is no line 'fast'",
        ),
    ],
)
def test_a_spec_that_says_something_else_is_refused(changed: dict[str, Any], why: str) -> None:
    with pytest.raises(BadInput, match=why):
        small(**changed)


def test_an_experiment_that_is_none() -> None:
    with pytest.raises(BadInput, match="there is no experiment 'exp10'; there are exp1"):
        load("exp10")


def test_runs_are_every_combination_once_repetitions_outermost() -> None:
    experiment = small()
    found = runs(experiment, "full")
    assert len(list(points(experiment.full))) == 3
    assert len(found) == len({run.key for run in found}) == 3 * (5 + 2) * 2
    assert [run.repetition for run in found] == sorted(run.repetition for run in found)
    assert {run.point.k for run in runs(experiment, "quick")} == {2, 4}
    assert CONTENT["parameters"]["k"] == [2, 3, 4]


def test_the_papers_lines_call_k_member() -> None:
    assert all(LINES[line].solver == "diva" and LINES[line].anonymizer == "k-member" for line in PAPER)
    assert [name for name, line in LINES.items() if not line.diverse] == ["k-member"]
