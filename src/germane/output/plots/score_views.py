"""Figures of scores: densities of both classes, rates by threshold, calibration."""

from __future__ import annotations

from collections.abc import Sequence

from germane.output.plots.curves import DASHES, STROKES, UNIT
from germane.output.plots.theme import Rows, Spec, amount, layer, name, spec, tooltips

LEFT = 48
"""Pixels for the labels of the left axis, the same in figures above each other."""

SPIKE = 10
"""Least ratio of a spike to the median height of a histogram."""

SIDES: Spec = {"symbolType": "square", "title": None}
_SCORE = amount("start", title="score", scale={"nice": False, "zero": False}, axis={"grid": False, "tickCount": 8})


def _by_side(sides: Sequence[str], **scale: object) -> Spec:
    return name("side", scale={"domain": list(sides), **scale}, legend=SIDES)


def _density_axis(rows: Rows, **axis: object) -> Spec:
    """The axis of a density; on a square-root scale, as its title says, where a few spikes would flatten the rest."""
    heights = sorted(abs(row["density"]) for row in rows if row["density"])
    spiky = bool(heights) and heights[-1] > SPIKE * heights[len(heights) // 2]
    root: Spec = {"title": "density (square-root scale)", "scale": {"type": "sqrt"}}
    return amount("density", axis=axis, **(root if spiky else {"title": "density"}))


def density(rows: Rows, smooth: Rows, sides: Sequence[str], *, width: int | str = 560) -> Spec:
    """Both densities, each of area 1. Rows: side, start, end, density (in bins); smooth: side, score, density."""
    y, colour = _density_axis(rows), _by_side(sides)
    shown = tooltips(side="class", start="from#", end="to#", density="density#")
    bars = {"x": _SCORE, "x2": {"field": "end"}, "y": y, "y2": {"datum": 0}, "color": colour, "tooltip": shown}
    lines = {"x": amount("score"), "y": y, "color": colour, "strokeDash": _by_side(sides, range=DASHES[:2])}
    return spec(
        "Densities of the scores of positives and of negatives: bars count, lines are smoothed.",
        rows,
        width=width,
        height=260,
        datasets={"smooth": smooth},
        layer=[layer("rect", bars, opacity=0.35, aria=False), layer("line", lines, data="smooth")],
    )


def mirrored_density(
    rows: Rows, sides: Sequence[str], *, rule: Rows | None = None, zone: Rows | None = None, width: int | str = 560
) -> Spec:
    """Positives up, negatives down; each covers the share of its class. Rows: side, start, end, density.

    `rule` holds the threshold, `zone` the start and end of what is undecided; without them there is no layer for them.
    """
    axis = {"labelExpr": "format(abs(datum.value), '~g')", "minExtent": LEFT, "tickCount": 5}
    along = {"x": _SCORE, "x2": {"field": "end"}}
    bars = {
        **along,
        "y": _density_axis(rows, **axis),
        "y2": {"datum": 0},
        "color": _by_side(sides),
        "tooltip": tooltips(side="class", start="from#", end="to#"),
    }
    undecided = layer("rect", along, data="zone", style="zone", opacity=0.25, aria=False)
    return spec(
        "Densities of the scores, positives upward and negatives downward, each covering the share of its class; "
        "the line is the threshold, the shaded zone is undecided.",
        rows,
        width=width,
        height=220,
        datasets={"rule": rule, "zone": zone},
        layer=[
            *([] if zone is None else [undecided]),
            layer("rect", bars, opacity=0.75),
            layer("rule", {"y": {"datum": 0}}, style="zero", aria=False),
            *_threshold(rule),
        ],
    )


def rates_along(
    rows: Rows,
    rates: Sequence[str],
    *,
    rule: Rows | None = None,
    domain: Sequence[float] | None = None,
    width: int | str = 560,
) -> Spec:
    """Rates as the threshold rises. Rows: rate, threshold, value."""
    scale: Spec = {"nice": False, "zero": False, **({"domain": list(domain)} if domain is not None else {})}
    percent = {"minExtent": LEFT, "format": ".0%", "tickCount": 5}
    by_rate = name("rate", title=None, scale={"domain": list(rates)})
    lines = {
        "x": amount("threshold", title="threshold", scale=scale, axis={"grid": False, "tickCount": 8}),
        "y": amount("value", title="rate", scale=UNIT, axis=percent),
        "color": {**by_rate, "legend": STROKES},
        "strokeDash": {**by_rate, "scale": {"domain": list(rates), "range": DASHES[: len(rates)]}},
        "tooltip": tooltips(rate="rate", threshold="threshold", value="value#"),
    }
    return spec(
        f"{', '.join(rates)} at every threshold.",
        rows,
        width=width,
        height=200,
        datasets={"rule": rule},
        layer=[layer("line", lines, interpolate="step-before", clip=True), *_threshold(rule)],
    )


def calibration(rows: Rows, band: Rows, *, level: float = 0.9, points: bool = False, width: int | str = 360) -> Spec:
    """The isotonic fit with the band of perfect calibration. Rows: claimed, fitted; band: claimed, low, high.

    Few `points` are marked: a line between two says nothing about probabilities that were not predicted.
    """
    percent: Spec = {"format": ".0%", "tickCount": 5}
    x = amount("claimed", title="predicted probability", scale=UNIT, axis={**percent, "labelFlush": False})
    low, fitted = (
        amount(field, title="share of positives", scale=UNIT, axis={**percent, "minExtent": LEFT})
        for field in ("low", "fitted")
    )
    diagonal = [{"claimed": 0, "fitted": 0}, {"claimed": 1, "fitted": 1}]
    fit = {"x": x, "y": fitted, "tooltip": tooltips(claimed="predicted probability#", fitted="share of positives#")}
    marked: Spec = {"point": True} if points else {}
    chance = layer("line", {"x": x, "y": fitted}, style="zero", strokeDash=[4, 4], aria=False)
    return spec(
        "Calibration: share of positives by predicted probability (isotonic fit); the band holds "
        f"{level * 100:g}% of the fits of perfectly calibrated predictions.",
        rows,
        width=width,
        height=360,
        datasets={"band": band},
        layer=[
            layer("area", {"x": x, "y": low, "y2": {"field": "high"}}, data="band", opacity=0.22, aria=False),
            {"data": {"values": diagonal}, **chance},
            layer("line", fit, **marked),
        ],
    )


def score_counts(rows: Rows, sides: Sequence[str], *, width: int | str = 360) -> Spec:
    """Distribution of predicted probabilities, positives up and negatives down. Rows: side, start, end, count, place.

    Most probabilities are close to 0 or 1; on a square-root scale the others can be seen too.
    """
    percent: Spec = {"format": ".0%", "tickCount": 5, "grid": False, "labelFlush": False}
    predicted = {"title": "predicted probability", "scale": UNIT, "axis": percent}
    axis = {"minExtent": LEFT, "tickCount": 4, "labelExpr": "format(abs(datum.value), '~s')"}
    bars = {
        "x": {"field": "start", "bin": {"binned": True}, **predicted},
        "x2": {"field": "end"},
        "y": amount("signed", title=["items", "(square-root scale)"], scale={"type": "sqrt"}, stack=None, axis=axis),
        "color": _by_side(sides),
        "tooltip": tooltips(side="class", start="from#", end="to#", count="items"),
    }
    return spec(
        "Histogram of the predicted probabilities, positives upward and negatives downward, on a square-root scale.",
        rows,
        width=width,
        height=140,
        transform=[{"calculate": "datum.place ? -datum.count : datum.count", "as": "signed"}],
        **layer("bar", bars, binSpacing=1),
    )


def above(first: Spec, second: Spec, *, title: Spec) -> Spec:
    """Two figures above each other; their datasets, which have the same names, stay apart."""
    parts = []
    datasets: Spec = {}
    for prefix, part in (("", first), ("lower-", second)):
        datasets |= {f"{prefix}{name}": rows for name, rows in part["datasets"].items()}
        parts.append(_renamed({k: v for k, v in part.items() if k not in ("$schema", "datasets", "autosize")}, prefix))
    return {
        "$schema": first["$schema"],
        "description": f"{first['description']} {second['description']}",
        "title": title,
        "datasets": datasets,
        "vconcat": parts,
        "resolve": {"scale": {"color": "independent", "strokeDash": "independent"}},
    }


def _renamed(part: Spec, prefix: str) -> Spec:
    found = dict(part)
    if "name" in found.get("data", {}):
        found["data"] = {"name": f"{prefix}{found['data']['name']}"}
    if "layer" in found:
        found["layer"] = [_renamed(layer, prefix) for layer in found["layer"]]
    return found


def _threshold(rule: Rows | None) -> list[Spec]:
    """The line at the threshold, where there is to be one."""
    encoding = {
        "x": amount("threshold"),
        "description": name("said"),
        "tooltip": name("said", title="threshold"),
    }
    line = layer("rule", encoding, data="rule", style="operating", strokeWidth=2, clip=True)
    return [] if rule is None else [line]
