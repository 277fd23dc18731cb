"""Classifiers on files larger than memory: counts are exact, the AUC comes with a proven bound of its error."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from germane.api.decisions.matrix import matrix_performance
from germane.api.decisions.notes import matrix_notes
from germane.api.decisions.positive_class import positive_if_known, positive_label
from germane.api.decisions.settings import Settings
from germane.errors import GermaneError, InputError
from germane.formats.decisions.labelled_rows import LabelledRows, stream_labelled
from germane.measures.decisions.measure import DECISION_MEASURES
from germane.tables.decisions.confusion import Confusion, Label
from germane.tables.decisions.decision_stream import StreamedDecisions
from germane.tables.decisions.labels import encode_labels
from germane.tables.notes.note import Note
from germane.tables.results.performance import Estimate, Performance


def performance_of_stream(path: Any, columns: Mapping[str, Any], settings: Settings, name: str) -> Performance:
    """What `classify` finds, part by part and without keeping the rows; one classifier.

    The positive label must occur among the first million rows.
    """
    require_counted(settings, "--stream")
    for number, part in enumerate(stream_labelled(path, **columns)):
        if number == 0:  # which there is: a file without rows has been refused
            labels = encode_labels(part.truth, "truth", part.source).values
            beginning = begin(part, labels, settings, "--stream")
            stream = StreamedDecisions(positive=beginning.counted_positive, threshold=settings.threshold)
        stream.add(
            part.truth,
            predicted=next(iter(part.predicted.values()), None),
            score=next(iter(part.scores.values()), None),
            weight=part.weight,
            source=part.source,
        )
    return finished(stream, beginning, settings, name)


def require_counted(settings: Settings, what: str) -> None:
    """Refuse measures that need every score, of which `what` keeps only bins."""
    needs_scores = {entry.name for entry in DECISION_MEASURES if entry.family != "matrix" and entry.name != "AUC"}
    for measure in settings.measures or ():
        if measure.partition("(")[0] in needs_scores:
            hint = "rates, measures of the confusion matrix and AUC are counted; for others read the data as a whole"
            raise GermaneError(f"{what} does not compute {measure}", hint=hint)


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


def begin(part: LabelledRows, labels: Sequence[Label], settings: Settings, what: str) -> Beginning:
    """Look at the first rows; `labels` are those known by now, `what` is what takes one classifier only."""
    if len(part.predicted) > 1 or len(part.scores) > 1:
        raise GermaneError(f"{what} takes one classifier", hint="name one column: `predicted=…` or `score=…`")
    has_scores, has_predictions = bool(part.scores), bool(part.predicted)
    if settings.threshold is not None and has_predictions:
        hint = "name one column: `score=…`"
        raise GermaneError("a threshold makes decisions of scores, and there are decisions already", hint=hint)
    asked = settings.positive
    found, note = positive_label(labels, asked) if has_scores else positive_if_known(labels, asked)
    if has_scores and found is None:
        raise InputError(part.source, None, "scores need a positive class", hint="name it: `positive=…`")
    notes = (*(Note("columns-inferred", "", guess) for guess in part.guessed), *([note] if note else []))
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
    performance = replace(performance, overall=overall, threshold=stream.threshold, columns=beginning.columns)
    return replace(performance, notes=(*beginning.notes, *performance.notes))


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
    performance = matrix_performance(confusion, None, positive, settings, name)
    return replace(performance, notes=tuple(matrix_notes(performance)))
