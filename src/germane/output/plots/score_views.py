"""What scores look like: densities of both classes, rates along the threshold, calibration."""

from __future__ import annotations

from collections.abc import Sequence

from germane.output.plots.curves import DASHES, UNIT
from germane.output.plots.theme import Rows, Spec, spec, tooltips

LEFT = 48
"""Room for the labels of the axis on the left, the same in figures that stand above each other."""

SIDES: Spec = {"symbolType": "square", "title": None}
_SCORE: Spec = {
    "field": "start",
    "type": "quantitative",
    "title": "score",
    "scale": {"nice": False, "zero": False},
    "axis": {"grid": False, "tickCount": 8},
}


def density(rows: Rows, smooth: Rows, sides: Sequence[str], *, width: int | str = 560) -> Spec:
    """Both densities, each of area 1. Rows: side, start, end, density (in bins); smooth: side, score, density."""
    colour: Spec = {"field": "side", "type": "nominal", "scale": {"domain": list(sides)}, "legend": SIDES}
    y: Spec = {"field": "density", "type": "quantitative", "title": "density"}
    return spec(
        "Densities of the scores of positives and of negatives: bars count, lines are smoothed.",
        width=width,
        height=260,
        datasets={"rows": list(rows), "smooth": list(smooth)},
        data={"name": "rows"},
        layer=[
            {
                "mark": {"type": "rect", "opacity": 0.35, "aria": False},
                "encoding": {
                    "x": _SCORE,
                    "x2": {"field": "end"},
                    "y": y,
                    "y2": {"datum": 0},
                    "color": colour,
                    "tooltip": tooltips(side="class", start="from#", end="to#", density="density#"),
                },
            },
            {
                "data": {"name": "smooth"},
                "mark": {"type": "line"},
                "encoding": {
                    "x": {"field": "score", "type": "quantitative"},
                    "y": y,
                    "color": colour,
                    "strokeDash": {
                        "field": "side",
                        "type": "nominal",
                        "scale": {"domain": list(sides), "range": DASHES[:2]},
                        "legend": SIDES,
                    },
                },
            },
        ],
    )


def mirrored_density(
    rows: Rows, sides: Sequence[str], *, rule: Rows | None = None, zone: Rows | None = None, width: int | str = 560
) -> Spec:
    """Positives up, negatives down; each covers the share of its class. Rows: side, start, end, density.

    `rule` holds the threshold, `zone` the start and end of what is undecided; without them there is no layer for them.
    """
    x = _SCORE
    return spec(
        "Densities of the scores, positives upward and negatives downward, each covering the share of its class; "
        "the line is the threshold, the shaded zone is undecided.",
        width=width,
        height=220,
        datasets={"rows": list(rows), "rule": list(rule or ()), "zone": list(zone or ())},
        data={"name": "rows"},
        layer=[
            *([] if zone is None else [_undecided(x)]),
            {
                "mark": {"type": "rect", "opacity": 0.75},
                "encoding": {
                    "x": x,
                    "x2": {"field": "end"},
                    "y": {
                        "field": "density",
                        "type": "quantitative",
                        "title": "density",
                        "axis": {"labelExpr": "format(abs(datum.value), '~g')", "minExtent": LEFT, "tickCount": 5},
                    },
                    "y2": {"datum": 0},
                    "color": {"field": "side", "type": "nominal", "scale": {"domain": list(sides)}, "legend": SIDES},
                    "tooltip": tooltips(side="class", start="from#", end="to#"),
                },
            },
            {"mark": {"type": "rule", "style": "zero", "aria": False}, "encoding": {"y": {"datum": 0}}},
            *([] if rule is None else [_threshold_rule()]),
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
    by_rate: Spec = {"field": "rate", "type": "nominal", "title": None, "scale": {"domain": list(rates)}}
    return spec(
        f"{', '.join(rates)} at every threshold.",
        width=width,
        height=200,
        datasets={"rows": list(rows), "rule": list(rule or ())},
        data={"name": "rows"},
        layer=[
            {
                "mark": {"type": "line", "interpolate": "step-before", "clip": True},
                "encoding": {
                    "x": {
                        "field": "threshold",
                        "type": "quantitative",
                        "title": "threshold",
                        "scale": scale,
                        "axis": {"grid": False, "tickCount": 8},
                    },
                    "y": {
                        "field": "value",
                        "type": "quantitative",
                        "title": "rate",
                        "scale": UNIT,
                        "axis": {"minExtent": LEFT, "format": ".0%", "tickCount": 5},
                    },
                    "color": {**by_rate, "legend": {"symbolType": "stroke", "symbolSize": 300}},
                    "strokeDash": {**by_rate, "scale": {"domain": list(rates), "range": DASHES[: len(rates)]}},
                    "tooltip": tooltips(rate="rate", threshold="threshold", value="value#"),
                },
            },
            *([] if rule is None else [_threshold_rule()]),
        ],
    )


def threshold_view(densities: Spec, rates: Spec, *, title: str) -> Spec:
    """The densities above the rates, on one axis of scores."""
    return _above(densities, rates, title)


def calibration(
    rows: Rows, band: Rows, *, level: float = 0.9, points: bool = False, width: int | str = 360, height: int = 360
) -> Spec:
    """The isotonic fit with the band of what true claims would give. Rows: claimed, fitted; band: claimed, low, high.

    Few `points` are marked: a line between two says nothing about what was never claimed.
    """
    x: Spec = {
        "field": "claimed",
        "type": "quantitative",
        "title": "claimed probability",
        "scale": UNIT,
        "axis": {"format": ".0%", "tickCount": 5, "labelFlush": False},
    }

    def y(field: str) -> Spec:
        axis = {"format": ".0%", "tickCount": 5, "minExtent": LEFT}
        return {"field": field, "type": "quantitative", "title": "share of positives", "scale": UNIT, "axis": axis}

    diagonal = [{"claimed": 0, "fitted": 0}, {"claimed": 1, "fitted": 1}]
    return spec(
        "Calibration: how often what was claimed with a probability came true (isotonic fit); "
        f"in the band lie {level * 100:g}% of the fits if every claim is true.",
        width=width,
        height=height,
        datasets={"rows": list(rows), "band": list(band)},
        data={"name": "rows"},
        layer=[
            {
                "data": {"name": "band"},
                "mark": {"type": "area", "opacity": 0.22, "aria": False},
                "encoding": {"x": x, "y": y("low"), "y2": {"field": "high"}},
            },
            {
                "data": {"values": diagonal},
                "mark": {"type": "line", "style": "zero", "strokeDash": [4, 4], "aria": False},
                "encoding": {"x": x, "y": y("fitted")},
            },
            {
                "mark": {"type": "line", **({"point": True} if points else {})},
                "encoding": {"x": x, "y": y("fitted"), "tooltip": tooltips(claimed="claimed#", fitted="came true#")},
            },
        ],
    )


def score_counts(rows: Rows, sides: Sequence[str], *, width: int | str = 360) -> Spec:
    """How many items claim what. Rows: side, start, end, count."""
    return spec(
        "Histogram of the claimed probabilities, positives upon negatives.",
        width=width,
        height=90,
        datasets={"rows": list(rows)},
        data={"name": "rows"},
        mark={"type": "bar", "binSpacing": 1},
        encoding={
            "x": {
                "field": "start",
                "bin": {"binned": True},
                "title": "claimed probability",
                "scale": UNIT,
                "axis": {"format": ".0%", "tickCount": 5, "grid": False, "labelFlush": False},
            },
            "x2": {"field": "end"},
            "y": {
                "field": "count",
                "type": "quantitative",
                "title": "items",
                "axis": {"minExtent": LEFT, "tickCount": 3, "format": "~s"},
            },
            "color": {"field": "side", "type": "nominal", "scale": {"domain": list(sides)}, "legend": SIDES},
            "order": {"field": "place"},
            "tooltip": tooltips(side="class", start="from#", end="to#", count="items"),
        },
    )


def calibration_view(curve: Spec, counts: Spec, *, title: str) -> Spec:
    """The calibration curve with the histogram of scores beneath."""
    return _above(curve, counts, title)


def _above(first: Spec, second: Spec, title: str) -> Spec:
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


def _undecided(x: Spec) -> Spec:
    return {
        "data": {"name": "zone"},
        "mark": {"type": "rect", "style": "zone", "opacity": 0.25, "aria": False},
        "encoding": {"x": x, "x2": {"field": "end"}},
    }


def _threshold_rule() -> Spec:
    return {
        "data": {"name": "rule"},
        "mark": {"type": "rule", "style": "operating", "strokeWidth": 2, "clip": True},
        "encoding": {
            "x": {"field": "threshold", "type": "quantitative"},
            "description": {"field": "said", "type": "nominal"},
            "tooltip": {"field": "said", "type": "nominal", "title": "threshold"},
        },
    }
