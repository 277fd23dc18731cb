"""Score rankings before and after feedback on the same queries, and compare them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from germane.api.comparisons.family_intervals import in_one_family
from germane.api.comparisons.systems import compare_systems
from germane.api.rankings.evaluation import evaluate
from germane.errors import GermaneError
from germane.measures.definition import MEASURES
from germane.retrieval.feedback_evaluation.views import Rankings, View, run_of
from germane.tables.rankings.judged_run import NoRelevant
from germane.tables.rankings.measure import Measure
from germane.tables.rankings.qrels import Qrels
from germane.tables.results.feedback_evaluation import ALPHA, Change, FeedbackEvaluation, FeedbackTrial
from germane.tables.results.scores import Scores


@dataclass(frozen=True, eq=False)
class Outcome:
    """A trial before scoring: the full rankings, and those under the protocol."""

    method: str
    round: int
    before: Rankings
    after: Rankings
    view: View
    seen: int = 0
    relevant_seen: int = 0


def score_outcomes(
    outcomes: Sequence[Outcome],
    truth: Qrels,
    model: str,
    protocol: str,
    measures: str | Measure | Iterable[str | Measure],
    rel: float,
    no_relevant: NoRelevant,
) -> FeedbackEvaluation:
    """Score all outcomes on the same queries, and compare."""
    if no_relevant not in ("skip", "keep"):
        raise GermaneError(f"expected no_relevant to be skip or keep, found {no_relevant!r}")
    wanted = list(MEASURES.parse_many(measures))
    kept = np.ones(truth.num_queries, dtype=np.bool_)
    if no_relevant == "skip":
        for outcome in outcomes:
            kept &= outcome.view.qrels.num_relevant(rel) > 0
    if not kept.any():
        hint = "judge fewer documents, or use `no_relevant='keep'`"
        raise GermaneError("no query has a relevant document left", hint=hint)
    rows = np.flatnonzero(kept)
    trials = []
    for outcome in outcomes:
        seen = outcome.view
        seen_as = {model: run_of(seen.before), outcome.method: run_of(seen.after)}
        whole = {model: run_of(outcome.before), outcome.method: run_of(outcome.after)}
        scores = evaluate(seen.qrels.take(rows), seen_as, wanted)
        full = evaluate(truth.take(rows), whole, wanted)
        counts = (outcome.seen, outcome.relevant_seen, seen.no_relevant_left)
        trials.append(FeedbackTrial(outcome.method, outcome.round, scores, full, (), *counts, *_changes(scores)))
    return FeedbackEvaluation(
        trials=_compared(trials),
        protocol=protocol,
        model=model,
        measures=tuple(str(measure) for measure in trials[0].scores.measures),
        judged=0,
        rel=rel,
        no_relevant=no_relevant,
        seed=None,
        num_topics=truth.num_queries,
        skipped=tuple(truth.queries[int(query)] for query in np.flatnonzero(~kept)),
    )


def _compared(trials: list[FeedbackTrial]) -> tuple[FeedbackTrial, ...]:
    """Return each trial with its comparisons; the family of tests is all trials times all measures."""
    if len(trials[0].scores.queries) < 2:
        return tuple(trials)
    pairs = in_one_family(
        lambda alpha: [
            compare_systems(t.scores, baseline=t.before, correction="none", alpha=alpha).pairs for t in trials
        ],
        ALPHA,
    )
    return tuple(replace(trial, pairs=group) for trial, group in zip(trials, pairs, strict=True))


def _changes(scores: Scores) -> tuple[tuple[Change, ...], tuple[Change, ...]]:
    """Return the queries hurt by feedback, and those helped, the largest change first."""
    sign = -1.0 if scores.lower_is_better(scores.measures[0]) else 1.0
    before, after = scores.values[0, 0], scores.values[1, 0]
    gain = sign * (after - before)
    order = np.argsort(gain, kind="stable")
    changes = [(Change(scores.queries[int(q)], float(before[q]), float(after[q])), gain[q]) for q in order]
    return tuple(c for c, g in changes if g < 0), tuple(c for c, g in reversed(changes) if g > 0)
