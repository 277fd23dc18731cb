"""Score normalisations: make the scores of different runs comparable, separately for each run and query."""

from __future__ import annotations

import numpy as np

from germane.errors import InputError
from germane.retrieval.fusion.lists import Lists
from germane.retrieval.fusion.method import NORMALISATIONS
from germane.tables.columns.ids import BoolArray, FloatArray
from germane.tables.rankings.judged_run import sum_by


@NORMALISATIONS.add("minmax", equal_scores="count as 1 each", never_negative=True)
def minmax(lists: Lists) -> FloatArray:
    """Min-max scaling: 0 for the lowest score of the list, 1 for the highest.

    Formula:    (score - lowest) / (highest - lowest)
    Reference:  Lee, "Analyses of Multiple Evidence Combination", SIGIR 1997.
    Edge cases: In a list of equal scores, or of one document, each counts as 1. The last document of a list gets 0, as
        if the run did not have it.

    >>> from germane.retrieval.fusion.lists import written
    >>> minmax(written("a:5 b:2 c:1"))
    array([1.  , 0.25, 0.  ])
    """
    low, spread = lowest(lists), highest(lists) - lowest(lists)
    return _unless_equal(lists, 1.0, lists.score - low[lists.row_list], spread)


@NORMALISATIONS.add("max", equal_scores="count as 1 each", never_negative=False)
def divided_by_highest(lists: Lists) -> FloatArray:
    """Division by the highest score of the list.

    Formula:    score / highest
    Reference:  Lee, "Combining Multiple Evidence from Different Properties of Weighting Schemes", SIGIR 1995.
    Edge cases: In a list of zeros each counts as 1. Any other list whose highest score is not above 0 is an error:
        dividing by it would reverse the ranking.

    >>> from germane.retrieval.fusion.lists import written
    >>> divided_by_highest(written("a:5 b:2 c:1"))
    array([1. , 0.4, 0.2])
    """
    high = highest(lists)
    zeros = equal_scores(lists) & (high == 0)
    if (bad := np.flatnonzero((high <= 0) & ~zeros)).size:
        run, query = lists.runs[lists.list_run[bad[0]]], lists.queries[int(lists.list_query[bad[0]])]
        problem = f"expected a highest score above 0 to divide by, found {high[bad[0]]:g} for query {query!r}"
        raise InputError(run, None, problem, hint="use minmax, sum or zmuv, which accept negative scores")
    return np.where(zeros[lists.row_list], 1.0, ratio(lists.score, high[lists.row_list]))


@NORMALISATIONS.add("sum", equal_scores="share 1 evenly", never_negative=True)
def summing_to_one(lists: Lists) -> FloatArray:
    """Shift to 0 for the lowest score, then scale to a sum of 1 over the list.

    Formula:    (score - lowest) / sum over the list of (score - lowest)
    Reference:  Montague & Aslam, "Relevance Score Normalization for Metasearch", CIKM 2001.
    Edge cases: In a list of n equal scores, each gets 1/n. The last document of a list gets 0, as if the run did not
        have it.

    >>> from germane.retrieval.fusion.lists import written
    >>> summing_to_one(written("a:5 b:2 c:1"))
    array([0.8, 0.2, 0. ])
    """
    above = lists.score - lowest(lists)[lists.row_list]
    total = sum_by(lists.row_list, above, len(lists.size))
    return _unless_equal(lists, 1 / lists.size[lists.row_list], above, total)


@NORMALISATIONS.add("zmuv", equal_scores="count as 0 each", never_negative=False)
def zero_mean_unit_variance(lists: Lists) -> FloatArray:
    """Standard scores (z-scores): standard deviations above the mean of the list.

    Formula:    (score - mean) / standard deviation (dividing by n)
    Reference:  Montague & Aslam, "Relevance Score Normalization for Metasearch", CIKM 2001.
    Edge cases: In a list of equal scores each counts as 0. A document missing from a run adds 0, the mean of the list:
        more than the lower half of the run's documents get.

    >>> from germane.retrieval.fusion.lists import written
    >>> zero_mean_unit_variance(written("a:5 b:3 c:1")).round(4)
    array([ 1.2247,  0.    , -1.2247])
    """
    mean = sum_by(lists.row_list, lists.score, len(lists.size)) / lists.size
    away = lists.score - mean[lists.row_list]
    deviation = np.sqrt(sum_by(lists.row_list, away**2, len(lists.size)) / lists.size)
    return _unless_equal(lists, 0.0, away, deviation)


@NORMALISATIONS.add("rank", equal_scores="are scored by rank", never_negative=True)
def linear_in_rank(lists: Lists) -> FloatArray:
    """Linear in rank: scores are ignored; 1 for the first rank down to 1/n for the last.

    Formula:    1 - (rank - 1) / n; n = number of documents in the list
    Reference:  Lee, "Analyses of Multiple Evidence Combination", SIGIR 1997.
    Edge cases: Tied documents get different ranks, by the tie-breaking rule.

    >>> from germane.retrieval.fusion.lists import written
    >>> linear_in_rank(written("a:9 b:1 c:0.5 d:0"))
    array([1.  , 0.75, 0.5 , 0.25])
    """
    return 1 - (lists.rank - 1) / lists.size[lists.row_list]


@NORMALISATIONS.add("reciprocal", equal_scores="are scored by rank", never_negative=True)
def reciprocal_rank(lists: Lists) -> FloatArray:
    """Reciprocal rank: scores are ignored; 1 / rank.

    Formula:    1 / rank
    Reference:  Nuray & Can, "Automatic Ranking of Information Retrieval Systems Using Data Fusion", Information
        Processing & Management 42(3), 2006.
    Edge cases: Tied documents get different ranks, by the tie-breaking rule.

    >>> from germane.retrieval.fusion.lists import written
    >>> reciprocal_rank(written("a:9 b:1 c:0.5 d:0")).round(4)
    array([1.    , 0.5   , 0.3333, 0.25  ])
    """
    return 1 / lists.rank


@NORMALISATIONS.add("none", equal_scores="stay as they are", never_negative=False)
def as_they_are(lists: Lists) -> FloatArray:
    """Scores as they are, for runs whose scores are already comparable.

    Formula:    score
    Reference:  Fox & Shaw, "Combination of Multiple Searches", TREC-2, 1994.
    Edge cases: A document missing from a run adds 0, which is more than a negative score such as a log-probability.

    >>> from germane.retrieval.fusion.lists import written
    >>> as_they_are(written("a:5 b:2 c:1"))
    array([5., 2., 1.])
    """
    return lists.score


def lowest(lists: Lists) -> FloatArray:
    """Return the lowest score of each list, its last."""
    return lists.score[lists.start[1:] - 1]


def highest(lists: Lists) -> FloatArray:
    """Return the highest score of each list, its first."""
    return lists.score[lists.start[:-1]]


def equal_scores(lists: Lists) -> BoolArray:
    """Return a mask of the lists whose scores are all equal."""
    return np.asarray(lowest(lists) == highest(lists))


def _unless_equal(lists: Lists, value: float | FloatArray, above: FloatArray, below: FloatArray) -> FloatArray:
    """Return ratios by row, where `below` is by list; for lists of equal scores, `value` instead."""
    return np.where(equal_scores(lists)[lists.row_list], value, ratio(above, below[lists.row_list]))


def ratio(above: FloatArray, below: FloatArray) -> FloatArray:
    """Return the ratio; 0 where the divisor is 0 and the caller substitutes another value."""
    return np.divide(above, below, out=np.zeros(len(above)), where=below != 0)
