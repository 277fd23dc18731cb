"""Classifiers on files larger than memory: counts are exact, the AUC comes with a proven bound of its error."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from germane.api.classification_notes import matrix_notes, require_computed, with_missing
from germane.api.classifying_matrix import Settings, matrix_performance
from germane.api.positive import positive_label
from germane.errors import GermaneError, InputError
from germane.formats.labelled_rows import LabelledRows
from germane.formats.labelled_stream import stream_labelled
from germane.measures.deciding.names import canonical_name
from germane.measures.deciding.registry import all_deciding
from germane.tables.confusion import Confusion, Label
from germane.tables.labels import encode_labels
from germane.tables.performance import Estimate, Performance
from germane.tables.scores import Note
from germane.tables.streaming import StreamedDecisions


def classify_stream(
    path: Any,
    columns: Mapping[str, Any],
    *,
    positive: Label | None = None,
    threshold: float | None = None,
    name: str = "classifier",
    **how: Any,
) -> Performance:
    """What `classify` finds, part by part and without keeping the rows; one classifier.

    The positive label must occur among the first million rows.
    """
    settings = counted_settings(how, "--stream")
    for number, part in enumerate(stream_labelled(path, **columns)):
        if number == 0:  # which there is: a file without rows has been refused
            labels = encode_labels(part.truth, "truth", part.source).values
            beginning = begin(part, labels, positive=positive, threshold=threshold, what="--stream")
            stream = StreamedDecisions(positive=beginning.counted_positive, threshold=threshold)
        stream.add(
            part.truth,
            predicted=next(iter(part.predicted.values()), None),
            score=next(iter(part.scores.values()), None),
            weight=part.weight,
            source=part.source,
        )
    return finished(stream, beginning, settings, name)


def counted_settings(how: Mapping[str, Any], what: str) -> Settings:
    """The settings; refuses measures that need every score, of which `what` keeps only bins."""
    settings = Settings.of(**how)
    needs_scores = {entry.name for entry in all_deciding() if entry.family != "matrix" and entry.name != "AUC"}
    for measure in settings.measures or ():
        if measure.partition("(")[0] in needs_scores:
            hint = "rates, measures of the confusion matrix and AUC are counted; for others read the data as a whole"
            raise GermaneError(f"{what} does not compute {measure}", hint=hint)
    return settings


class Beginning(NamedTuple):
    """What the first rows settle: which class is positive, which columns there are, and what to say about that."""

    positive: Label | None
    has_predictions: bool
    has_scores: bool
    columns: Mapping[str, str]
    notes: tuple[Note, ...]

    @property
    def counted_positive(self) -> Label:
        """The label that scores are counted by; without scores it does not matter."""
        return True if self.positive is None else self.positive


def begin(
    part: LabelledRows, labels: Sequence[Label], *, positive: Label | None, threshold: float | None, what: str
) -> Beginning:
    """Look at the first rows; `labels` are those known by now, `what` is what takes one classifier only."""
    if len(part.predicted) > 1 or len(part.scores) > 1:
        raise GermaneError(f"{what} takes one classifier", hint="name one column: `predicted=…` or `score=…`")
    has_scores, has_predictions = bool(part.scores), bool(part.predicted)
    if threshold is not None and has_predictions:
        raise GermaneError(
            "a threshold makes decisions of scores, and there are decisions already",
            hint="name one column: `score=…`",
        )
    found, note = positive_label(labels, positive) if has_scores else _positive_if_known(labels, positive)
    if has_scores and found is None:
        raise InputError(part.source, None, "scores need a positive class", hint="name it: `positive=…`")
    notes = (*(Note("columns-guessed", "", guess) for guess in part.guessed), *([note] if note else []))
    shown = {role: ", ".join(names) for role, names in part.columns.items()}
    return Beginning(found, has_predictions, has_scores, shown, notes)


def finished(stream: StreamedDecisions, beginning: Beginning, settings: Settings, name: str) -> Performance:
    """What all rows say."""
    has_predictions, has_scores = beginning.has_predictions, beginning.has_scores
    performance = _counted(stream, beginning.positive, settings, has_predictions, has_scores, name)
    overall = dict(performance.overall)
    if has_scores:
        area = stream.auc_bounds()
        overall["AUC"] = Estimate(
            area.value,
            area.value - area.error_bound,
            area.value + area.error_bound,
            "bound",
            f"counted in bins: the exact value is within {area.error_bound:.2g}; the ends are no confidence interval"
            if area.error_bound
            else "exact: every score has a bin of its own",
        )
    overall = {name: estimate for name, estimate in overall.items() if settings.wants(name)}
    performance = replace(performance, overall=overall, threshold=stream.threshold, columns=beginning.columns)
    found = replace(performance, notes=(*beginning.notes, *performance.notes), named=canonical_name)
    (found,) = require_computed([with_missing(found, settings.measures, scores=has_scores, probabilities=False)])
    return found


def _positive_if_known(labels: Any, asked: Label | None) -> tuple[Label | None, Note | None]:
    try:
        return positive_label(labels, asked)
    except GermaneError:
        if asked is not None:
            raise
        return None, None


def _counted(
    stream: StreamedDecisions, positive: Label | None, settings: Settings, predicted: bool, scores: bool, name: str
) -> Performance:
    """The exact matrix: of the predictions, or at the threshold."""
    if predicted:
        confusion = stream.confusion
    elif scores and stream.threshold is not None:
        tp, fp, fn, tn = stream.at_threshold
        others = [label for label in stream.class_sizes if label != positive]
        other = others[0] if len(others) == 1 else f"not {positive}"
        confusion = Confusion((other, positive), np.asarray([[tn, fp], [fn, tp]]), stream.num_rows, stream.weighted)  # type: ignore[arg-type]
    else:
        said = Note(
            "no-threshold", "", "without a threshold there are no decisions, only the AUC; --threshold gives one"
        )
        return Performance(name, "scores", stream.num_rows, {}, positive=positive, level=settings.level, notes=(said,))
    performance = matrix_performance(confusion, None, positive, settings, name=name)
    return replace(performance, notes=tuple(matrix_notes(performance)))
