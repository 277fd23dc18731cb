"""Read ordinary files with the compiled scanner; None for a file that trec_eval may read otherwise than the scanner.

Such files have comments, extra fields, blank lines among judgments, grades or scores that are not plain decimal
numbers, duplicates, or no data; `reader` reads them as trec_eval does.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from germane import kernels
from germane.formats.files.sources import is_plain_file
from germane.formats.rankings.scan import SLACK, match_ordinary
from germane.formats.rows.text import BOM, TREC_QRELS, TREC_RUN
from germane.measures.foreign_names import TrecVersion
from germane.tables.columns.ids import Ids
from germane.tables.rankings.judged_run import JudgedRun
from germane.tables.rankings.qrels import Qrels
from germane.trec_eval.reader import JudgmentFormat, Lines, run_fields

BEYOND_LONG = 2.0**63
"""From here on, trec_eval reads the largest integer there is."""
BLOCK = 1 << 16
"""Bytes read at the end of a run to find its last line."""


def scan_judgments(data: bytes, form: JudgmentFormat, version: TrecVersion) -> Lines | None:
    """Return the columns of judgments in four fields."""
    if form.num_fields != TREC_QRELS.num_fields:
        return None
    text = data if data.endswith(b"\n") else data + b"\n"
    reader = kernels.TableReader(TREC_QRELS._replace(comments=version == 10))
    state, _, _, longer, *columns = reader.read(bytearray(text + bytes(SLACK)), len(text))
    topics, docs, groups, level = columns[:3], columns[3:5], columns[5:8], columns[8]
    # Lines without data are comments or errors.
    if state != kernels.OK or longer or len(level) != text.count(b"\n"):
        return None
    if form.whole and (reader.has_fractions or np.abs(level).max(initial=0.0) >= BEYOND_LONG):
        return None
    topic, group = (Ids(*ids).take(np.repeat(np.arange(len(row) - 1), np.diff(row))) for *ids, row in (topics, groups))
    return Lines(topic, group, None, Ids(*docs), level)


def scan_run(path: str, qrels: Qrels, version: TrecVersion) -> tuple[JudgedRun, bytes] | None:
    """Match a run with judgments; return that and the tag of the last line."""
    if not _is_plain_text(path):
        return None
    layout = TREC_RUN._replace(comments=version == 10)
    run = match_ordinary(qrels, path, layout, score_type="float32" if version == 9 else "float64")
    if run is None or not (run.in_run.any() or run.unknown_queries):
        return None
    if version == 10 and _has_indented_comments(run):
        return None
    return run, _last_tag(path, version)


def _is_plain_text(path: str) -> bool:
    try:
        if not is_plain_file(path):
            return False
        with Path(path).open("rb") as file:
            return not file.read(len(BOM)).startswith(BOM)
    except OSError:
        return False


def _has_indented_comments(run: JudgedRun) -> bool:
    """Return whether a line starts with white space and #: the scanner takes that for a topic."""
    topics = run.qrels.queries
    return any(topic.startswith("#") for topic in run.unknown_queries) or any(
        topics.bytes_at(i).startswith(b"#") for i in np.flatnonzero(run.in_run).tolist()
    )


def _last_tag(path: str, version: TrecVersion) -> bytes:
    size, end = BLOCK, Path(path).stat().st_size
    with Path(path).open("rb") as file:
        while True:
            start = max(0, end - size)
            file.seek(start)
            lines = file.read().split(b"\n")
            for line in reversed(lines[1:] if start else lines):
                if fields := run_fields(line, version):
                    return fields[5]
            size *= 8
