"""Pictures of a figure, by vl-convert, which brings its own Vega-Lite and needs no browser and no network."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

FORMATS = ("svg", "png")
_ZOOM = 2.0


def can_draw() -> bool:
    """Whether vl-convert is installed (the extra `experiments`)."""
    return find_spec("vl_convert") is not None


def draw(spec: dict[str, Any], path: Path, form: str) -> None:
    """Draw a figure as SVG or PNG."""
    import vl_convert  # noqa: PLC0415 - an extra

    if form == "svg":
        path.write_text(vl_convert.vegalite_to_svg(spec), encoding="utf-8")
    else:
        path.write_bytes(vl_convert.vegalite_to_png(spec, scale=_ZOOM))
