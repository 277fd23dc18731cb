"""Figures of predicted numbers: against the true values, their errors, and the calibration of quantiles."""

from __future__ import annotations

from collections.abc import Sequence

from germane.output.plots.curves import UNIT
from germane.output.plots.theme import Rows, Spec, amount, layer, name, spec, tooltips

LOOSE: Spec = {"zero": False, "nice": False, "padding": 8}


def against_truth(rows: Rows, systems: Sequence[str], ends: Sequence[float], *, width: int | str = 420) -> Spec:
    """Each prediction against its true value, with equal axes. Rows: system, truth, predicted."""
    scale = {**LOOSE, "domain": list(ends)} if ends else LOOSE
    x = amount("truth", title="true value", scale=scale)
    y = amount("predicted", title="predicted value", scale=scale)
    diagonal = [{"truth": end, "predicted": end} for end in ends]
    shown = tooltips(system="predictions", row="row", truth="true value#", predicted="predicted value#")
    return spec(
        "Predicted against true values: one point for each item; on the diagonal a prediction is exact.",
        rows,
        width=width,
        height=420,
        layer=[
            {
                "data": {"values": diagonal},
                **layer("line", {"x": x, "y": y}, style="zero", strokeDash=[4, 4], aria=False),
            },
            layer("point", {"x": x, "y": y, **_by_system(systems), "tooltip": shown}, opacity=0.6, size=36),
        ],
    )


def errors(rows: Rows, systems: Sequence[str], *, width: int | str = 560) -> Spec:
    """Each error against the prediction. Rows: system, predicted, error."""
    x = amount("predicted", title="predicted value", scale=LOOSE)
    y = amount("error", title="error: predicted − true", scale={"nice": False, "padding": 8})
    shown = tooltips(system="predictions", row="row", predicted="predicted value#", error="error#")
    return spec(
        "Errors (predicted − true) by predicted value: a point for each item; above the line predictions are too high.",
        rows,
        width=width,
        height=300,
        layer=[
            layer("rule", {"y": {"datum": 0}}, style="zero", aria=False),
            layer("point", {"x": x, "y": y, **_by_system(systems), "tooltip": shown}, opacity=0.6, size=36),
        ],
    )


def quantile_calibration(rows: Rows, *, level: float = 0.95, width: int | str = 420) -> Spec:
    """Share of true values below each predicted quantile. Rows: quantile, observed, low, high."""
    percent: Spec = {"format": ".0%", "tickCount": 5}
    x = amount("quantile", title="predicted quantile", scale=UNIT, axis={**percent, "labelFlush": False})
    y = amount("observed", title="share of true values at or below it", scale=UNIT, axis=percent)
    ends = {"x": x, "y": {**y, "field": "low"}, "y2": {"field": "high"}}
    shown = tooltips(quantile="quantile", observed="observed#", low="low#", high="high#")
    diagonal = [{"quantile": 0, "observed": 0}, {"quantile": 1, "observed": 1}]
    return spec(
        "Calibration of quantiles: share of true values at or below each predicted quantile, with its "
        f"{level * 100:g}% interval; on the diagonal quantiles are calibrated.",
        rows,
        width=width,
        height=420,
        layer=[
            {
                "data": {"values": diagonal},
                **layer("line", {"x": x, "y": y}, style="zero", strokeDash=[4, 4], aria=False),
            },
            layer("rule", ends, style="interval", aria=False),
            layer("point", {"x": x, "y": y, "tooltip": shown}, size=80),
        ],
    )


def _by_system(systems: Sequence[str]) -> Spec:
    """The colour and the shape of each model; a single one needs no legend."""
    if len(systems) < 2:
        return {}
    scale = {"domain": list(systems)}
    return {"color": name("system", scale=scale, title=None), "shape": name("system", scale=scale, title=None)}
