"""Figures for choosing an operating point: gains, lift, net benefit and cost curves, one line for each classifier."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from germane.output.plots.curves import OWN_LEGENDS, UNIT
from germane.output.plots.decisions import PERCENT, SIZE, classifier_lines, reference_line
from germane.output.plots.theme import Rows, Spec, amount, layer, name, spec, tooltips


def gains(rows: Rows, series: Sequence[str], *, width: int = SIZE) -> Spec:
    """Share of the positives by share of the items. Rows: system, series, share, gain, threshold, place."""
    x = amount("share", title="share of items, highest scores first", scale=UNIT, axis=PERCENT)
    y = amount("gain", title="share of the positives", scale=UNIT, axis=PERCENT)
    shown = tooltips(system="classifier", share="items#", gain="positives#", threshold="threshold")
    return spec(
        "Cumulative gains: share of the positives among the items with the highest scores; the dashed diagonal is "
        "chance.",
        rows,
        width=width,
        height=width,
        layer=[
            reference_line([{"share": 0, "gain": 0}, {"share": 1, "gain": 1}], x, y),
            *classifier_lines(rows, x, y, series, shown),
        ],
        resolve=OWN_LEGENDS,
    )


def lift(rows: Rows, series: Sequence[str], *, width: int = SIZE) -> Spec:
    """Precision relative to the prevalence by share of the items. Rows: system, series, share, lift, threshold."""
    x = amount("share", title="share of items, highest scores first", scale=UNIT, axis=PERCENT)
    y = amount("lift", title="lift", scale={"zero": True})
    shown = tooltips(system="classifier", share="items#", lift="lift#", threshold="threshold")
    return spec(
        "Lift: precision among the items with the highest scores relative to the prevalence; dashed: chance.",
        rows,
        width=width,
        height=width,
        layer=[
            reference_line([{"share": 0, "lift": 1}, {"share": 1, "lift": 1}], x, y),
            *classifier_lines(rows, x, y, series, shown),
        ],
        resolve=OWN_LEGENDS,
    )


def net_benefit(
    rows: Rows, series: Sequence[str], *, band: Rows, act_on_all: Rows, domain: Sequence[float], width: int = SIZE
) -> Spec:
    """Decision curves. Rows: system, series, act_at, benefit, place; band: the same with low and high; act_on_all: too.

    `domain` is that of the benefit: acting on all falls without limit.
    """
    scale: Spec = {"domain": list(domain), "nice": False, "zero": False}
    x = amount("act_at", title="threshold probability", scale=UNIT, axis=PERCENT)
    y = amount("benefit", title="net benefit", scale=scale)
    ends = {"y": amount("low", title="net benefit", scale=scale), "y2": {"field": "high"}}
    own = name("series", scale={"domain": list(series)}, title=None, legend=None)
    shown = tooltips(system="classifier", act_at="threshold probability", benefit="net benefit#")
    everybody: Spec = {"x": x, "y": y, "detail": {"field": "system"}, "order": {"field": "place"}}
    return spec(
        "Decision curves: net benefit by the probability at or above which somebody acts, with pointwise intervals; "
        "the dashed lines are to act on all items (falling) and on none (0).",
        rows,
        width=width,
        height=width,
        datasets={"band": band, "all": act_on_all},
        layer=[
            layer("area", {"x": x, **ends, "color": own}, data="band", opacity=0.18, clip=True, aria=False),
            layer("line", everybody, data="all", strokeDash=[4, 4], strokeWidth=1, style="zero", clip=True),
            reference_line([{"act_at": 0, "benefit": 0}, {"act_at": 1, "benefit": 0}], x, y),
            *classifier_lines(rows, x, y, series, shown),
        ],
        resolve=OWN_LEGENDS,
    )


def cost(rows: Rows, series: Sequence[str], *, width: int = SIZE) -> Spec:
    """Cost curves. Rows: system, series, share, cost, threshold, place."""
    x = amount("share", title="share of the cost that falls on positives", scale=UNIT, axis=PERCENT)
    y = amount("cost", title="lowest expected cost, relative to the highest", scale={"domain": [0, 0.5]})
    shown: list[Any] = tooltips(system="classifier", share="share of the cost#", cost="cost#", threshold="threshold")
    triangle: Rows = [{"share": 0, "cost": 0}, {"share": 0.5, "cost": 0.5}, {"share": 1, "cost": 0}]
    return spec(
        "Cost curves: lowest expected cost over all thresholds, by the share of the cost that falls on positives "
        "(prevalence times the cost of a false negative); the dashed lines always predict the same class.",
        rows,
        width=width,
        height=width,
        layer=[reference_line(triangle, x, y), *classifier_lines(rows, x, y, series, shown)],
        resolve=OWN_LEGENDS,
    )
