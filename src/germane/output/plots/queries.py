"""Figures with one mark for each query, and tables drawn as colour."""

from __future__ import annotations

from germane.output.plots.theme import Rows, Spec, amount, layer, name, spec, tooltips


def differences(rows: Rows, *, axis: str = "difference", width: int | str = 560) -> Spec:
    """Query by query, sorted. Rows: query, difference, better (which system)."""
    bare = {"labels": False, "grid": False}
    scale = {"domain": ["B is better", "A is better", "equal"], "range": "category"}
    bars = {
        "y": amount("difference", title=axis),
        "color": name("better", title=None, scale=scale, legend={"values": ["B is better", "A is better"]}),
        "tooltip": tooltips(query="query", difference="difference#", better="which"),
    }
    return spec(
        "Query-by-query differences of two systems: one bar for each query, from the largest gain to the largest loss.",
        rows,
        width=width,
        height=260,
        encoding={"x": name("query", sort=None, title="queries, sorted by difference", axis=bare)},
        layer=[
            layer("bar", bars, cursor="pointer"),
            layer("rule", {"y": {"datum": 0}, "x": None}, style="zero", aria=False),
        ],
    )


def heat_map(rows: Rows, *, width: int | str = 560) -> Spec:
    """A square of values with the number in each cell. Rows: first, second, value."""
    axis = {"labelAngle": -40, "orient": "top", "labelLimit": 90}
    shade = amount("value", scale={"domain": [0, 1], "range": "heatmap", "clamp": True}, legend=None)
    written = {
        "text": amount("value", format=".2f"),
        "color": {"condition": {"test": "datum.value > 0.7", "value": "white"}},
    }
    return spec(
        "Heat map of the agreement of each two; the number stands in each cell.",
        rows,
        width=width,
        height={"step": 24},
        encoding={
            "x": name("second", sort=None, title=None, axis=axis),
            "y": name("first", sort=None, title=None),
            "tooltip": tooltips(first="first", second="second", value="agreement#"),
        },
        layer=[layer("rect", {"color": shade}), layer("text", written, style="in-cell", aria=False)],
    )
