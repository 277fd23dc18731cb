"""A confusion matrix as a heat map: counts and percent of the row, totals, clusters outlined."""

from __future__ import annotations

import json
from collections.abc import Sequence

from germane.output.plots.theme import Rows, Spec, amount, layer, spec, tooltips

CELL, SMALL_CELL = 58, 40
FEW_CLASSES = 12
LONGEST_NAME = 60
LETTER = 6.5
"""Average width of a letter of a class name in pixels."""


def confusion(
    rows: Rows, labels: Sequence[str], *, outlines: Rows = (), title: str = "", width: int | None = None
) -> Spec:
    """Rows: row, column (indices), truth, predicted, count, share, total (yes or no); texts: above, percent, alone.

    The axes hold indices and label them, so class names may be anything. Outlines: start and end of a cluster.
    """
    few = len(labels) <= FEW_CLASSES
    step, size = (CELL, 12) if few else (SMALL_CELL, 10)
    side: int | Spec = {"step": step} if width is None else width
    names = [_shortened(label) for label in (*labels, "total")]
    fits = max(map(len, names)) * LETTER <= step

    def place(field: str, title: str, **more: object) -> Spec:
        said = f"{json.dumps(names)}[datum.value]"
        axis = {"title": title, "labelExpr": said, "grid": False, "labelLimit": 110, **more}
        return {"field": field, "type": "ordinal", "axis": axis}

    y = place("row", "true label")
    x = place("column", "predicted label", orient="top", labelAngle=0 if fits else -40)
    cells = {
        "color": amount("share", scale={"domain": [0, 1], "range": "heatmap"}, legend=None),
        "tooltip": tooltips(truth="true label", predicted="predicted label", count="count", share="share of the row#"),
    }
    white = {"condition": {"test": "datum.share > 0.55", "value": "white"}}
    texts = [
        layer(
            "text",
            {"text": {"field": field}, "color": white},
            where=f"datum.{field} != ''",
            aria=False,
            fontSize=size,
            dy=dy,
        )
        for field, dy in (("alone", 0), ("above", -size * 0.6), ("percent", size * 0.6))
    ]
    clusters = {
        "x": {**x, "field": "start", "bandPosition": 0},
        "x2": {"field": "end", "bandPosition": 1},
        "y": {**y, "field": "start", "bandPosition": 0},
        "y2": {"field": "end", "bandPosition": 1},
    }
    return spec(
        "Confusion matrix: rows are true labels, columns predicted labels; "
        "each cell has a count and its share of the row, and is darker for a larger share.",
        rows,
        width=side,
        height=side,
        title=title,
        datasets={"outlines": outlines},
        encoding={"x": x, "y": y},
        layer=[
            layer("rect", cells, where="datum.total == 'no'", strokeWidth=1, stroke="white"),
            *texts,
            layer("rect", clusters, data="outlines", filled=False, style="outline", strokeWidth=2.5, aria=False),
        ],
    )


def _shortened(label: str) -> str:
    return label if len(label) <= LONGEST_NAME else f"{label[: LONGEST_NAME - 1]}…"
