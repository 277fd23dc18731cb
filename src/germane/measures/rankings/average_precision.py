"""Average precision in every definition that is in use, each by name."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from germane.errors import MeasureError
from germane.measures.definition import measure
from germane.measures.rankings.ties import precision_at_hits
from germane.tables.columns.ids import FloatArray
from germane.tables.rankings.judged_run import Hits, JudgedRun, Worked

Area = Literal["step", "sawtooth", "trapezoid", "interpolated"]
Over = Literal["R", "min", "retrieved"]
Within = Literal["all", "R"]
Empty = Literal["zero", "one", "skip"]
"""What a query with nothing relevant counts for, since tools differ, and so do whole published tables: 0 (trec_eval,
LETOR), 1 (LightGBM, many toolkits of learning to rank), or not at all."""
EMPTY: Mapping[str, float] = {"zero": 0.0, "one": 1.0, "skip": math.nan}
"""The value by its name; NaN is left out of means, and a note counts such queries."""


def _refuse_empty_of_retrieved(given: Mapping[str, Any]) -> None:
    if given.get("over") == "retrieved" and given.get("empty", "zero") != "zero":
        raise MeasureError("AP(over=retrieved) is 0 where nothing relevant was retrieved", hint="remove empty, or over")


@measure(
    "AP",
    refuse=_refuse_empty_of_retrieved,
    bounds=(0, 1),
    names=("map", "average_precision", "mean_average_precision"),
    expected_ties=True,
    unjudged="recount",
)
def average_precision(
    run: JudgedRun,
    *,
    area: Area = "step",
    over: Over = "R",
    within: Within = "all",
    empty: Empty = "zero",
    rel: float = 1,
    cut: int | None = None,
) -> Worked:
    """Mean of the precision at the rank of each relevant document.

    Formula:    AP = (1/R) * sum of P@i over the ranks i that hold a relevant document
    Reference:  Buckley & Voorhees, "Retrieval System Evaluation", in TREC, MIT Press 2005.
    Edge cases: R = 0 gives 0; empty = one makes that 1, empty = skip NaN, which no mean counts. A relevant document
        never retrieved adds 0. Unjudged counts as not relevant.
    Note:       area = step is the sum above; sawtooth the trapezoid area over every rank, starting from precision 1 (as
        the scripts of Oxford Buildings and Market-1501 do); trapezoid the area through the relevant points, level up to
        the first; interpolated takes at each the highest precision from there on. over = R divides by the relevant
        known, min by min(R, k), retrieved by the relevant found within the cutoff, and 0 where there are none of them,
        so that empty says nothing there. within = R looks at the first R ranks only: MAP@R of metric learning.

    >>> average_precision(judged("1 0 1", unretrieved="1"))      # (1/1 + 2/3) / 3
    array([0.55555556])
    """
    relevant = run.num_relevant(rel)
    up_to_cut = relevant if cut is None else np.minimum(relevant, cut)
    hits = run.relevant(rel, cut if within == "all" else up_to_cut)
    if run.ties == "expected" and (area, over) != ("step", "R"):
        raise MeasureError("AP has an exact expected value over ties only as area=step, over=R")
    term = _under_the_curve(hits, precision_at_hits(hits), area)
    columns = {} if run.ties == "expected" else point_columns(hits, rel)
    if over == "retrieved":
        most, over_is = hits.count_by_query(), "relevant retrieved"
    elif over == "R" or cut is None:
        most, over_is = relevant, "R"
    else:
        most, over_is = up_to_cut, "min(R, k)"
    return Worked(hits, term, over=most, empty=EMPTY[empty], over_is=over_is, columns=columns)


def point_columns(hits: Hits, rel: float) -> dict[str, FloatArray]:
    """The (recall, precision) point of each relevant hit."""
    relevant = np.maximum(hits.run.num_relevant(rel), 1)[hits.query]
    return {"precision": hits.count_so_far / hits.rank, "recall": hits.count_so_far / relevant}


def _under_the_curve(hits: Hits, precision: FloatArray, area: Area) -> FloatArray:
    if area == "step":
        return precision
    if area == "interpolated":
        return highest_from_here(hits, precision)
    if area == "sawtooth":
        # Precision one rank higher up: one relevant document fewer, one rank fewer; 1 before anything was seen.
        before = (hits.count_so_far - 1) / np.maximum(hits.rank - 1, 1)
        before[hits.rank == 1] = 1.0
    else:
        before = np.concatenate((precision[:1], precision[:-1]))
        before[hits.count_so_far == 1] = precision[hits.count_so_far == 1]
    return (precision + before) / 2


def highest_from_here(hits: Hits, precision: FloatArray) -> FloatArray:
    """Interpolated precision: at each hit, the highest precision at it or further down its query.

    The maximum runs over the places of the values in their order, plus a step per query that keeps one query's
    maximum out of the next one's; so no bit of a value is lost.
    """
    values, place = np.unique(precision, return_inverse=True)
    step = len(values) * hits.query
    return values[np.maximum.accumulate((place - step)[::-1])[::-1] + step]
