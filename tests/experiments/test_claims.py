"""Claims are held against averages, each kind in its way."""

from __future__ import annotations

from typing import Any

import pytest

from diva.experiments.averages import Average, averages
from diva.experiments.claims import judge
from diva.experiments.spec import Claim
from tests.experiments.specs import small


def line(name: str, values: dict[Any, float], measure: str = "accuracy", kind: str = "a") -> list[Average]:
    return [
        Average("t", kind, x, name, 1, 1, {measure: y}, {measure: y}, {measure: y}, {measure: y})
        for x, y in values.items()
    ]


def verdict(found: list[Average], **claim: Any) -> str:
    return judge(Claim(says="so", **({"measure": "accuracy"} | claim)), found).verdict


RISING = {10: 0.1, 20: 0.2, 30: 0.4}


@pytest.mark.parametrize(
    ("values", "kind", "expected"),
    [
        (RISING, "rises", "yes"),
        (RISING, "falls", "no"),
        ({10: 0.4, 20: 0.2, 30: 0.1}, "falls", "yes"),
        ({10: 0.1, 20: 0.4, 30: 0.1}, "rises", "partly"),
        ({10: 0.3, 20: 0.3, 30: 0.3}, "rises", "partly"),
        ({10: 0.1, 20: 0.4}, "rises", "not measured"),
    ],
)
def test_trends(values: dict[int, float], kind: str, expected: str) -> None:
    assert verdict(line("naive", values), kind=kind) == expected


def test_a_trend_is_averaged_over_lines_and_panels() -> None:
    falling = {x: -y for x, y in RISING.items()}
    assert verdict(line("naive", RISING) + line("min-choice", RISING), kind="rises") == "yes"
    assert verdict(line("naive", RISING) + line("naive", falling, kind="b"), kind="rises") == "partly"
    assert verdict(line("lattice", RISING), kind="rises") == "not measured"  # none of the paper's


@pytest.mark.parametrize(
    ("other", "percent", "expected"),
    [
        (0.9, 9.0, "yes"),
        (0.9, 30.0, "partly"),
        (0.9, 5.0, "partly"),
        (1.0, 9.0, "no"),
        (1.2, 9.0, "no"),
        (0.9, None, "yes"),
    ],
)
def test_comparisons(other: float, percent: float | None, expected: str) -> None:
    found = line("max-fanout", {1: 1.0, 2: 1.0}) + line("naive", {1: other, 2: other, 3: 9.0})
    claim = {"line": "max-fanout", "than": "naive", "percent": percent}
    assert verdict(found, kind="above", **claim) == expected
    turned = line("max-fanout", {1: other}) + line("naive", {1: 1.0})
    below = verdict(turned, kind="below", **claim)
    assert below == ("yes" if other < 1 and percent in {None, 5.0, 9.0} else "partly" if other < 1 else "no")


def test_a_comparison_says_by_how_much() -> None:
    found = line("max-fanout", {1: 1.5}) + line("naive", {1: 1.0})
    made = judge(Claim(says="so", kind="above", measure="accuracy", line="max-fanout", than="naive"), found)
    assert made.measured == "+50 % over 1 points"
    assert verdict(line("naive", RISING), kind="above", line="max-fanout", than="naive") == "not measured"


@pytest.mark.parametrize(("naive", "expected"), [(0.05, "yes"), (0.15, "partly"), (0.9, "no")])
def test_extremes(naive: float, expected: str) -> None:
    found = line("naive", dict.fromkeys(RISING, naive)) + line("min-choice", RISING)
    if expected == "partly":
        found = line("naive", {10: 0.05, 20: 0.9}) + line("min-choice", {10: 0.1, 20: 0.2})
    assert verdict(found, kind="lowest", line="naive") == expected


def test_orders() -> None:
    found = line("naive", {"u": 0.9, "g": 0.5, "z": 0.7})
    assert verdict(found, kind="order", values=("u", "z", "g")) == "yes"
    assert verdict(found, kind="order", values=("u", "g", "z")) == "partly"
    assert verdict(found, kind="order", values=("g", "z", "u")) == "no"
    assert verdict(found, kind="order", values=("u", "missing")) == "not measured"


@pytest.mark.parametrize(
    ("curve", "linear", "exponential"),
    [
        ({4: 4.0, 8: 8.0, 12: 12.0, 16: 16.0}, "yes", "no"),
        ({4: 1.0, 8: 8.0, 12: 64.0, 16: 512.0}, "no", "yes"),
        ({4: 1.0, 8: 1.0, 12: 1.0, 16: 1.0}, "no", "no"),
        ({4: 1.0, 8: 2.0}, "not measured", "not measured"),
    ],
)
def test_growth(curve: dict[int, float], linear: str, exponential: str) -> None:
    found = line("naive", curve, "seconds")
    assert verdict(found, kind="linear", measure="seconds", line="naive") == linear
    assert verdict(found, kind="exponential", measure="seconds", line="naive") == exponential


def test_medians_of_times_are_told_beside_the_averages() -> None:
    def point(name: str, x: int, mean: float, median: float) -> Average:
        seconds = [{"seconds": value} for value in (mean, median, mean, mean)]
        return Average("t", "a", x, name, 5, 5, *seconds)

    found = [point("min-choice", x, 2.0 * x, 0.5 * x) for x in (1, 2, 3)]
    found += [point("naive", x, 1.0, 1.0) for x in (1, 2, 3)]
    compared = Claim(says="so", kind="below", measure="seconds", line="min-choice", than="naive")
    assert judge(compared, found).measured == "+300 % over 3 points; medians +0.0 %"
    above = Claim(says="so", kind="above", measure="seconds", line="min-choice", than="naive")
    assert judge(above, found).verdict == "partly"
    growing = Claim(says="so", kind="linear", measure="seconds", line="min-choice")
    assert (
        judge(growing, found).measured
        == "min-choice grows 3.0-fold while x grows 3.0-fold (medians 3.0-fold)"
    )


def test_a_claim_about_one_table_looks_at_no_other() -> None:
    found = line("naive", RISING)
    assert verdict(found, kind="rises", table="t") == "yes"
    assert verdict(found, kind="rises", table="u") == "not measured"


def test_averages_leave_out_what_gave_up_and_what_was_sampled() -> None:
    def row(name: str, outcome: str, seconds: float, stars: int | None) -> dict[str, Any]:
        blank = dict.fromkeys(
            ("accuracy", "accuracy_certified", "discernibility", "normalised_discernibility")
        )
        return blank | {
            "table": "t", "class": "a", "k": 2, "line": name, "outcome": outcome,
            "seconds": seconds, "wall_seconds": seconds, "stars": stars,
        }  # fmt: skip

    rows = [
        row("naive", "found", 1.0, 10),
        row("naive", "found", 3.0, 20),
        row("naive", "gave up", 0.01, None),
        row("sample 0", "found", 1.0, 1),
        row("min-choice", "out of time", 5.0, None),
        row("min-choice", "over budget", 3.0, None),
    ]
    naive, choice = averages(small(), rows)
    assert (naive.runs, naive.found, naive.mean["stars"], naive.mean["seconds"]) == (3, 2, 15.0, 2.0)
    assert naive.median["seconds"] == 2.0
    assert (naive.least["stars"], naive.most["stars"]) == (10.0, 20.0)
    assert (choice.found, choice.mean) == (0, {"seconds": 4.0, "wall_seconds": 4.0})
