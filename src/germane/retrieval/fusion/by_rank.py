"""Fusion by rank: what a run adds to a document depends on where it stands there, and not on its score."""

from __future__ import annotations

import numpy as np

from germane.catalogue import Probability, Weight
from germane.retrieval.fusion.lists import Lists
from germane.retrieval.fusion.method import FUSION
from germane.tables.columns.ids import FloatArray
from germane.tables.rankings.judged_run import sum_by


@FUSION.add("rrf", uses="ranks", weights="optional", unanimity="always", adds_zero=True)
def reciprocal_rank_fusion(lists: Lists, *, k: Weight = 60.0) -> FloatArray:
    """Reciprocal rank fusion: high ranks count most, and the less so the larger k is.

    Formula:    sum over the runs that have it of w / (k + rank)
    Reference:  Cormack, Clarke & Büttcher, "Reciprocal Rank Fusion outperforms Condorcet and individual Rank Learning
        Methods", SIGIR 2009.
    Edge cases: A run that lacks the document adds 0. w = 1 without weights.

    >>> from germane.retrieval.fusion.lists import written
    >>> lists = written("a b", "b c")
    >>> dict(zip(lists.docs, reciprocal_rank_fusion(lists, k=0).tolist()))       # c 1/2, b 1/2 + 1/1, a 1/1
    {'c': 0.5, 'b': 1.5, 'a': 1.0}
    """
    return lists.total(lists.weight / (k + lists.rank))


@FUSION.add("isr", uses="ranks", weights="optional", unanimity="always", adds_zero=True)
def inverse_square_rank(lists: Lists) -> FloatArray:
    """Inverse square rank: the first ranks decide, and documents that many runs have are preferred.

    Formula:    (number of runs that have it) * sum over them of w / rank^2
    Reference:  Mourão, Martins & Magalhães, "Multimodal Medical Information Retrieval with Unsupervised Rank Fusion",
        Computerized Medical Imaging and Graphics 39, 2015.
    Edge cases: A run that lacks the document adds 0. w = 1 without weights.

    >>> from germane.retrieval.fusion.lists import written
    >>> lists = written("a b", "b c")
    >>> dict(zip(lists.docs, inverse_square_rank(lists).tolist()))               # b: 2 * (1/4 + 1)
    {'c': 0.25, 'b': 2.5, 'a': 1.0}
    """
    return lists.num_runs * lists.total(lists.weight / lists.rank.astype(float) ** 2)


@FUSION.add("rbc", uses="ranks", weights="optional", unanimity="always", adds_zero=True, names=("rbp",))
def rank_biased_centroids(lists: Lists, *, p: Probability = 0.8) -> FloatArray:
    """Rank-biased centroids: a reader of each run goes on from each document to the next with probability p.

    Formula:    sum over the runs that have it of w * (1 - p) * p^(rank - 1)
    Reference:  Bailey, Moffat, Scholer & Thomas, "Retrieval Consistency in the Presence of Query Variations", SIGIR
        2017; Moffat, Webber & Zobel, "Strategic System Comparisons via Targeted Relevance Judgments", SIGIR 2007, for
        the choice of documents to judge (their method A).
    Edge cases: A run that lacks the document adds 0. w = 1 without weights. Far down, p^rank is below the smallest
        number there is, and documents tie.

    >>> from germane.retrieval.fusion.lists import written
    >>> lists = written("a b", "b c")
    >>> dict(zip(lists.docs, rank_biased_centroids(lists, p=0.5).tolist()))
    {'c': 0.25, 'b': 0.75, 'a': 0.5}
    """
    # By Python's own powers: those of NumPy differ in the last bit from machine to machine, and ties with them.
    powers = np.asarray([p**place for place in range(int(lists.size.max(initial=0)))])
    return lists.total(lists.weight * (1 - p) * powers[lists.rank - 1])


@FUSION.add("borda", uses="ranks", weights="optional", unanimity="always")
def borda_count(lists: Lists) -> FloatArray:
    """Borda count: each run hands out n, n - 1, ... 1 points, most to its first document.

    Formula:    sum over the runs that answer the query of w * points; points = n - rank + 1, n = candidates of the
        query
    Reference:  Aslam & Montague, "Models for Metasearch", SIGIR 2001.
    Edge cases: The n - m candidates that a run of m documents lacks share its remaining points evenly: (n - m + 1) / 2
        each. A run without documents for the query has no opinion. w = 1 without weights.

    >>> from germane.retrieval.fusion.lists import written
    >>> lists = written("a b", "b c")
    >>> dict(zip(lists.docs, borda_count(lists).tolist()))                       # 1 + 2, 2 + 3, 3 + 1
    {'c': 3.0, 'b': 5.0, 'a': 4.0}
    """
    num_candidates = lists.num_candidates[lists.list_query]
    left_over = (num_candidates - lists.size + 1) / 2
    points = num_candidates[lists.row_list] - lists.rank + 1
    # What every candidate would have without its ranks, and what its ranks change about that.
    shares = lists.weights[lists.list_run] * left_over
    least_first = shares.argsort(kind="stable")
    without = sum_by(lists.list_query[least_first], shares[least_first], len(lists.queries))
    return without[lists.query] + lists.total(lists.weight * (points - left_over[lists.row_list]))
