"""Convert a run or judgments to another format.

A run is read twice, piece by piece: first to survey it, since nothing is written unless all of it is valid, then to
write it. Only what cannot be written so is held in memory as a whole: judgments, which are sorted; formats that only
the strict reader reads; and, where the new format needs ranks that the file does not have, interleaved queries.
"""

from __future__ import annotations

import io
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

from germane.errors import InputError
from germane.formats.files.part_folders import is_folder, is_read, naming_parts
from germane.formats.files.sources import STDIN, display_name, open_source
from germane.formats.files.targets import open_target, require_new
from germane.formats.rankings.arrow_file import BINARY, open_columns
from germane.formats.rankings.column_pieces import column_pieces, column_roles
from germane.formats.rankings.detect import detect
from germane.formats.rankings.entry import Detected, Format
from germane.formats.rankings.pieces import (
    Advance,
    Piece,
    StrictReaderNeededError,
    columns_of,
    text_pieces,
    whole_queries,
)
from germane.formats.rankings.ranking_files import (
    format_for,
    lost_columns,
    read_columns,
    reject_loss,
    write_qrels,
    write_run,
)
from germane.formats.rankings.scan import re_readable
from germane.formats.rankings.survey import InterleavedError, Survey, Totals, survey_problems
from germane.formats.rows.column_names import Kind
from germane.formats.rows.columns import Columns, with_extra_fields
from germane.formats.rows.text import RowError
from germane.tables.columns.ids import Ids
from germane.tables.notes.counts import counted
from germane.tables.rankings.run import Run

IN_MEMORY = 1 << 24
"""Bytes of standard output held in memory rather than in a temporary file until all of it is known."""


def convert(
    source: str,
    target: str,
    from_format: str | None = None,
    to_format: str | None = None,
    *,
    kind: Kind | None = None,
    tag: str | None = None,
    lossy: bool = False,
    overwrite: bool = False,
    advance: Advance | None = None,
) -> list[str]:
    """Convert a file and return what the new format cannot store, which is an error unless `lossy`.

    `advance` is told how much was read, and of how much: the file is read twice.
    """
    if not overwrite:
        require_new(target)
    if is_folder(source) and is_read(target, [source]):
        raise InputError(target, None, "the output is a part of the input", hint="choose another name for the output")
    with (
        naming_parts(source),
        re_readable(source) as file,
        detect(file, kind, from_format, untagged=tag is not None) as found,
    ):
        detected = replace(found, path=source)
        content = _read(detected, file, advance)
        lost, tags = list(content.left_out), content.tags
        if lost and not lossy:
            hint = "use `lossy=True` to drop it"
            raise InputError(detected.source, None, f"no format can store {'; '.join(lost)}", hint=hint)
        if detected.kind == "qrels":
            assert isinstance(content, Columns)
            if tag is not None:
                raise InputError(detected.source, None, "`tag=` requires a run, found judgments", hint="remove `tag=`")
            qrels = content.to_qrels(detected.source)
            return lost + write_qrels(qrels, target, to_format, lossy=lossy, overwrite=overwrite)
        if tag is not None:
            tags = (tag,)
        elif len(tags) > 1:
            if not lossy:
                problem = f"expected the same tag on all lines, found {len(tags)}: {', '.join(map(repr, tags[:5]))}"
                raise InputError(detected.source, None, problem, hint="set one with `tag=…`")
            lost.append(f"the {len(tags)} different tags")
        entry = format_for(target, to_format, "run")
        if isinstance(content, _Streamed) and content.fits(entry):
            return lost + content.write(tags[0] if len(tags) == 1 else None, entry, target, lossy, overwrite)
        columns = content if isinstance(content, Columns) else content.columns()
        run = replace(columns, tags=tags).to_run(display_name(source), source=detected.source)
        return lost + write_run(run, target, to_format, lossy=lossy, overwrite=overwrite)


def _read(detected: Detected, file: str | Path, advance: Advance | None) -> Columns | _Streamed:
    """Survey a run or, if it cannot be read piece by piece, read all columns; raise the first error in it."""
    is_run, is_table = detected.kind == "run", detected.format in BINARY
    survey = None if is_table and not is_run else _survey(detected, file, _half(advance, 0))
    if survey is None:
        return read_columns(detected)
    if survey.kept is not None:
        return columns_of(survey.kept, is_run=False, left_out=detected.left_out)
    left_out = detected.left_out
    if is_table:
        with open_columns(detected) as table:
            left_out = column_roles(table, detected).left_out
    left_out = with_extra_fields(left_out, survey.num_extra)
    return _Streamed(detected, file, survey, survey.totals(), left_out, tuple(Ids.of(survey.labels)), advance)


def _survey(detected: Detected, file: str | Path, advance: Advance | None) -> Survey | None:
    """Return the survey of a file, or None if anything in it has to be explained by the strict reader."""
    is_run = detected.kind == "run"
    for interleaved in (False, True):
        survey = Survey(detected.source, is_run=is_run, keep=not is_run)
        try:
            problems = survey_problems(survey, detected, file, interleaved=interleaved, advance=advance)
            return survey if next(problems, None) is None and survey.queries else None
        except InterleavedError:
            continue
        except StrictReaderNeededError:
            break
    return None


def _half(advance: Advance | None, number: int) -> Advance | None:
    """Return the function to call in the first (0) or second (1) reading of a file."""
    if advance is None:
        return None
    return lambda done, size: advance(done + number * (size or 0), None if size is None else 2 * size)


@dataclass(frozen=True)
class _Streamed:
    """A valid run, to be read piece by piece."""

    detected: Detected
    file: str | Path
    survey: Survey
    totals: Totals
    left_out: tuple[str, ...]
    tags: tuple[str, ...]
    advance: Advance | None

    def fits(self, entry: Format) -> bool:
        """Return whether it can be written piece by piece."""
        if "rank" not in entry.holds or (self.survey.interleaved and self._needs_places(entry)):
            return False
        return self.survey.is_text or not entry.starts  # all pieces of a table have the same types

    def _needs_places(self, entry: Format) -> bool:
        """Return whether ranks must be computed, which takes all documents of a query."""
        own = self.survey.ranked and ("score" in entry.holds or self.totals.only_ranks)
        return entry.has_fixed_fields and not own

    def columns(self) -> Columns:
        """Return the whole run."""
        with self._pieces() as pieces:
            return columns_of(list(pieces), is_run=True, left_out=self.left_out)

    def write(self, tag: str | None, entry: Format, target: str, lossy: bool, overwrite: bool) -> list[str]:
        """Write it, and return what the format cannot store."""
        assert entry.write_run is not None
        lost = lost_columns(entry, only_ranks=self.totals.only_ranks, tag=tag)
        reject_loss([] if lossy else lost, entry, "jsonl", target)
        name, needs_places = display_name(self.detected.path), self._needs_places(entry)
        with self._pieces() as pieces, open_target(target, overwrite=overwrite) as opened:
            runs = (_run(piece, tag, name) for piece in (whole_queries(pieces) if needs_places else pieces))
            with _complete(opened) if target == STDIN else nullcontext(opened) as output:
                entry.write_run((replace(run, rank=None) for run in runs) if needs_places else runs, output)
        return lost

    @contextmanager
    def _pieces(self) -> Iterator[Iterator[Piece]]:
        advance = _half(self.advance, 1)
        if self.detected.layout is None:
            with open_columns(self.detected) as table:
                yield self._unchanged(column_pieces(table, self.detected, advance))
        else:
            with open_source(self.file) as stream:
                yield self._unchanged(text_pieces(stream, self.detected.layout, self.detected.source, advance))

    def _unchanged(self, pieces: Iterator[Piece | RowError]) -> Iterator[Piece]:
        """Yield the pieces, which must be those that were surveyed."""
        num_rows = 0
        for piece in pieces:
            if isinstance(piece, RowError):
                raise piece
            num_rows += len(piece.docs)
            yield piece
        if num_rows != self.totals.num_rows:
            expected = counted(self.totals.num_rows, "row")
            problem = f"the file changed while it was read: expected {expected}, found {num_rows:,}"
            raise InputError(self.detected.source, None, problem, hint="convert it again once it is complete")


def _run(piece: Piece, tag: str | None, name: str) -> Run:
    return Run(piece.queries.ids, piece.queries.stretches, piece.docs, piece.value, piece.rank, tag, name)


@contextmanager
def _complete(target: BinaryIO) -> Iterator[BinaryIO]:
    """Hold back what is written until all of it is."""
    with tempfile.SpooledTemporaryFile(max_size=IN_MEMORY) as held:
        yield held  # type: ignore[misc] # a BinaryIO in all but name
        held.seek(0)
        shutil.copyfileobj(held, target, io.DEFAULT_BUFFER_SIZE)
