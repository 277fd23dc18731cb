"""Fusion by score: Fox and Shaw's combinations of what the runs say of a document, and weighted sums."""

from __future__ import annotations

import numpy as np

from germane.retrieval.fusion.lists import Lists
from germane.retrieval.fusion.method import FUSION
from germane.tables.columns.ids import FloatArray, IntArray


@FUSION.add("combsum", uses="scores", weights="refused", unanimity="always", adds_zero=True)
def comb_sum(lists: Lists) -> FloatArray:
    """CombSUM: the sum of the scores.

    Formula:    sum over the runs that have it of score
    Reference:  Fox & Shaw, "Combination of Multiple Searches", TREC-2, 1994.
    Edge cases: A run that lacks the document adds 0.

    >>> from germane.retrieval.fusion.lists import written
    >>> lists = written("a:3 b:1", "b:4 c:2")
    >>> dict(zip(lists.docs, comb_sum(lists).tolist()))
    {'c': 2.0, 'b': 5.0, 'a': 3.0}
    """
    return lists.total(lists.score)


@FUSION.add("weighted", uses="scores", weights="needed", unanimity="always", adds_zero=True)
def weighted_sum(lists: Lists) -> FloatArray:
    """A linear combination: the sum of the scores, each times the weight of its run.

    Formula:    sum over the runs that have it of w * score
    Reference:  Vogt & Cottrell, "Fusion Via a Linear Combination of Scores", Information Retrieval 1(3), 1999.
    Edge cases: A run that lacks the document adds 0. Weights are taken as they are; they need not sum to 1.

    >>> from germane.retrieval.fusion.lists import written
    >>> lists = written("a:3 b:1", "b:4 c:2", weights=[0.5, 2])
    >>> dict(zip(lists.docs, weighted_sum(lists).tolist()))
    {'c': 4.0, 'b': 8.5, 'a': 1.5}
    """
    return lists.total(lists.weight * lists.score)


@FUSION.add("combmnz", uses="scores", weights="optional", unanimity="always", adds_zero=True)
def comb_mnz(lists: Lists) -> FloatArray:
    """CombMNZ: the sum of the scores, times the number of runs that have the document.

    Formula:    (number of runs that have it) * sum over them of w * score
    Reference:  Fox & Shaw, "Combination of Multiple Searches", TREC-2, 1994.
    Edge cases: A document that a run has counts as found by it even if its score is 0. w = 1 without weights.

    >>> from germane.retrieval.fusion.lists import written
    >>> lists = written("a:3 b:1", "b:4 c:2")
    >>> dict(zip(lists.docs, comb_mnz(lists).tolist()))
    {'c': 2.0, 'b': 10.0, 'a': 3.0}
    """
    return lists.num_runs * lists.total(lists.weight * lists.score)


@FUSION.add("combanz", uses="scores", weights="refused", unanimity="complete")
def comb_anz(lists: Lists) -> FloatArray:
    """CombANZ: the mean score over the runs that have the document.

    Formula:    sum over the runs that have it of score / (number of runs that have it)
    Reference:  Fox & Shaw, "Combination of Multiple Searches", TREC-2, 1994.
    Edge cases: A run that lacks the document is not asked: what one run alone has may come first.

    >>> from germane.retrieval.fusion.lists import written
    >>> lists = written("a:3 b:1", "b:4 c:2")
    >>> dict(zip(lists.docs, comb_anz(lists).tolist()))
    {'c': 2.0, 'b': 2.5, 'a': 3.0}
    """
    return lists.total(lists.score) / lists.num_runs


@FUSION.add("combmin", uses="scores", weights="refused", unanimity="complete")
def comb_min(lists: Lists) -> FloatArray:
    """CombMIN: the lowest of the scores.

    Formula:    least over the runs that have it of score
    Reference:  Fox & Shaw, "Combination of Multiple Searches", TREC-2, 1994.
    Edge cases: A run that lacks the document is not asked.

    >>> from germane.retrieval.fusion.lists import written
    >>> lists = written("a:3 b:1", "b:4 c:2")
    >>> dict(zip(lists.docs, comb_min(lists).tolist()))
    {'c': 2.0, 'b': 1.0, 'a': 3.0}
    """
    return _of_rising(lists, np.zeros(len(lists.docs), dtype=np.int64))


@FUSION.add("combmax", uses="scores", weights="refused", unanimity="always")
def comb_max(lists: Lists) -> FloatArray:
    """CombMAX: the highest of the scores.

    Formula:    greatest over the runs that have it of score
    Reference:  Fox & Shaw, "Combination of Multiple Searches", TREC-2, 1994.
    Edge cases: A run that lacks the document is not asked.

    >>> from germane.retrieval.fusion.lists import written
    >>> lists = written("a:3 b:1", "b:4 c:2")
    >>> dict(zip(lists.docs, comb_max(lists).tolist()))
    {'c': 2.0, 'b': 4.0, 'a': 3.0}
    """
    return _of_rising(lists, lists.num_runs - 1)


@FUSION.add("combmed", uses="scores", weights="refused", unanimity="complete")
def comb_med(lists: Lists) -> FloatArray:
    """CombMED: the median of the scores.

    Formula:    median over the runs that have it of score
    Reference:  Fox & Shaw, "Combination of Multiple Searches", TREC-2, 1994.
    Edge cases: A run that lacks the document is not asked. Of an even number, the mean of the middle two.

    >>> from germane.retrieval.fusion.lists import written
    >>> lists = written("a:3 b:1", "b:4 c:2", "b:5")
    >>> dict(zip(lists.docs, comb_med(lists).tolist()))
    {'c': 2.0, 'b': 4.0, 'a': 3.0}
    """
    below, above = (_of_rising(lists, (lists.num_runs - odd) // 2) for odd in (1, 0))
    return (below + above) / 2


def _of_rising(lists: Lists, place: IntArray) -> FloatArray:
    """Of each candidate's scores, lowest first, the one at a place that counts from 0."""
    first = np.cumsum(lists.num_runs) - lists.num_runs
    chosen: FloatArray = lists.score[lists.rising(lists.score)[first + place]]
    return chosen
