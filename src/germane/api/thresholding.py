"""Choose an operating point on one set and see what it does on another."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from germane.api.classification_notes import other_labels_note, score_notes
from germane.api.positive import positive_label
from germane.arguments import checked
from germane.errors import GermaneError, InputError
from germane.formats.labelled_rows import LabelledRows, labelled_from, read_labelled
from germane.measures.deciding.names import canonical_name
from germane.measures.deciding.rates import ChosenRate, rate_of, reported_rates
from germane.measures.deciding.roc import area_under_roc
from germane.stats import thresholds
from germane.stats.cell_intervals import cell_interval
from germane.stats.rate_intervals import rate_estimates
from germane.stats.threshold_aims import BestRule, Objective, On, Rule
from germane.stats.threshold_rules import parse_rule
from germane.stats.threshold_stability import USUAL_RESAMPLES, threshold_stability
from germane.tables.aligned_columns import aligned_columns
from germane.tables.confusion import Cells, Label
from germane.tables.decisions import Decisions
from germane.tables.ids import FloatArray
from germane.tables.labels import encode_labels
from germane.tables.performance import Estimate
from germane.tables.scores import Note
from germane.tables.threshold_choice import SetResult, TargetValue, ThresholdChoice, ThresholdReport, Undecided
from germane.tables.threshold_text import threshold_text

SHOWN_TIES = 5


@partial(checked, rule="arrays go in as one pair: choose_threshold((y_true, y_score), rule)")
def choose_threshold(
    dev: Any,
    rule: str | Rule = "youden",
    *,
    test: Any = None,
    truth: str | int | None = None,
    score: str | int | None = None,
    weight: str | int | None = None,
    positive: Label | None = None,
    on: On = "point",
    level: float = 0.95,
    resamples: int | None = None,
    seed: int = 0,
) -> ThresholdReport:
    """Choose a threshold on `dev` by a rule; give every rate there and on `test`, with intervals.

    `dev` and `test` are files, data frames, pairs ``(y_true, y_score)`` (a third entry is the weights) or `Decisions`.
    A pair of mappings ``({id: label}, {id: score})`` is aligned by id; a list of dicts is a list of rows.
    `truth`, `score` and `weight` name columns; `positive` is the positive label. The rule is written as
    `germane threshold --help` shows: ``youden``, ``F2``, ``TPR where TNR>=.9``,
    ``rule-out TPR>=.95, rule-in TNR>=.95``; ``on="lower"`` holds its targets against the worse end of the rate's
    interval. Without `resamples`, 2,000 are drawn, and fewer for long data.

    >>> report = choose_threshold(([1, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.4, 0.1]), "accuracy", resamples=100)
    >>> report.threshold, report.dev.cells["threshold"]
    (0.8, Cells(TP=2, FP=0, FN=1, TN=2))
    """
    rule = parse_rule(rule)
    asked: dict[str, Any] = {"truth": truth, "score": score, "weight": weight}
    chosen_on = _read(dev, "dev", asked, positive)
    choice = thresholds.choose_threshold(chosen_on.decisions, rule, on=on, level=level)
    stability = threshold_stability(chosen_on.decisions, rule, on=on, level=level, resamples=resamples, seed=seed)
    drawn = USUAL_RESAMPLES if resamples is None else resamples
    settings = {"level": level, "resamples": drawn, "seed": seed}
    first = _result(chosen_on, choice, rule, settings)
    auc = {"AUC": Estimate(area_under_roc(chosen_on.decisions))}
    scores = [chosen_on.decisions.thresholds]
    second, notes = None, [*chosen_on.notes, *score_notes(chosen_on.decisions, auc)]
    if test is not None:
        applied_to = _read(test, "test", {**asked, **chosen_on.columns}, chosen_on.decisions.positive)
        second = _result(applied_to, choice, rule, settings)
        scores.append(applied_to.decisions.thresholds)
        notes += applied_to.notes
    return ThresholdReport(
        choice=choice,
        dev=first,
        test=second,
        stability=stability,
        scores=tuple(scores),
        positive=chosen_on.decisions.positive,
        negative=chosen_on.negative,
        columns=chosen_on.columns,
        level=level,
        seed=seed,
        resamples=drawn,
        notes=(*dict.fromkeys(notes), *_notes(choice, scores, second, stability.remark, same_file=_is_same(dev, test))),
    )


@dataclass(frozen=True, eq=False)
class _Set:
    """One set as it was read: sorted, with where its columns came from and what there is to say."""

    name: str
    decisions: Decisions
    columns: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()
    negative: Label = False


def _read(data: Any, name: str, asked: Mapping[str, Any], positive: Label | None) -> _Set:
    if isinstance(data, Decisions):
        return _Set(name, data, negative=False if data.positive is True else f"not {data.positive}")
    if isinstance(data, str | Path):
        rows = read_labelled(data, **asked)
    elif _is_pair(data):
        columns = aligned_columns(dict(zip(("truth", "score", "weight"), data, strict=False)), name)
        rows = labelled_from(columns, **{role: role for role in columns}, name=name)
        return _sorted(rows, name, {}, positive)
    else:
        rows = labelled_from(data, **asked, name=name)
    return _sorted(rows, name, {role: names[0] for role, names in rows.columns.items() if role in asked}, positive)


def _is_pair(data: Any) -> bool:
    """Whether these are columns that follow each other, and no list of rows."""
    return (
        isinstance(data, tuple | list)
        and len(data) in (2, 3)
        and (isinstance(data, tuple) or not any(isinstance(d, Mapping) for d in data))
    )


def _sorted(rows: LabelledRows, name: str, columns: dict[str, str], positive: Label | None) -> _Set:
    """Labels to positives and negatives, and all sorted by score."""
    if len(rows.scores) != 1:
        found = f"several: {', '.join(map(repr, rows.scores))}" if rows.scores else "none"
        raise InputError(
            rows.source,
            None,
            f"expected one column of scores, found {found}",
            hint="name it: `score=…`",
        )
    labels = encode_labels(rows.truth, "truth", rows.source)
    try:
        label, note = positive_label(labels.values, positive)
    except GermaneError as problem:  # of two sets, which one is it?
        raise InputError(rows.source, None, problem.message, hint=problem.hint) from None
    notes = [Note("columns-guessed", "", said) for said in rows.guessed]
    notes += [note] if note is not None else []
    if len(labels.values) == 1:
        raise InputError(rows.source, None, f"expected positives and negatives, found {labels.values[0]!r} in all rows")
    if label is None:
        listed = ", ".join(map(str, labels.values[:20]))
        hint = f"name the positive label, and all others are negative; there are: {listed}"
        raise InputError(rows.source, None, f"expected two labels, found {len(labels.values)}", hint=hint)
    notes += other_labels_note(labels.values, label)
    (score,) = rows.scores.values()
    is_positive = np.asarray(labels.codes) == list(labels.values).index(label)
    decisions = Decisions.of(is_positive, score, rows.weight, positive=label)
    negative = f"not {label}" if len(labels.values) > 2 else next(value for value in labels.values if value != label)
    return _Set(name, decisions, columns, tuple(notes), negative)


def _result(data: _Set, choice: ThresholdChoice, rule: Rule, settings: Mapping[str, Any]) -> SetResult:
    """The chosen thresholds on one set."""
    decisions = data.decisions
    thresholds.require_intervals(decisions, choice.on)
    cells = {point.name: decisions.at(point.threshold) for point in choice.points}
    targets = [[target] for target in rule.targets] if choice.is_pair else [rule.targets]
    held: dict[str, tuple[TargetValue, ...]] = {
        name: tuple(thresholds.target_value(target, cells[name], choice.on, choice.level) for target in wanted)
        for name, wanted in zip(cells, targets, strict=True)
    }
    return SetResult(
        data.name,
        decisions.num_rows,
        decisions.num_positive,
        decisions.num_negative,
        cells,
        _rates(rule, cells, decisions.weighted, settings),
        held,
        Undecided.between(*cells.values()) if choice.is_pair else None,
        canonical_name,
    )


def _rates(
    rule: Rule, cells: Mapping[str, Cells], weighted: bool, settings: Mapping[str, Any]
) -> dict[str, dict[str, Estimate]]:
    """What the rule is about first, then every rate that needs no choice."""
    objective = rule.objective if isinstance(rule, BestRule) else None
    asked = [target.chosen for target in rule.targets]
    if objective is not None and objective.rate is not None:
        asked.insert(0, objective.rate)
    asked += _projected(asked)
    wanted = {str(chosen): chosen for chosen in (*asked, *reported_rates())}
    together = Cells(*(np.asarray(column) for column in zip(*cells.values(), strict=True)))
    found = rate_estimates(list(wanted.values()), together, weighted=weighted, **settings)
    rates: dict[str, dict[str, Estimate]] = {}
    for (name, here), estimates in zip(cells.items(), found, strict=True):
        own = {objective.text: _own(objective, here, weighted, settings)} if objective and not objective.rate else {}
        rates[name] = {**own, **estimates}
    return rates


def _own(objective: Objective, cells: Cells, weighted: bool, settings: Mapping[str, Any]) -> Estimate:
    """What a rule aims at where that is no rate of the registry: the cells are drawn again."""
    if weighted:
        return Estimate(float(objective(cells)), remark="weights are not whole numbers")
    return cell_interval(objective, cells, **settings)


def _projected(asked: Sequence[ChosenRate]) -> list[ChosenRate]:
    """Where a rule speaks of a prevalence: what the predictive values would be there."""
    shares = {each.parameters["prevalence"] for each in asked if "prevalence" in each.parameters}
    return [ChosenRate(rate_of(name), {"prevalence": share}) for share in shares for name in ("PPV_at", "NPV_at")]


def _is_same(dev: Any, test: Any) -> bool:
    """Whether both sets are one and the same: the same file, or the same object."""
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
            amount = f"{len(point.tied):,} thresholds"
            notes.append(
                Note("tied", amount, "are equally good; the highest is taken", count=len(point.tied), examples=most)
            )
        if math.isinf(point.threshold):
            nothing = "calls nothing positive" if point.threshold > 0 else "calls everything positive"
            notes.append(Note("extreme-threshold", f"the {point.name}".replace("the threshold", "the rule"), nothing))
    if choice.crossed:
        between = (
            "rule-in is not above rule-out: no zone is undecided, and any threshold between them meets both targets"
        )
        notes.append(Note("no-undecided-zone", "", between))
    if test is None:
        notes.append(Note("same-rows", "", "chosen and measured on the same rows: optimistic"))
    else:
        if same_file:
            notes.append(Note("same-rows", "", "test is the set that the threshold was chosen on: optimistic"))
        missed = [target.target for targets in test.targets.values() for target in targets if not target.met]
        notes += [Note("target-missed", target, "is not met on the test set") for target in missed]
    return [*notes, *([Note("fewer-resamples", "stability", unmoved)] if unmoved else [])]
