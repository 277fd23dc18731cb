"""Trade-off curves: ROC, precision-recall and DET, one line for each classifier."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from germane.output.plots.curves import OWN_LEGENDS, UNIT, has_others, series_layers
from germane.output.plots.theme import Rows, Spec, amount, layer, name, spec, tooltips

SIZE = 360
"""Both axes are equally long: a step in one direction looks as large as one in the other."""

PERCENT: Spec = {"format": "~%", "tickCount": 5, "labelFlush": False}


def roc(rows: Rows, series: Sequence[str], *, hull: Rows = (), point: Rows | None = None, width: int = SIZE) -> Spec:
    """Rows: system, series, fpr, tpr, threshold, place; hull: fpr, tpr; point, if there is one: fpr, tpr, said."""
    x = amount("fpr", title="false positive rate", scale=UNIT, axis=PERCENT)
    y = amount("tpr", title="true positive rate", scale=UNIT, axis=PERCENT)
    around = {"x": x, "y": y, "detail": {"field": "system"}, "order": {"field": "place"}}
    shown = tooltips(system="classifier", fpr="FPR#", tpr="TPR#", threshold="threshold")
    return spec(
        "ROC curve: true vs. false positive rate at every threshold; the dashed diagonal is chance, "
        "the thin line the convex hull.",
        rows,
        width=width,
        height=width,
        datasets={"hull": hull, "point": point},
        layer=[
            reference_line([{"fpr": 0, "tpr": 0}, {"fpr": 1, "tpr": 1}], x, y),
            layer("line", around, data="hull", style="muted-line", clip=True, aria=False),
            *classifier_lines(rows, x, y, series, shown),
            *_point("fpr", "tpr", point),
        ],
        resolve=OWN_LEGENDS,
    )


def precision_recall(
    rows: Rows,
    series: Sequence[str],
    *,
    contours: Rows,
    baseline: Rows = (),
    point: Rows | None = None,
    width: int = SIZE,
) -> Spec:
    """Rows: system, series, recall, precision, threshold, place; contours: F1, recall, precision; baseline: precision.

    Drawn in steps: between two points no threshold reaches anything.
    """
    x, y = (amount(each, title=each, scale=UNIT, axis=PERCENT) for each in ("recall", "precision"))
    ends = {"calculate": "'F1 ' + format(datum.F1, '~g')", "as": "said"}
    equal = {"x": x, "y": y, "detail": {"field": "F1"}}
    named = {"x": x, "y": y, "text": {"field": "said"}}
    shown = tooltips(system="classifier", recall="recall#", precision="precision#", threshold="threshold")
    labels = layer(
        "text", named, data="contours", where="datum.recall == 1", style="letters", align="left", dx=5, aria=False
    )
    labels["transform"].append(ends)
    return spec(
        "Precision vs. recall at every threshold, in steps; thin lines join points of equal F1, "
        "the dashed line is the prevalence, which is chance.",
        rows,
        width=width,
        height=width,
        datasets={"contours": contours, "baseline": baseline, "point": point},
        layer=[
            layer("line", equal, data="contours", style="muted-line", clip=True, aria=False),
            labels,
            layer("rule", {"y": y}, data="baseline", strokeDash=[4, 4], clip=True, aria=False),
            *classifier_lines(rows, x, y, series, shown, interpolate="step-before"),
            *_point("recall", "precision", point),
        ],
        resolve=OWN_LEGENDS,
    )


def det(
    rows: Rows,
    series: Sequence[str],
    *,
    axis: Mapping[str, Any],
    point: Rows | None = None,
    width: int = SIZE,
) -> Spec:
    """Rows: system, series, x, y (both on the probit scale), FPR, FNR, threshold, place. `axis`: ticks, labels, domain.

    Vega-Lite has no probit scale: the rows are on it already, and the axes say what their ticks mean.
    """
    ticks: Spec = {
        "values": list(axis["ticks"]),
        "tickCount": len(axis["ticks"]),  # else Vega leaves every other one out where there is little room
        "labelExpr": f"{list(axis['labels'])}[indexof({list(axis['ticks'])}, datum.value)]",
        "labelOverlap": False,
        "labelFontSize": 11,
    }
    scale: Spec = {"domain": list(axis["domain"]), "nice": False, "zero": False}
    x = amount("x", title="false alarm rate (FPR, %)", scale=scale, axis=ticks)
    y = amount("y", title="miss rate (FNR, %)", scale=scale, axis=ticks)
    equal = reference_line([{"x": end, "y": end} for end in axis["domain"]], x, y)
    shown = tooltips(system="classifier", FPR="FPR#", FNR="FNR#", threshold="threshold")
    return spec(
        "DET curve: miss rate vs. false alarm rate on probit axes; both are equal on the dashed diagonal.",
        rows,
        width=width,
        height=width,
        datasets={"point": point},
        layer=[equal, *classifier_lines(rows, x, y, series, shown), *_point("x", "y", point)],
        resolve=OWN_LEGENDS,
    )


def reference_line(rows: Rows, x: Spec, y: Spec) -> Spec:
    """Draw a dashed line to compare others with."""
    dashed = layer("line", {"x": x, "y": y}, strokeDash=[4, 4], strokeWidth=1, style="zero", clip=True, aria=False)
    return {"data": {"values": rows}, **dashed}


def classifier_lines(
    rows: Rows, x: Spec, y: Spec, series: Sequence[str], tooltip: list[Spec], **look: Any
) -> list[Spec]:
    """A line for each classifier; those without a colour of their own stay grey behind."""
    encoding = {"x": x, "y": y, "detail": {"field": "system"}, "order": {"field": "place"}, "tooltip": tooltip}
    mark = {"clip": True, **look}
    return series_layers(
        encoding, series, has_others(rows), {"aria": False, **mark}, mark, columns=1, labelLimit=300, offset=8
    )


def _point(x: str, y: str, rows: Rows | None) -> list[Spec]:
    """The operating point, if there is to be one: a ring, so that the curve is seen through it.

    `said` is what a screen reader reads; a `hidden` one lies outside of the figure, and is not seen.
    """
    encoding = {
        "x": amount(x),
        "y": amount(y),
        "opacity": {"condition": {"test": "datum.hidden", "value": 0}, "value": 1},
        "description": name("said"),
        "tooltip": name("said", title="operating point"),
    }
    ring = layer("point", encoding, data="point", style="operating", size=130, filled=False, strokeWidth=3)
    return [] if rows is None else [ring]
