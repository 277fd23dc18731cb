"""Measures of graded relevance: cumulated gain, discounted and normalised."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache
from typing import Annotated, Any, Literal

import numpy as np

from germane.catalogue import Range, Weight, given_once, known_name, written
from germane.errors import MeasureError
from germane.measures.definition import MANY, measure
from germane.measures.rankings.average_precision import EMPTY, Empty
from germane.tables.columns.ids import FloatArray, IntArray
from germane.tables.rankings.judged_run import Hits, JudgedRun, PerQuery, Worked, sum_by, sum_so_far
from germane.tables.rankings.qrels import Qrels

Discount = Literal["log2", "log", "original", "zipf"]
Ideal = Literal["cut", "full", "retrieved"]
By = Literal["scale", "ideal"]
Short = Literal["count", "zero"]
HIGHEST_EXPONENT = 1000.0
Base = Annotated[float, Range(1.0001)]


def gain_of(grade: FloatArray, gain: str) -> FloatArray:
    """Return the gain of each grade: ``linear``, ``exp`` (2^grade - 1), or a table such as ``1:3/2:9``.

    >>> gain_of(np.array([0.0, 1.0, 2.0, -1.0]), "1:3/2:9")
    array([0., 3., 9., 0.])
    """
    positive = np.maximum(grade, 0.0)
    if gain == "linear":
        return positive
    if gain == "exp":
        if positive.max(initial=0.0) > HIGHEST_EXPONENT:
            hint = "use nDCG(gain=linear) or a gain table such as nDCG(gain=1:3/2:9)"
            raise MeasureError(f"gain 2^{positive.max():g} is too large", hint=hint)
        return np.exp2(positive) - 1
    table = {0.0: 0.0, **_gain_table(gain)}
    levels, inverse = np.unique(positive, return_inverse=True)
    missing = [level for level in levels.tolist() if level not in table]
    if missing:
        hint = "write one entry per grade, as in nDCG(gain=1:3/2:9)"
        raise MeasureError(f"gain={gain} has no entry for grade {missing[0]:g}", hint=hint)
    return np.asarray([table[level] for level in levels.tolist()])[inverse]


@lru_cache
def _gain_table(text: str) -> dict[float, float]:
    try:
        entries = [(float(grade), float(value)) for grade, value in (entry.split(":") for entry in text.split("/"))]
        if not all(math.isfinite(number) for entry in entries for number in entry):
            raise ValueError
    except ValueError:
        known = "gain=linear, gain=exp or a table such as gain=1:3/2:9"
        raise MeasureError(f"expected {known}, found gain={text}") from None
    named = ((written(entry[0]), entry) for entry in entries)
    return dict(given_once(named, "gain", error=MeasureError).values())


def gain_as_printed(text: str) -> str:
    """Check a gain as typed and return it in its canonical form.

    >>> gain_as_printed("EXP"), gain_as_printed("1:3.0/2:9")
    ('exp', '1:3/2:9')
    """
    if (known := known_name(text, ("linear", "exp"))) is not None:
        return known
    return "/".join(f"{written(grade)}:{written(value)}" for grade, value in _gain_table(text).items())


Gain = Annotated[str, gain_as_printed]


@lru_cache(maxsize=32)
def _divisors(discount: Discount, base: float, depth: int) -> FloatArray:
    """Return the divisor of the gain at each rank; `math.log2` makes the last bit the same on every machine."""
    ranks, scale = range(1, depth + 1), math.log2(base)
    if discount == "zipf":
        return np.asarray(ranks, dtype=np.float64)
    if discount == "original":
        return np.asarray([max(1.0, math.log2(rank) / scale) for rank in ranks])
    return np.asarray([math.log2(rank + 1) / (1.0 if discount == "log2" else scale) for rank in ranks])


def divisors(discount: Discount, base: float, depth: int) -> FloatArray:
    """Return the divisors down to at least this depth; depths are rounded up so that few tables are cached."""
    return _divisors(discount, base, 1 << max(depth - 1, 1).bit_length())


def discounted(hits: Hits, gain: FloatArray, discount: Discount, base: float) -> FloatArray:
    """Return the gain of each hit, discounted by its rank."""
    divisor = divisors(discount, base, hits.max_rank)
    if hits.run.ties == "expected":
        return gain * hits.at_rank(1 / divisor)
    return gain / divisor[hits.rank - 1]


def ideal_places(qrels: Qrels) -> IntArray:
    """Return the ranks 1, 2, ... within each query, for documents listed best first."""
    return np.arange(len(qrels.docs)) - qrels.start[qrels.query] + 1


def ideal_gains(qrels: Qrels, gain: str) -> FloatArray:
    """Return the gains of all judged documents by query, best first."""
    gains = gain_of(qrels.grade, gain)
    # A gain table need not increase with the grade, so sort by gain.
    order = qrels.ideal_order if gain in ("linear", "exp") else np.lexsort((-gains, qrels.query))
    return gains[order]


def _ideal(qrels: Qrels, gain: str, discount: Discount | None, base: float, depth: IntArray | int | None) -> PerQuery:
    """Return the (discounted) cumulated gain of the ideal ranking of all judged documents, down to a depth."""

    def work_out() -> PerQuery:
        place, gains = ideal_places(qrels), ideal_gains(qrels, gain)
        if discount is not None:
            gains = gains / divisors(discount, base, int(np.diff(qrels.start).max(initial=1)))[place - 1]
        if depth is not None:
            gains = gains * (place <= (np.asarray(depth)[qrels.query] if np.ndim(depth) else depth))
        return sum_by(qrels.query, gains, qrels.num_queries)

    as_deep_as_this_run = isinstance(depth, np.ndarray)
    return work_out() if as_deep_as_this_run else qrels.once(("ideal gain", gain, discount, base, depth), work_out)


@measure("CG", bounds=(0, MANY), names=("cg", "cumulative_gain"), expected_ties=True, unjudged="monotone")
def cumulated_gain(run: JudgedRun, *, gain: Gain = "linear", cut: int | None = None) -> Worked:
    """Cumulated gain: sum of the gains of the retrieved documents.

    Formula:    CG@k = sum of rel_i over the ranks i = 1..k
    Reference:  Järvelin & Kekäläinen, "Cumulated gain-based evaluation of IR techniques", TOIS 20(4), 2002.
    Edge cases: an unjudged document or a negative grade adds 0.

    >>> cumulated_gain(judged("0 2 1 3"), cut=3)
    array([3.])
    """
    hits = run.judged(cut)
    return Worked(hits, gain_of(hits.grade, gain) * hits.share)


@measure("nCG", bounds=(0, 1), names=("ncg", "normalised_cg", "normalized_cg"), expected_ties=True)
def normalised_cumulated_gain(
    run: JudgedRun, *, by: By = "scale", gain: Gain = "linear", cut: int | None = None
) -> Worked:
    """Cumulated gain divided by its maximum for k documents.

    Formula:    CG@k / (k * rel_max); with by = ideal, CG@k / CG@k of the ideal ranking
    Reference:  Weber, Multimedia Retrieval, University of Basel 2023 (by = scale); Järvelin & Kekäläinen 2002 (ideal).
    Edge cases: without a cutoff, k is the number of retrieved documents. A maximum of 0 gives 0.

    >>> normalised_cumulated_gain(judged("0 2 1 3"), cut=3)       # 3 / (3 * 3)
    array([0.33333333])
    """
    hits = run.judged(cut)
    if by == "ideal":
        most = _ideal(run.qrels, gain, None, 2, cut)
    else:
        places = run.num_retrieved if cut is None else np.full(run.num_queries, cut)
        most = np.multiply(places, gain_of(np.asarray([run.qrels.scale]), gain), dtype=np.float64)
    over_is = "k * rel_max" if by == "scale" else "ideal CG"
    return Worked(hits, gain_of(hits.grade, gain) * hits.share, over=most, over_is=over_is)


@measure(
    "DCG",
    bounds=(0, MANY),
    names=("dcg",),
    shorthands={"dcg_burges": "gain=exp"},
    expected_ties=True,
    unjudged="monotone",
)
def discounted_cumulated_gain(
    run: JudgedRun, *, gain: Gain = "linear", discount: Discount = "log2", base: Base = 2, cut: int | None = None
) -> Worked:
    """Discounted cumulated gain: sum of the gains, each divided by a logarithm of its rank.

    Formula:    DCG@k = sum of rel_i / log2(i + 1) over the ranks i = 1..k
    Reference:  Järvelin & Kekäläinen, "Cumulated gain-based evaluation of IR techniques", TOIS 20(4), 2002.
    Edge cases: an unjudged document or a negative grade adds 0.
    Note:       gain = exp is 2^rel - 1, gain = 1:3/2:9 is a table. discount = log divides by log_base(i + 1), original
        by log_base(i) from rank base on and by 1 above it, zipf by i.

    >>> discounted_cumulated_gain(judged("0 2 1 3"))      # 2/1.585 + 1/2 + 3/2.322
    array([3.05388918])
    """
    hits = run.judged(cut)
    return Worked(hits, discounted(hits, gain_of(hits.grade, gain), discount, base))


def _by_rank(worked: Worked, query: int, parameters: Mapping[str, Any]) -> dict[str, list[Any]]:
    """Build the breakdown: one row per rank, with the ideal ranking beside the actual one."""
    run, qrels = worked.hits.run, worked.hits.run.qrels
    gain = parameters["gain"]
    mine = worked.hits.query == query
    ideal_gain = np.sort(gain_of(qrels.grade[qrels.start[query] : qrels.start[query + 1]], gain))[::-1]
    retrieved = int(run.num_retrieved[query])
    depth = parameters["cut"] or max(retrieved, int(np.count_nonzero(ideal_gain)))
    rank = np.arange(1, depth + 1)
    grade, reached = np.zeros(depth), np.zeros(depth)
    document = ["(unjudged)" if place <= retrieved else "(none)" for place in rank.tolist()]
    places = worked.hits.rank[mine] - 1
    grade[places], reached[places] = np.maximum(worked.hits.grade[mine], 0.0), worked.term[mine]
    for place, doc in zip(places.tolist(), worked.hits.doc[mine].tolist(), strict=True):
        document[place] = qrels.docs[doc]
    best = np.zeros(depth)
    best[: min(depth, len(ideal_gain))] = ideal_gain[:depth]
    ideal_depth = min(depth, retrieved) if parameters["ideal"] == "retrieved" else depth
    divisor = divisors(parameters["discount"], parameters["base"], depth)[:depth]
    cumulated = np.cumsum(gain_of(grade, gain))
    ideal = np.cumsum(best / divisor * (rank <= ideal_depth))
    dcg = np.cumsum(reached)
    most = float(gain_of(np.asarray([qrels.scale]), gain)[0])
    if parameters["ideal"] == "full":
        ideal[-1:] = worked.denominator[query]
    own_gain = gain != "linear"
    return {
        "k": rank.tolist(),
        "document": document,
        "rel": grade.tolist(),
        **({"gain": gain_of(grade, gain).tolist()} if own_gain else {}),
        "CG": cumulated.tolist(),
        "nCG": (cumulated / (rank * most) if most else cumulated).tolist(),
        "discount": (1 / divisor).tolist(),
        "DCG": dcg.tolist(),
        "ideal gain" if own_gain else "ideal rel": best.tolist(),
        "IDCG": ideal.tolist(),
        "nDCG": np.divide(dcg, ideal, out=np.zeros(depth), where=ideal > 0).tolist(),
    }


@measure(
    "nDCG", bounds=(0, 1), names=("ndcg",), shorthands={"ndcg_burges": "gain=exp"}, expected_ties=True, table=_by_rank
)
def normalised_discounted_cumulated_gain(
    run: JudgedRun,
    *,
    gain: Gain = "linear",
    discount: Discount = "log2",
    base: Base = 2,
    ideal: Ideal = "cut",
    short: Short = "count",
    empty: Empty = "zero",
    cut: int | None = None,
) -> Worked:
    """Normalised discounted cumulated gain: DCG divided by that of the ideal ranking.

    Formula:    nDCG@k = DCG@k / IDCG@k; IDCG is the DCG of all judged documents, retrieved or not, by decreasing gain
    Reference:  Järvelin & Kekäläinen, "Cumulated gain-based evaluation of IR techniques", TOIS 20(4), 2002.
    Edge cases: IDCG = 0 gives 0, with empty = one 1, with empty = skip NaN (excluded from the mean). An unjudged
        document or a negative grade adds 0.
    Note:       gain = exp is 2^rel - 1, gain = 1:3/2:9 is a table. discount = log divides by log_base(i + 1), original
        by log_base(i) from rank base on and by 1 above it, zipf by i. ideal = cut ends the ideal ranking at k, full
        uses all of it, retrieved ends it at the number of retrieved documents if that is smaller. short = zero scores
        rankings of fewer than k documents as 0. LETOR's script uses gain = exp, discount = original, short = zero.

    >>> normalised_discounted_cumulated_gain(judged("0 2 1 3"))
    array([0.64132282])
    """
    hits = run.judged(cut)
    depth = {"cut": cut, "full": None, "retrieved": run.depth(cut)}[ideal]
    term = discounted(hits, gain_of(hits.grade, gain), discount, base)
    if short == "zero" and cut is not None:
        term = term * (run.num_retrieved >= cut)[hits.query]
    return Worked(hits, term, over=_ideal(run.qrels, gain, discount, base, depth), empty=EMPTY[empty], over_is="IDCG")


@measure("Q", bounds=(0, 1), names=("q_measure",))
def q_measure(run: JudgedRun, *, beta: Weight = 1, rel: float = 1, cut: int | None = None) -> Worked:
    """Average precision for graded relevance: precision blended with normalised cumulated gain.

    Formula:    Q = (1/R) * sum over relevant ranks i of (relevant so far + beta * CG_i) / (i + beta * ideal CG_i)
    Reference:  Sakai, "On the reliability of information retrieval metrics based on graded relevance", IPM 43(2), 2007.
    Edge cases: R = 0 gives 0. beta = 0 is AP.

    >>> q_measure(judged("0 2 1"))        # ((1 + 2) / (2 + 3) + (2 + 3) / (3 + 3)) / 2
    array([0.71666667])
    """
    hits, qrels = run.relevant(rel, cut), run.qrels
    ideal = sum_so_far(ideal_gains(qrels, "linear"), ideal_places(qrels))
    start, size = qrels.start[hits.query], np.diff(qrels.start)[hits.query]
    ideal_so_far = ideal[start + np.minimum(hits.rank, size) - 1]
    blended = (hits.count_so_far + beta * hits.sum_so_far(hits.grade)) / (hits.rank + beta * ideal_so_far)
    return Worked(hits, blended, over=run.num_relevant(rel), over_is="R", columns={"ideal CG": ideal_so_far})
