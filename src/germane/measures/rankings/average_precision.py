"""Average precision in all definitions in use, selected by parameters."""

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
"""Value of a query without relevant documents, on which tools and published tables differ: 0 (trec_eval, LETOR),
1 (LightGBM, many learning-to-rank toolkits), or excluded from the mean."""
EMPTY: Mapping[str, float] = {"zero": 0.0, "one": 1.0, "skip": math.nan}
"""The value of each choice of `empty`; NaN is excluded from means, and a note counts such queries."""


def _refuse_empty_of_retrieved(given: Mapping[str, Any]) -> None:
    if given.get("over") == "retrieved" and given.get("empty", "zero") != "zero":
        raise MeasureError("over=retrieved cannot be combined with empty in AP", hint="remove one of them")


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

    Formula:    AP = (1/R) * sum of P@i over the ranks i of relevant documents
    Reference:  Buckley & Voorhees, "Retrieval System Evaluation", in TREC, MIT Press 2005.
    Edge cases: R = 0 gives 0, with empty = one 1, with empty = skip NaN (excluded from the mean). A relevant document
        that is not retrieved adds 0. Unjudged documents count as non-relevant.
    Note:       area = step is the sum above; sawtooth is the trapezoidal area over every rank, starting from precision
        1 (as in the scripts of Oxford Buildings and Market-1501); trapezoid is the area through the points of the
        relevant documents, constant up to the first; interpolated uses at each point the highest precision from there
        on. over = R divides by the number of known relevant documents, min by min(R, k), retrieved by the number of
        relevant documents retrieved within the cutoff (0 if there are none; empty cannot be used). within = R considers
        the first R ranks only: MAP@R of metric learning.

    >>> average_precision(judged("1 0 1", unretrieved="1"))      # (1/1 + 2/3) / 3
    array([0.55555556])
    """
    relevant = run.num_relevant(rel)
    up_to_cut = relevant if cut is None else np.minimum(relevant, cut)
    hits = run.relevant(rel, cut if within == "all" else up_to_cut)
    if run.ties == "expected" and (area, over) != ("step", "R"):
        raise MeasureError("`ties='expected'` is supported for AP only with area=step and over=R")
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
    """Return the (recall, precision) point of each relevant document."""
    relevant = np.maximum(hits.run.num_relevant(rel), 1)[hits.query]
    return {"precision": hits.count_so_far / hits.rank, "recall": hits.count_so_far / relevant}


def _under_the_curve(hits: Hits, precision: FloatArray, area: Area) -> FloatArray:
    if area == "step":
        return precision
    if area == "interpolated":
        return highest_from_here(hits, precision)
    if area == "sawtooth":
        # Precision one rank above: one relevant document and one rank fewer; 1 above rank 1.
        before = (hits.count_so_far - 1) / np.maximum(hits.rank - 1, 1)
        before[hits.rank == 1] = 1.0
    else:
        before = np.concatenate((precision[:1], precision[:-1]))
        before[hits.count_so_far == 1] = precision[hits.count_so_far == 1]
    return (precision + before) / 2


def highest_from_here(hits: Hits, precision: FloatArray) -> FloatArray:
    """Return the interpolated precision: at each hit, the highest precision at its rank or below.

    The maximum is taken over the ranks of the sorted values, plus an offset per query that separates the queries, so
    the values themselves are not rounded.
    """
    values, place = np.unique(precision, return_inverse=True)
    step = len(values) * hits.query
    return values[np.maximum.accumulate((place - step)[::-1])[::-1] + step]
