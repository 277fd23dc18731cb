"""Fusion by rank: a run's contribution depends on the rank of a document, not on its score."""

from __future__ import annotations

import numpy as np

from germane.catalogue import Probability, Weight
from germane.retrieval.fusion.lists import Lists
from germane.retrieval.fusion.method import FUSION
from germane.tables.columns.ids import FloatArray
from germane.tables.rankings.judged_run import sum_by


@FUSION.add("rrf", uses="ranks", weights="optional", unanimity="always", adds_zero=True)
def reciprocal_rank_fusion(lists: Lists, *, k: Weight = 60.0) -> FloatArray:
    """Reciprocal rank fusion: top ranks count most; a larger k flattens their advantage.

    Formula:    sum of w / (k + rank) over the runs that retrieve the document
    Reference:  Cormack, Clarke & Büttcher, "Reciprocal Rank Fusion outperforms Condorcet and individual Rank Learning
        Methods", SIGIR 2009.
    Edge cases: A run without the document adds 0. w = 1 if no weights are given.

    >>> from germane.retrieval.fusion.lists import written
    >>> lists = written("a b", "b c")
    >>> dict(zip(lists.docs, reciprocal_rank_fusion(lists, k=0).tolist()))       # c 1/2, b 1/2 + 1/1, a 1/1
    {'c': 0.5, 'b': 1.5, 'a': 1.0}
    """
    return lists.total(lists.weight / (k + lists.rank))


@FUSION.add("isr", uses="ranks", weights="optional", unanimity="always", adds_zero=True)
def inverse_square_rank(lists: Lists) -> FloatArray:
    """Inverse square rank: the top ranks dominate, and documents retrieved by many runs are preferred.

    Formula:    (number of runs that retrieve the document) * sum over them of w / rank^2
    Reference:  Mourão, Martins & Magalhães, "Multimodal Medical Information Retrieval with Unsupervised Rank Fusion",
        Computerized Medical Imaging and Graphics 39, 2015.
    Edge cases: A run without the document adds 0. w = 1 if no weights are given.

    >>> from germane.retrieval.fusion.lists import written
    >>> lists = written("a b", "b c")
    >>> dict(zip(lists.docs, inverse_square_rank(lists).tolist()))               # b: 2 * (1/4 + 1)
    {'c': 0.25, 'b': 2.5, 'a': 1.0}
    """
    return lists.num_runs * lists.total(lists.weight / lists.rank.astype(float) ** 2)


@FUSION.add("rbc", uses="ranks", weights="optional", unanimity="always", adds_zero=True, names=("rbp",))
def rank_biased_centroids(lists: Lists, *, p: Probability = 0.8) -> FloatArray:
    """Rank-biased centroids: weights fall geometrically; a user continues to the next rank with probability p.

    Formula:    sum of w * (1 - p) * p^(rank - 1) over the runs that retrieve the document
    Reference:  Bailey, Moffat, Scholer & Thomas, "Retrieval Consistency in the Presence of Query Variations", SIGIR
        2017; Moffat, Webber & Zobel, "Strategic System Comparisons via Targeted Relevance Judgments", SIGIR 2007, for
        the choice of documents to judge (their method A).
    Edge cases: A run without the document adds 0. w = 1 if no weights are given. Far down the ranking p^rank underflows
        to 0, and documents tie.

    >>> from germane.retrieval.fusion.lists import written
    >>> lists = written("a b", "b c")
    >>> dict(zip(lists.docs, rank_biased_centroids(lists, p=0.5).tolist()))
    {'c': 0.25, 'b': 0.75, 'a': 0.5}
    """
    # Python's powers: NumPy's differ in the last bit between machines, which would change ties.
    powers = np.asarray([p**place for place in range(int(lists.size.max(initial=0)))])
    return lists.total(lists.weight * (1 - p) * powers[lists.rank - 1])


@FUSION.add("borda", uses="ranks", weights="optional", unanimity="always")
def borda_count(lists: Lists) -> FloatArray:
    """Borda count: each run gives n points to its first document, n - 1 to the next, and so on down to 1.

    Formula:    sum of w * points over the runs that have the query; points = n - rank + 1, where n is the number of
        candidates of the query
    Reference:  Aslam & Montague, "Models for Metasearch", SIGIR 2001.
    Edge cases: The n - m candidates missing from a run of m documents share its remaining points equally: (n - m + 1) /
        2 each. A run without documents for the query does not vote. w = 1 if no weights are given.

    >>> from germane.retrieval.fusion.lists import written
    >>> lists = written("a b", "b c")
    >>> dict(zip(lists.docs, borda_count(lists).tolist()))                       # 1 + 2, 2 + 3, 3 + 1
    {'c': 3.0, 'b': 5.0, 'a': 4.0}
    """
    num_candidates = lists.num_candidates[lists.list_query]
    left_over = (num_candidates - lists.size + 1) / 2
    points = num_candidates[lists.row_list] - lists.rank + 1
    # Points that every candidate would get if unranked, then the changes made by its ranks.
    shares = lists.weights[lists.list_run] * left_over
    least_first = shares.argsort(kind="stable")
    without = sum_by(lists.list_query[least_first], shares[least_first], len(lists.queries))
    return without[lists.query] + lists.total(lists.weight * (points - left_over[lists.row_list]))
