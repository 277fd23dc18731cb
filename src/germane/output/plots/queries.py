"""Figures with one mark for each query, and tables drawn as colour."""

from __future__ import annotations

from germane.output.plots.theme import Rows, Spec, spec, tooltips


def differences(rows: Rows, *, axis: str = "difference", width: int | str = 560) -> Spec:
    """Query by query, sorted. Rows: query, difference, better (which system)."""
    return spec(
        "Query-by-query differences of two systems: one bar for each query, from the largest gain to the largest loss.",
        width=width,
        height=260,
        datasets={"rows": list(rows)},
        data={"name": "rows"},
        encoding={
            "x": {
                "field": "query",
                "type": "nominal",
                "sort": None,
                "title": "queries, sorted by difference",
                "axis": {"labels": False, "grid": False},
            }
        },
        layer=[
            {
                "mark": {"type": "bar", "cursor": "pointer"},
                "encoding": {
                    "y": {"field": "difference", "type": "quantitative", "title": axis},
                    "color": {
                        "field": "better",
                        "type": "nominal",
                        "title": None,
                        "scale": {"domain": ["B is better", "A is better", "equal"], "range": "category"},
                        "legend": {"values": ["B is better", "A is better"]},
                    },
                    "tooltip": tooltips(query="query", difference="difference#", better="which"),
                },
            },
            {"mark": {"type": "rule", "style": "zero", "aria": False}, "encoding": {"y": {"datum": 0}, "x": None}},
        ],
    )


def heat_map(rows: Rows, *, title: str = "agreement", width: int | str = 560) -> Spec:
    """A square of values with the number in each cell. Rows: first, second, value."""
    return spec(
        f"Heat map of the {title} of each two; the number stands in each cell.",
        width=width,
        height={"step": 24},
        datasets={"rows": list(rows)},
        data={"name": "rows"},
        encoding={
            "x": {
                "field": "second",
                "type": "nominal",
                "sort": None,
                "title": None,
                "axis": {"labelAngle": -40, "orient": "top", "labelLimit": 90},
            },
            "y": {"field": "first", "type": "nominal", "sort": None, "title": None},
            "tooltip": tooltips(first="first", second="second", value=f"{title}#"),
        },
        layer=[
            {
                "mark": {"type": "rect"},
                "encoding": {
                    "color": {
                        "field": "value",
                        "type": "quantitative",
                        "scale": {"domain": [0, 1], "range": "heatmap", "clamp": True},
                        "legend": None,
                    }
                },
            },
            {
                "mark": {"type": "text", "style": "in-cell", "aria": False},
                "encoding": {
                    "text": {"field": "value", "type": "quantitative", "format": ".2f"},
                    "color": {"condition": {"test": "datum.value > 0.7", "value": "white"}},
                },
            },
        ],
    )
