"""Effect of disagreement on the order of systems: a leaderboard by each assessor's grades, and their correlations."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from germane.api.rankings.evaluation import evaluate
from germane.errors import GermaneError
from germane.stats.rankings.rank_correlation import tau_ap_b, tau_b
from germane.tables.columns.ids import FloatArray
from germane.tables.rankings.qrels import Qrels
from germane.tables.results.agreement import RankingAgreement, RankingPair, pair_names
from germane.tables.results.scores import Scores
from germane.tables.truth.judgments import Judgments


def agreement_on_systems(
    judgments: Judgments, assessors: tuple[str, ...], runs: Any, measure: str = "AP"
) -> RankingAgreement:
    """Return the leaderboard by each assessor; two assessors are compared over the topics that both judged."""
    scores = {who: evaluate(qrels_of(judgments, who), runs, [measure]) for who in assessors}
    first = scores[assessors[0]]
    systems = tuple(run.name for run in first.runs)
    if len(systems) < 2:
        hint = "add the run of another system"
        raise GermaneError(f"expected at least two systems to rank, found {', '.join(systems)} alone", hint=hint)
    if len(first.measures) != 1:
        raise GermaneError(f"expected one measure to rank systems by, found {measure!r}")
    lower = -1.0 if first.lower_better else 1.0
    pairs = []
    for a, b in pair_names(assessors):
        common = [query for query in scores[a].queries if query in set(scores[b].queries)]
        means = [_means(scores[who], common) for who in (a, b)]
        comparable = len(common) and not np.isnan(means).any()
        signed = [lower * mean for mean in means]
        tau, tau_ap = (float(how(*signed)) if comparable else math.nan for how in (tau_b, tau_ap_b))
        pairs.append(RankingPair(a, b, len(common), tau, tau_ap))
    by_judge = {who: tuple(_means(found, found.queries).tolist()) for who, found in scores.items()}
    return RankingAgreement(str(first.measures[0]), systems, by_judge, tuple(pairs))


def qrels_of(judgments: Judgments, assessor: str) -> Qrels:
    """Return the qrels of one assessor: their ordinary judgments; "cannot judge" is pooled but unjudged."""
    ordinary = judgments.of_kind("ordinary")
    own = ordinary.take([i for i, who in enumerate(ordinary.assessor) if who == assessor])
    grades = [-1.0 if math.isnan(grade) else grade for grade in own.grade.tolist()]
    scale = float(np.nanmax(judgments.grade, initial=0.0))
    return Qrels.from_columns(list(own.topic), list(own.doc), grades, scale=scale, name=assessor)


def _means(scores: Scores, queries: Any) -> FloatArray:
    table = scores.aggregate("mean", list(queries))
    return np.asarray([next(iter(table[run.name].values())) for run in scores.runs])
