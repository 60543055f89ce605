"""A small experiment on the generated population, which needs no data of anybody's."""

from __future__ import annotations

from typing import Any

from diva.experiments.spec import Experiment, parse

CONTENT: dict[str, Any] = {
    "title": "A small one",
    "setting": "Pop-Syn, little of it.",
    "tightness": 0.2,
    "sampled": "",
    "remark": "What else there is to say.",
    "x": "k",
    "measures": ["accuracy", "seconds"],
    "lines": ["naive", "min-choice", "max-fanout", "k-member", "lattice"],
    "parameters": {
        "table": "pop-syn-zipfian",
        "class": "proportion",
        "constraints": 3,
        "rate": 0.2,
        "k": [2, 3, 4],
        "rows": 300,
    },
    "full": {"repetitions": 2, "samples": 2, "limit": 5},
    "quick": {"repetitions": 1, "samples": 1, "limit": 5},
    "quick_parameters": {"k": [2, 4]},
    "claims": [{"says": "Accuracy rises.", "kind": "rises", "measure": "accuracy"}],
}


def small(**changed: Any) -> Experiment:
    """The experiment, with some entries changed."""
    return parse("exp0", CONTENT | changed)
