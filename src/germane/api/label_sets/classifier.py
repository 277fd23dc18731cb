"""Evaluate one classifier that gives an item several labels, or a score for each label."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from germane.api.decisions.notes import OTHER_TASKS, WITHOUT
from germane.api.decisions.scores import score_overall
from germane.api.decisions.settings import Settings
from germane.api.label_sets.estimates import (
    ALL_AVERAGES,
    AREAS,
    RANKING,
    areas_of_labels,
    averages_of_rates,
    of_rankings,
    of_sets,
    rates_by_label,
)
from germane.errors import MeasureError, unknown
from germane.measures.decisions.labels.ranking import RankedLabels
from germane.measures.decisions.names import canonical_name, describe
from germane.measures.decisions.rates import Rate, reported_rates
from germane.measures.decisions.requests import Request
from germane.tables.columns.ids import BoolArray, FloatArray
from germane.tables.decisions.decisions import Decisions
from germane.tables.decisions.label_sets import LabelTables
from germane.tables.notes.counts import counted
from germane.tables.notes.note import Note
from germane.tables.results.performance import Estimate, Performance


@dataclass(frozen=True, eq=False)
class LabelClassifier:
    """Decisions and scores of one classifier, items × labels; without decisions only scores are evaluated."""

    name: str
    predicted: BoolArray | None
    scores: FloatArray | None = None
    threshold: float | None = None
    notes: tuple[Note, ...] = ()


def label_set_performance(tables: LabelTables, said: LabelClassifier, settings: Settings) -> Performance:
    """Evaluate the sets of labels, each label, the averages, and the scores if there are any."""
    truth, labels = tables.truth, tables.labels
    overall: dict[str, Estimate] = {}
    by_label: list[dict[str, Estimate]] = [{} for _ in labels]
    averages: dict[str, dict[str, Estimate]] = {average: {} for average in ALL_AVERAGES}
    if said.predicted is not None:
        overall |= of_sets(truth, said.predicted, settings)
        rates = _wanted_rates(settings)
        _add(by_label, rates_by_label(truth, said.predicted, rates, settings))
        _merge(averages, averages_of_rates(truth, said.predicted, rates, settings))
    if said.scores is not None:
        ranked = RankedLabels.of(truth, said.scores)
        overall |= of_rankings(ranked, settings.level)
        if any(settings.wants(name) for name in AREAS):
            areas, means = areas_of_labels(truth, said.scores, ranked, settings)
            _add(by_label, areas)
            _merge(averages, means)
        _add(by_label, _other_score_measures(truth, said.scores, settings))
    if settings.average is not None:
        if settings.average not in ALL_AVERAGES:
            raise unknown("average", settings.average, ALL_AVERAGES)
        overall |= averages[settings.average]
    support = dict(zip(labels, truth.sum(axis=0).tolist(), strict=True))
    found = Performance(
        said.name, "multilabel", len(truth), overall, dict(zip(labels, by_label, strict=True)), averages
    )
    notes = (*said.notes, *_notes(tables, said))
    found = replace(found, support=support, threshold=said.threshold, notes=notes)
    found = replace(found, level=settings.level, seed=settings.seed, resamples=settings.cell_resamples)
    return replace(_with_asked(found, settings), named=canonical_name, described=describe, asked=settings.measures)


def _wanted_rates(settings: Settings) -> list[Rate]:
    """Return the rates of every report and those asked for, or only the latter if measures were chosen."""
    rates, names = settings.chosen_rates(), {each.name for each in settings.requests}
    return [rate for rate in rates if settings.measures is None or str(rate) in names]


def _other_score_measures(truth: BoolArray, scores: FloatArray, settings: Settings) -> list[dict[str, Estimate]]:
    """Return other measures of scores, such as EER, that were asked for, for each label."""
    names = [each.name for each in settings.requests if each.kind in ("scores", "probabilities")]
    names = [name for name in names if name not in AREAS]
    if not names:
        return [{} for _ in range(truth.shape[1])]
    probabilities = bool((scores >= 0).all() and (scores <= 1).all())
    own = replace(settings, measures=tuple(names), also=())
    found = []
    for at in range(truth.shape[1]):
        decisions = Decisions.of(truth[:, at], scores[:, at])
        table = score_overall(decisions, own, probabilities=probabilities)
        found.append({name: table[name] for name in names if name in table})
    return found


def _add(tables: Sequence[dict[str, Estimate]], more: Sequence[Mapping[str, Estimate]]) -> None:
    for table, others in zip(tables, more, strict=True):
        table.update(others)


def _merge(averages: dict[str, dict[str, Estimate]], more: Mapping[str, Mapping[str, Estimate]]) -> None:
    for average, others in more.items():
        averages[average] |= others


def _with_asked(found: Performance, settings: Settings) -> Performance:
    """Keep the measures asked for; one of a label or an average becomes an overall measure of that name."""
    overall = dict(found.overall) if settings.measures is None else {}
    missing: dict[str, str] = {}
    for each in settings.requests:
        if each.name in found.overall and not each.group:
            overall[each.name] = found.overall[each.name]
        elif not any(each.name in table for table in (found.overall, *found.by_class.values())):
            missing[str(each)] = _lacking(each, found)
        elif each.group:
            overall[str(each)] = _of_group(each, found)
    return replace(found, overall=overall, missing=missing)


def require_some(performances: Sequence[Performance], classifiers: Sequence[LabelClassifier]) -> list[Performance]:
    """Refuse a measure that no classifier has; where only some lack it, add a note with the reason to these."""
    first = performances[0].missing
    if nowhere := [name for name in first if all(name in each.missing for each in performances)]:
        rates = ("subset_accuracy", "hamming_loss", *map(str, reported_rates()))
        decided, scored = (any(each is not None for each in column) for column in _outputs(classifiers))
        can = [*(rates if decided else ()), *((*RANKING, *AREAS) if scored else ())]
        hint = f"choose from {', '.join(can)}"
        raise MeasureError(f"cannot compute {nowhere[0]}: {first[nowhere[0]]}", hint=hint)
    return [replace(each, notes=(*each.notes, *_missing(each))) for each in performances]


def _outputs(classifiers: Sequence[LabelClassifier]) -> tuple[list[Any], list[Any]]:
    return [each.predicted for each in classifiers], [each.scores for each in classifiers]


def _missing(found: Performance) -> list[Note]:
    return [Note("not-computed", name, f"not computed: {why}", count=1) for name, why in found.missing.items()]


def _of_group(asked: Request, found: Performance) -> Estimate:
    """Return a measure of one label, or of an average over labels or items."""
    tables: dict[str, Mapping[str, Estimate]] = {str(label): table for label, table in found.by_class.items()}
    if asked.group in tables and asked.group in found.averages:
        raise MeasureError(f"{asked.group!r} is both a label and an average", hint="rename the label")
    table = {**tables, **found.averages}.get(asked.group)
    if table is None:
        raise unknown("label or average", asked.group, [*tables, *found.averages])
    if asked.name in table:
        return table[asked.name]
    if any(asked.name in others for others in found.by_class.values()):
        can = [average for average, others in found.averages.items() if asked.name in others]
        hint = f"choose from {', '.join(can)}" if can else f"name a label, such as '{asked.name}[{next(iter(tables))}]'"
        raise MeasureError(f"cannot compute {asked}: {asked.name} has no such average", hint=hint)
    problem = f"cannot compute {asked}: {asked.name} is a measure of whole items, not of a label"
    raise MeasureError(problem, hint=f"use {asked.name}")


def _lacking(asked: Request, found: Performance) -> str:
    """Return why these data cannot give a measure."""
    if asked.kind in ("rate", "label sets"):
        return "needs decisions, found none (use --threshold)"
    if asked.kind == "probabilities" and "LRAP" in found.overall:
        return "needs probabilities, found scores outside [0, 1]"
    if asked.kind in ("scores", "probabilities", "label scores"):
        return "needs a score for each label (use --score 'PREFIX_*')"
    return f"requires --task {OTHER_TASKS.get(asked.kind, 'classes')}"


def _notes(tables: LabelTables, said: LabelClassifier) -> list[Note]:
    """Return the notes on items without a true label, and on labels that no item has or that are never predicted."""
    notes = []
    empty = int((~tables.truth.any(axis=1)).sum())
    if empty:
        what = "without a true label; counted as empty sets"
        if said.scores is not None:
            what += ", which count 0 in coverage and ranking loss and 1 in LRAP and one-error"
        notes.append(Note("items-without-labels", counted(empty, "item"), what, count=empty))
    sums: dict[int, Any] = {1: tables.truth.sum(axis=0)}
    if said.predicted is not None:
        sums[0] = said.predicted.sum(axis=0)
    for axis, column in sums.items():
        without = [str(label) for label, count in zip(tables.labels, column.tolist(), strict=True) if not count]
        if without:
            code, *texts = WITHOUT[axis]
            what = texts[len(without) > 1].replace("classes", "labels").replace("class", "label")
            notes.append(Note(code, str(len(without)), what, count=len(without), examples=tuple(without[:3])))
    return notes
