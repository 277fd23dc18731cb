"""Tasks on items with scores: measures of scores, and thresholds chosen by a rule."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from germane.errors import MeasureError
from germane.exercises.task import Kind, Mistake, Table, Task, definition, near, one_of
from germane.measures.decisions.explain import TABLED, explain_scores
from germane.measures.decisions.measure import DECISION_MEASURES
from germane.measures.decisions.rates import RATES
from germane.stats.thresholds.aims import BestRule
from germane.stats.thresholds.choice import choose_threshold
from germane.stats.thresholds.rules import THRESHOLD_RULES, parse_rule
from germane.tables.decisions.decisions import Decisions

SCORES = ("AUC", "EER", "scores:AP")
RULES = {"accuracy": "ACC", "youden": "TPR + TNR - 1", "closest": "(1 - TPR)^2 + FPR^2"}
"""Rules, each with the heading of the column that decides in its breakdown."""
WORTH = {"accuracy": "the accuracy", "youden": "TPR + TNR - 1", "closest": "the squared distance from (0, 1)"}
"""Rules, each with the value that decides, as in a sentence."""


def _score_known_as(topic: str) -> str | None:
    try:
        name = DECISION_MEASURES[topic].name
    except MeasureError:
        return None
    return name if name in TABLED else None


def _draw_score(topic: str, rng: np.random.Generator) -> Task | None:
    measure, decisions = DECISION_MEASURES[topic], _drawn(rng)
    if decisions is None:
        return None
    explanation = explain_scores(topic, decisions)
    apart = np.sort(np.abs(RATES["FPR"](decisions.cells) - RATES["FNR"](decisions.cells))).tolist()
    if near(apart[0], apart[1]):
        return None  # ambiguous: the error rates are equally close at two thresholds
    return Task(
        topic,
        f"A classifier scored these items; P is positive, N is negative. What is its {measure.name}?",
        (_table(decisions),),
        definition(measure),
        explanation.value,
        str(explanation),
        _score_mistakes(measure.name, decisions),
    )


def _drawn(rng: np.random.Generator) -> Decisions | None:
    """Generate seven to nine items with distinct scores, at least three per class, and an AUC above 0.5."""
    size = int(rng.integers(7, 10))
    positive = (rng.random(size) < 0.5).tolist()
    scores = sorted(set((rng.integers(5, 99, 3 * size) / 100).tolist()), reverse=True)[:size]
    if len(scores) < size or not 3 <= sum(positive) <= size - 3:
        return None
    decisions = Decisions.of(positive, scores)
    return decisions if 0.5 < explain_scores("AUC", decisions).value < 0.95 else None


def _table(decisions: Decisions) -> Table:
    pairs = zip(decisions.thresholds.tolist(), decisions.positives_at.tolist(), strict=True)
    return Table(("score", "class"), tuple((f"{score:.2f}", "P" if label else "N") for score, label in pairs))


def _score_mistakes(asked: str, decisions: Decisions) -> list[Mistake]:
    cells = decisions.cells
    words = {"AUC": "the area under the ROC curve", "EER": "the equal error rate", "AP": "the average precision"}
    values = {name: explain_scores(name, decisions).value for name in (*TABLED, "ACC")}
    turned = Decisions.of([bool(label) for label in 1 - decisions.positives_at], decisions.thresholds)
    positives, negatives = float(cells.TP[-1]), float(cells.FP[-1])
    found = [Mistake(f"given {word}", values[name]) for name, word in words.items() if name != asked]
    found += [
        Mistake("treated the negatives as the positives", explain_scores(asked, turned).value),
        Mistake("given the highest accuracy", values["ACC"]),
    ]
    if asked == "AUC":
        all_pairs = math.comb(int(positives + negatives), 2)
        of_pairs = values["AUC"] * positives * negatives / all_pairs
        found = [
            Mistake("used the area under the precision-recall curve", values["AP"]),
            Mistake("divided by all pairs of items, not by pairs of a positive and a negative", of_pairs),
            *found,
        ]
    return found


def _draw_rule(topic: str, rng: np.random.Generator) -> Task | None:
    decisions = _drawn(rng)
    if decisions is None:
        return None
    point = choose_threshold(decisions, topic).points[0]
    if len(point.tied) > 1 or not math.isfinite(point.threshold):
        return None
    elsewhere = {rule: choose_threshold(decisions, rule).threshold for rule in RULES}
    return Task(
        topic,
        "A classifier scored these items; P is positive, N is negative. An item is predicted positive if its score is "
        f"at or above the threshold. Which of these scores does the rule {topic!r} choose as the threshold?",
        (_table(decisions),),
        (THRESHOLD_RULES[topic].description,),
        float(point.threshold),
        f"{_worked(topic, decisions)}\n\n"
        f"{topic}: the threshold is {decisions.text(point.threshold)}, where {WORTH[topic]} is {point.value:.4f}",
        [
            Mistake(f"given {WORTH[topic]} there, not the threshold", point.value),
            *(Mistake(f"used another rule ({rule})", there) for rule, there in elsewhere.items()),
        ],
    )


def _worked(topic: str, decisions: Decisions) -> str:
    """Return the breakdown by threshold, with a column for the value that decides."""
    rule = parse_rule(topic)
    assert isinstance(rule, BestRule)
    explanation = explain_scores("ACC", decisions)
    columns = explanation.columns | {RULES[topic]: rule.objective(decisions.cells).tolist()}
    return str(replace(explanation, columns=columns)).partition("\n\n")[0]


KINDS = (
    Kind("scores", "Scores", SCORES, _score_known_as, _draw_score),
    Kind("threshold", "Thresholds", tuple(f"threshold:{rule}" for rule in RULES), one_of(RULES), _draw_rule),
)
