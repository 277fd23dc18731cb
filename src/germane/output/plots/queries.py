"""Figures with one mark for each query, and tables drawn as colour."""

from __future__ import annotations

import textwrap

from germane.output.plots.theme import Rows, Spec, amount, layer, name, spec, tooltips


def better(gain: float, systems: tuple[str, str]) -> str:
    """Return which of two systems is better, by the gain of the first over the second."""
    return f"{systems[0]} is better" if gain > 0 else f"{systems[1]} is better" if gain < 0 else "equal"


def differences(
    rows: Rows, *, systems: tuple[str, str] = ("B", "A"), axis: str = "difference", width: int | str = 560
) -> Spec:
    """Query by query, sorted. Rows: query, difference, better (which of the systems)."""
    bare = {"labels": False, "grid": False}
    sides = [better(gain, systems) for gain in (1, -1, 0)]
    scale = {"domain": sides, "range": "category"}
    bars = {
        # A bar that ends at the frame would look cut off.
        "y": amount("difference", title=textwrap.wrap(axis, 42), scale={"nice": 8, "padding": 4}),
        "color": name("better", title=None, scale=scale, legend={"values": sides[:2]}),
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
        "Heat map of the agreement of each pair; the number stands in each cell.",
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
