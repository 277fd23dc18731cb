"""Figures that set systems side by side: leaderboard, forest of differences, distribution, quality vs. cost."""

from __future__ import annotations

from collections.abc import Sequence

from germane.output.plots.theme import Rows, Spec, amount, layer, name, spec, tooltips, wrapped_labels

LETTERS = 28
"""Number of letters of a system's name that fit a line beside a figure."""


def _by_system(rows: Rows) -> tuple[Spec, Spec]:
    """The height of a figure with a row for each system, and the channel that names them; long names are wrapped."""
    wrapped = wrapped_labels([str(row["system"]) for row in rows], LETTERS)
    axis = {"axis": wrapped} if wrapped else {}
    return {"step": 34 if wrapped else 24}, name("system", sort=None, title=None, **axis)


def leaderboard(
    rows: Rows, *, axis: str = "mean, with its interval", marks: str = "letters", width: int | str = 560
) -> Spec:
    """Means with their intervals, the best first.

    Rows: system, mean, low, high, letters, best (a mark, or nothing); `start` and `end` are where the interval is drawn
    from and to, at the mean where there is none. `marks` says what the letters are.
    """
    height, y = _by_system(rows)
    start = amount("start", title=axis, scale={"zero": False, "nice": False, "padding": 40})
    means = {
        "x": amount("mean"),
        "shape": {"condition": {"test": "datum.best != ''", "value": "diamond"}, "value": "circle"},
        "size": {"condition": {"test": "datum.best != ''", "value": 150}, "value": 60},
    }
    letters = {"x": amount("end"), "text": {"field": "letters"}}
    shown = tooltips(system="system", mean="mean#", low="low#", high="high#", letters=marks)
    return spec(
        "Leaderboard: for each system a point at its mean and a line over its interval, the best system first.",
        rows,
        width=width,
        height=height,
        # The last label of the axis stands at its line, half of it beyond the figure.
        padding={"left": 4, "top": 4, "right": 16, "bottom": 4},
        encoding={"y": y, "tooltip": shown},
        layer=[
            layer("rule", {"x": start, "x2": {"field": "end"}}, style="interval", aria=False),
            layer("point", means, size=70),
            layer("text", letters, style="letters", align="left", dx=8, limit=120, aria=False),
        ],
    )


def forest(
    rows: Rows, *, axis: Sequence[str] = ("difference of the means, with its interval",), width: int | str = 560
) -> Spec:
    """Differences with their intervals. Rows: system, difference, low, high, p, significant (yes or no).

    The lines of the axis say which intervals these are, and which family the adjusted p-values belong to.
    """
    height, y = _by_system(rows)
    filled = {"condition": {"test": "datum.significant == 'yes'", "value": 1}, "value": 0}
    low = amount("low", title=[*axis, "filled: significant"])
    ends = {"low": "low#", "high": "high#", "p": "adjusted p#"}
    shown = tooltips(system="system", difference="difference#", **ends, significant="significant")
    return spec(
        "Forest plot: for each system a point at the difference of the means and a line over its interval; "
        "a filled point is significant, a hollow one is not.",
        rows,
        width=width,
        height=height,
        encoding={"y": y, "tooltip": shown},
        layer=[
            layer("rule", {"x": {"datum": 0}, "y": None, "tooltip": None}, style="zero", aria=False),
            layer("rule", {"x": low, "x2": {"field": "high"}}, style="interval", aria=False),
            layer("point", {"x": amount("difference"), "fillOpacity": filled}, size=70, style="outlined"),
        ],
    )


def distribution(rows: Rows, centres: Rows, *, axis: str = "value of each query", width: int | str = 560) -> Spec:
    """Every query's value as a tick, the mean (of counts, the median) as a diamond.

    Rows: system, query, value; centres: system, centre.
    """
    height, y = _by_system(rows)
    values = {"x": amount("value", title=axis), "tooltip": tooltips(system="system", query="query", value="value#")}
    middle = {"x": amount("centre"), "tooltip": tooltips(system="system", centre="mean or median#")}
    return spec(
        "Distribution: for each system one tick per query at its value, "
        "and a diamond at the mean (of counts, at the median).",
        rows,
        width=width,
        height=height,
        datasets={"centres": centres},
        encoding={"y": y},
        layer=[
            layer("tick", values, opacity=0.45, aria=False, cursor="pointer"),
            layer("point", middle, data="centres", shape="diamond", size=130, style="mean"),
        ],
    )


def cost(rows: Rows, *, width: int | str = 560) -> Spec:
    """Quality vs. cost. Rows: system, cost, mean."""
    return spec(
        "Quality vs. cost: one point for each system; up and to the left is better.",
        rows,
        width=width,
        height=320,
        encoding={
            "x": amount("cost", title="cost"),
            "y": amount("mean", title="mean", scale={"zero": False}),
            "tooltip": tooltips(system="system", cost="cost", mean="mean#"),
        },
        layer=[
            {"mark": {"type": "point", "size": 80}},
            layer("text", {"text": {"field": "system"}}, align="left", dx=8, limit=140, aria=False),
        ],
    )
