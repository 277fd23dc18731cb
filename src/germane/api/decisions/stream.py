"""Classifiers on files larger than memory: exact. On Spark: exact counts, and an AUC with a proven error bound."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from germane.api.decisions.matrix import matrix_performance
from germane.api.decisions.notes import (
    default_threshold_note,
    matrix_notes,
    merged_labels_note,
    no_threshold_note,
    notes_on_scores,
)
from germane.api.decisions.one_classifier import is_class, known_positive, matrix_of_cells, require_a_common_label
from germane.api.decisions.positive_class import label_asked_for, positive_label
from germane.api.decisions.settings import Settings
from germane.api.decisions.streamed_scores import require_streamed, scores_in_order, streamed_overall
from germane.distributed.decision_counts import checked_rows, count_on_spark
from germane.distributed.frames import quoted
from germane.distributed.session import clear_failures
from germane.distributed.spark_run import SparkRun
from germane.errors import GermaneError, InputError
from germane.formats.decisions.labelled_columns import Asked, Chosen, choose_columns
from germane.formats.decisions.labelled_rows import LabelledRows, stream_labelled
from germane.measures.decisions.measure import DECISION_MEASURES
from germane.measures.decisions.scores.streamed import StreamedScores
from germane.tables.decisions.confusion import Cells, Confusion, Label
from germane.tables.decisions.decision_stream import BINS, StreamedDecisions, edges_of
from germane.tables.decisions.labels import MOST_LABELS, encode_labels
from germane.tables.decisions.score_spill import SpilledScores
from germane.tables.notes.note import Note
from germane.tables.results.performance import Estimate, Performance

FIRST_ROWS = 1 << 18
"""Rows of a frame sent to the driver, from which the bins of the scores are made, four rows per bin."""


def performance_of_stream(path: Any, columns: Mapping[str, Any], settings: Settings, name: str) -> Performance:
    """Evaluate one classifier as `classify` does, part by part: decisions are counted, scores are sorted on disk.

    With three labels or more, the positive one must occur among the first million rows.
    """
    require_streamed(settings)
    with SpilledScores() as scores:
        for number, part in enumerate(stream_labelled(path, **columns)):
            if number == 0:  # there is always a first part: a file without rows has been refused
                labels = encode_labels(part.truth, "truth", part.source).values
                beginning = _begin(part, settings, "--stream")
                counted = _counted_label(labels, settings.positive) if beginning.has_scores else labels[0]
                stream = StreamedDecisions(positive=counted)
            predicted, score = (next(iter(columns.values()), None) for columns in (part.predicted, part.scores))
            stream.add(part.truth, predicted=predicted, weight=part.weight, source=part.source)
            if score is not None:
                truth = encode_labels(part.truth, "truth", part.source)
                scores.add(is_class(truth, counted), score, part.weight)
            if settings.progress is not None:
                settings.progress(stream.num_rows, None)
            source = part.source
            del part, predicted, score  # free the memory before reading the next part
        settled = _settled(stream, beginning, settings, source)
        if not beginning.has_scores:
            return _finished(stream, settled, settings, name)
        if settled.positive != counted:
            if not {*stream.class_sizes} <= {settled.positive, counted}:
                hint = "move a row of this label to the beginning, or remove `stream=True`"
                problem = f"expected the positive label {settled.positive!r} among the first rows, found other labels"
                raise InputError(source, None, problem, hint=hint)
            scores.exchange_classes()
        read = scores_in_order(scores, settings, decided=beginning.has_predictions, source=source)
        return _with_scores(stream, read, settled, settings, name)


def _with_scores(
    stream: StreamedDecisions, read: StreamedScores, settled: Settled, settings: Settings, name: str
) -> Performance:
    """Return the result over all rows, of predictions or of decisions at the threshold, and of scores."""
    has_predictions, _, columns, notes, positive = settled
    said = []
    if not has_predictions and settings.threshold is None and read.threshold is not None:
        said.append(default_threshold_note())
    if has_predictions or read.threshold is not None:
        confusion = stream.confusion if has_predictions else _at_threshold(stream, positive, read.at_threshold)
        found = matrix_performance(confusion, None, positive, settings, name)
        said += matrix_notes(found)
    else:
        said.append(no_threshold_note())
        found = Performance(
            name, "scores", read.num_rows, {}, positive=positive, level=settings.level, seed=settings.seed
        )
    overall = dict(found.overall) | streamed_overall(read, settings)
    said += notes_on_scores(read.positive, read.negative, read.num_distinct, read.num_rows, overall)
    threshold = None if has_predictions else read.threshold
    found = replace(found, overall=overall, threshold=threshold, columns=columns)
    return replace(found, notes=(*notes, *said))


def _require_counted(settings: Settings, what: str) -> None:
    """Refuse measures that need every score, since `what` keeps only bins of scores."""
    needs_scores = {entry.name for entry in DECISION_MEASURES if entry.family != "matrix" and entry.name != "AUC"}
    for measure in settings.measures or ():
        if measure.partition("(")[0] in needs_scores:
            hint = "choose rates, measures of the confusion matrix or AUC, or read all data at once"
            raise GermaneError(f"{measure} is not supported with {what}", hint=hint)


class Settled(NamedTuple):
    """What is known of the columns from the first rows, and of the positive class from all; the notes on both."""

    has_predictions: bool
    has_scores: bool
    columns: Mapping[str, str]
    notes: tuple[Note, ...]
    positive: Label | None = None


def _begin(part: LabelledRows, settings: Settings, what: str) -> Settled:
    """Find the columns in the first rows."""
    if len(part.predicted) > 1 or len(part.scores) > 1:
        raise GermaneError(f"{what} supports one classifier", hint="name one column: `predicted=…` or `score=…`")
    has_scores, has_predictions = bool(part.scores), bool(part.predicted)
    if settings.threshold is not None and has_predictions:
        hint = "to decide from scores, pass only `score=…`"
        raise GermaneError("`threshold=` cannot be combined with predicted labels", hint=hint)
    notes = tuple(Note("columns-inferred", "", guess) for guess in part.guessed)
    shown = {role: ", ".join(names) for role, names in part.columns.items()}
    return Settled(has_predictions, has_scores, shown, notes)


def _counted_label(labels: Sequence[Label], asked: Label | None) -> Label:
    """Return the label to count scores by: the positive one, or any if that may still occur in later rows."""
    if asked is None:
        found, _ = known_positive(labels, None, required=len(labels) > 1)
        return labels[0] if found is None else found
    return label_asked_for(labels, asked) if _settles_positive(labels, asked) else labels[0]


def _settled(stream: StreamedDecisions, beginning: Settled, settings: Settings, source: str) -> Settled:
    """Find the positive class among all labels, as in rows that are read at once."""
    labels = tuple(sorted(stream.class_sizes))
    if beginning.has_predictions:
        require_a_common_label(stream.confusion, source)
        labels = stream.confusion.labels
    positive, notes = known_positive(labels, settings.positive, required=beginning.has_scores)
    if positive is not None and not beginning.has_predictions:
        notes += merged_labels_note({label: stream.class_sizes[label] for label in labels}, positive)
    return beginning._replace(positive=positive, notes=(*beginning.notes, *notes))


def _finished(stream: StreamedDecisions, settled: Settled, settings: Settings, name: str) -> Performance:
    """Return the result over all rows: the exact matrix, of predictions or at the threshold, and the AUC of scores."""
    has_predictions, has_scores, columns, notes, positive = settled
    if has_predictions or (has_scores and stream.threshold is not None):
        confusion = stream.confusion if has_predictions else _at_threshold(stream, positive, stream.at_threshold)
        found = matrix_performance(confusion, None, positive, settings, name)
        said = matrix_notes(found)
    else:
        said = [no_threshold_note("the AUC is")]
        found = Performance(
            name, "scores", stream.num_rows, {}, positive=positive, level=settings.level, seed=settings.seed
        )
    overall = dict(found.overall)
    if has_scores:
        area = stream.auc_bounds()
        remark = "exact: every score has its own bin"
        if area.error_bound:
            remark = f"counted in bins: error bound ±{area.error_bound:.2g}, which is not an interval"
        overall["AUC"] = Estimate(area.value, remark=remark)
    found = replace(found, overall=overall, threshold=stream.threshold, columns=columns)
    return replace(found, notes=(*notes, *said))


def _at_threshold(stream: StreamedDecisions, positive: Label | None, cells: Cells) -> Confusion:
    assert positive is not None, "scores have a positive class"
    labels = tuple(sorted(stream.class_sizes)) if len(stream.class_sizes) == 2 else (f"not {positive}", positive)
    return matrix_of_cells(labels, positive, cells, stream.num_rows, weighted=stream.weighted)


@clear_failures()
def performance_on_spark(data: Any, columns: Mapping[str, Any], settings: Settings, name: str) -> Performance:
    """Evaluate one classifier as `classify` does, counting rows on the cluster.

    The bins of the scores come from the first rows of the frame. If these are unlike the rest, the error bound of the
    AUC is wider; counts are exact in any case.
    """
    _require_counted(settings, "a Spark data frame")
    positive = settings.positive
    frame, source = (data.frame, str(data.path)) if isinstance(data, SparkRun) else (data, name)
    chosen = choose_columns(frame.columns, Asked.of(**columns), source)
    if chosen.probabilities:
        problem = "expected one column of scores on Spark, found a table of probabilities"
        raise GermaneError(problem, hint="name one column: `score=…`")
    first = _first_rows(frame, chosen, source)
    labels: Sequence[Label] = encode_labels(first.truth, "truth", source).values
    beginning = _begin(first, settings, "a Spark data frame")
    counted: Label | None = labels[0]
    if beginning.has_scores:
        if not _settles_positive(labels, positive):
            labels = _all_labels(frame, chosen, source)
        counted, _ = known_positive(labels, positive, required=True)
    assert counted is not None, "scores have a positive class"
    scores = next(iter(first.scores.values()), None)
    edges = None if scores is None else edges_of(scores, BINS)
    stream = count_on_spark(frame, chosen, positive=counted, threshold=settings.threshold, edges=edges, source=source)
    return _finished(stream, _settled(stream, beginning, settings, source), settings, name)


def _first_rows(frame: Any, chosen: Chosen, source: str) -> LabelledRows:
    import pyarrow as pa

    rows = frame.select(*map(quoted, chosen.needed)).take(FIRST_ROWS)
    if not rows:
        raise InputError(source, None, "expected rows, found none")
    columns = {name: [row[i] for row in rows] for i, name in enumerate(chosen.needed)}
    return checked_rows(pa.table(columns), chosen, source)


def _settles_positive(labels: Sequence[Label], asked: Label | None) -> bool:
    """Whether the labels of the first rows are enough to find the positive one."""
    try:
        return positive_label(labels, asked)[0] is not None
    except GermaneError:
        return False


def _all_labels(frame: Any, chosen: Chosen, source: str) -> Sequence[Label]:
    rows = frame.select(quoted(chosen.truth)).distinct().take(MOST_LABELS + 1)
    return encode_labels([row[0] for row in rows if row[0] is not None], "truth", source).values
