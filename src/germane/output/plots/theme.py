"""Theme of all figures: type, lines, and palettes that hold in grey and for colour-blind readers."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"

Spec = dict[str, Any]
Rows = Sequence[Mapping[str, Any]]

# Each step in lightness is about 10 L*, so that the colours stay apart on a grey printer and for readers who confuse
# hues; tests/output/test_palette.py simulates both.
LIGHT_PALETTE = ("#2a57a2", "#f06308", "#3d0b69", "#1c8668", "#850e3f", "#0a1018")
DARK_PALETTE = ("#59a4ec", "#e8b73e", "#9349b6", "#99f1ad", "#f13f3b", "#fffef7")
MUTED = "#8a8f99"
"""Colour of lines without a colour of their own, legible on light and dark pages."""

FONT = "system-ui, -apple-system, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif"
LABEL_LIMIT, LEGEND_LIMIT = 170, 300
"""Maximum width of a name in pixels: names may be ten thousand characters long."""
FEWEST_LETTERS = 4
"""Minimum width of a line of a name; a figure without room for it is refused when it is laid out."""
MAX_LINES = 3
"""Maximum number of lines of a name."""


def config(*, dark: bool = False) -> Spec:
    """Vega-Lite's config for all figures.

    >>> config(dark=True)["range"]["category"][0]
    '#59a4ec'
    """
    ink, faint, line = ("#e8e6e1", "#b4b0a8", "#33373f") if dark else ("#1d1f24", "#565b66", "#e4e6ea")
    palette = list(DARK_PALETTE if dark else LIGHT_PALETTE)
    return {
        "background": "transparent",
        "font": FONT,
        "padding": 4,
        "view": {"stroke": None},
        "axis": {
            "domain": False,
            "grid": True,
            "gridColor": line,
            "gridWidth": 1,
            "ticks": False,
            "labelColor": faint,
            "labelFontSize": 12,
            "labelLimit": LABEL_LIMIT,
            "labelPadding": 6,
            "labelSeparation": 8,
            # The first and the last label stand at their lines, as the others do.
            "labelBound": False,
            "labelFlush": False,
            "titleColor": faint,
            "titleFontSize": 12,
            "titleFontWeight": "normal",
            "titlePadding": 8,
        },
        "axisQuantitative": {"tickCount": 8},
        "axisBand": {"grid": False, "labelColor": ink},
        "legend": {
            "labelColor": ink,
            "labelFontSize": 12,
            "labelLimit": LEGEND_LIMIT,
            "titleColor": faint,
            "titleFontSize": 12,
            "titleFontWeight": "normal",
            "orient": "top",
            "direction": "horizontal",
            "symbolStrokeWidth": 2.5,
            "columns": 4,
            "layout": {"top": {"direction": "vertical", "margin": 4}},
        },
        "title": {"color": ink, "fontSize": 14, "anchor": "start", "fontWeight": 600, "offset": 10},
        "text": {"color": ink, "fontSize": 12},
        "line": {"strokeWidth": 2},
        "point": {"size": 60, "filled": True, "opacity": 1},
        "rule": {"color": faint},
        "tick": {"color": palette[0], "thickness": 1.5},
        "bar": {"color": palette[0]},
        "mark": {"color": palette[0]},
        "range": {"category": palette, "diverging": [palette[1], palette[0]], "heatmap": _ramp(dark)},
        # Not "cell": so Vega-Lite calls the background of every view.
        "style": {
            "muted-line": {"color": MUTED, "strokeWidth": 1, "opacity": 0.45},
            "zero": {"color": faint, "strokeWidth": 1},
            "interval": {"color": palette[0], "strokeWidth": 2},
            "mean": {"color": palette[1], "filled": True, "opacity": 1},
            "outlined": {"color": palette[0], "stroke": palette[0], "strokeWidth": 2, "filled": True, "opacity": 1},
            "letters": {"color": faint, "fontSize": 11},
            "in-cell": {"color": ink, "fontSize": 10},
            "operating": {"color": ink, "stroke": ink},
            "zone": {"color": MUTED},
            "outline": {"color": ink, "stroke": ink},
        },
    }


def _ramp(dark: bool) -> list[str]:
    """From what is near the page to what is far from it: more ink is more."""
    if dark:
        return ["#1d232b", "#22394c", "#285573", "#2b6c99", "#2f7fb5"]  # white text is legible on all of it
    return ["#f3f7fa", "#c3dcec", "#7db4d6", "#2f7fb5", "#0b3f66"]


def spec(
    description: str,
    rows: Rows,
    *,
    width: int | str | Spec,
    height: int | str | Spec,
    title: object = "",
    datasets: Mapping[str, Rows | None] | None = None,
    **rest: Any,
) -> Spec:
    """The frame of every figure; its rows are in datasets of their own, so that a page can exchange them."""
    held = {"rows": rows, **(datasets or {})}
    frame: Spec = {"$schema": SCHEMA, "description": description, "width": width, "height": height}
    frame |= {"title": title} if title else {}
    frame |= {"datasets": {name: list(each or ()) for name, each in held.items()}, "data": {"name": "rows"}, **rest}
    if width == "container":
        frame["autosize"] = {"type": "fit-x", "contains": "padding"}
    return frame


def layer(mark: str, encoding: Spec, *, data: str = "", where: str = "", **look: Any) -> Spec:
    """One layer of a figure: a mark of this kind; `data` are its rows if not all the figure's, or those that `where`
    holds for."""
    return {
        **({"data": {"name": data}} if data else {}),
        **({"transform": [{"filter": where}]} if where else {}),
        "mark": {"type": mark, **look},
        "encoding": encoding,
    }


def wrapped_labels(names: Sequence[str], letters: int) -> Spec:
    """Properties of an axis or a legend that set names longer than this in up to three lines; none if all are short."""
    if all(len(name) <= letters for name in names):
        return {}
    lines = {
        name: textwrap.wrap(name, max(letters, FEWEST_LETTERS), max_lines=MAX_LINES, placeholder=" …") or [""]
        for name in names
    }
    return {"labelExpr": f"{json.dumps(lines)}[datum.label]"}


def amount(field: str, **rest: Any) -> Spec:
    """A channel that shows a number."""
    return {"field": field, "type": "quantitative", **rest}


def name(field: str, **rest: Any) -> Spec:
    """A channel that shows which one of several it is."""
    return {"field": field, "type": "nominal", **rest}


def tooltips(**titles: str) -> list[Spec]:
    """What is shown where a pointer rests: field=title; numbers are rounded for display, here and nowhere else."""
    return [
        {"field": field, "title": title.removesuffix("#"), **({"format": ".4f"} if title.endswith("#") else {})}
        for field, title in titles.items()
    ]
