"""Lines: precision against recall, averaged or of one query, and what else runs along an axis."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from germane.output.plots.theme import Rows, Spec, amount, layer, name, spec, tooltips

OTHERS = "others"
DASHES = [[1, 0], [7, 3], [2, 2], [8, 3, 2, 3], [4, 4], [12, 3], [1, 3]]
"""Lines differ in their dashes too: not everybody tells the colours apart."""

MARKED = 100
"""So many points can be told apart; more would hide the lines."""

UNIT: Spec = {"domain": [0, 1]}


def interpolated_precision(rows: Rows, series: Sequence[str], *, width: int | str = 560) -> Spec:
    """Interpolated precision at the eleven levels. Rows: system, recall, precision, series."""
    said = "Interpolated precision at eleven levels of recall, one line for each system."
    return _precision_recall(said, rows, series, width, points=True)


def precision_recall(rows: Rows, series: Sequence[str], *, width: int | str = 560) -> Spec:
    """The full curve: all the points, with a mark each if they are few. Rows: system, recall, precision, series."""
    said = "Precision against recall, one line for each system."
    return _precision_recall(said, rows, series, width, points=0 < len(rows) <= MARKED)


def _precision_recall(description: str, rows: Rows, series: Sequence[str], width: int | str, *, points: bool) -> Spec:
    x, y = (amount(each, title=each, scale=UNIT) for each in ("recall", "precision"))
    shown = tooltips(system="system", recall="recall#", precision="precision#")
    return lines(description, rows, series, width=width, points=points, x=x, y=y, tooltip=shown)


def coverage(rows: Rows, series: Sequence[str], *, width: int | str = 560) -> Spec:
    """The share of judged documents down to each cutoff. Rows: system, k, judged, series."""
    return lines(
        "The share of judged documents down to each rank, one line for each system.",
        rows,
        series,
        width=width,
        x={"field": "k", "type": "ordinal", "title": "down to rank k", "axis": {"labelAngle": 0}},
        y=amount("judged", title="share judged", scale=UNIT),
        tooltip=tooltips(system="system", k="down to rank", judged="judged#"),
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
    own = {**encoding, **by_series(series)}
    layers = [
        layer("line", encoding, where=f"datum.series == '{OTHERS}'", style="muted-line", aria=False),
        layer("line", own, where=f"datum.series != '{OTHERS}'", point=points, clip=False),
    ]
    return spec(description, rows, width=width, height=360, layer=layers)


def by_series(series: Sequence[str], **legend: Any) -> Spec:
    """The channels that tell lines apart: colour and dash."""
    scale: Spec = {"domain": list(series)}
    dashes = {**scale, "range": DASHES[: max(len(series), 1)]}
    strokes = {"symbolType": "stroke", "symbolSize": 300, **legend}
    return {
        "color": name("series", scale=scale, title=None, legend=strokes),
        "strokeDash": name("series", scale=dashes, title=None),
    }
