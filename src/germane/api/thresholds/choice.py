"""Choose an operating point on one set and evaluate it on another."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from germane.api.decisions.notes import score_notes
from germane.api.thresholds.inversion import are_probabilities, inverted_note
from germane.api.thresholds.sets import applied_to, read_set
from germane.api.thresholds.slices import notes_on_slices, slices_of
from germane.arguments import checked
from germane.formats.decisions.labelled_columns import Names
from germane.formats.decisions.missing_values import Missing
from germane.measures.decisions.scores.roc import area_under_roc
from germane.stats.thresholds.aims import Rule, TargetBy
from germane.stats.thresholds.choice import choose_threshold
from germane.stats.thresholds.rules import parse_rule
from germane.stats.thresholds.stability import USUAL_RESAMPLES, threshold_stability
from germane.tables.columns.ids import FloatArray
from germane.tables.decisions.confusion import Label
from germane.tables.decisions.threshold_text import threshold_text
from germane.tables.notes.note import Note
from germane.tables.results.performance import Estimate
from germane.tables.results.threshold import Threshold
from germane.tables.thresholds.choice import SetResult, ThresholdChoice

if TYPE_CHECKING:
    from germane.types import ScoredLike

SHOWN_TIES = 5


@checked(rule="pass arrays as one pair: threshold((y_true, y_score), rule)")
def threshold(
    dev: ScoredLike,
    rule: str | Rule = "youden",
    *,
    test: ScoredLike | None = None,
    truth: str | int | None = None,
    score: str | int | None = None,
    weight: str | int | None = None,
    positive: Label | None = None,
    slices: Names = None,
    invert: bool = False,
    missing: Missing | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    target_by: TargetBy = "value",
    level: float = 0.95,
    resamples: int | None = None,
    seed: int = 0,
) -> Threshold:
    """Choose a threshold on `dev` by a rule, and return every rate there and on `test`, with intervals.

    `dev` and `test` are files, data frames, pairs ``(y_true, y_score)`` (a third entry is the weights) or `Decisions`.
    A pair of mappings ``({id: label}, {id: score})`` is aligned by id; a list of dicts is a list of rows.
    `truth`, `score` and `weight` name columns; `positive` is the positive label. Rows with missing values are an error,
    or excluded with ``missing="exclude"``; `decimal` and `encoding` say how a text file is written.

    The rule is written as `germane threshold --help` shows: ``youden``, ``F2``, ``TPR where TNR>=0.9``,
    ``rule-out TPR>=0.95, rule-in TNR>=0.95``; ``target_by="lower"`` holds its targets against the worse end of the
    rate's interval. `slices` names columns of a table: the rule is also applied to each slice of the items, beside the
    common threshold. With `invert`, scores are turned round first (1 − p for probabilities, −score for others). By
    default `resamples` is 2,000, and fewer for large data.

    >>> report = threshold(([1, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.4, 0.1]), "accuracy", resamples=100)
    >>> report.threshold, report.dev.cells["threshold"]
    (0.8, Cells(TP=2, FP=0, FN=1, TN=2))
    """
    rule = parse_rule(rule)
    asked: dict[str, Any] = {"truth": truth, "score": score, "weight": weight, "slices": slices}
    asked |= {"missing": missing, "decimal": decimal, "encoding": encoding}
    chosen_on = read_set(dev, "dev", asked, positive)
    probabilities = are_probabilities(chosen_on.decisions.thresholds)
    if invert:
        chosen_on = chosen_on.inverted(probabilities=probabilities)
    choice = choose_threshold(chosen_on.decisions, rule, target_by=target_by, level=level)
    decisions = chosen_on.decisions
    stability = threshold_stability(decisions, rule, target_by=target_by, level=level, resamples=resamples, seed=seed)
    drawn = USUAL_RESAMPLES if resamples is None else resamples
    settings = {"level": level, "resamples": drawn, "seed": seed}
    sets = [chosen_on]
    if test is not None:
        second_set = read_set(test, "test", {**asked, **chosen_on.columns}, decisions.positive)
        sets.append(second_set.inverted(probabilities=probabilities) if invert else second_set)
    results = [applied_to(each, choice, rule, settings, resamples) for each in sets]
    sliced = slices_of(sets, choice, rule, target_by, settings, resamples)
    scores = tuple(each.decisions.thresholds for each in sets)
    second = results[1] if test is not None else None
    auc = {"AUC": Estimate(area_under_roc(decisions))}
    notes = [*([inverted_note()] if invert else []), *chosen_on.notes, *score_notes(decisions, auc, inverted=invert)]
    notes += [note for each in sets[1:] for note in each.notes]
    notes += _notes(choice, scores, second, stability.remark, same_file=_is_same(dev, test))
    return Threshold(
        choice=choice,
        dev=results[0],
        test=second,
        stability=stability,
        scores=scores,
        positive=decisions.positive,
        negative=chosen_on.negative,
        columns=chosen_on.columns,
        notes=(*dict.fromkeys(notes), *notes_on_slices(sliced)),
        slices=sliced,
        level=level,
        seed=seed,
        resamples=drawn,
    )


def _is_same(dev: Any, test: Any) -> bool:
    """Whether both sets are the same file or the same object."""
    if isinstance(dev, str | Path) and isinstance(test, str | Path):
        return str(dev) != "-" and Path(dev).resolve() == Path(test).resolve()
    return test is not None and dev is test


def _notes(
    choice: ThresholdChoice, scores: Sequence[FloatArray], test: SetResult | None, unmoved: str, *, same_file: bool
) -> list[Note]:
    notes = []
    for point in choice.points:
        if len(point.tied) > 1:
            most = tuple(threshold_text(threshold, *scores) for threshold in point.tied[:SHOWN_TIES])
            what = f"using the highest of {len(point.tied):,} equally good thresholds"
            notes.append(Note("tied-thresholds", "", what, count=len(point.tied), examples=most))
        if math.isinf(point.threshold):
            name = f"the {point.name} threshold".replace("threshold threshold", "threshold")
            what = (
                f"classifies all items as {'negative' if point.threshold > 0 else 'positive'}; check costs or targets"
            )
            notes.append(Note("extreme-threshold", name, what))
    if choice.crossed:
        what = "so there is no undecided zone; any threshold between them meets both targets"
        notes.append(Note("no-undecided-zone", "", f"rule-in is at or below rule-out, {what}"))
    if test is None:
        what = "threshold chosen and evaluated on the same rows, so rates are optimistic; use --test FILE"
        notes.append(Note("same-rows", "", what))
    else:
        if same_file:
            what = "threshold chosen on the test set itself, so rates are optimistic; use other rows for --test"
            notes.append(Note("same-rows", "", what))
        missed = [target.target for targets in test.targets.values() for target in targets if not target.met]
        what = "is not met on the test set; use --target-by lower, or choose on more rows"
        notes += [Note("target-missed", target, what) for target in missed]
    return [*notes, *([Note("fewer-resamples", "stability", unmoved)] if unmoved else [])]
