"""What a threshold trades: ROC, precision against recall, and detection errors, one line for each classifier."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from germane.output.plots.curves import DASHES, OTHERS, UNIT
from germane.output.plots.theme import Rows, Spec, spec, tooltips

SIZE = 360
"""Both axes are equally long: a step in one direction looks as large as one in the other."""

PERCENT: Spec = {"format": ".0%", "tickCount": 5, "labelFlush": False}


def roc(
    rows: Rows, series: Sequence[str], *, hull: Rows = (), point: Rows | None = None, title: str = "", width: int = SIZE
) -> Spec:
    """Rows: system, series, fpr, tpr, threshold, place; hull: fpr, tpr; point, if there is one: fpr, tpr, said."""
    x: Spec = {"field": "fpr", "type": "quantitative", "title": "false positive rate", "scale": UNIT, "axis": PERCENT}
    y: Spec = {"field": "tpr", "type": "quantitative", "title": "true positive rate", "scale": UNIT, "axis": PERCENT}
    chance = {"data": {"values": [{"fpr": 0, "tpr": 0}, {"fpr": 1, "tpr": 1}]}, **_reference(x, y)}
    return _square(
        "ROC curve: true against false positive rate at every threshold; the dashed diagonal is chance, "
        "the thin line the convex hull.",
        width,
        {"rows": rows, "hull": hull, "point": point or ()},
        [
            chance,
            {
                "data": {"name": "hull"},
                "mark": {"type": "line", "style": "muted-line", "aria": False},
                "encoding": {"x": x, "y": y, "detail": {"field": "system"}, "order": {"field": "place"}},
            },
            *_lines(x, y, series, tooltips(system="classifier", fpr="FPR#", tpr="TPR#", threshold="threshold")),
            *_point("fpr", "tpr", point),
        ],
        title,
    )


def precision_recall(
    rows: Rows,
    series: Sequence[str],
    *,
    contours: Rows,
    baseline: Rows = (),
    point: Rows | None = None,
    title: str = "",
    width: int = SIZE,
) -> Spec:
    """Rows: system, series, recall, precision, threshold, place; contours: F1, recall, precision; baseline: precision.

    Drawn in steps: between two points no threshold reaches anything.
    """
    x: Spec = {"field": "recall", "type": "quantitative", "title": "recall", "scale": UNIT, "axis": PERCENT}
    y: Spec = {"field": "precision", "type": "quantitative", "title": "precision", "scale": UNIT, "axis": PERCENT}
    ends = {"calculate": "'F1 ' + format(datum.F1, '.1f')", "as": "said"}
    return _square(
        "Precision against recall at every threshold, in steps; thin lines join points of equal F1, "
        "the dashed line is the prevalence, which is chance.",
        width,
        {"rows": rows, "contours": contours, "baseline": baseline, "point": point or ()},
        [
            {
                "data": {"name": "contours"},
                "mark": {"type": "line", "style": "muted-line", "aria": False},
                "encoding": {"x": x, "y": y, "detail": {"field": "F1"}},
            },
            {
                "data": {"name": "contours"},
                "transform": [{"filter": "datum.recall == 1"}, ends],
                "mark": {"type": "text", "style": "letters", "align": "left", "dx": 5, "aria": False},
                "encoding": {"x": x, "y": y, "text": {"field": "said"}},
            },
            {
                "data": {"name": "baseline"},
                "mark": {"type": "rule", "strokeDash": [4, 4], "aria": False},
                "encoding": {"y": y},
            },
            *_lines(
                x,
                y,
                series,
                tooltips(system="classifier", recall="recall#", precision="precision#", threshold="threshold"),
                interpolate="step-before",
            ),
            *_point("recall", "precision", point),
        ],
        title,
    )


def det(
    rows: Rows,
    series: Sequence[str],
    *,
    axis: Mapping[str, Any],
    point: Rows | None = None,
    title: str = "",
    width: int = SIZE,
) -> Spec:
    """Rows: system, series, x, y (both on the probit scale), FPR, FNR, threshold, place. `axis`: ticks, labels, domain.

    Vega-Lite has no probit scale: the rows are on it already, and the axes say what their ticks mean.
    """
    said = f"{list(axis['labels'])}[indexof({list(axis['ticks'])}, datum.value)]"
    ticks: Spec = {
        "values": list(axis["ticks"]),
        "tickCount": len(axis["ticks"]),  # else Vega leaves every other one out where there is little room
        "labelExpr": said,
        "labelOverlap": False,
        "labelFontSize": 10,
    }
    scale: Spec = {"domain": list(axis["domain"]), "nice": False, "zero": False}
    x: Spec = {"field": "x", "type": "quantitative", "title": "false alarms, FPR in %", "scale": scale, "axis": ticks}
    y: Spec = {"field": "y", "type": "quantitative", "title": "misses, FNR in %", "scale": scale, "axis": ticks}
    ends = [{"x": end, "y": end} for end in axis["domain"]]
    shown = tooltips(system="classifier", FPR="FPR#", FNR="FNR#", threshold="threshold")
    return _square(
        "DET curve: misses against false alarms on probit axes; the dashed diagonal is where both are equal.",
        width,
        {"rows": rows, "point": point or ()},
        [{"data": {"values": ends}, **_reference(x, y)}, *_lines(x, y, series, shown), *_point("x", "y", point)],
        title,
    )


def _square(description: str, width: int, datasets: Mapping[str, Rows], layer: list[Spec], title: str) -> Spec:
    return spec(
        description,
        width=width,
        height=width,
        **({"title": title} if title else {}),
        datasets={name: list(rows) for name, rows in datasets.items()},
        data={"name": "rows"},
        layer=layer,
    )


def _reference(x: Spec, y: Spec) -> Spec:
    """A line to hold the others against."""
    dashed: Spec = {"type": "line", "strokeDash": [4, 4], "strokeWidth": 1, "style": "zero", "aria": False}
    return {"mark": dashed, "encoding": {"x": x, "y": y}}


def _lines(x: Spec, y: Spec, series: Sequence[str], tooltip: list[Spec], **mark: Any) -> list[Spec]:
    """A line for each classifier; those without a colour of their own stay grey behind."""
    encoding = {"x": x, "y": y, "detail": {"field": "system"}, "order": {"field": "place"}}
    scale: Spec = {"domain": list(series)}
    legend: Spec = {"symbolType": "stroke", "symbolSize": 300, "columns": 1, "labelLimit": 300, "offset": 8}
    own = {
        "color": {"field": "series", "type": "nominal", "scale": scale, "title": None, "legend": legend},
        "strokeDash": {
            "field": "series",
            "type": "nominal",
            "scale": {**scale, "range": DASHES[: max(len(series), 1)]},
            "title": None,
        },
    }
    return [
        {
            "transform": [{"filter": f"datum.series == '{OTHERS}'"}],
            "mark": {"type": "line", "style": "muted-line", "aria": False, "clip": True, **mark},
            "encoding": encoding,
        },
        {
            "transform": [{"filter": f"datum.series != '{OTHERS}'"}],
            "mark": {"type": "line", "clip": True, **mark},
            "encoding": {**encoding, **own, "tooltip": tooltip},
        },
    ]


def _point(x: str, y: str, rows: Rows | None) -> list[Spec]:
    """The operating point, if there is to be one: a ring, so that the curve is seen through it.

    `said` is what a screen reader reads; a `hidden` one lies outside of the figure, and is not seen.
    """
    if rows is None:
        return []
    return [
        {
            "data": {"name": "point"},
            "mark": {"type": "point", "style": "operating", "size": 130, "filled": False, "strokeWidth": 3},
            "encoding": {
                "x": {"field": x, "type": "quantitative"},
                "y": {"field": y, "type": "quantitative"},
                "opacity": {"condition": {"test": "datum.hidden", "value": 0}, "value": 1},
                "description": {"field": "said", "type": "nominal"},
                "tooltip": {"field": "said", "type": "nominal", "title": "operating point"},
            },
        }
    ]
