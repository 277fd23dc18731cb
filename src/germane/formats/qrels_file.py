"""Judgments from a file. Text goes through the scanning kernel; what it does not like, the strict reader explains."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

from germane import kernels
from germane.arguments import checked
from germane.errors import InputError
from germane.formats.detect import Detected, detect
from germane.formats.joined_parts import naming_parts
from germane.formats.layout import TextLayout
from germane.formats.scan import SLACK, skip_header
from germane.formats.sources import display_name, memory_for
from germane.tables.ids import Ids
from germane.tables.qrels import Qrels


@checked
def read_qrels(
    path: str | Path,
    *,
    format: str | None = None,  # noqa: A002
    scale: float | None = None,
    collection_size: int | None = None,
) -> Qrels:
    """Read judgments. `scale` is the highest grade that could be given; by default the highest that was."""
    name = display_name(path)
    with memory_for(path), naming_parts(path):
        with detect(path, "qrels", format) as detected:
            if detected.layout is None:
                return _read_strictly(detected, name, scale, collection_size)
            data = detected.stream.read()
        try:
            return _read_text(data, detected.layout, name, scale, collection_size)
        except InputError:
            return _read_strictly(replace(detected, stream=io.BytesIO(data)), name, scale, collection_size)


def _read_strictly(detected: Detected, name: str, scale: float | None, collection_size: int | None) -> Qrels:
    from germane.formats.registry import read_columns

    columns = read_columns(detected)
    try:
        return columns.to_qrels(name, scale=scale, collection_size=collection_size)
    except InputError as error:  # a table has a name, and its file another
        raise InputError(detected.source, error.line, error.problem, hint=error.hint) from None


def _read_text(data: bytes, layout: TextLayout, name: str, scale: float | None, collection_size: int | None) -> Qrels:
    stream = io.BytesIO(data)
    first = skip_header(stream, layout)
    text = first + stream.read()
    text += b"" if text.endswith(b"\n") else b"\n"
    state, query, doc, group, grade, _ = kernels.TableReader(layout).read(bytearray(text + bytes(SLACK)), len(text))
    if state != kernels.OK or len(grade) == 0:
        raise InputError(name, None, "not what it should be")
    queries, docs, groups = (Ids.of_spans(text, spans[:, 0], spans[:, 1]) for spans in (query, doc, group))
    several = layout.group is not None and bool(kernels.changes(groups.data, groups.offsets)[1:].any())
    return Qrels.from_columns(
        queries, docs, grade, groups if several else None, scale=scale, collection_size=collection_size, name=name
    )
