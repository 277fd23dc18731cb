"""Lines: precision against recall, averaged or of one query, and what else runs along an axis."""

from __future__ import annotations

from collections.abc import Sequence

from germane.output.plots.theme import Rows, Spec, spec, tooltips

OTHERS = "others"
DASHES = [[1, 0], [7, 3], [2, 2], [8, 3, 2, 3], [4, 4], [12, 3], [1, 3]]
"""Lines differ in their dashes too: not everybody tells the colours apart."""

MARKED = 100
"""So many points can be told apart; more would hide the lines."""

UNIT: Spec = {"domain": [0, 1]}


def interpolated_precision(rows: Rows, series: Sequence[str], *, width: int | str = 560) -> Spec:
    """Interpolated precision at the eleven levels. Rows: system, recall, precision, series."""
    return _precision_recall(
        "Interpolated precision at eleven levels of recall, one line for each system.",
        rows,
        series,
        width,
        {"type": "line", "point": True},
    )


def precision_recall(rows: Rows, series: Sequence[str], *, width: int | str = 560) -> Spec:
    """The full curve: all the points, with a mark each if they are few. Rows: system, recall, precision, series."""
    mark = {"type": "line", "point": 0 < len(rows) <= MARKED}
    return _precision_recall("Precision against recall, one line for each system.", rows, series, width, mark)


def _precision_recall(description: str, rows: Rows, series: Sequence[str], width: int | str, mark: Spec) -> Spec:
    return lines(
        description,
        rows,
        series,
        width=width,
        mark=mark,
        x={"field": "recall", "type": "quantitative", "title": "recall", "scale": UNIT},
        y={"field": "precision", "type": "quantitative", "title": "precision", "scale": UNIT},
        tooltip=tooltips(system="system", recall="recall#", precision="precision#"),
    )


def coverage(rows: Rows, series: Sequence[str], *, width: int | str = 560) -> Spec:
    """The share of judged documents down to each cutoff. Rows: system, k, judged, series."""
    return lines(
        "The share of judged documents down to each rank, one line for each system.",
        rows,
        series,
        width=width,
        mark={"type": "line", "point": True},
        x={"field": "k", "type": "ordinal", "title": "down to rank k", "axis": {"labelAngle": 0}},
        y={"field": "judged", "type": "quantitative", "title": "share judged", "scale": UNIT},
        tooltip=tooltips(system="system", k="down to rank", judged="judged#"),
    )


def lines(
    description: str,
    rows: Rows,
    series: Sequence[str],
    *,
    width: int | str,
    mark: Spec,
    x: Spec,
    y: Spec,
    tooltip: list[Spec],
) -> Spec:
    """A line for each system. Those in `series` have a colour and a dash of their own, the rest stay grey behind."""
    encoding = {"x": x, "y": y, "detail": {"field": "system"}, "order": {"field": "place"}, "tooltip": tooltip}
    scale: Spec = {"domain": list(series)}
    # A line that is pointed at is found by its points; Vega-Lite draws them where the mark asks for them.
    return spec(
        description,
        width=width,
        height=360,
        datasets={"rows": list(rows)},
        data={"name": "rows"},
        layer=[
            {
                "transform": [{"filter": f"datum.series == '{OTHERS}'"}],
                "mark": {"type": "line", "style": "muted-line", "aria": False},
                "encoding": encoding,
            },
            {
                "transform": [{"filter": f"datum.series != '{OTHERS}'"}],
                "mark": {**mark, "clip": False},
                "encoding": {
                    **encoding,
                    "color": {
                        "field": "series",
                        "type": "nominal",
                        "scale": scale,
                        "title": None,
                        "legend": {"symbolType": "stroke", "symbolSize": 300},
                    },
                    "strokeDash": {
                        "field": "series",
                        "type": "nominal",
                        "scale": {**scale, "range": DASHES[: max(len(series), 1)]},
                        "title": None,
                    },
                },
            },
        ],
    )
