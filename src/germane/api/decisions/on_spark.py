"""Classifiers whose decisions lie on Spark: counts are exact, the AUC comes with a proven bound of its error."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from germane.api.decisions.positive_class import positive_label
from germane.api.decisions.settings import Settings
from germane.api.decisions.stream import begin, finished, require_counted
from germane.distributed.decision_counts import checked_rows, count_on_spark
from germane.distributed.frames import quoted
from germane.distributed.spark_run import SparkRun
from germane.errors import GermaneError, InputError
from germane.formats.decisions.labelled_columns import Asked, Chosen, choose_columns
from germane.formats.decisions.labelled_rows import LabelledRows
from germane.tables.decisions.confusion import Label
from germane.tables.decisions.decision_stream import BINS, edges_of
from germane.tables.decisions.labels import MOST_LABELS, encode_labels
from germane.tables.results.performance import Performance

FIRST_ROWS = 1 << 18
"""So many rows come to the driver: the bins of the scores follow from them, four to a bin."""


def performance_on_spark(data: Any, columns: Mapping[str, Any], settings: Settings, name: str) -> Performance:
    """What `classify` finds, counted where the rows lie; one classifier.

    The bins of the scores follow from the first rows of the frame. If these are unlike the rest, the bound of the AUC's
    error is wider; counts are exact in any case.
    """
    require_counted(settings, "a frame of Spark")
    positive = settings.positive
    frame, source = (data.frame, str(data.path)) if isinstance(data, SparkRun) else (data, name)
    chosen = choose_columns(frame.columns, Asked.of(**columns), source)
    if chosen.probabilities:
        raise GermaneError("on Spark a classifier has one column of scores", hint="name one column: `score=…`")
    first = _first_rows(frame, chosen, source)
    labels: Sequence[Label] = encode_labels(first.truth, "truth", source).values
    if not _settles_positive(labels, positive) and (positive is not None or first.scores or len(labels) < 2):
        labels = _all_labels(frame, chosen, source)
    beginning = begin(first, labels, settings, "a frame of Spark")
    scores = next(iter(first.scores.values()), None)
    stream = count_on_spark(
        frame,
        chosen,
        positive=beginning.counted_positive,
        threshold=settings.threshold,
        edges=None if scores is None else edges_of(scores, BINS),
        source=source,
    )
    return finished(stream, beginning, settings, name)


def _first_rows(frame: Any, chosen: Chosen, source: str) -> LabelledRows:
    import pyarrow as pa

    names = chosen.needed
    rows = frame.select(*map(quoted, names)).take(FIRST_ROWS)
    if not rows:
        raise InputError(source, None, "expected rows, found none")
    return checked_rows(pa.table({name: [row[i] for row in rows] for i, name in enumerate(names)}), chosen, source)


def _settles_positive(labels: Sequence[Label], asked: Label | None) -> bool:
    """Whether the labels of the first rows say which one is positive; the others may come later."""
    try:
        return positive_label(labels, asked)[0] is not None
    except GermaneError:
        return False


def _all_labels(frame: Any, chosen: Chosen, source: str) -> Sequence[Label]:
    rows = frame.select(quoted(chosen.truth)).distinct().take(MOST_LABELS + 1)
    return encode_labels([row[0] for row in rows if row[0] is not None], "truth", source).values
