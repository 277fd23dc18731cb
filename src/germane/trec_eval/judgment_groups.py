"""Measures averaged over judgment groups (-R qrels_jg): several people's judgments of the same topic."""

from __future__ import annotations

import numpy as np

from germane.measures.ranking.average_precision import average_precision
from germane.measures.ranking.precision import precision, r_precision
from germane.tables.judged_run import PerQuery
from germane.trec_eval.evaluation import Evaluation


def _averaged(evaluation: Evaluation, values: PerQuery) -> PerQuery:
    """The mean over the groups of each topic, added up in the order of the groups."""
    num_topics = len(evaluation.topics)
    total = np.bincount(evaluation.topic_of_group, weights=values, minlength=num_topics)
    return total / np.bincount(evaluation.topic_of_group, minlength=num_topics)


def average_precision_of_groups(evaluation: Evaluation, _: tuple[()]) -> list[PerQuery]:
    """map_avgjg."""
    return [_averaged(evaluation, average_precision(evaluation.group_run, rel=evaluation.rel))]


def precision_of_groups(evaluation: Evaluation, cutoffs: tuple[int, ...]) -> list[PerQuery]:
    """P_avgjg."""
    return [_averaged(evaluation, precision(evaluation.group_run, rel=evaluation.rel, cut=cut)) for cut in cutoffs]


def precision_at_multiples_of_groups(evaluation: Evaluation, multiples: tuple[float, ...]) -> list[PerQuery]:
    """Rprec_mult_avgjg. (Adding 0 turns the -0 of a negative multiple into 0.)"""
    return [
        _averaged(evaluation, r_precision(evaluation.group_run, times=times, rel=evaluation.rel) + 0.0)
        for times in multiples
    ]
