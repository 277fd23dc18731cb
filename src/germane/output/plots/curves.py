"""Line figures: precision against recall, averaged or of one query, and coverage by rank."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from germane.output.plots.theme import MUTED, Rows, Spec, amount, layer, name, spec, tooltips, wrapped_labels

OTHERS = "others"
DASHES = [[1, 0], [7, 3], [2, 2], [8, 3, 2, 3], [4, 4], [12, 3], [1, 3]]
"""Dashes of lines, one more than there are colours: where the colours start again, the dashes do not."""
STROKES: Spec = {"symbolType": "stroke", "symbolSize": 900, "rowPadding": -10}
"""Symbols of lines in a legend: 30 pixels long, which shows the longest dash, and not 30 pixels high."""
LEGEND_LETTERS = 46
"""Number of letters of a name that fit a line of a legend."""
MAX_SERIES = 12
"""Maximum number of lines with a colour, a dash and a legend entry of their own: more would not be told apart."""

MARKED = 100
"""Maximum number of points drawn on curves; more would hide the lines."""

UNIT: Spec = {"domain": [0, 1]}


def interpolated_precision(rows: Rows, series: Sequence[str], *, width: int | str = 560) -> Spec:
    """Interpolated precision at the eleven levels. Rows: system, recall, precision, series."""
    said = "Interpolated precision at eleven levels of recall, one line for each system."
    return _precision_recall(said, rows, series, width, points=True)


def precision_recall(rows: Rows, series: Sequence[str], *, width: int | str = 560) -> Spec:
    """The full curve, with marks if the points are few. Rows: system, recall, precision, series."""
    said = "Precision vs. recall, one line for each system."
    return _precision_recall(said, rows, series, width, points=0 < len(rows) <= MARKED)


def _precision_recall(description: str, rows: Rows, series: Sequence[str], width: int | str, *, points: bool) -> Spec:
    x, y = (amount(each, title=each, scale=UNIT) for each in ("recall", "precision"))
    shown = tooltips(system="system", recall="recall#", precision="precision#")
    return lines(description, rows, series, width=width, points=points, x=x, y=y, tooltip=shown)


def coverage(rows: Rows, series: Sequence[str], *, width: int | str = 560) -> Spec:
    """The share of judged documents down to each cutoff. Rows: system, k, judged, series."""
    return lines(
        "Share of judged documents in the top k, one line for each system.",
        rows,
        series,
        width=width,
        x={"field": "k", "type": "ordinal", "title": "top k", "axis": {"labelAngle": 0}},
        y=amount("judged", title="share judged", scale=UNIT),
        tooltip=tooltips(system="system", k="top", judged="judged#"),
    )


def lines(
    description: str,
    rows: Rows,
    series: Sequence[str],
    *,
    width: int | str,
    x: Spec,
    y: Spec,
    tooltip: list[Spec],
    points: bool = True,
) -> Spec:
    """A line for each system. Those in `series` have a colour and a dash of their own, the rest stay grey behind."""
    encoding = {"x": x, "y": y, "detail": {"field": "system"}, "order": {"field": "place"}, "tooltip": tooltip}
    # A line that is pointed at is found by its points; Vega-Lite draws them where the mark asks for them.
    layers = series_layers(encoding, series, has_others(rows), {"aria": False}, {"point": points, "clip": False})
    return spec(description, rows, width=width, height=360, layer=layers, resolve=OWN_LEGENDS)


OWN_LEGENDS: Spec = {"scale": {"color": "independent", "strokeDash": "independent"}}
"""The grey lines have a legend of their own."""


def has_others(rows: Rows) -> bool:
    """Whether some lines stay grey, without a series of their own."""
    return any(row["series"] == OTHERS for row in rows)


def series_layers(
    encoding: Spec, series: Sequence[str], others: bool, muted: Spec, own: Spec, **legend: Any
) -> list[Spec]:
    """Two layers of lines: the grey ones behind, and those of `series`; with `others`, the grey ones have a legend too.

    `muted` and `own` are the looks of their marks; the figure resolves its scales by `OWN_LEGENDS`.
    """
    strokes = {**STROKES, **wrapped_labels(series, LEGEND_LETTERS), **legend}
    # A legend without entries has no size, and the figure then has none either.
    grey = {"color": name("series", scale={"domain": [OTHERS], "range": [MUTED]}, title=None, legend=strokes)}
    names: Spec = {"domain": list(series)}
    dashes = {**names, "range": [dash_of(i) for i in range(max(len(series), 1))]}
    coloured = {
        "color": name("series", scale=names, title=None, legend=strokes),
        "strokeDash": name("series", scale=dashes, title=None),
    }
    return [
        layer(
            "line",
            {**encoding, **(grey if others else {})},
            where=f"datum.series == '{OTHERS}'",
            style="muted-line",
            **muted,
        ),
        layer("line", {**encoding, **coloured}, where=f"datum.series != '{OTHERS}'", **own),
    ]


def dash_of(place: int) -> list[int]:
    """Return the dash of a series by its place in the legend."""
    return DASHES[place % len(DASHES)]
