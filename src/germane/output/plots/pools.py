"""What pooling methods find for a budget, and how well their leaderboards hold."""

from __future__ import annotations

from germane.output.plots.curves import DASHES, STROKES
from germane.output.plots.theme import Rows, Spec, amount, layer, name, spec, tooltips

PANELS = {
    "share": "share of the relevant documents found",
    "tau": "tau-b of the leaderboard with that of all judgments",
}


def simulation(rows: Rows, *, width: int = 320) -> Spec:
    """Two panels against the budget, a line for each method. Rows: method, budget, share, tau."""
    described = tooltips(method="method", budget="documents per topic", share="share found#", tau="tau-b#")
    x = amount("budget", scale={"type": "log"}, title="documents judged per topic")
    legend: Spec = {"orient": "right", "columns": 1, **STROKES}
    by_method = name("method", title="method", legend=legend)
    dashes = {**by_method, "scale": {"range": DASHES}}
    lines = {"color": {**by_method, "scale": {"range": "category"}}, "strokeDash": dashes, "tooltip": described}
    panels: list[Spec] = []
    for field, title in PANELS.items():
        y = amount(field, title=title, scale={"zero": False})
        panels.append({"width": width, "height": 300, **layer("line", {"x": x, "y": y, **lines}, point=True)})
    said = "Pooling methods replayed: the relevant documents found, and tau of the leaderboard, against the budget."
    frame = spec(said, rows, width=width, height=300, hconcat=panels)
    del frame["width"], frame["height"]  # each panel has its own
    return frame
