"""Read and write runs and judgments in any format, detected or specified.

Text is read by the fast scanning kernel; if that fails, the strict reader explains the first bad line.
"""

# ruff: noqa: A002 - what a file is in is called its format everywhere
from __future__ import annotations

import io
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from germane.arguments import checked
from germane.errors import InputError
from germane.formats.files.part_folders import naming_parts, require_one_run
from germane.formats.files.sources import COMPRESSIONS, STDIN, display_name, memory_for
from germane.formats.files.targets import open_target
from germane.formats.rankings.detect import FORMATS, detect, known_format
from germane.formats.rankings.entry import Detected, Format
from germane.formats.rankings.pieces import StrictReaderNeededError, columns_of, text_pieces
from germane.formats.rankings.trec import has_only_ranks
from germane.formats.rows.column_names import Kind
from germane.formats.rows.columns import Columns
from germane.formats.rows.number_text import score_places
from germane.formats.rows.text import RowError, TextLayout
from germane.tables.notes.counts import counted
from germane.tables.rankings.qrels import Qrels
from germane.tables.rankings.run import Run


@checked
def read_run(path: str | Path, *, format: str | None = None) -> Run:
    """Read a run; its name is that of the file, its tag the one that all lines share."""
    require_one_run(path)
    with memory_for(path), naming_parts(path):
        with detect(path, "run", format) as detected:
            if detected.layout is None:
                return _run_of(detected)
            data = detected.stream.read()
        run = _run_of_text(data, detected.layout, display_name(path))
        return _run_of(replace(detected, stream=io.BytesIO(data))) if run is None else run


def _run_of(detected: Detected) -> Run:
    """Read a run with the strict reader; for binary formats, duplicates are checked in the table."""
    checks_duplicates = not FORMATS[detected.format].starts
    name = display_name(detected.path)
    return read_columns(detected).to_run(name, duplicates_checked=checks_duplicates, source=detected.source)


def _run_of_text(data: bytes, layout: TextLayout, name: str) -> Run | None:
    """Return the run in these bytes, or None if a line is invalid or a document is duplicated."""
    columns = _columns_of_text(data, layout, is_run=True)
    with suppress(ValueError):  # the strict reader reports the line
        return None if columns is None else columns.to_run(name)
    return None


def _columns_of_text(data: bytes, layout: TextLayout, *, is_run: bool) -> Columns | None:
    """Return the columns of all lines, or None if a line is invalid."""
    pieces = []
    with suppress(StrictReaderNeededError):
        for piece in text_pieces(io.BytesIO(data), layout, ""):
            if isinstance(piece, RowError) or piece.problem is not None:
                return None
            pieces.append(piece)
        return columns_of(pieces, is_run=is_run, left_out=()) if pieces else None
    return None


@checked
def read_qrels(
    path: str | Path, *, format: str | None = None, scale: float | None = None, collection_size: int | None = None
) -> Qrels:
    """Read judgments; `scale` is the highest grade of the scale (default: the highest grade in the file)."""
    known = {"scale": scale, "collection_size": collection_size, "name": display_name(path)}
    with memory_for(path), naming_parts(path):
        with detect(path, "qrels", format) as detected:
            if detected.layout is None:
                return _qrels_of(detected, known)
            data = detected.stream.read()
        with suppress(InputError):
            if (found := _qrels_of_text(data, detected.layout, known)) is not None:
                return found
        return _qrels_of(replace(detected, stream=io.BytesIO(data)), known)


def _qrels_of(detected: Detected, known: dict[str, Any]) -> Qrels:
    columns = read_columns(detected)
    try:
        return columns.to_qrels(**known)
    except InputError as error:  # name the file, not the table
        raise InputError(detected.source, error.line, error.problem, hint=error.hint) from None


def _qrels_of_text(data: bytes, layout: TextLayout, known: dict[str, Any]) -> Qrels | None:
    columns = _columns_of_text(data, layout, is_run=False)
    return None if columns is None else columns.to_qrels(**known)


def read_columns(detected: Detected) -> Columns:
    """Read the columns of a file whose format is known."""
    return FORMATS[detected.format].read_columns(detected)


@checked
def write_run(
    run: Run, path: str | Path, format: str | None = None, *, lossy: bool = False, overwrite: bool = True
) -> list[str]:
    """Write a run and return what the format cannot store, which is an error unless `lossy`.

    Without `overwrite`, an existing file is an error.
    """
    entry = format_for(path, format, "run")
    assert entry.write_run is not None
    lost = lost_from_run(run, entry)
    reject_loss([] if lossy else lost, entry, "jsonl", path)
    with open_target(path, overwrite=overwrite) as target:
        entry.write_run([run], target)
    return lost


@checked
def write_qrels(
    qrels: Qrels, path: str | Path, format: str | None = None, *, lossy: bool = False, overwrite: bool = True
) -> list[str]:
    """Write judgments and return what the format cannot store, which is an error unless `lossy`.

    Without `overwrite`, an existing file is an error.
    """
    entry = format_for(path, format, "qrels")
    assert entry.write_qrels is not None
    lost = lost_from_qrels(qrels, entry)
    reject_loss([] if lossy else lost, entry, "parquet", path)
    if "groups" not in entry.holds:
        qrels = replace(qrels, groups=None)
    with open_target(path, overwrite=overwrite) as target:
        entry.write_qrels(qrels, target)
    return lost


def format_for(path: str | Path, name: str | None, kind: Kind) -> Format:
    """Return the format to write: the specified one, or the one of the file extension."""
    if name is None and str(path) == STDIN:
        name = "trec"
    if name is None:
        suffixes = ["", *(suffix[1:].lower() for suffix in Path(path).suffixes)]
        ending = suffixes[-2 if suffixes[-1] in COMPRESSIONS else -1]
        name = next((entry.name for entry in FORMATS.values() if ending in entry.endings), None)
        if name is None:
            known = ", ".join(f".{known}" for entry in FORMATS.values() for known in entry.endings)
            hint = f"choose a format ({', '.join(FORMATS)}) or a file extension ({known})"
            raise InputError(path, None, "cannot infer the format from the file extension", hint=hint)
    return known_format(name, kind)


def lost_from_run(run: Run, entry: Format) -> list[str]:
    """List the parts of a run that the format cannot store."""
    only_ranks = has_only_ranks(run)
    lost = lost_columns(entry, only_ranks=only_ranks, tag=None)
    own_ranks = None if only_ranks or "rank" in entry.holds else run.rank
    if own_ranks is not None and not np.array_equal(own_ranks, score_places(run)):
        lost.append("ranks that differ from the score order")
    lost += lost_columns(entry, only_ranks=True, tag=run.tag)
    if "empty queries" not in entry.holds:
        empty = np.flatnonzero(np.bincount(run.query, minlength=len(run.queries)) == 0)
        if len(empty):
            lost.append(f"{counted(len(empty), 'query')} without documents, such as {run.queries[int(empty[0])]!r}")
    return lost


def lost_columns(entry: Format, *, only_ranks: bool, tag: str | None) -> list[str]:
    """List the columns of a run that the format cannot store, whatever is in them; `only_ranks` means no scores."""
    lost = [] if "score" in entry.holds or only_ranks else ["the scores"]
    return lost if tag is None or "tag" in entry.holds else [*lost, f"the tag {tag!r}"]


def lost_from_qrels(qrels: Qrels, entry: Format) -> list[str]:
    """List the parts of judgments that the format cannot store."""
    lost = []
    if qrels.groups is not None and "groups" not in entry.holds:
        lost.append(f"the {len(qrels.groups.labels)} groups (a document keeps its highest grade)")
    if qrels.sampling is not None and "sampling" not in entry.holds:
        lost.append(f"the strata ({len(qrels.sampling.labels)}) and the inclusion probabilities")
    if "scale" not in entry.holds and qrels.scale != max(float(qrels.grade.max()), 0.0):
        lost.append(f"the highest grade of the scale, {qrels.scale:g}")
    if "collection size" not in entry.holds and qrels.collection_size is not None:
        lost.append(f"the size of the collection, {qrels.collection_size}")
    return lost


def reject_loss(lost: list[str], entry: Format, roomy: str, path: str | Path) -> None:
    """Raise an error that names what the format cannot store and one that can."""
    if lost:
        problem = f"{entry.name} format cannot store {'; '.join(lost)}"
        raise InputError(path, None, problem, hint=f"write {roomy} instead, or accept the loss with `lossy=True`")
