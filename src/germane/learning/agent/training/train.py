"""Train an agent: strategy, evidence, re-ranking, P(R|d) and feedback, each chosen or learned on training queries, out
of fold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np

from germane.errors import GermaneError
from germane.learning.agent.knowledge.calibration import brier
from germane.learning.agent.knowledge.experience import Experience
from germane.learning.agent.knowledge.reranking import DEPTH, RerankingModel
from germane.learning.agent.state import AgentState, Origin, identity_of, normal_text, query_hash
from germane.learning.agent.training.choices import (
    WeightTrial,
    against_none,
    choose_within,
    p_value,
    strategy_values,
    try_additions,
    utilities,
)
from germane.learning.agent.training.feedback_trials import choose_feedback
from germane.learning.agent.training.material import Material, Training, combined
from germane.learning.agent.utility import Marked, Utility
from germane.learning.strategies.strategy import Strategy
from germane.learning.tuning.cells import Progress
from germane.learning.tuning.choices import choose_best, levels_of
from germane.learning.tuning.journal import Journal
from germane.retrieval.feedback import Feedback
from germane.retrieval.indexes.index import Index
from germane.stats.intervals.means import mean_interval
from germane.tables.columns.ids import FloatArray, IntArray
from germane.tables.notes.counts import counted
from germane.tables.rankings.qrels import Qrels


def train_agent(
    index: Index,
    queries: Mapping[str, str],
    qrels: Qrels,
    strategies: Sequence[Strategy],
    utility: Utility,
    methods: Sequence[Feedback],
    training: Training | None = None,
    *,
    journal: str | Path | None = None,
    progress: Progress | None = None,
) -> AgentState:
    """Train an agent on judged queries; `germane.learning.Agent.train` documents the parameters.

    A journal stores the values of each strategy, which take longest, so that an interrupted run can continue.
    """
    how = training or Training()
    material = Material.of(index, queries, qrels, utility, how)
    if not any(len(known) for known in material.relevant):
        raise GermaneError("expected relevant documents for at least one query, found none", hint="lower `rel=`")
    values = _matrix(material, strategies, journal, progress)
    level = levels_of(strategies)
    costs = utility.costs
    scale = costs.non_relevant - costs.relevant + costs.missed if utility.measure is None else 1.0
    margin = how.tolerance * scale
    everything = material.everything
    chosen = choose_within(values[0], level, everything, margin)
    strategy = strategies[chosen]
    evidence, reranking = try_additions(material, strategy, everything, how.alpha)
    marked = Marked.of(reranking.rankings, material.relevant, standard=False)
    trained, quality = _decisions(material, marked)
    feedback = choose_feedback(material, strategy, reranking.rankings, methods, judged=how.judged, alpha=how.alpha)
    model = RerankingModel(
        features=tuple(one.spelled for one in material.features),
        depth=DEPTH,
        weight=reranking.chosen,
        weight_after=feedback.reranking_weight,
        equations=material.rows(strategy).learned(everything),
    )
    return AgentState(
        origin=Origin(
            index=identity_of(index),
            analyser=index.analyser.name,
            num_docs=index.collection.num_docs,
            num_queries=len(everything),
            queries=tuple(sorted({query_hash(str(text)) for text in material.scorer.given})),
            folds=how.folds,
            seed=how.seed,
            rel=how.rel,
            tolerance=margin,
            alpha=how.alpha,
        ),
        utility=utility,
        strategy=strategy,
        depth=how.depth,
        evidence_weight=evidence.chosen,
        reranking=model if model.weight or model.weight_after else None,
        indexing=material.learned(everything),
        calibration=marked.calibration(everything),
        feedback=feedback.method,
        weight_after=feedback.weight,
        calibration_after=feedback.calibration,
        choice={
            "utility": str(utility),
            **_strategy_record(strategies, values[0], level, chosen, margin),
            "held_out": held_out(material, strategies, values, level, margin, how.alpha),
            "evidence": _addition_record(evidence, how.alpha),
            "reranking": _addition_record(reranking, how.alpha),
            "calibration": quality,
            "feedback": feedback.record,
        },
        trained=trained,
        notes=_notes(material, queries, qrels),
    )


def _matrix(
    material: Material, strategies: Sequence[Strategy], path: str | Path | None, progress: Progress | None
) -> FloatArray:
    """Return utility by (fold held out) × strategy × query; values in a journal are not computed again."""
    num_folds, num_queries = int(material.fold.max()) + 1, len(material.fold)
    values = np.zeros((num_folds + 1, len(strategies), num_queries))
    about = {
        "measure": str(material.utility),
        "k": material.depth,
        "queries": [f"{row} {query}" for row in range(num_folds + 1) for query in material.scorer.queries],
        "data": material.scorer.fingerprint() + " ".join(map(str, material.fold.tolist())),
    }
    with nullcontext() if path is None else Journal(path, about) as journal:
        kept = {} if journal is None else {text: own for text, _, own in journal.entries()}
        for place, strategy in enumerate(strategies):
            own = kept.get(str(strategy))
            if own is None:
                own = strategy_values(material, strategy).ravel()
                if not np.isfinite(own).all():
                    hint = "remove that query from the qrels, or choose a measure that is defined for it"
                    raise GermaneError(f"{material.utility} of {strategy} is undefined for a query", hint=hint)
                if journal is not None:
                    journal.add(str(strategy), np.arange(len(own)), own)
            material.forget(strategy)
            values[:, place] = own.reshape(num_folds + 1, num_queries)
            if progress is not None:
                progress(place + 1, len(strategies))
    return values


def held_out(
    material: Material, strategies: Sequence[Strategy], values: FloatArray, level: IntArray, margin: float, alpha: float
) -> dict[str, Any]:
    """Estimate the utility on new queries: make all choices again without each fold in turn, and test them on it.

    The baseline is the strategy with the best mean on the same training folds.
    """
    agent, best = np.zeros(len(material.fold)), np.zeros(len(material.fold))
    picks = []
    for fold in range(int(material.fold.max()) + 1):
        own, train = np.flatnonzero(material.fold == fold), np.flatnonzero(material.fold != fold)
        table = values[fold + 1]
        chosen = choose_within(table, level, train, margin)
        evidence, reranking = try_additions(material, strategies[chosen], train, alpha)
        if evidence.chosen == reranking.chosen == 0:
            agent[own] = table[chosen, own]
        else:
            mixed = reranking.rankings
            for place, known in material.evidence(mixed, own, train).items():
                mixed[place] = combined(mixed[place], known, evidence.chosen)
            for place, opinion in material.opinions(strategies[chosen], mixed, own, train).items():
                mixed[place] = combined(mixed[place], opinion, reranking.chosen)
            agent[own] = utilities(material, mixed, own, train)
        winner = choose_best(table, level, train)
        best[own] = table[winner, own]
        weights = {"weight": evidence.chosen, "reranking_weight": reranking.chosen}
        picks.append({"strategy": str(strategies[chosen]), **weights, "best": str(strategies[winner])})
    difference = agent - best
    return {
        "num_queries": len(agent),
        "agent": _mean(agent),
        "best_single": _mean(best),
        "difference": {**_mean(difference), "p": p_value(difference)},
        "folds": picks,
    }


def _mean(values: FloatArray) -> dict[str, float]:
    interval = mean_interval(values)
    return {"mean": float(values.mean()), "low": float(interval.low), "high": float(interval.high)}


def _decisions(material: Material, marked: Marked) -> tuple[Experience, dict[str, float]]:
    """Return the out-of-fold decisions on each training query, and the quality of P(R|d). Unjudged documents count as
    non-relevant."""
    probabilities = marked.out_of_fold(material.fold, material.everything)
    threshold = material.utility.costs.threshold
    experience = Experience()
    for place, own in enumerate(probabilities):
        text, length = normal_text(str(material.scorer.given[place])), len(material.asked[place].weights)
        relevant = marked.is_relevant[place]
        experience.record(text, length, own, own > threshold, relevant)
        experience.miss(text, length, int(marked.num_relevant[place] - relevant.sum()))
    p, truth = np.concatenate(probabilities), np.concatenate(marked.is_relevant)
    share = float(truth.mean())
    return experience, {
        "brier": brier(p, truth),
        "brier_of_base_rate": share * (1 - share),
        "num_docs": len(p),
        "num_relevant": int(truth.sum()),
    }


def _strategy_record(
    strategies: Sequence[Strategy], values: FloatArray, level: IntArray, chosen: int, margin: float
) -> dict[str, Any]:
    means = values.mean(axis=1)
    best = choose_best(values, level, np.arange(values.shape[1]))
    if chosen == best:
        reason = "it has the highest mean, and no simpler strategy is shown to be as good"
    else:
        lost = _mean(values[chosen] - values[best])
        reason = (
            f"simpler than {strategies[best]}, which has the highest mean, and as good within {margin:g}: "
            f"difference {lost['mean']:+.4f} [{lost['low']:+.4f}, {lost['high']:+.4f}]"
        )
    order = np.argsort(-means, kind="stable")
    return {
        "strategies": [{"strategy": str(strategies[place]), "mean": float(means[place])} for place in order.tolist()],
        "winner": str(strategies[best]),
        "reason": reason,
    }


def _addition_record(trial: WeightTrial, alpha: float) -> dict[str, Any]:
    reason = "no weight is significantly better than 0"
    if trial.chosen:
        reason = f"weight {trial.chosen:g} is best, and significantly better than 0 (p < {alpha:g})"
    rows = zip(trial.weights, trial.values, strict=True)
    trials = [{"weight": weight, **against_none(own, trial.values[0])} for weight, own in rows]
    return {"reason": reason, "trials": trials}


def _notes(material: Material, queries: Mapping[str, str], qrels: Qrels) -> tuple[str, ...]:
    judged = set(material.scorer.queries)
    without = sum(not len(known) for known in material.relevant)
    absent = sum(int((known < 0).sum()) for known in material.relevant)
    counts = (
        (sum(query not in judged for query in queries), "unjudged query", "skipped"),
        (qrels.num_queries - len(judged), "judged query", "without text; skipped"),
        (len(material.scorer.empty_queries()), "query", "with no words left after analysis; no document is retrieved"),
        (without, "query", "without a relevant document; most measures give 0"),
        (absent, "relevant document", "missing from the index; counted as not retrieved"),
    )
    unjudged = "unjudged documents count as non-relevant in P(R|d) and in the confusion matrix of training"
    return (*(f"{counted(count, noun)} {what}" for count, noun, what in counts if count), unjudged)
