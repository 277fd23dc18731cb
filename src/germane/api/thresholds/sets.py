"""Sets of scored items, and what chosen thresholds do on one of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from germane.api.comparisons.slices import slice_name
from germane.api.decisions.items import read_items
from germane.api.decisions.notes import other_labels_note
from germane.api.decisions.one_classifier import is_class
from germane.api.decisions.positive_class import positive_label
from germane.api.groups.item_groups import MOST_SLICES
from germane.api.thresholds.inversion import inverted_decisions, require_two
from germane.errors import GermaneError, InputError
from germane.formats.decisions.labelled_rows import LabelledRows, labelled_from
from germane.formats.decisions.reading import OPTIONS
from germane.measures.decisions.measure import DECISION_MEASURES
from germane.measures.decisions.names import canonical_name
from germane.measures.decisions.rates import RATES, Rate, reported_rates
from germane.stats.intervals.cells import cell_intervals
from germane.stats.intervals.rates import rate_estimates
from germane.stats.intervals.scores import score_estimates
from germane.stats.thresholds.aims import BestRule, Objective, Rule
from germane.stats.thresholds.choice import require_intervals, target_value
from germane.tables.columns.aligned_columns import aligned_columns
from germane.tables.decisions.confusion import Cells, Label
from germane.tables.decisions.decisions import Decisions
from germane.tables.decisions.groups import Groups
from germane.tables.decisions.labels import encode_labels
from germane.tables.notes.note import Note
from germane.tables.results.performance import Estimate
from germane.tables.thresholds.choice import SetResult, TargetValue, ThresholdChoice, Undecided


@dataclass(frozen=True, eq=False)
class ScoredSet:
    """One set, sorted by score, with its columns and notes."""

    name: str
    decisions: Decisions
    columns: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()
    negative: Label = False
    slices: Mapping[str, Decisions] = field(default_factory=dict)
    labels: tuple[Label, ...] = ()

    def inverted(self, *, probabilities: bool) -> ScoredSet:
        """Return the set with its scores turned round; more than two labels are an error."""
        if self.labels:
            require_two(self.labels)
        slices = {name: inverted_decisions(each, probabilities=probabilities) for name, each in self.slices.items()}
        decisions = inverted_decisions(self.decisions, probabilities=probabilities)
        return replace(self, decisions=decisions, slices=slices)


def read_set(data: Any, name: str, asked: Mapping[str, Any], positive: Label | None) -> ScoredSet:
    """Read a set from a file, a table, a pair of arrays or `Decisions`."""
    slices = asked.get("slices") or ()
    if slices and (isinstance(data, Decisions) or _is_pair(data)):
        hint = "pass a file, a data frame or a dict of columns, and name the column of slices"
        raise GermaneError("`slices=` requires a table", hint=hint)
    if isinstance(data, Decisions):
        return ScoredSet(name, data, negative=False if data.positive is True else f"not {data.positive}")
    if _is_pair(data):
        columns = aligned_columns(dict(zip(("truth", "score", "weight"), data, strict=False)), name)
        chosen: Any = {role: role for role in columns} | {option: asked[option] for option in OPTIONS}
        rows = labelled_from(columns, **chosen, name=name)
        return _sorted(rows, name, {}, positive)
    rows = read_items(data, asked, name)
    columns = {role: names[0] for role, names in rows.columns.items() if role in asked and role != "slices"}
    return _sorted(rows, name, columns, positive)


def _is_pair(data: Any) -> bool:
    """Whether these are two or three columns, and not a list of rows."""
    few = isinstance(data, tuple | list) and len(data) in (2, 3)
    return few and (isinstance(data, tuple) or not any(isinstance(d, Mapping) for d in data))


def _sorted(rows: LabelledRows, name: str, columns: dict[str, str], positive: Label | None) -> ScoredSet:
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
    slices = {
        slice_name(column, value): Decisions.of(
            is_class(labels, label)[mine := groups.has(place)],
            score[mine],
            None if rows.weight is None else rows.weight[mine],
            positive=label,
        )
        for column, groups in _groups(rows).items()
        for place, value in enumerate(groups.values)
    }
    return ScoredSet(name, decisions, columns, tuple(notes), negative, slices, labels.values)


def _groups(rows: LabelledRows) -> dict[str, Groups]:
    """Return the slices of each column; too many are an error."""
    found = {column: Groups.of(values, "slices", rows.source) for column, values in rows.slices.items()}
    for column, groups in found.items():
        if len(groups) > MOST_SLICES:
            problem = f"expected at most {MOST_SLICES} slices in column {column!r}, found {len(groups):,}"
            raise InputError(rows.source, None, problem, hint="choose a column with few values, or group its values")
    return found


def applied_to(
    data: ScoredSet, choice: ThresholdChoice, rule: Rule, settings: Mapping[str, Any], resamples: int | None
) -> SetResult:
    """Apply the chosen thresholds to one set; measures of its scores take their own number of `resamples`."""
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
    if isinstance(rule, BestRule) and (measure := rule.objective.measure):
        how = {**settings, "resamples": resamples}
        found = score_estimates({measure: DECISION_MEASURES.parse(measure)}, decisions, **how)
        rates = {name: {**found, **each} for name, each in rates.items()}
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
        is_own = objective is not None and not objective.rate and not objective.measure
        own = {objective.text: _own(objective, here, weighted, settings)} if objective and is_own else {}
        rates[name] = {**own, **estimates}
    return rates


def _own(objective: Objective, cells: Cells, weighted: bool, settings: Mapping[str, Any]) -> Estimate:
    """Return the objective of a rule that is not a registered rate, with a bootstrap interval over cells."""
    if weighted:
        return Estimate(float(objective(cells)), remark="weights are not integers")
    return cell_intervals([objective], cells, **settings)[0]


def _projected(asked: Sequence[Rate]) -> list[Rate]:
    """Return the predictive values at the prevalence that a rule names."""
    shares = {each.settings["prevalence"] for each in asked if "prevalence" in each.parameters}
    return [RATES[name].choose(prevalence=share) for share in shares for name in ("PPV_at", "NPV_at")]
