"""What pooling methods find for a budget, and how well their leaderboards hold."""

from __future__ import annotations

from germane.output.plots.theme import Rows, Spec, spec, tooltips


def simulation(rows: Rows, *, width: int = 320) -> Spec:
    """Two panels against the budget, a line for each method. Rows: method, budget, share, tau."""
    described = tooltips(method="method", budget="documents per topic", share="share found#", tau="tau-b#")
    x: Spec = {
        "field": "budget",
        "type": "quantitative",
        "scale": {"type": "log"},
        "title": "documents judged per topic",
    }
    legend: Spec = {"orient": "right", "columns": 1, "symbolType": "stroke", "symbolSize": 400}
    by_method: Spec = {"field": "method", "type": "nominal", "title": "method", "legend": legend}
    panels: list[Spec] = [
        {
            "width": width,
            "height": 300,
            "mark": {"type": "line", "point": True},
            "encoding": {
                "x": x,
                "y": {"field": field, "type": "quantitative", "title": title, "scale": {"zero": False}},
                "color": {**by_method, "scale": {"range": "category"}},
                "strokeDash": by_method,
                "tooltip": described,
            },
        }
        for field, title in (
            ("share", "share of the relevant documents found"),
            ("tau", "tau-b of the leaderboard with that of all judgments"),
        )
    ]
    frame = spec(
        "Pooling methods replayed: the relevant documents found, and tau of the leaderboard, against the budget.",
        datasets={"rows": list(rows)},
        data={"name": "rows"},
        hconcat=panels,
    )
    del frame["width"]  # each panel has its own
    return frame
