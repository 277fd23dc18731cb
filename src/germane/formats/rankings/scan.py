"""Match a run file with judgments to a `JudgedRun`, without holding the run in memory.

A plain file is split among the cores at query boundaries; a compressed one is read as a stream. If the queries are
interleaved, the lines are indexed and grouped first. If a line is invalid, the strict reader reads the file again and
reports it.
"""

# ruff: noqa: A002 - what a file is in is called its format everywhere
from __future__ import annotations

import errno
import itertools
import mmap
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, TypeVar

import numpy as np

from germane import kernels
from germane.errors import InputError, OutOfMemoryError
from germane.formats.files.addresses import Address, place
from germane.formats.files.part_folders import is_folder, naming_parts, require_one_run
from germane.formats.files.part_tables import first_binary_part
from germane.formats.files.sources import display_name, is_plain_file, memory_for, open_source, source_name
from germane.formats.rankings.arrow_file import BINARY, metadata_of, open_columns
from germane.formats.rankings.detect import detect
from germane.formats.rankings.entry import Detected
from germane.formats.rankings.scan_columns import match_columns
from germane.formats.rows.column_names import find_roles
from germane.formats.rows.columns import Columns
from germane.formats.rows.text import BOM, TextLayout, scan_text
from germane.progress import Step, open_counted, step
from germane.tables.columns.ids import IntArray
from germane.tables.columns.threads import map_in_threads, num_threads
from germane.tables.notes.counts import counted
from germane.tables.rankings.judged_run import JudgedRun, Ties
from germane.tables.rankings.matching import assemble, match, new_matcher, shared_queries
from germane.tables.rankings.qrels import Qrels
from germane.tables.rankings.run import Run
from germane.temporary import written_to_a_temporary_file

if TYPE_CHECKING:
    from germane.kernels.reference import Matcher

BLOCK = 1 << 19
BYTES_PER_THREAD = 1 << 22
GATHERED = 1 << 25
Part = TypeVar("Part")
SLACK = 64  # the scanner looks at up to eight bytes beyond the last line


def match_file(
    qrels: Qrels, path: str | Path, *, ties: Ties = "docno", score_type: str = "float64", format: str | None = None
) -> JudgedRun:
    """Match a run file, in any format, with judgments."""
    require_one_run(path)
    with memory_for(path), naming_parts(path), re_readable(path) as file, detect(file, "run", format) as found:
        detected = replace(found, path=path if isinstance(path, str) else str(path))
        if detected.layout is None or (ties == "rank" and detected.layout.rank is None):
            judged_run = _matched_columns(qrels, file, detected, ties, score_type)
        else:
            judged_run = _Matching(qrels, file, detected, detected.layout, ties, score_type).text()
    # Part files legitimately interleave queries, so do not report it.
    interleaved = judged_run.interleaved and not is_folder(path)
    return replace(judged_run, name=display_name(path), interleaved=interleaved)


def _matched_columns(qrels: Qrels, file: str | Path, detected: Detected, ties: Ties, score_type: str) -> JudgedRun:
    """Match a table: batch by batch if it is binary and in order, else as a whole."""
    if detected.format in BINARY:
        found = None  # the reader of whole tables explains what is wrong
        with (
            suppress(InputError),
            open_columns(replace(detected, path=file if isinstance(file, str) else str(file))) as table,
        ):
            metadata_of(table.schema, detected.source)
            roles = find_roles(table.schema.names, "run", detected.source)
            found = match_columns(qrels, table, roles, detected.source, ties=ties, score_type=score_type)
        if found is not None:
            return found
    from germane.formats.rankings.ranking_files import read_run

    run = replace(read_run(file, format=detected.format), name=detected.source)
    return match(qrels, run, ties=ties, score_type=score_type)


def match_ordinary(qrels: Qrels, path: str, layout: TextLayout, *, score_type: str = "float64") -> JudgedRun | None:
    """Match a plain text file in a known layout; None if a line is invalid or a document is duplicated."""
    with Path(path).open("rb") as stream:
        detected = Detected(path, "run", layout.format, "", stream, layout)
        return _Matching(qrels, path, detected, layout, "docno", score_type).scanned()


@contextmanager
def re_readable(path: str | Path) -> Iterator[str | Path]:
    """Copy standard input, pipes and text parts to a temporary file, since the file may have to be read twice."""
    where = path if is_folder(path) else place(path)
    if _can_be_read_again(where):
        yield path if isinstance(where, Address) else where
        return
    with plain_copy(path) as copy:
        try:
            yield copy
        except InputError as problem:  # name the input, not its temporary copy
            if problem.source != str(copy):
                raise
            raise InputError(source_name(path), problem.line, problem.problem, hint=problem.hint) from None


def _can_be_read_again(where: str | Path | Address) -> bool:
    if isinstance(where, Address):  # it is read as a stream, again if need be
        return True
    if is_folder(where):
        return first_binary_part(where) is not None
    return str(where) != "-" and (not Path(where).exists() or Path(where).is_file())


@contextmanager
def plain_copy(path: str | Path, source: BinaryIO | None = None) -> Iterator[Path]:
    """Make a temporary copy of an input that cannot be read twice: decompressed, or of the bytes of `source`."""
    import shutil
    import tempfile

    with ExitStack() as until_read:
        opened = open_source(path) if source is None else nullcontext(source)
        with opened as stream, written_to_a_temporary_file(f"a copy of {source_name(path)}"):
            copy = Path(until_read.enter_context(tempfile.TemporaryDirectory(prefix="germane-"))) / "copy"
            with copy.open("wb") as target:
                shutil.copyfileobj(stream, target, BLOCK)
        yield copy


class _MemoryRanOutError(MemoryError):
    """Memory ran out after the line at this byte offset of a file."""

    def __init__(self, place: int) -> None:
        self.place = place


@dataclass(frozen=True, eq=False)
class _Matching:
    """The matching of a text file with judgments."""

    qrels: Qrels
    file: str | Path
    detected: Detected
    layout: TextLayout
    ties: Ties
    score_type: str

    def text(self) -> JudgedRun:
        """Match the whole file; let the strict reader explain what the scanner does not accept."""
        found = self.scanned()
        return self.explained() if found is None else found

    def scanned(self) -> JudgedRun | None:
        """Match the whole file, in parallel parts or as a stream; None if a line is invalid."""
        whole: list[tuple[int, int | None]] = [(0, None)]
        parts = _ranges(Path(self.file), self.layout) if is_plain_file(self.file) else whole

        def feed(matcher: Matcher, part: tuple[int, int | None]) -> None:
            with open_source(self.file) as stream:
                _feed(matcher, stream, self.layout, *part)

        matchers, states = self._fed(feed, parts)
        if kernels.BAD in states:
            return None
        if kernels.INTERLEAVED in states or shared_queries(matchers):
            matchers.clear()  # frees their memory
            return self.interleaved()
        return self._assembled(matchers)

    def new_matcher(self) -> Matcher:
        return new_matcher(self.qrels, self.ties, self.score_type, self.layout)

    def _fed(self, feed: Callable[[Matcher, Part], None], parts: list[Part]) -> tuple[list[Matcher], set[int]]:
        """Return a matcher for each part, and their final states."""
        matchers = [self.new_matcher() for _ in parts]

        def work(share: tuple[Matcher, Part]) -> int:
            with self._naming_line():
                feed(*share)
            return share[0].finish()

        return matchers, set(map_in_threads(work, list(zip(matchers, parts, strict=True))))

    def _assembled(self, matchers: list[Matcher]) -> JudgedRun:
        self._require_ranks(sum(matcher.odd_ranks for matcher in matchers))
        return assemble(self.qrels, matchers, ties=self.ties, name=self.detected.source)

    @contextmanager
    def _naming_line(self) -> Iterator[None]:
        """Turn a memory error into one that names the line."""
        try:
            yield
        except _MemoryRanOutError as error:
            line, left = 1, error.place
            with open_source(self.file) as stream:
                while left > 0 and (block := stream.read(min(left, BLOCK))):
                    line += block.count(b"\n")
                    left -= len(block)
            problem, source = "not enough memory to read beyond this line", self.detected.source
            hint = "raise the limit (`ulimit -v unlimited`) or keep fewer documents per query"
            raise OutOfMemoryError(problem, source=source, line=line, hint=hint) from None

    def _mapped(self, opened: BinaryIO) -> mmap.mmap:
        with self._naming_line():
            try:
                return mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ)
            except OSError as problem:
                raise (_MemoryRanOutError(0) if problem.errno == errno.ENOMEM else problem) from None

    def _require_ranks(self, odd: int) -> None:
        """Raise an error if the third of three columns contains integers that are not ranks, so probably scores."""
        if self.layout.rank_only and odd and not self.detected.told:
            problem = f"expected ranks 1, 2, 3 … in the third column, found other numbers in {counted(odd, 'query')}"
            hint = "for scores, add a header (qid docno score); to read them as ranks, use `run_format='msmarco'`"
            raise InputError(self.detected.source, None, problem, hint=hint)

    def explained(self) -> JudgedRun:
        """Let the strict reader report what is wrong; if it finds nothing, use its rows instead of the scanner's."""
        # Like the scanner, check ranks only if they are used.
        asked, source = self.layout if self.ties == "rank" else self.layout._replace(rank=None), self.detected.source
        with open_source(self.file) as stream:
            columns = Columns.from_rows(scan_text(stream, asked, source), source)
        run = columns.to_run(source, duplicates_checked=True)
        self._require_ranks(_odd_ranks(run) if self.layout.rank_only else 0)
        return match(self.qrels, run, ties=self.ties, score_type=self.score_type)

    def interleaved(self) -> JudgedRun | None:
        """Group the lines by query, with an index of 16 bytes per line; None if a line is invalid."""
        if not is_plain_file(self.file):
            with plain_copy(self.file) as copy:
                return replace(self, file=copy).interleaved()
        indexer = self.new_matcher()
        with self._naming_line():
            starts, places = _index(indexer, Path(self.file), self.layout)
        if indexer.finish() != kernels.OK:
            return None
        wanted = max(1, min(num_threads(), len(places) * 32 // BYTES_PER_THREAD))
        cuts = np.searchsorted(starts, np.arange(wanted + 1) * len(places) // wanted)
        parts = [places[starts[a] : starts[b]] for a, b in itertools.pairwise(cuts) if starts[b] > starts[a]]
        # All threads share one mapping, so that resident pages count once.
        with Path(self.file).open("rb") as opened, self._mapped(opened) as source, step("lines", len(places)) as lines:
            matchers, states = self._fed(lambda matcher, part: _feed_gathered(matcher, source, part, lines), parts)
        return None if states != {0} else replace(self._assembled(matchers), interleaved=True)


def _odd_ranks(run: Run) -> int:
    """Count the queries whose numbers are not consecutive ranks."""
    ranks = -run.score
    low, high = np.full(len(run.queries), np.inf), np.full(len(run.queries), -np.inf)
    np.minimum.at(low, run.query, ranks)
    np.maximum.at(high, run.query, ranks)
    sizes = np.bincount(run.query, minlength=len(run.queries))
    return int((~(((low == 0) | (low == 1)) & (high == low + sizes - 1)))[sizes > 0].sum())


# Reading blocks --------------------------------------------------------------------------------------------------


def _feed(matcher: Matcher, stream: BinaryIO, layout: TextLayout, start: int, end: int | None) -> None:
    """Read ``[start, end)`` of a stream in blocks and pass them to the scanner."""
    kept = skip_header(stream, layout) if start == 0 else b""
    if start:
        stream.seek(start)
    left = None if end is None else end - stream.tell() + len(kept)
    _in_blocks(stream, left, matcher, matcher.feed, kept)


def _in_blocks(
    stream: BinaryIO, left: int | None, matcher: Matcher, consume: Callable[[bytearray, int], int], begin: bytes = b""
) -> None:
    """Call `consume(buffer, size)` until the stream ends; it returns the offset of the bytes to pass again."""
    place = last_place = stream.tell() - len(begin)  # of the buffer's first byte, now and at the last call of consume
    filled = len(begin)
    if left is not None:
        left -= filled
    try:
        buffer = bytearray(BLOCK + SLACK)
        buffer[:filled] = begin
        while True:
            if len(buffer) - SLACK - filled < BLOCK // 2:
                larger = bytearray(2 * len(buffer))
                with memoryview(buffer) as view, memoryview(larger) as wide:
                    wide[:filled] = view[:filled]
                buffer = larger
            room = len(buffer) - SLACK - filled
            with memoryview(buffer) as view:
                got = stream.readinto(view[filled : filled + (room if left is None else min(room, left))])  # type: ignore[attr-defined]
            if not got:
                break
            if left is not None:
                left -= got
            filled += got
            last_place = place
            start = consume(buffer, filled)
            place += start
            filled = _keep(buffer, start, filled)
        if filled and buffer[filled - 1] != ord("\n"):
            buffer[filled] = ord("\n")
            filled += 1
        last_place = place
        consume(buffer, filled)
    except MemoryError:
        raise _MemoryRanOutError(last_place + matcher.reached) from None


def _keep(buffer: bytearray, start: int, end: int) -> int:
    """Move the bytes that must be passed again to the front, and return their number."""
    with memoryview(buffer) as view:
        view[: end - start] = view[start:end]
    return end - start


def skip_header(stream: BinaryIO, layout: TextLayout) -> bytes:
    """Skip a byte order mark and the header, and return the line read after them."""
    line = stream.readline().removeprefix(BOM)
    for _ in range(layout.header_lines):
        while not line.strip() or (line.startswith(b"#") and layout.delimiter != b","):
            line = stream.readline()
        line = stream.readline()
    return line


def _ranges(path: Path, layout: TextLayout) -> list[tuple[int, int | None]]:
    """Split a plain file into parts, one per core, at query boundaries."""
    size = path.stat().st_size
    wanted = max(1, min(num_threads(), size // BYTES_PER_THREAD))
    cuts: list[int] = []
    with path.open("rb") as file:
        for i in range(1, wanted):
            cut = _next_query(file, i * size // wanted, layout)
            if cut is not None and cut > (cuts[-1] if cuts else 0):
                cuts.append(cut)
    return list(zip([0, *cuts], [*cuts, size], strict=True))


def _next_query(file: BinaryIO, place: int, layout: TextLayout) -> int | None:
    """Return the offset of the first line after a position whose query differs from the line before."""
    file.seek(place)
    file.readline()
    current: bytes | None = None
    while line := file.readline():
        fields = line.split() if layout.delimiter is None else line.rstrip(b"\r\n").split(layout.delimiter)
        if len(fields) > layout.query and not line.startswith(b"#"):
            if current is not None and fields[layout.query] != current:
                return file.tell() - len(line)
            current = fields[layout.query]
    return None


# Interleaved queries ---------------------------------------------------------------------------------------------


def _index(matcher: Matcher, path: Path, layout: TextLayout) -> tuple[IntArray, IntArray]:
    with open_counted(path) as stream:
        begin = skip_header(stream, layout)
        place = stream.tell() - len(begin)

        def consume(buffer: bytearray, size: int) -> int:
            nonlocal place
            end = matcher.index(buffer, size, place)
            place += end
            return end

        _in_blocks(stream, None, matcher, consume, begin)
    return matcher.lines_by_query()


def _feed_gathered(matcher: Matcher, source: mmap.mmap, places: IntArray, lines: Step) -> None:
    """Collect lines into large blocks and pass these to the scanner, releasing the pages read."""
    filled = done = 0
    buffer = bytearray()
    try:
        buffer = bytearray(GATHERED + SLACK)
        while done < len(places):
            with memoryview(source) as view:
                count, filled = kernels.gather_lines(view, places[done:], buffer, filled, len(buffer) - SLACK)
            done += count
            lines.advance(count)
            start = matcher.feed(buffer, filled)
            if count == 0 and start == 0:  # one query's lines fill the buffer
                buffer = buffer + bytes(len(buffer))
                continue
            filled = _keep(buffer, start, filled)
            if hasattr(source, "madvise") and hasattr(mmap, "MADV_DONTNEED"):
                source.madvise(mmap.MADV_DONTNEED)
        matcher.feed(buffer, filled)
    except MemoryError:
        # The buffer contains the lines up to number `done`, some of which the scanner has read.
        unread = buffer.count(b"\n", min(matcher.reached, filled), filled)
        raise _MemoryRanOutError(int(places[max(0, done - max(1, unread))])) from None
