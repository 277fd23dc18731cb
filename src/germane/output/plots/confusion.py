"""A confusion matrix as a heat map: counts and percent of the row, totals, clusters outlined."""

from __future__ import annotations

import json
from collections.abc import Sequence

from germane.output.plots.theme import Rows, Spec, spec, tooltips

CELL, SMALL_CELL = 58, 40
FEW_CLASSES = 12
LONGEST_NAME = 60
LETTER = 6.5
"""About as wide as a letter of a class name is."""


def confusion(
    rows: Rows, labels: Sequence[str], *, outlines: Rows = (), title: str = "", width: int | None = None
) -> Spec:
    """Rows: row, column (places), truth, predicted, count, share, total (yes or no); what is written: above, percent,
    or one thing alone.

    Places stand on the axes, which name them: so two classes may have any names. Outlines: start and end of a cluster.
    """
    step = CELL if len(labels) <= FEW_CLASSES else SMALL_CELL
    side = {"step": step}
    names = [_shortened(label) for label in (*labels, "total")]
    said = f"{json.dumps(names)}[datum.value]"
    fits = max(map(len, names)) * LETTER <= step

    def axis(title: str, **more: object) -> Spec:
        return {"title": title, "labelExpr": said, "grid": False, "labelLimit": 110, **more}

    y: Spec = {"field": "row", "type": "ordinal", "axis": axis("truth")}
    x: Spec = {
        "field": "column",
        "type": "ordinal",
        "axis": axis("predicted", orient="top", labelAngle=0 if fits else -40),
    }
    size = 12 if len(labels) <= FEW_CLASSES else 10
    return spec(
        "Confusion matrix: rows are the truth, columns the prediction; "
        "each cell holds a count and its share of the row, and is the darker the greater the share.",
        width=side if width is None else width,  # type: ignore[arg-type]
        height=side if width is None else width,
        **({"title": title} if title else {}),
        datasets={"rows": list(rows), "outlines": list(outlines)},
        data={"name": "rows"},
        encoding={"x": x, "y": y},
        layer=[
            {
                "transform": [{"filter": "datum.total == 'no'"}],
                "mark": {"type": "rect", "strokeWidth": 1, "stroke": "white"},
                "encoding": {
                    "color": {
                        "field": "share",
                        "type": "quantitative",
                        "scale": {"domain": [0, 1], "range": "heatmap"},
                        "legend": None,
                    },
                    "tooltip": tooltips(truth="truth", predicted="predicted", count="count", share="share of the row#"),
                },
            },
            *(
                {
                    "transform": [{"filter": f"datum.{field} != ''"}],
                    "mark": {"type": "text", "aria": False, "fontSize": size, "dy": dy},
                    "encoding": {
                        "text": {"field": field},
                        "color": {"condition": {"test": "datum.share > 0.55", "value": "white"}},
                    },
                }
                for field, dy in (("alone", 0), ("above", -size * 0.6), ("percent", size * 0.6))
            ),
            {
                "data": {"name": "outlines"},
                "mark": {"type": "rect", "filled": False, "style": "outline", "strokeWidth": 2.5, "aria": False},
                "encoding": {
                    "x": {**x, "field": "start", "bandPosition": 0},
                    "x2": {"field": "end", "bandPosition": 1},
                    "y": {**y, "field": "start", "bandPosition": 0},
                    "y2": {"field": "end", "bandPosition": 1},
                },
            },
        ],
    )


def _shortened(label: str) -> str:
    return label if len(label) <= LONGEST_NAME else f"{label[: LONGEST_NAME - 1]}…"
