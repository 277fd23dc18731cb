"""A run from a file. Text goes through the scanning kernel; what it does not like, the strict reader explains."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

import numpy as np

from germane import kernels
from germane.arguments import checked
from germane.formats.columns import reject_duplicates
from germane.formats.detect import detect
from germane.formats.joined_parts import naming_parts
from germane.formats.layout import TextLayout
from germane.formats.scan import SLACK, skip_header
from germane.formats.sources import display_name, memory_for
from germane.tables.id_columns import encode_queries
from germane.tables.ids import Ids
from germane.tables.run import Run


@checked
def read_run(path: str | Path, *, format: str | None = None) -> Run:  # noqa: A002
    """Read a run. Its name is the file's, its tag what all its lines say."""
    from germane.formats.registry import read_detected_run

    with memory_for(path), naming_parts(path):
        with detect(path, "run", format) as detected:
            if detected.layout is None:
                return read_detected_run(detected)
            data = detected.stream.read()
        run = _read_text(data, detected.layout, display_name(path))
        return read_detected_run(replace(detected, stream=io.BytesIO(data))) if run is None else run


def _read_text(data: bytes, layout: TextLayout, name: str) -> Run | None:
    """The run in these bytes; None where a line is not what it should be, or a document comes twice."""
    stream = io.BytesIO(data)
    first = skip_header(stream, layout)
    text = first + stream.read()
    text += b"" if text.endswith(b"\n") else b"\n"
    # Runs have no groups: their place serves the tags.
    reader = kernels.TableReader(replace(layout, group=layout.tag))
    state, query, doc, tag, score, rank = reader.read(bytearray(text + bytes(SLACK)), len(text))
    if state != kernels.OK or len(score) == 0:
        return None
    queries, stretches = encode_queries(Ids.of_spans(text, query[:, 0], query[:, 1]))
    docs, tags = (Ids.of_spans(text, spans[:, 0], spans[:, 1]) for spans in (doc, tag))
    one_tag = layout.tag is not None and not kernels.changes(tags.data, tags.offsets)[1:].any()
    ranks = -score if layout.rank_only else None if layout.rank is None else np.asarray(rank)
    run = Run(queries, stretches, docs, score, ranks, tags[0] if one_tag else None, name)
    try:
        reject_duplicates(run)
    except ValueError:
        return None  # the strict reader knows the line
    return run
