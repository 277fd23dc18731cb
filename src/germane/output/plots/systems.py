"""Figures that set systems side by side: leaderboard, forest of differences, distribution, quality against cost."""

from __future__ import annotations

from collections.abc import Sequence

from germane.output.plots.theme import Rows, Spec, spec, tooltips

ROW_HEIGHT = 24
BY_SYSTEM: Spec = {"field": "system", "type": "nominal", "sort": None, "title": None}


def leaderboard(rows: Rows, *, axis: str = "mean, with its interval", width: int | str = 560) -> Spec:
    """Means with their intervals, the best first.

    Rows: system, mean, low, high, letters, best (a mark, or nothing); `start` and `end` are where the interval is drawn
    from and to, at the mean where there is none.
    """
    return spec(
        "Leaderboard: for each system a point at its mean and a line over its interval, the best system first.",
        width=width,
        height={"step": ROW_HEIGHT},
        datasets={"rows": list(rows)},
        data={"name": "rows"},
        encoding={
            "y": BY_SYSTEM,
            "tooltip": tooltips(system="system", mean="mean#", low="low#", high="high#", letters="letters"),
        },
        layer=[
            {
                "mark": {"type": "rule", "style": "interval", "aria": False},
                "encoding": {
                    "x": {
                        "field": "start",
                        "type": "quantitative",
                        "title": axis,
                        "scale": {"zero": False, "nice": False, "padding": 40},
                    },
                    "x2": {"field": "end"},
                },
            },
            {
                "mark": {"type": "point", "size": 70},
                "encoding": {
                    "x": {"field": "mean", "type": "quantitative"},
                    "shape": {"condition": {"test": "datum.best != ''", "value": "diamond"}, "value": "circle"},
                    "size": {"condition": {"test": "datum.best != ''", "value": 150}, "value": 60},
                },
            },
            {
                "mark": {"type": "text", "style": "letters", "align": "left", "dx": 8, "limit": 120, "aria": False},
                "encoding": {"x": {"field": "end", "type": "quantitative"}, "text": {"field": "letters"}},
            },
        ],
    )


def forest(
    rows: Rows, *, axis: Sequence[str] = ("difference of the means, with its interval",), width: int | str = 560
) -> Spec:
    """Differences with their intervals. Rows: system, difference, low, high, p, significant (yes or no).

    The lines of the axis say which intervals these are, and which family the adjusted p-values belong to.
    """
    return spec(
        "Forest plot: for each system a point at the difference of the means and a line over its interval; "
        "a filled point is significant, a hollow one is not.",
        width=width,
        height={"step": ROW_HEIGHT},
        datasets={"rows": list(rows)},
        data={"name": "rows"},
        encoding={
            "y": BY_SYSTEM,
            "tooltip": tooltips(
                system="system",
                difference="difference#",
                low="low#",
                high="high#",
                p="adjusted p#",
                significant="significant",
            ),
        },
        layer=[
            {
                "mark": {"type": "rule", "style": "zero", "aria": False},
                "encoding": {"x": {"datum": 0}, "y": None, "tooltip": None},
            },
            {
                "mark": {"type": "rule", "style": "interval", "aria": False},
                "encoding": {
                    "x": {"field": "low", "type": "quantitative", "title": [*axis, "filled: significant"]},
                    "x2": {"field": "high"},
                },
            },
            {
                "mark": {"type": "point", "size": 70, "style": "outlined"},
                "encoding": {
                    "x": {"field": "difference", "type": "quantitative"},
                    "fillOpacity": {"condition": {"test": "datum.significant == 'yes'", "value": 1}, "value": 0},
                },
            },
        ],
    )


def distribution(rows: Rows, centres: Rows, *, axis: str = "value of each query", width: int | str = 560) -> Spec:
    """Every query's value as a stroke, the mean (of counts, the median) as a diamond.

    Rows: system, query, value; centres: system, centre.
    """
    return spec(
        "Distribution: for each system one stroke per query at its value, "
        "and a diamond at the mean (of counts, at the median).",
        width=width,
        height={"step": ROW_HEIGHT},
        datasets={"rows": list(rows), "centres": list(centres)},
        data={"name": "rows"},
        encoding={"y": BY_SYSTEM},
        layer=[
            {
                "mark": {"type": "tick", "opacity": 0.45, "aria": False, "cursor": "pointer"},
                "encoding": {
                    "x": {"field": "value", "type": "quantitative", "title": axis},
                    "tooltip": tooltips(system="system", query="query", value="value#"),
                },
            },
            {
                "data": {"name": "centres"},
                "mark": {"type": "point", "shape": "diamond", "size": 130, "style": "mean"},
                "encoding": {
                    "x": {"field": "centre", "type": "quantitative"},
                    "tooltip": tooltips(system="system", centre="mean or median#"),
                },
            },
        ],
    )


def cost(rows: Rows, *, x: str = "cost", y: str = "mean", width: int | str = 560) -> Spec:
    """Quality against cost. Rows: system, cost, mean."""
    return spec(
        "Quality against cost: one point for each system; up and to the left is better.",
        width=width,
        height=320,
        datasets={"rows": list(rows)},
        data={"name": "rows"},
        encoding={
            "x": {"field": "cost", "type": "quantitative", "title": x},
            "y": {"field": "mean", "type": "quantitative", "title": y, "scale": {"zero": False}},
            "tooltip": tooltips(system="system", cost="cost", mean="mean#"),
        },
        layer=[
            {"mark": {"type": "point", "size": 80}},
            {
                "mark": {"type": "text", "align": "left", "dx": 8, "limit": 140, "aria": False},
                "encoding": {"text": {"field": "system"}},
            },
        ],
    )
