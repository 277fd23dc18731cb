"""Choose an operating point on one set and evaluate it on another."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from germane.api.decisions.items import read_items
from germane.api.decisions.notes import other_labels_note, score_notes
from germane.api.decisions.one_classifier import is_class
from germane.api.decisions.positive_class import positive_label
from germane.arguments import checked
from germane.errors import GermaneError, InputError
from germane.formats.decisions.labelled_rows import LabelledRows, labelled_from
from germane.formats.decisions.missing_values import Missing
from germane.formats.decisions.reading import OPTIONS
from germane.measures.decisions.names import canonical_name
from germane.measures.decisions.rates import RATES, Rate, reported_rates
from germane.measures.decisions.scores.roc import area_under_roc
from germane.stats.intervals.cells import cell_intervals
from germane.stats.intervals.rates import rate_estimates
from germane.stats.thresholds.aims import BestRule, Objective, Rule, TargetBy
from germane.stats.thresholds.choice import choose_threshold, require_intervals, target_value
from germane.stats.thresholds.rules import parse_rule
from germane.stats.thresholds.stability import USUAL_RESAMPLES, threshold_stability
from germane.tables.columns.aligned_columns import aligned_columns
from germane.tables.columns.ids import FloatArray
from germane.tables.decisions.confusion import Cells, Label
from germane.tables.decisions.decisions import Decisions
from germane.tables.decisions.labels import encode_labels
from germane.tables.decisions.threshold_text import threshold_text
from germane.tables.notes.note import Note
from germane.tables.results.performance import Estimate
from germane.tables.results.threshold import SetResult, TargetValue, Threshold, ThresholdChoice, Undecided

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
    rate's interval. By default `resamples` is 2,000, and fewer for large data.

    >>> report = threshold(([1, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.4, 0.1]), "accuracy", resamples=100)
    >>> report.threshold, report.dev.cells["threshold"]
    (0.8, Cells(TP=2, FP=0, FN=1, TN=2))
    """
    rule = parse_rule(rule)
    asked: dict[str, Any] = {"truth": truth, "score": score, "weight": weight}
    asked |= {"missing": missing, "decimal": decimal, "encoding": encoding}
    chosen_on = _read(dev, "dev", asked, positive)
    choice = choose_threshold(chosen_on.decisions, rule, target_by=target_by, level=level)
    decisions = chosen_on.decisions
    stability = threshold_stability(decisions, rule, target_by=target_by, level=level, resamples=resamples, seed=seed)
    drawn = USUAL_RESAMPLES if resamples is None else resamples
    settings = {"level": level, "resamples": drawn, "seed": seed}
    first = _result(chosen_on, choice, rule, settings)
    scores = [decisions.thresholds]
    second, notes = None, [*chosen_on.notes, *score_notes(decisions, {"AUC": Estimate(area_under_roc(decisions))})]
    if test is not None:
        applied_to = _read(test, "test", {**asked, **chosen_on.columns}, decisions.positive)
        second = _result(applied_to, choice, rule, settings)
        scores.append(applied_to.decisions.thresholds)
        notes += applied_to.notes
    return Threshold(
        choice=choice,
        dev=first,
        test=second,
        stability=stability,
        scores=tuple(scores),
        positive=decisions.positive,
        negative=chosen_on.negative,
        columns=chosen_on.columns,
        notes=(*dict.fromkeys(notes), *_notes(choice, scores, second, stability.remark, same_file=_is_same(dev, test))),
        level=level,
        seed=seed,
        resamples=drawn,
    )


@dataclass(frozen=True, eq=False)
class _Set:
    """One set, sorted by score, with its columns and notes."""

    name: str
    decisions: Decisions
    columns: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()
    negative: Label = False


def _read(data: Any, name: str, asked: Mapping[str, Any], positive: Label | None) -> _Set:
    if isinstance(data, Decisions):
        return _Set(name, data, negative=False if data.positive is True else f"not {data.positive}")
    if _is_pair(data):
        columns = aligned_columns(dict(zip(("truth", "score", "weight"), data, strict=False)), name)
        chosen: Any = {role: role for role in columns} | {option: asked[option] for option in OPTIONS}
        rows = labelled_from(columns, **chosen, name=name)
        return _sorted(rows, name, {}, positive)
    rows = read_items(data, asked, name)
    return _sorted(rows, name, {role: names[0] for role, names in rows.columns.items() if role in asked}, positive)


def _is_pair(data: Any) -> bool:
    """Whether these are two or three columns, and not a list of rows."""
    few = isinstance(data, tuple | list) and len(data) in (2, 3)
    return few and (isinstance(data, tuple) or not any(isinstance(d, Mapping) for d in data))


def _sorted(rows: LabelledRows, name: str, columns: dict[str, str], positive: Label | None) -> _Set:
    """Return the set with labels as positive or negative, sorted by score."""
    if len(rows.scores) != 1:
        found = f"several: {', '.join(map(repr, rows.scores))}" if rows.scores else "none"
        raise InputError(rows.source, None, f"expected one column of scores, found {found}", hint="name it: `score=…`")
    labels = encode_labels(rows.truth, "truth", rows.source)
    try:
        label, note = positive_label(labels.values, positive)
    except GermaneError as problem:  # name the set, of which there may be two
        raise InputError(rows.source, None, problem.message, hint=problem.hint) from None
    if len(labels.values) == 1:
        raise InputError(
            rows.source,
            None,
            f"expected positives and negatives, found {labels.values[0]!r} in all rows",
            hint="use data with both classes",
        )
    if label is None:
        listed = ", ".join(map(str, labels.values[:20]))
        hint = f"choose the positive label from {listed}: `positive=…`; all others are then negative"
        raise InputError(rows.source, None, f"expected two labels, found {len(labels.values)}", hint=hint)
    notes = [*(Note("columns-inferred", "", said) for said in rows.guessed), *rows.notes]
    notes += [*([] if note is None else [note]), *other_labels_note(labels.values, label)]
    (score,) = rows.scores.values()
    decisions = Decisions.of(is_class(labels, label), score, rows.weight, positive=label)
    negative = f"not {label}" if len(labels.values) > 2 else next(value for value in labels.values if value != label)
    return _Set(name, decisions, columns, tuple(notes), negative)


def _result(data: _Set, choice: ThresholdChoice, rule: Rule, settings: Mapping[str, Any]) -> SetResult:
    """Apply the chosen thresholds to one set."""
    decisions = data.decisions
    require_intervals(decisions, choice.target_by)
    cells = {point.name: decisions.at(point.threshold) for point in choice.points}
    targets = [[target] for target in rule.targets] if choice.is_pair else [rule.targets]
    held: dict[str, tuple[TargetValue, ...]] = {
        name: tuple(target_value(target, cells[name], choice.target_by, choice.level) for target in wanted)
        for name, wanted in zip(cells, targets, strict=True)
    }
    sizes = (decisions.num_rows, decisions.num_positive, decisions.num_negative)
    rates = _rates(rule, cells, decisions.weighted, settings)
    undecided = Undecided.between(*cells.values()) if choice.is_pair else None
    return SetResult(data.name, *sizes, cells, rates, held, undecided, canonical_name)


def _rates(
    rule: Rule, cells: Mapping[str, Cells], weighted: bool, settings: Mapping[str, Any]
) -> dict[str, dict[str, Estimate]]:
    """Return the rates in the rule first, then every rate without parameters."""
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
    """Return the objective of a rule that is not a registered rate, with a bootstrap interval over cells."""
    if weighted:
        return Estimate(float(objective(cells)), remark="weights are not integers")
    return cell_intervals([objective], cells, **settings)[0]


def _projected(asked: Sequence[Rate]) -> list[Rate]:
    """Return the predictive values at the prevalence that a rule names."""
    shares = {each.parameters["prevalence"] for each in asked if "prevalence" in each.parameters}
    return [RATES[name].choose(prevalence=share) for share in shares for name in ("PPV_at", "NPV_at")]


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
