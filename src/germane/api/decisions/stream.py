"""Classifiers on files larger than memory, and on Spark: the measures of all rows at once, to the last bit."""

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
from germane.api.decisions.streamed_scores import (
    SPARK,
    STREAM,
    Engine,
    require_streamed,
    scores_to_add,
    streamed_overall,
)
from germane.distributed.decision_counts import OnACluster, checked_rows, count_on_spark, cuts_of
from germane.distributed.frames import quoted
from germane.distributed.items.complete_frames import complete_frame, missing_error, with_truth_values
from germane.distributed.score_ranges import measure_on_spark
from germane.distributed.session import clear_failures
from germane.distributed.spark_run import SparkRun
from germane.errors import GermaneError, InputError
from germane.formats.decisions.labelled_columns import Asked, Chosen, choose_columns
from germane.formats.decisions.labelled_rows import LabelledRows, rows_of, stream_labelled
from germane.formats.decisions.labelled_text import Part
from germane.formats.decisions.reading import Reading, reading_and_columns
from germane.measures.decisions.scores.streamed import StreamedScores
from germane.tables.decisions.confusion import Confusion, Label
from germane.tables.decisions.decision_stream import StreamedDecisions
from germane.tables.decisions.labels import encode_labels
from germane.tables.decisions.score_spill import SpilledScores
from germane.tables.notes.note import Note
from germane.tables.results.performance import Performance

FIRST_ROWS = 1 << 16
"""Rows of a frame sent to the driver, from which the bins of the scores are made."""


def performance_of_stream(path: Any, columns: Mapping[str, Any], settings: Settings, name: str) -> Performance:
    """Evaluate one classifier as `classify` does, part by part: decisions are counted, scores are sorted on disk.

    With three labels or more, the positive one must occur among the first 500,000 rows.
    """
    require_streamed(settings, STREAM)
    with SpilledScores() as scores:
        for number, part in enumerate(stream_labelled(path, **columns)):
            if number == 0:  # there is always a first part: a file without rows has been refused
                labels = encode_labels(part.truth, "truth", part.source).values
                beginning, reading = _begin(part, settings, STREAM), part.reading
                counted = _counted_label(labels, settings.positive) if beginning.has_scores else labels[0]
                stream = StreamedDecisions()
            predicted, score = (next(iter(columns.values()), None) for columns in (part.predicted, part.scores))
            stream.add(part.truth, predicted=predicted, weight=part.weight, source=part.source)
            if score is not None:
                truth = encode_labels(part.truth, "truth", part.source)
                scores.add(is_class(truth, counted), score, part.weight)
            if settings.progress is not None:
                settings.progress(stream.num_rows, None)
            source = part.source
            del part, predicted, score  # free the memory before reading the next part
        beginning = beginning._replace(notes=(*beginning.notes, *reading.notes()))
        settled = _settled(stream, beginning, settings, source)
        if not beginning.has_scores:
            return _performance(stream, None, settled, settings, name, STREAM)
        if settled.positive != counted:
            if not {*stream.class_sizes} <= {settled.positive, counted}:
                hint = "move a row of this label to the beginning, or remove `stream=True`"
                problem = f"expected the positive label {settled.positive!r} among the first rows, found other labels"
                raise InputError(source, None, problem, hint=hint)
            scores.exchange_classes()
        read = scores_to_add(scores, settings, decided=beginning.has_predictions, source=source)
        for chunk in scores.merged():
            read.add(chunk)
        return _performance(stream, read, settled, settings, name, STREAM)


def _performance(
    stream: StreamedDecisions,
    read: StreamedScores | None,
    settled: Settled,
    settings: Settings,
    name: str,
    engine: Engine,
) -> Performance:
    """Return the result over all rows, of predictions or of decisions at the threshold, and of scores."""
    has_predictions, _, columns, notes, positive = settled
    said = []
    threshold = None if has_predictions or read is None else read.threshold
    if settings.threshold is None and threshold is not None:
        said.append(default_threshold_note())
    if has_predictions or (read is not None and threshold is not None):
        confusion = stream.confusion if read is None or has_predictions else _at_threshold(stream, positive, read)
        found = matrix_performance(confusion, None, positive, settings, name)
        said += matrix_notes(found)
    else:
        said.append(no_threshold_note())
        found = Performance(
            name, "scores", stream.num_rows, {}, positive=positive, level=settings.level, seed=settings.seed
        )
    overall = dict(found.overall)
    if read is not None:
        overall |= streamed_overall(read, settings, engine)
        said += notes_on_scores(read.positive, read.negative, read.num_distinct, stream.num_rows, overall)
    found = replace(found, overall=overall, threshold=threshold, columns=columns)
    return replace(found, notes=(*notes, *said))


class Settled(NamedTuple):
    """What is known of the columns from the first rows, and of the positive class from all; the notes on both."""

    has_predictions: bool
    has_scores: bool
    columns: Mapping[str, str]
    notes: tuple[Note, ...]
    positive: Label | None = None


def _begin(part: LabelledRows, settings: Settings, engine: Engine) -> Settled:
    """Find the columns in the first rows."""
    if len(part.predicted) > 1 or len(part.scores) > 1:
        raise GermaneError(f"{engine.name} supports one classifier", hint="name one column: `predicted=…` or `score=…`")
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


def _at_threshold(stream: StreamedDecisions, positive: Label | None, read: StreamedScores) -> Confusion:
    assert positive is not None, "scores have a positive class"
    labels = tuple(sorted(stream.class_sizes)) if len(stream.class_sizes) == 2 else (f"not {positive}", positive)
    return matrix_of_cells(labels, positive, read.at_threshold, stream.num_rows, weighted=stream.weighted)


@clear_failures()
def performance_on_spark(data: Any, columns: Mapping[str, Any], settings: Settings, name: str) -> Performance:
    """Evaluate one classifier as `classify` does, counting rows and measuring scores on the cluster.

    The ranges of scores that tasks measure come from the first rows of the frame: if these are unlike the rest, some
    tasks take longer than others.
    """
    require_streamed(settings, SPARK)
    frame, source = (data.frame, str(data.path)) if isinstance(data, SparkRun) else (data, name)
    reading, named = reading_and_columns(columns)
    chosen = choose_columns(frame.columns, Asked.of(**named), source)
    if chosen.probabilities:
        problem = "expected one column of scores on Spark, found a table of probabilities"
        raise GermaneError(problem, hint="name one column: `score=…`")
    frame, notes = _prepared(frame, chosen, reading, source)
    try:
        return _counted_on_spark(frame, chosen, settings, name, source, notes)
    except InputError:
        if (counted := missing_error(frame, chosen, source)) is not None:
            raise counted from None
        raise


def _prepared(frame: Any, chosen: Chosen, reading: Reading, source: str) -> tuple[Any, tuple[Note, ...]]:
    """Return the frame with truth values as Booleans and, if asked for, without incomplete rows; and notes on both."""
    first, probe = _first_table(frame, chosen, source), Reading("exclude")
    rows_of(chosen, Part({name: first.column(name) for name in chosen.needed}, OnACluster(source), len(first)), probe)
    notes: list[Note] = []
    if probe.kind.kind == "truth":
        converted = with_truth_values(frame, chosen)
        frame = frame if converted is None else converted
        notes += [] if converted is None else probe.kind.notes()
    else:
        notes += probe.kind.notes()
    if reading.missing.exclude:
        frame, said = complete_frame(frame, chosen)
        notes = [*said, *notes]
    return frame, tuple(notes)


def _counted_on_spark(
    frame: Any, chosen: Chosen, settings: Settings, name: str, source: str, notes: tuple[Note, ...]
) -> Performance:
    first = _first_rows(frame, chosen, source)
    labels: Sequence[Label] = encode_labels(first.truth, "truth", source).values
    beginning = _begin(first, settings, SPARK)
    beginning = beginning._replace(notes=(*beginning.notes, *notes))
    counted = _counted_label(labels, settings.positive) if beginning.has_scores else labels[0]
    scores = next(iter(first.scores.values()), None)
    cuts = None if scores is None else cuts_of(scores)
    stream, bins = count_on_spark(frame, chosen, positive=counted, cuts=cuts, source=source)
    settled = _settled(stream, beginning, settings, source)
    read = None
    if bins is not None:
        if settled.positive is not None and settled.positive != counted:  # later rows have other labels
            counted = settled.positive
            stream, bins = count_on_spark(frame, chosen, positive=counted, cuts=cuts, source=source)
            assert bins is not None, "there are scores"
        read = scores_to_add(bins, settings, decided=beginning.has_predictions, source=source)
        measure_on_spark(frame, chosen, bins, read, positive=counted, source=source)
    return _performance(stream, read, settled, settings, name, SPARK)


def _first_rows(frame: Any, chosen: Chosen, source: str) -> LabelledRows:
    return checked_rows(_first_table(frame, chosen, source), chosen, source)


def _first_table(frame: Any, chosen: Chosen, source: str) -> Any:
    import pyarrow as pa

    rows = frame.select(*map(quoted, chosen.needed)).take(FIRST_ROWS)
    if not rows:
        raise InputError(source, None, "expected rows, found none")
    return pa.table({name: [row[i] for row in rows] for i, name in enumerate(chosen.needed)})


def _settles_positive(labels: Sequence[Label], asked: Label | None) -> bool:
    """Whether the labels of the first rows are enough to find the positive one."""
    try:
        return positive_label(labels, asked)[0] is not None
    except GermaneError:
        return False
