"""Precision, recall and measures derived from them, at a cutoff or for the retrieved set.

Without a cutoff these are the set measures of Boolean retrieval: P is then trec_eval's set_P, for example.
"""

from __future__ import annotations

import numpy as np

from germane.catalogue import Weight
from germane.measures.definition import MANY, measure
from germane.measures.rankings.ties import success_probability
from germane.tables.columns.ids import FloatArray, IntArray
from germane.tables.rankings.judged_run import JudgedRun, Worked


def _places(run: JudgedRun, cut: int | None) -> FloatArray:
    """Return the divisor of precision: the cutoff, even for a shorter ranking, or the number retrieved."""
    return run.num_retrieved.astype(np.float64) if cut is None else np.full(run.num_queries, float(cut))


@measure("P", bounds=(0, 1), names=("precision", "set_p", "prec"), expected_ties=True, unjudged="monotone")
def precision(run: JudgedRun, *, rel: float = 1, cut: int | None = None) -> Worked:
    """Share of the retrieved documents that are relevant.

    Formula:    P@k = (relevant in the top k) / k; without a cutoff, / retrieved
    Reference:  Kent, Berry, Luehrs & Perry, "Machine literature searching VIII", American Documentation 6(2), 1955.
    Edge cases: a ranking shorter than k is padded with non-relevant documents. Nothing retrieved gives 0.

    >>> precision(judged("1 0 1 0 1"), cut=3)
    array([0.66666667])
    """
    hits = run.relevant(rel, cut)
    return Worked(hits, hits.share, over=_places(run, cut), over_is="retrieved" if cut is None else "k")


@measure("R", bounds=(0, 1), names=("recall", "set_r", "set_recall"), expected_ties=True, unjudged="recount")
def recall(run: JudgedRun, *, rel: float = 1, cut: int | None = None) -> Worked:
    """Share of the relevant documents that were retrieved.

    Formula:    R@k = (relevant in the top k) / (relevant in total)
    Reference:  Kent, Berry, Luehrs & Perry, "Machine literature searching VIII", American Documentation 6(2), 1955.
    Edge cases: R = 0 gives 0.

    >>> recall(judged("1 0 1", unretrieved="1"), cut=3)
    array([0.66666667])
    """
    hits = run.relevant(rel, cut)
    return Worked(hits, hits.share, over=run.num_relevant(rel), over_is="relevant documents")


@measure("F", bounds=(0, 1), names=("f_measure",), shorthands={"f1": "beta=1"}, expected_ties=True)
def f_measure(run: JudgedRun, *, beta: Weight = 1, rel: float = 1, cut: int | None = None) -> Worked:
    """Weighted harmonic mean of precision and recall; beta > 1 favours recall.

    Formula:    F = (beta^2 + 1) * P * recall / (beta^2 * P + recall), which is
        (beta^2 + 1) * (relevant retrieved) / (beta^2 * R + retrieved)
    Reference:  van Rijsbergen, Information Retrieval, 2nd ed., Butterworths 1979, chapter 7.
    Edge cases: nothing retrieved and nothing relevant gives 0. trec_eval's set_F takes beta squared.

    >>> f_measure(judged("1 1 1 1 1 1 1 0 0 0 0 0 0 0", unretrieved=" 1" * 13))    # 7 of 14 retrieved, 7 of 20 relevant
    array([0.41176471])
    """
    hits = run.relevant(rel, cut)
    return Worked(hits, (beta**2 + 1) * hits.share, over=_both(run, beta, rel, cut), over_is=_both_in_words(beta, cut))


def _both(run: JudgedRun, beta: float, rel: float, cut: int | None) -> FloatArray:
    """Return the denominator of F: beta squared times R, plus the divisor of precision."""
    return beta**2 * run.num_relevant(rel) + _places(run, cut)


def _both_in_words(beta: float, cut: int | None) -> str:
    return f"{'' if beta**2 == 1 else f'{beta**2:g} '}R + {'retrieved' if cut is None else 'k'}"


@measure("E", bounds=(0, 1), better="lower", names=("e_measure",), expected_ties=True)
def e_measure(run: JudgedRun, *, b: Weight = 1, rel: float = 1, cut: int | None = None) -> Worked:
    """van Rijsbergen's effectiveness, 1 - F: lower is better.

    Formula:    E = 1 - (b^2 + 1) / (b^2 / recall + 1 / P), which is
        1 - (b^2 + 1) * (relevant retrieved) / (b^2 * R + retrieved)
    Reference:  van Rijsbergen, Information Retrieval, 2nd ed., Butterworths 1979, chapter 7.
    Edge cases: an empty ranking gives 1, the worst.

    >>> e_measure(judged("1 0"))          # P = 1/2, R = 1, F = 2/3
    array([0.33333333])
    """
    hits = run.relevant(rel, cut)
    whole, over_is = _both(run, b, rel, cut), _both_in_words(b, cut)
    return Worked(hits, -(b**2 + 1) * hits.share, base=whole, over=whole, empty=1.0, over_is=over_is)


@measure(
    "Fallout",
    bounds=(0, 1),
    better="lower",
    names=("fall_out", "fallout"),
    needs=("collection size",),
    expected_ties=True,
)
def fallout(run: JudgedRun, *, rel: float = 1, cut: int | None = None) -> Worked:
    """Share of the non-relevant documents of the collection that were retrieved.

    Formula:    (non-relevant retrieved) / (N - R); N is the size of the collection
    Edge cases: an empty ranking gives 0. N = R gives NaN.

    >>> fallout(judged("1 0 -", collection_size=10))      # 2 of the 9
    array([0.22222222])
    """
    hits = run.relevant(rel, cut)
    others = num_not_relevant(run, rel)
    return Worked(hits, -hits.share, base=run.depth(cut), over=others, empty=np.nan, over_is="N - R")


def num_not_relevant(run: JudgedRun, rel: float) -> IntArray:
    """Count the documents of the collection that are not known to be relevant."""
    return (run.qrels.collection_size or 0) - run.num_relevant(rel)


@measure(
    "Success",
    bounds=(0, 1),
    names=("success", "hit_rate", "hit", "accuracy", "cmc"),
    expected_ties=True,
    unjudged="monotone",
)
def success(run: JudgedRun, *, rel: float = 1, cut: int | None = None) -> Worked:
    """1 if a relevant document was retrieved within the cutoff, else 0.

    Formula:    Success@k = 1 if the top k contain a relevant document, else 0
    Note:       also called hit rate; CMC at rank k in re-identification, Recall@k in metric learning.

    >>> success(judged("0 1 | 0 0 | 0"), cut=2)
    array([1., 0., 0.])
    """
    hits = run.relevant(rel, cut)
    return Worked(hits, success_probability(hits))


@measure("RelativeP", bounds=(0, 1), names=("set_relative_p", "recall_cap", "capped_recall"), expected_ties=True)
def relative_precision(run: JudgedRun, *, rel: float = 1, cut: int | None = None) -> Worked:
    """Precision relative to the maximum possible at the cutoff; also called capped recall.

    Formula:    (relevant in the top k) / min(k, R); without a cutoff, / min(retrieved, R)
    Edge cases: R = 0 gives 0, as does an empty ranking without a cutoff.

    >>> relative_precision(judged("1 0", unretrieved="1 1"), cut=2)
    array([0.5])
    """
    hits = run.relevant(rel, cut)
    most = np.minimum(_places(run, cut), run.num_relevant(rel))
    return Worked(hits, hits.share, over=most, over_is=f"min({'retrieved' if cut is None else 'k'}, R)")


@measure("SetAP", bounds=(0, 1), names=("set_map", "set_ap"))
def set_average_precision(run: JudgedRun, *, rel: float = 1) -> Worked:
    """Precision times recall of the retrieved set: average precision of an unordered set.

    Formula:    (relevant retrieved)^2 / (retrieved * R)
    Edge cases: nothing retrieved or R = 0 gives 0.

    >>> set_average_precision(judged("1 0", unretrieved="1"))     # 1/2 * 1/2
    array([0.25])
    """
    hits = run.relevant(rel)
    found = hits.count_by_query()[hits.query].astype(np.float64)
    return Worked(hits, found, over=run.num_retrieved * run.num_relevant(rel), over_is="retrieved * R")


@measure("Utility", bounds=(-MANY, MANY), names=("utility",), expected_ties=True)
def utility(
    run: JudgedRun, *, a: float = 1, b: float = -1, c: float = 0, d: float = 0, rel: float = 1, cut: int | None = None
) -> Worked:
    """Linear utility of the retrieved set.

    Formula:    a * relevant retrieved + b * non-relevant retrieved + c * relevant missed + d * non-relevant missed
    Edge cases: d requires the size of the collection; if it is not given, 0 is assumed, as in trec_eval.

    >>> utility(judged("1 0 1", unretrieved="1"))
    array([1.])
    """
    hits = run.relevant(rel, cut)
    relevant, retrieved = run.num_relevant(rel), run.depth(cut)
    others_missed = (run.qrels.collection_size or 0) - retrieved - relevant
    # A relevant document retrieved is neither "relevant missed" nor "non-relevant retrieved".
    return Worked(hits, (a - b - c + d) * hits.share, base=b * retrieved + c * relevant + d * others_missed)


@measure(
    "Rprec",
    bounds=(0, 1),
    names=("r_precision", "rprec", "r_prec", "break_even"),
    expected_ties=True,
    unjudged="recount",
)
def r_precision(run: JudgedRun, *, times: Weight = 1, rel: float = 1) -> Worked:
    """Precision at rank R, where it equals recall (the P = R point of the P-R graph), or at a multiple of R.

    Formula:    (relevant in the top R) / R; with times = f, at rank trunc(f * R + 0.9)
    Reference:  Buckley & Voorhees, "Retrieval System Evaluation", in TREC, MIT Press 2005.
    Edge cases: R = 0 gives 0. A ranking shorter than R is padded with non-relevant documents.

    >>> r_precision(judged("1 1 0 1 0 1 0 0 0 0 0 0 1 0", unretrieved="1"))     # 4 of the first 6
    array([0.66666667])
    """
    rank = np.trunc(times * run.num_relevant(rel) + 0.9).astype(np.int64)
    hits = run.relevant(rel, rank)
    return Worked(hits, hits.share, over=rank, over_is="R" if times == 1 else f"rank {times:g} R")
