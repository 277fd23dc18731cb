"""Notes on classifiers: prevalence, missing classes, a curve below the diagonal."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from germane.api.decisions.scores import score_measures
from germane.api.decisions.settings import Settings
from germane.errors import MeasureError
from germane.measures.decisions.names import canonical_name, describe
from germane.measures.decisions.rates import RATES, reported_rates
from germane.measures.decisions.requests import Request
from germane.tables.decisions.confusion import Label
from germane.tables.decisions.decisions import Decisions
from germane.tables.notes.note import Note
from germane.tables.results.performance import Estimate, Performance

EXTREME = 0.1
"""A prevalence below this, or above its complement, gets a note, since rates are easily misread (lecture 001)."""
WITHOUT = {
    1: (
        "class-without-items",
        "class has no items; its recall is undefined and omitted from averages",
        "classes have no items; their recall is undefined and omitted from averages",
    ),
    0: (
        "class-never-predicted",
        "class was never predicted; its precision is undefined and omitted from averages",
        "classes were never predicted; their precision is undefined and omitted from averages",
    ),
}
"""Notes on classes whose sum is 0, by axis of the matrix: the code, and the text for one class and for several."""


def matrix_notes(performance: Performance) -> list[Note]:
    """Return the notes on a confusion matrix."""
    confusion = performance.confusion
    assert confusion is not None
    notes = []
    if performance.positive is not None:
        share = float(RATES["prevalence"](confusion.cells(performance.positive)))
        if not EXTREME <= share <= 1 - EXTREME:
            what = "of items are positive, which affects accuracy, PPV, NPV, F and MCC"
            constant = f"always predicting the majority class is {max(share, 1 - share):.1%} accurate"
            notes.append(Note("extreme-prevalence", f"{share:.2%}", f"{what}; {constant}", share=share))
    for axis, (code, one, many) in WITHOUT.items():
        sums = confusion.counts.sum(axis=axis)
        without = [str(label) for label, count in zip(confusion.labels, sums, strict=True) if not count]
        if without:
            what = one if len(without) == 1 else many
            notes.append(Note(code, str(len(without)), what, count=len(without), examples=tuple(without[:3])))
    notes += _alike_notes(confusion.labels)
    if confusion.weighted:
        what = "weights are not integers; intervals resample whole rows or are omitted"
        notes.append(Note("fractional-weights", "", what))
    return notes


def _alike_notes(labels: Sequence[Label]) -> list[Note]:
    """Return a note on labels that differ only in case or spaces."""
    alike: dict[str, list[str]] = {}
    for label in labels:
        alike.setdefault(str(label).strip().casefold(), []).append(repr(label))
    same = [" and ".join(written) for written in alike.values() if len(written) > 1]
    if not same:
        return []
    message = "differ only in case or spaces; treated as separate classes"
    return [Note("similar-labels", same[0], message, count=len(same), examples=tuple(same[1:4]))]


USUAL_RATES = tuple(str(rate) for rate in reported_rates())
"""Rates in the tables of every result."""
OTHER_TASKS = {
    "clusters": "clusters",
    "vectors": "clusters",
    "densities": "densities",
    "numbers": "regression",
    "intervals": "regression",
    "label sets": "label-sets",
    "label scores": "label-sets",
}
"""The task that computes a measure, by the kind of the measure."""

OF_TABLES = ("AUC", "AP", "ECE", "log_loss", "Brier", "top_k_accuracy", "top_label_ECE", "classwise_ECE")
"""Measures of probabilities of several classes that are named in an error."""
PAIRS_OF_CLASSES = ("ovo", "ovo weighted")
"""Averages of the AUC over pairs of classes."""


def with_asked(found: Performance, settings: Settings) -> Performance:
    """Keep the measures asked for, with the reason where one has no value; a note names those per class only.

    A measure of a class or an average is in the table of that class or average, and overall under its full name.
    """
    by_class: list[str] = []
    missing: dict[str, str] = {}
    of_groups: dict[str, Estimate] = {}
    for request in settings.requests:
        name, group = request
        if group:
            estimate = _group_table(found, group).get(name)
            if estimate is None:
                missing[str(request)] = lacking(request, found)
            elif settings.measures is not None or name not in USUAL_RATES:
                of_groups[str(request)] = estimate
        elif name not in found.overall:
            if any(name in table for table in found.by_class.values()):
                by_class.append(name)
            else:
                missing[name] = lacking(request, found)
    notes = found.notes
    # Beside the usual measures, the table of classes has those asked for too.
    if by_class and settings.measures is not None:
        what = "computed per class only; use --average macro for the mean"
        notes = (*notes, Note("only-by-class", ", ".join(by_class), what, count=len(by_class)))
    found = replace(found, overall={**found.overall, **of_groups}, missing=missing, notes=notes)
    return only_asked(found, settings)


def _group_table(found: Performance, group: str) -> Mapping[str, Estimate]:
    """Return the estimates of a class or an average; where decisions are missing there are none, not even unknown."""
    if not (found.by_class or found.averages):
        return {}
    return found.table_of(group)


def only_asked(found: Performance, settings: Settings) -> Performance:
    """Return the result with only the measures asked for, if any, and with aliases for their names."""
    overall = {name: estimate for name, estimate in found.overall.items() if settings.is_shown(name)}
    return replace(found, overall=overall, named=canonical_name, described=describe, asked=settings.measures)


def require_computed(performances: Sequence[Performance]) -> list[Performance]:
    """Refuse a measure that no classifier has; where only some lack it, add a note with the reason to these."""
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
    """Return the names of the measures that these data support."""
    rates = [str(rate) for rate in reported_rates()] if found.confusion is not None else []
    if found.claims is not None and found.decisions is None:
        return [*rates, *OF_TABLES]
    scores = ["AUC"] if "score" in found.columns else []
    return [*rates, *(score_measures() if found.decisions is not None else scores)]


def lacking(request: Request, found: Performance) -> str:
    """Return why what was asked for has no value in a result."""
    kind, group = request.kind, request.group
    # These are there for such data if anything of their kind was asked for.
    scores, probabilities = "AUC" in found.overall, "Brier" in found.overall
    if kind in OTHER_TASKS:
        return f"requires --task {OTHER_TASKS[kind]}"
    of_table = found.claims is not None and found.decisions is None
    if kind == "probability table" and not of_table:
        return "needs probabilities of three or more classes (use --probabilities)"
    if group in PAIRS_OF_CLASSES:
        return "is not averaged over pairs of classes, as AUC is"
    if of_table and kind not in ("rate", "matrix"):
        return "describes the whole table, or has no such average (use a class, macro or weighted)"
    if kind in ("rate", "matrix"):
        if found.confusion is None:
            return "needs decisions, found none (use --threshold)"
        if kind == "matrix":
            return "is a measure of the whole matrix, not of a class"
        return "may be infinite for a class, so it has no mean over classes"
    needed = "probabilities" if kind == "probabilities" else "scores"
    if not (scores or probabilities):
        if kind == "probabilities" or group:
            return f"needs {needed}, found none"
        return "needs scores of one class (use --score and --positive)"
    if kind == "probabilities" and not probabilities:
        return "needs probabilities, found scores outside [0, 1]"
    if group:
        return f"needs {needed} of each class, or is not averaged"
    return f"needs {needed} of one class (use --class, or --score and --positive)"


def default_threshold_note() -> Note:
    """Return the note on the threshold of probabilities."""
    what = "scores lie in [0, 1], so 0.5 or more counts as positive (change with --threshold)"
    return Note("default-threshold", "", what)


def no_threshold_note(reported: str = "curves are") -> Note:
    """Return the note on scores without a threshold."""
    return Note("no-threshold", "", f"no threshold given, so only {reported} reported; use --threshold to add rates")


def other_labels_note(labels: Sequence[Label], positive: Label) -> list[Note]:
    """Return a note on how many labels count as negative, where one of several classes is positive."""
    others = len(labels) - 1
    return [
        Note("one-versus-rest", f"{others} other labels", f"treated as negative (positive: {positive})", count=others)
    ] * (others > 1)


def merged_labels_note(sizes: Mapping[Label, int], positive: Label) -> list[Note]:
    """Return a note on the labels that count as negative, the rarest as examples, since one may be a typing error."""
    others = {label: n for label, n in sizes.items() if label != positive and n}
    if len(others) < 2:
        return []
    rarest = tuple(f"{label}: {n:,}" for label, n in sorted(others.items(), key=lambda each: each[1])[:3])
    amount, what = f"{len(others)} labels", f"treated as negative (positive: {positive})"
    return [Note("one-versus-rest", amount, what, count=len(others), examples=rarest)]


def score_notes(decisions: Decisions, overall: Mapping[str, Estimate], *, inverted: bool = False) -> list[Note]:
    """Return the notes on scores, which may have been `inverted`."""
    sizes = decisions.num_positive, decisions.num_negative
    how = "without --invert" if inverted else "with --invert"
    return notes_on_scores(*sizes, len(decisions), decisions.num_rows, overall, how)


def notes_on_scores(
    num_positive: float,
    num_negative: float,
    num_distinct: int,
    num_rows: int,
    overall: Mapping[str, Estimate],
    inversion: str = "if scores are inverted",
) -> list[Note]:
    """Return the notes on scores from the sizes of the classes, the number of distinct scores and that of rows.

    `inversion` says how to get the opposite scores.
    """
    notes = []
    if not (num_positive and num_negative):
        which = "positive" if num_positive else "negative"
        notes.append(Note("one-class", "", f"all items are {which}; measures that need both classes are undefined"))
    auc = overall["AUC"].value if "AUC" in overall else math.nan
    if auc < 0.5:
        what = f"is below 0.5, so negatives tend to score higher; check --positive (AUC {1 - auc:.4f} {inversion})"
        notes.append(Note("below-diagonal", f"AUC {auc:.4f}", what))
    if num_distinct == 1 and num_rows > 1:
        what = "all items have the same score, so it cannot rank them; check the score column (--score)"
        notes.append(Note("constant-score", "", what))
    return notes
