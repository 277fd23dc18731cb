"""Fusion by score: Fox and Shaw's Comb methods, and weighted sums."""

from __future__ import annotations

import numpy as np

from germane.retrieval.fusion.lists import Lists
from germane.retrieval.fusion.method import FUSION
from germane.tables.columns.ids import FloatArray, IntArray


@FUSION.add("combsum", uses="scores", weights="refused", unanimity="always", adds_zero=True)
def comb_sum(lists: Lists) -> FloatArray:
    """CombSUM: sum of the scores.

    Formula:    sum of score over the runs that retrieve the document
    Reference:  Fox & Shaw, "Combination of Multiple Searches", TREC-2, 1994.
    Edge cases: A run without the document adds 0.

    >>> from germane.retrieval.fusion.lists import written
    >>> lists = written("a:3 b:1", "b:4 c:2")
    >>> dict(zip(lists.docs, comb_sum(lists).tolist()))
    {'c': 2.0, 'b': 5.0, 'a': 3.0}
    """
    return lists.total(lists.score)


@FUSION.add("weighted", uses="scores", weights="needed", unanimity="always", adds_zero=True)
def weighted_sum(lists: Lists) -> FloatArray:
    """Linear combination: sum of the scores, each times the weight of its run.

    Formula:    sum of w * score over the runs that retrieve the document
    Reference:  Vogt & Cottrell, "Fusion Via a Linear Combination of Scores", Information Retrieval 1(3), 1999.
    Edge cases: A run without the document adds 0. Weights are used as given; they need not sum to 1.

    >>> from germane.retrieval.fusion.lists import written
    >>> lists = written("a:3 b:1", "b:4 c:2", weights=[0.5, 2])
    >>> dict(zip(lists.docs, weighted_sum(lists).tolist()))
    {'c': 4.0, 'b': 8.5, 'a': 1.5}
    """
    return lists.total(lists.weight * lists.score)


@FUSION.add("combmnz", uses="scores", weights="optional", unanimity="always", adds_zero=True)
def comb_mnz(lists: Lists) -> FloatArray:
    """CombMNZ: sum of the scores, times the number of runs that retrieve the document.

    Formula:    (number of runs that retrieve the document) * sum over them of w * score
    Reference:  Fox & Shaw, "Combination of Multiple Searches", TREC-2, 1994.
    Edge cases: A document in a run counts as retrieved even if its score is 0. w = 1 if no weights are given.

    >>> from germane.retrieval.fusion.lists import written
    >>> lists = written("a:3 b:1", "b:4 c:2")
    >>> dict(zip(lists.docs, comb_mnz(lists).tolist()))
    {'c': 2.0, 'b': 10.0, 'a': 3.0}
    """
    return lists.num_runs * lists.total(lists.weight * lists.score)


@FUSION.add("combanz", uses="scores", weights="refused", unanimity="complete")
def comb_anz(lists: Lists) -> FloatArray:
    """CombANZ: mean score over the runs that retrieve the document.

    Formula:    sum of score over the runs that retrieve the document / number of those runs
    Reference:  Fox & Shaw, "Combination of Multiple Searches", TREC-2, 1994.
    Edge cases: A run without the document is ignored, so a document that only one run retrieves may come first.

    >>> from germane.retrieval.fusion.lists import written
    >>> lists = written("a:3 b:1", "b:4 c:2")
    >>> dict(zip(lists.docs, comb_anz(lists).tolist()))
    {'c': 2.0, 'b': 2.5, 'a': 3.0}
    """
    return lists.total(lists.score) / lists.num_runs


@FUSION.add("combmin", uses="scores", weights="refused", unanimity="complete")
def comb_min(lists: Lists) -> FloatArray:
    """CombMIN: minimum of the scores.

    Formula:    minimum of score over the runs that retrieve the document
    Reference:  Fox & Shaw, "Combination of Multiple Searches", TREC-2, 1994.
    Edge cases: A run without the document is ignored.

    >>> from germane.retrieval.fusion.lists import written
    >>> lists = written("a:3 b:1", "b:4 c:2")
    >>> dict(zip(lists.docs, comb_min(lists).tolist()))
    {'c': 2.0, 'b': 1.0, 'a': 3.0}
    """
    return _of_rising(lists, np.zeros(len(lists.docs), dtype=np.int64))


@FUSION.add("combmax", uses="scores", weights="refused", unanimity="always")
def comb_max(lists: Lists) -> FloatArray:
    """CombMAX: maximum of the scores.

    Formula:    maximum of score over the runs that retrieve the document
    Reference:  Fox & Shaw, "Combination of Multiple Searches", TREC-2, 1994.
    Edge cases: A run without the document is ignored.

    >>> from germane.retrieval.fusion.lists import written
    >>> lists = written("a:3 b:1", "b:4 c:2")
    >>> dict(zip(lists.docs, comb_max(lists).tolist()))
    {'c': 2.0, 'b': 4.0, 'a': 3.0}
    """
    return _of_rising(lists, lists.num_runs - 1)


@FUSION.add("combmed", uses="scores", weights="refused", unanimity="complete")
def comb_med(lists: Lists) -> FloatArray:
    """CombMED: median of the scores.

    Formula:    median of score over the runs that retrieve the document
    Reference:  Fox & Shaw, "Combination of Multiple Searches", TREC-2, 1994.
    Edge cases: A run without the document is ignored. For an even number of scores, the mean of the middle two.

    >>> from germane.retrieval.fusion.lists import written
    >>> lists = written("a:3 b:1", "b:4 c:2", "b:5")
    >>> dict(zip(lists.docs, comb_med(lists).tolist()))
    {'c': 2.0, 'b': 4.0, 'a': 3.0}
    """
    below, above = (_of_rising(lists, (lists.num_runs - odd) // 2) for odd in (1, 0))
    return (below + above) / 2


def _of_rising(lists: Lists, place: IntArray) -> FloatArray:
    """Return the score at an index (from 0) of each candidate's scores in ascending order."""
    first = np.cumsum(lists.num_runs) - lists.num_runs
    chosen: FloatArray = lists.score[lists.rising(lists.score)[first + place]]
    return chosen
