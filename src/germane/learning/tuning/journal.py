"""A journal of evaluated values, line by line, so that an interrupted run can continue with the same result.

The first line identifies the data (measure, depth, queries, and a hash of index, topics and qrels); each other line has
one strategy, some queries by index, and their exact values. Each line has its own checksum: a damaged or edited value
is an error, never a result.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from germane.errors import InputError
from germane.formats.files.file_lock import try_lock
from germane.formats.files.json_text import require_checksum, with_checksum
from germane.tables.columns.ids import FloatArray, IntArray

VERSION = 2
MEND = "delete this line; its values are then computed again"
ANOTHER = "choose a file that does not exist yet"
Entry = tuple[str, IntArray, FloatArray]


class Journal:
    """An append-only file, created if missing; a journal of other data is rejected.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "tuning.jsonl"
    >>> with Journal(path, {"measure": "AP", "queries": ["q1", "q2"]}) as journal:
    ...     journal.add("BM25", np.array([1]), np.array([0.25]))
    >>> [(text, places.tolist(), values.tolist()) for text, places, values in Journal.open_again(path)]
    [('BM25', [1], [0.25])]
    """

    def __init__(self, path: str | Path, about: Mapping[str, Any]) -> None:
        self.path = Path(path)
        self._num_queries = len(about["queries"])
        self._kept: list[Entry] = []
        self.was_torn = False
        header = {"germane_tuning": VERSION, **about}
        with ExitStack() as closing:
            try:
                self._file: BinaryIO = closing.enter_context(self.path.open("a+b"))
                if not try_lock(self._file.fileno()):
                    hint = "wait until it has finished, or choose another file"
                    raise InputError(path, None, "another process is writing to this journal", hint=hint)
                self._begin(header)
            except OSError as problem:
                raise InputError(path, None, f"cannot open the journal: {problem.strerror or problem}") from None
            closing.pop_all()

    def _begin(self, header: Mapping[str, Any]) -> None:
        """Read the file, cut off an incomplete last line, and write the header of a new file."""
        self._file.seek(0)
        data = self._file.read()
        whole = data[: data.rfind(b"\n") + 1]  # an interrupted write leaves an incomplete line
        self.was_torn = len(whole) < len(data)
        if not whole and not _line(header).startswith(data):  # not a prefix of our header: not our file, so keep it
            raise InputError(self.path, 1, NO_JOURNAL, hint=ANOTHER)
        if whole:
            lines = whole.splitlines()
            _require_same(self.path, _header(self.path, lines[0]), header)
            self._kept = list(_entries(self.path, lines, self._num_queries))
        self._file.truncate(len(whole))
        if not whole:
            self._write(header)

    @staticmethod
    def open_again(path: str | Path) -> list[Entry]:
        """Return the entries of a journal, whatever its data."""
        lines = Path(path).read_bytes().splitlines() or [b""]
        return list(_entries(Path(path), lines, len(_header(Path(path), lines[0])["queries"])))

    def entries(self) -> Iterator[Entry]:
        """Yield the entries found when the journal was opened."""
        yield from self._kept

    def add(self, strategy: str, places: IntArray, values: FloatArray) -> None:
        """Append one line, flushed before the next evaluation."""
        self._write({"strategy": strategy, "places": places.tolist(), "values": values.tolist()})

    def _write(self, record: Mapping[str, Any]) -> None:
        self._file.write(_line(record))
        self._file.flush()

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()


def _line(record: Mapping[str, Any]) -> bytes:
    return json.dumps(with_checksum(record), ensure_ascii=False).encode() + b"\n"


def _header(path: Path, line: bytes) -> dict[str, Any]:
    """Return the first line, whose list of queries bounds the indices of all others."""
    found = _parsed(path, 1, line)
    if "germane_tuning" not in found or not isinstance(found.get("queries"), list):
        raise InputError(path, 1, NO_JOURNAL, hint=ANOTHER)
    if found["germane_tuning"] != VERSION:
        problem = f"expected a journal of version {VERSION}, found {found['germane_tuning']!r}"
        raise InputError(path, 1, problem, hint=ANOTHER)
    require_checksum(found, path, "the journal", line=1, hint=ANOTHER)
    return found


def _parsed(path: Path, number: int, line: bytes) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        record = None
    if not isinstance(record, dict):
        hint = MEND if number > 1 else ANOTHER
        raise InputError(path, number, "expected a line of a tuning journal, found something else", hint=hint)
    return record


def _require_same(path: Path, found: Mapping[str, Any], expected: Mapping[str, Any]) -> None:
    for name, value in expected.items():
        if found.get(name) != value:
            detail = "" if name in ("queries", "data") else f": {value!r} now, {found.get(name)!r} there"
            what = WORDS.get(name, name)
            hint = "choose another file, or delete this one"
            raise InputError(path, 1, f"this journal belongs to another {what}{detail}", hint=hint)


NO_JOURNAL = "expected a tuning journal, found something else"
WORDS = {"data": "index, or to other topics or qrels", "queries": "set of queries", "k": "depth k"}


def _entries(path: Path, lines: list[bytes], num_queries: int) -> Iterator[Entry]:
    for number, line in enumerate(lines[1:], start=2):
        record = _parsed(path, number, line)
        require_checksum(record, path, "the line", line=number, hint=MEND)
        try:
            places = np.asarray(record["places"], np.int64)
            values = np.asarray(record["values"], np.float64)
            fits = places.shape == values.shape and ((places >= 0) & (places < num_queries)).all()
            text = str(record["strategy"])
        except (KeyError, TypeError, ValueError, OverflowError):
            fits = False
        if not fits or not np.isfinite(values).all():
            raise InputError(
                path, number, "expected a strategy with one value per query, found something else", hint=MEND
            )
        yield text, places, values
