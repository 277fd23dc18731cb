"""What a reader of a classifier's numbers must know: prevalence, missing classes, a curve below the diagonal."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from germane.api.decisions.scores import score_measures
from germane.api.decisions.settings import Settings
from germane.errors import MeasureError
from germane.measures.decisions.measure import DECISION_MEASURES
from germane.measures.decisions.names import canonical_name, describe
from germane.measures.decisions.rates import reported_rates
from germane.measures.decisions.scores.roc import inverted_auc
from germane.tables.decisions.confusion import Label
from germane.tables.decisions.decisions import Decisions
from germane.tables.decisions.labels import Labels
from germane.tables.notes.note import Note
from germane.tables.results.performance import Estimate, Performance

EXTREME = 0.1
"""Lecture 001: a prevalence below this, or above its complement, asks to look again at what the rates mean."""
WITHOUT = {
    1: (
        "class-without-items",
        "class has no items: its recall is undefined, and averages leave it out",
        "classes have no items: their recall is undefined, and averages leave them out",
    ),
    0: (
        "class-never-predicted",
        "class was never predicted: its precision is undefined, and averages leave it out",
        "classes were never predicted: their precision is undefined, and averages leave them out",
    ),
}
"""By axis of the matrix, the code of a note on classes whose sum is 0, and what is said of one and of many."""


def matrix_notes(performance: Performance) -> list[Note]:
    """Notes on a confusion matrix."""
    confusion = performance.confusion
    assert confusion is not None
    notes = []
    if performance.positive is not None:
        share = performance.by_class[performance.positive]["prevalence"].value
        if not EXTREME <= share <= 1 - EXTREME:
            what = "of the items are positive: accuracy, PPV, NPV, F and MCC depend on that"
            blindly = f"always giving the commoner answer would be right in {max(share, 1 - share):.1%} of the cases"
            notes.append(Note("extreme-prevalence", f"{share:.2%}", f"{what}; {blindly}", share=share))
    for axis, (code, one, many) in WITHOUT.items():
        sums = confusion.counts.sum(axis=axis)
        without = [str(label) for label, count in zip(confusion.labels, sums, strict=True) if not count]
        if without:
            what = one if len(without) == 1 else many
            notes.append(Note(code, str(len(without)), what, count=len(without), examples=tuple(without[:3])))
    notes += _alike_notes(confusion.labels)
    if confusion.weighted:
        what = "weights are not whole numbers: intervals draw whole rows, or there are none"
        notes.append(Note("fractional-weights", "", what))
    return notes


def _alike_notes(labels: Sequence[Label]) -> list[Note]:
    """Labels that a person would read as one."""
    alike: dict[str, list[str]] = {}
    for label in labels:
        alike.setdefault(str(label).strip().casefold(), []).append(repr(label))
    same = [" and ".join(written) for written in alike.values() if len(written) > 1]
    if not same:
        return []
    message = "differ only in case or blanks, and count as classes of their own"
    return [Note("similar-labels", same[0], message, count=len(same), examples=tuple(same[1:4]))]


OTHER_TASKS = {"clusters": "clusters", "densities": "densities", "numbers": "regression", "label sets": "label-sets"}
"""By what a measure is of, the task that computes it."""


def with_asked(found: Performance, settings: Settings) -> Performance:
    """Leave what somebody asked for, if anything; say why a measure has no value. A note names those by class only."""
    of = {entry.name: entry.of for entry in DECISION_MEASURES}
    by_class: list[str] = []
    missing: dict[str, str] = {}
    for name in dict.fromkeys(settings.measures or ()):
        kind = of.get(name.partition("(")[0], "matrix")  # what is not registered by itself is a rate, such as F2
        if name in found.overall:
            continue
        if kind == "matrix" and any(name in table for table in found.by_class.values()):
            by_class.append(name)
        else:
            missing[name] = _lacking(kind, found)
    notes = found.notes
    if by_class:
        what = "has a value for each class only; --average macro takes the mean"
        notes = (*notes, Note("only-by-class", ", ".join(by_class), what, count=len(by_class)))
    return replace(only_asked(found, settings), missing=missing, notes=notes)


def only_asked(found: Performance, settings: Settings) -> Performance:
    """Only the measures that somebody asked for, if any; all by their names, and any other names."""
    overall = {name: estimate for name, estimate in found.overall.items() if settings.wants(name)}
    return replace(found, overall=overall, named=canonical_name, described=describe, asked=settings.measures)


def require_computed(performances: Sequence[Performance]) -> list[Performance]:
    """Refuse a measure that no classifier has; where only some lack it, a note with each of these says why."""
    everywhere = [name for name in performances[0].missing if all(name in each.missing for each in performances)]
    if everywhere:
        reason = performances[0].missing[everywhere[0]]
        names = ", ".join(name for name in everywhere if performances[0].missing[name] == reason)
        can = sorted({name for each in performances for name in _computed(each)}, key=str.casefold)
        raise MeasureError(f"cannot compute {names}: {reason}", hint=f"choose from {', '.join(can)}")
    return [replace(each, notes=(*each.notes, *_missing_notes(each.missing))) for each in performances]


def _missing_notes(missing: Mapping[str, str]) -> list[Note]:
    notes = []
    for reason in dict.fromkeys(missing.values()):
        names = [name for name, why in missing.items() if why == reason]
        notes.append(Note("not-computed", ", ".join(names), f"not computed: {reason}", count=len(names)))
    return notes


def _computed(found: Performance) -> list[str]:
    """The measures that can be asked for of such data, each by its name."""
    rates = [str(rate) for rate in reported_rates()] if found.confusion is not None else []
    return [*rates, *(score_measures() if found.decisions is not None else [])]


def _lacking(kind: str, found: Performance) -> str:
    """What is not there for a measure of this kind."""
    scores, probabilities = "AUC" in found.overall, "Brier" in found.overall  # which such data always have
    if kind in OTHER_TASKS:
        return f"a measure of --task {OTHER_TASKS[kind]}"
    if kind == "matrix" and found.confusion is None:
        return "decisions are needed, and there are none; --threshold makes some"
    if kind == "probabilities" and not probabilities:
        outside = ", and the scores do not all lie in [0, 1]" if scores else ""
        return f"probabilities are needed{outside}"
    if kind == "scores" and not scores:
        return "scores of one class are needed; --score and --positive give those"
    return "no measure of such data, or not with these parameters"


def other_labels_note(labels: Sequence[Label], positive: Label) -> list[Note]:
    """Where one of several classes was named: how many labels count as negative."""
    others = len(labels) - 1
    return [Note("one-versus-rest", f"{others} other labels", f"count as not {positive}", count=others)] * (others > 1)


def merged_labels_note(truth: Labels, positive: Label) -> list[Note]:
    """Where scores are about one of several classes: which labels count as negative, in case one is a slip."""
    counts = np.bincount(truth.codes, minlength=len(truth.values)).tolist()
    others = {label: n for label, n in zip(truth.values, counts, strict=True) if label != positive and n}
    if len(others) < 2:
        return []
    rarest = tuple(f"{label}: {n:,}" for label, n in sorted(others.items(), key=lambda each: each[1])[:3])
    amount, what = f"{len(others)} labels", f"count as not {positive}"
    return [Note("one-versus-rest", amount, what, count=len(others), examples=rarest)]


def score_notes(decisions: Decisions, overall: Mapping[str, Estimate]) -> list[Note]:
    """Notes on scores."""
    notes = []
    if decisions.one_class:
        which = "positive" if decisions.num_positive else "negative"
        notes.append(Note("one-class", "", f"all items are {which}: what needs both classes is undefined"))
    auc = overall["AUC"].value if "AUC" in overall else math.nan
    if auc < 0.5:
        inverted = f"Inverted they would have {inverted_auc(decisions):.4f}; nothing was inverted here"
        what = f"lies below ½: the scores rank negatives higher. {inverted}"
        notes.append(Note("below-diagonal", f"AUC {auc:.4f}", what))
    if len(decisions) == 1 and decisions.num_rows > 1:
        notes.append(Note("constant-score", "", "all items have the same score"))
    return notes
