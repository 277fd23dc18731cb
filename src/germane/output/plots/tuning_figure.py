"""Learning and validation curves of a tuning as a figure: what choosing promised, and what it kept."""

from __future__ import annotations

from germane.errors import GermaneError, unknown
from germane.learning.tuning.result import LEARNING, Tuning
from germane.output.plots.curves import lines
from germane.output.plots.theme import Spec, amount, tooltips

SERIES = ("tuned", "held out")


def tuning_figure(tuning: Tuning, curve: str = LEARNING, *, width: int | str = 560) -> Spec:
    """The Vega-Lite spec of one curve: ``learning``, or a parameter such as ``BM25.k1``, or ``parts``."""
    known = tuning.curves
    if not any(known.values()):
        raise GermaneError("curves are not supported with `search='halving'`", hint="use `search='grid'`")
    if curve not in known:
        raise unknown("curve", curve, known)
    title = "training queries" if curve == LEARNING else curve
    rows = [
        {"system": name, "series": name, "place": place, "x": point.x, "value": value}
        for place, point in enumerate(known[curve])
        for name, value in zip(SERIES, (point.tuned, point.held_out), strict=True)
    ]
    return lines(
        f"{tuning.measure} against {title}: on the queries by which strategies were chosen, and on queries held out.",
        rows,
        SERIES,
        width=width,
        x=amount("x", title=title, scale={"zero": False}),
        y=amount("value", title=tuning.measure, scale={"zero": False}),
        tooltip=tooltips(system="score", x=title, value=f"{tuning.measure}#"),
    )
