"""The figure of an experiment as a Vega-Lite spec: averages as lines, the range of the repetitions as bars, in panels."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from diva.experiments.spec import LINES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from diva.experiments.averages import Average
    from diva.experiments.spec import Experiment, Measure

COLOURS = {
    "naive": "#8c8c8c",
    "min-choice": "#0072b2",
    "max-fanout": "#e69f00",
    "k-member": "#009e73",
    "lattice": "#c2185b",
}
"""Told apart by people who see few colours, too (after Okabe and Ito); the shapes differ as well."""
SHAPES = {
    "naive": "circle",
    "min-choice": "square",
    "max-fanout": "triangle-up",
    "k-member": "diamond",
    "lattice": "cross",
}
X_TITLES = {
    "k": "k",
    "rate": "conflict rate cf(Σ), as wanted",
    "constraints": "|Σ|",
    "rows": "|R|",
    "table": "distribution",
}
Y_TITLES = {
    "accuracy": "accuracy, disc(R″)/disc(R′)",
    "seconds": "processor seconds (log)",
    "normalised_discernibility": "disc(R′)/|R′|² (log)",
    "stars": "stars (log)",
}
_WIDTH, _HEIGHT = 250, 210


def figure(experiment: Experiment, found: Sequence[Average]) -> dict[str, Any]:
    """The figure: a panel for each measure, table and class, side by side."""
    panels = list(dict.fromkeys(_panel(experiment, a) for a in found))
    lines = [line for line in experiment.lines if any(a.line == line for a in found)]
    content = [
        _chart(experiment, measure, panel, lines, found)
        for measure in experiment.measures
        for panel in panels
    ]
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "title": {
            "text": f"{_number(experiment)}: {experiment.title}",
            "anchor": "start",
            "fontSize": 15,
            "offset": 12,
        },
        "hconcat": content,
        "spacing": 34,
        "background": "white",
        "padding": 12,
        "config": {
            "font": "DejaVu Sans, Helvetica, Arial, sans-serif",
            "axis": {
                "labelFontSize": 11,
                "titleFontSize": 12,
                "titleFontWeight": "normal",
                "gridColor": "#e5e5e5",
            },
            "legend": {
                "labelFontSize": 12,
                "symbolSize": 90,
                "symbolStrokeWidth": 2,
                "title": None,
                "orient": "right",
            },
            "title": {"fontSize": 12, "fontWeight": "normal"},
            "view": {"stroke": "#bbbbbb"},
        },
    }


def _number(experiment: Experiment) -> str:
    return f"Exp-{experiment.name.removeprefix('exp')}"


def _panel(experiment: Experiment, average: Average) -> tuple[str, str]:
    """Where the table is on the x axis, all tables share a panel."""
    return ("", average.kind) if experiment.x == "table" else average.panel


def _chart(
    experiment: Experiment,
    measure: Measure,
    panel: tuple[str, str],
    lines: Sequence[str],
    found: Sequence[Average],
) -> dict[str, Any]:
    values = [
        {
            "x": _value(a.x),
            "line": a.line,
            "y": _rounded(a.mean[measure]),
            "least": _rounded(a.least[measure]),
            "most": _rounded(a.most[measure]),
            "found": a.found,
            "runs": a.runs,
        }
        for a in found
        if _panel(experiment, a) == panel and measure in a.mean
    ]
    x = _x(experiment, sorted({v["x"] for v in values}) if experiment.x != "table" else [])
    base = {"x": x, "color": _scale(lines, COLOURS) | {"legend": {"symbolOpacity": 1}}}
    y = _y(measure)
    return {
        "title": _title(experiment, panel, measure),
        "width": _WIDTH,
        "height": _HEIGHT,
        "data": {"values": values},
        "layer": [
            {
                "mark": {"type": "rule", "opacity": 0.35, "strokeWidth": 2},
                "encoding": base | {"y": y | {"field": "least"}, "y2": {"field": "most"}},
            },
            {"mark": {"type": "line", "strokeWidth": 2}, "encoding": base | {"y": y}},
            {
                "mark": {"type": "point", "filled": True, "size": 70, "opacity": 1},
                "encoding": base
                | {
                    "y": y,
                    "shape": _scale(lines, SHAPES),
                    "tooltip": [{"field": f} for f in ("line", "x", "y", "least", "most", "found", "runs")],
                },
            },
        ],
    }


def _title(experiment: Experiment, panel: tuple[str, str], measure: Measure) -> str:
    table, kind = panel
    name = table.replace("-", " ").title() if table else "Pop-Syn"
    return f"{name}, {kind}" if len(experiment.measures) == 1 else f"{name}, {_short(measure)}"


def _short(measure: Measure) -> str:
    return {"seconds": "time", "normalised_discernibility": "disc"}.get(measure, measure)


def _x(experiment: Experiment, ticks: Sequence[Any]) -> dict[str, Any]:
    if experiment.x == "table":
        order = [t.removeprefix("pop-syn-") for t in experiment.full.parameters["table"]]
        return {
            "field": "x",
            "type": "ordinal",
            "sort": order,
            "title": X_TITLES["table"],
            "axis": {"labelAngle": 0},
        }
    form = {"format": "~s"} if experiment.x == "rows" else {}
    axis = {"values": list(ticks), "labelOverlap": True} | form
    return {
        "field": "x",
        "type": "quantitative",
        "title": X_TITLES[experiment.x],
        "axis": axis,
        "scale": {"zero": experiment.x == "rate", "padding": 12},
    }


def _y(measure: Measure) -> dict[str, Any]:
    scale = (
        {"zero": True, "nice": True}
        if measure == "accuracy"
        else {"type": "log", "nice": False, "padding": 8}
    )
    axis: dict[str, Any] = {"tickCount": 5}
    if measure != "accuracy":
        axis |= {"format": "~g"}
    return {"field": "y", "type": "quantitative", "title": Y_TITLES[measure], "scale": scale, "axis": axis}


def _scale(lines: Sequence[str], looks: dict[str, str]) -> dict[str, Any]:
    shown = [line for line in LINES if line in lines]
    return {
        "field": "line",
        "type": "nominal",
        "scale": {"domain": shown, "range": [looks[line] for line in shown]},
    }


def _value(x: Any) -> Any:
    return x.removeprefix("pop-syn-") if isinstance(x, str) else x


def _rounded(value: float) -> float:
    return float(f"{value:.5g}")


def as_text(spec: dict[str, Any]) -> str:
    """The figure as a file."""
    return json.dumps(spec, ensure_ascii=False, indent=1) + "\n"
