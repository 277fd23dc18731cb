"""The plain reference of each kernel: short enough to be checked by eye, slow, and always there."""

from __future__ import annotations

import ctypes
import itertools
import math
import re
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from germane.kernels import BAD, OK

COMPILED = False
Spans = npt.NDArray[np.int64]
Numbers = npt.NDArray[np.float64]
Text = tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64]]

_NUMBER = re.compile(rb"[+-]?(\d+(?:\.\d*)?|\.\d+)([eE][+-]?\d+)?")
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1f]")


class Layout(Protocol):
    """Which columns of a line hold what; columns count from 0."""

    @property
    def query(self) -> int: ...
    @property
    def doc(self) -> int: ...
    @property
    def value(self) -> int: ...
    @property
    def rank(self) -> int | None: ...
    @property
    def group(self) -> int | None: ...
    @property
    def num_fields(self) -> int: ...
    @property
    def delimiter(self) -> bytes | None: ...
    @property
    def rank_only(self) -> bool: ...
    @property
    def comments(self) -> bool: ...


class Matcher:
    """Matches rows of a run with the judged documents of their queries."""

    def __init__(
        self,
        query_data: npt.NDArray[np.uint8],
        query_offsets: npt.NDArray[np.int64],
        doc_data: npt.NDArray[np.uint8],
        doc_offsets: npt.NDArray[np.int64],
        start: npt.NDArray[np.int64],
        layout: Layout | None,
        tie_rule: str,
        use_float32: bool,
    ) -> None:
        self.layout, self.tie_rule, self.use_float32 = layout, tie_rule, use_float32
        self.codes = {name: code for code, name in enumerate(_slices(query_data, query_offsets))}
        docs = _slices(doc_data, doc_offsets)
        self.judged = [{docs[i]: i for i in range(a, b)} for a, b in itertools.pairwise(start)]
        self.rows: dict[int, dict[bytes, tuple[float, float]]] = {}
        self.places: dict[int, list[int]] = {}
        self.state = OK
        self.reached = 0

    def code_of(self, name: bytes) -> int:
        """The number of a query id: that of its topic in the judgments, or one beyond them."""
        return self.codes.setdefault(name, len(self.codes))

    def feed(self, buffer: bytearray, size: int) -> int:
        """Read the whole lines in ``buffer[:size]``; returns from where on the bytes must be handed in again."""
        layout = self.layout
        assert layout is not None, "lines are read with a layout"
        end = buffer.rfind(b"\n", 0, size) + 1
        self.reached = 0
        for line in bytes(buffer[:end]).split(b"\n")[:-1]:
            if self.state == OK and _holds_data(line, layout):
                self._read(line, layout)
            self.reached += len(line) + 1
        return end

    def _read(self, line: bytes, layout: Layout) -> None:
        fields = _fields(line, layout, with_rank=self.tie_rule == "rank")
        if fields is None:
            self.state = BAD
            return
        score = float(fields[layout.value])
        rank = float(fields[layout.rank]) if layout.rank is not None and self.tie_rule == "rank" else score
        self._add(self.code_of(fields[layout.query]), fields[layout.doc], -score if layout.rank_only else score, rank)

    def columns(
        self,
        codes: npt.NDArray[np.int64],
        starts: npt.NDArray[np.int64],
        docs: npt.NDArray[Any],
        offsets: npt.NDArray[np.int64] | None,
        score: npt.NDArray[np.float64],
        rank: npt.NDArray[np.float64] | None,
        order: npt.NDArray[np.int64] | None,
    ) -> None:
        """Rows that are in memory: rows ``starts[i]`` to ``starts[i + 1]`` belong to the query of ``codes[i]``.

        `docs` are bytes with `offsets`; a matrix, each row an id padded with zeros; or whole numbers, which stand for
        their decimal text. `order` lists the rows so that those of one query are neighbours, or is None where they are.
        """
        data, ends = (
            (docs, offsets) if offsets is not None else unpadded(docs) if docs.ndim == 2 else decimal_text(docs)
        )
        ids = _slices(data, ends)
        rows = np.arange(starts[-1]) if order is None else order
        for code, a, b in zip(codes.tolist(), starts.tolist(), starts[1:].tolist(), strict=False):
            for row in rows[a:b].tolist():
                self._add(code, ids[row], float(score[row]), float(score[row] if rank is None else rank[row]))

    def _add(self, code: int, doc: bytes, score: float, rank: float) -> None:
        if self.use_float32:
            score = ctypes.c_float(score).value
        documents = self.rows.setdefault(code, {})
        if doc in documents or score - score != 0:
            self.state = BAD
        documents[doc] = (score, rank)

    def index(self, buffer: bytearray, size: int, place: int) -> int:
        """Note the query and the place of each whole line in ``buffer[:size]``; returns where they end."""
        layout = self.layout
        assert layout is not None, "lines are read with a layout"
        end = buffer.rfind(b"\n", 0, size) + 1
        self.reached = 0
        for line in bytes(buffer[:end]).split(b"\n")[:-1]:
            if _holds_data(line, layout):
                self.places.setdefault(self.code_of(_split(line, layout)[layout.query]), []).append(place)
            place += len(line) + 1
            self.reached += len(line) + 1
        return end

    def lines_by_query(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """The places of all lines, those of one query together and in file order, and where each query starts."""
        lines = [self.places.get(code, []) for code in range(len(self.codes))]
        starts = np.cumsum([0, *map(len, lines)])
        return starts, np.array([place for group in lines for place in group], dtype=np.int64)

    def finish(self) -> int:
        """0 if all was well, 1 if a line was not what it should be or a document came twice."""
        return self.state

    @property
    def odd_ranks(self) -> int:
        """How many queries have numbers that are no ranks, where there are only ranks."""
        if self.layout is None or not self.layout.rank_only:
            return 0
        numbers = ([-score for score, _ in documents.values()] for documents in self.rows.values())
        return sum(not (min(n) in (0, 1) and max(n) == min(n) + len(n) - 1) for n in numbers)

    @property
    def rising_queries(self) -> int:
        """How many queries have scores that rise from each row to the next."""
        scores = ([score for score, _ in documents.values()] for documents in self.rows.values())
        return sum(len(s) > 1 and all(a < b for a, b in itertools.pairwise(s)) for s in scores)

    def found(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """The groups (topic, rows) and the hits (judged document, rank, first, last), each as a table."""
        groups = [(code, len(documents)) for code, documents in self.rows.items()]
        hits = [hit for code in self.rows if code < len(self.judged) for hit in self._hits(code)]
        return np.array(groups, dtype=np.int64).reshape(-1, 2), np.array(hits, dtype=np.int64).reshape(-1, 4)

    def _hits(self, code: int) -> list[tuple[int, int, int, int]]:
        documents = self.rows[code]
        ranking = list(documents)
        if self.tie_rule != "order":
            ranking.sort(reverse=True)
        if self.tie_rule == "rank":
            ranking.sort(key=lambda doc: documents[doc][1])
        ranking.sort(key=lambda doc: -documents[doc][0])
        scores = [documents[doc][0] for doc in ranking]
        hits = []
        for place, doc in enumerate(ranking):
            if doc in self.judged[code]:
                first = scores.index(scores[place])
                last = first + scores.count(scores[place]) - 1
                hits.append((self.judged[code][doc], place + 1, first + 1, last + 1))
        return hits

    def names(self) -> list[bytes]:
        """All query ids met, those of the judgments first."""
        return list(self.codes)


def _holds_data(line: bytes, layout: Layout) -> bool:
    """Whether a line is neither blank nor a comment; between commas, # is data."""
    comments = layout.comments and layout.delimiter != b","
    return bool(line.strip(b" \t\r\v\f\n")) and not (comments and line.startswith(b"#"))


def _split(line: bytes, layout: Layout) -> list[bytes]:
    return line.split() if layout.delimiter is None else line.rstrip(b"\r").split(layout.delimiter)


def _fields(line: bytes, layout: Layout, *, with_rank: bool) -> list[bytes] | None:
    """The fields of a line, or None if it is not what it should be."""
    fields = _split(line, layout)
    numbers = [layout.value, *([layout.rank] if layout.rank is not None and with_rank else [])]
    if (
        len(fields) <= max(layout.num_fields - 1, layout.query, layout.doc, *numbers)
        or (layout.delimiter is not None and len(fields) > layout.num_fields)
        or _CONTROL.search(line)
        or (layout.delimiter is not None and any(field.startswith(b'"') for field in fields))
        or not all(_NUMBER.fullmatch(fields[column]) and math.isfinite(float(fields[column])) for column in numbers)
        or not fields[layout.query]
        or not fields[layout.doc]
    ):
        return None
    return fields


class TableReader:
    """Reads lines into columns: ids in Arrow's layout, and numbers."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.has_fractions = False

    def read(self, buffer: bytearray, size: int, line: int = 1, place: int = 0) -> tuple[Any, ...]:
        """The columns of ``buffer[:size]``, whole lines all, up to the first that is not what it should be.

        The first line has the number `line` and lies at `place`. The result is (state, bytes read, lines read, lines
        with more fields than the layout), then columns, as arrays: queries (data, offsets, and the row at which each
        begins, as they are named once for neighbouring rows), documents (data, offsets), groups (as queries), values,
        ranks, numbers of the lines, and their places.
        """
        layout, start, state, lines, extra = self.layout, 0, OK, 0, 0
        queries, groups = _Stretches(), _Stretches()
        docs: list[bytes] = []
        rows: list[tuple[float, float, int, int]] = []
        for text in bytes(buffer[:size]).split(b"\n")[:-1]:
            if _holds_data(text, layout):
                fields = _fields(text, layout, with_rank=True)
                if fields is None:
                    state = BAD
                    break
                number = fields[layout.value if layout.rank is None else max(layout.value, layout.rank)]
                self.has_fractions |= not number.lstrip(b"+-").isdigit()
                queries.add(fields[layout.query], len(rows))
                if layout.group is not None:
                    groups.add(fields[layout.group], len(rows))
                docs.append(fields[layout.doc])
                score = float(fields[layout.value])
                rank = 0.0 if layout.rank is None else float(fields[layout.rank])
                rows.append((-score if layout.rank_only else score, rank, line + lines, place + start))
                extra += len(fields) > layout.num_fields
            lines += 1
            start += len(text) + 1
        value, ranks, *where = zip(*rows, strict=True) if rows else ((), (), (), ())
        numbers = np.array(value, dtype=np.float64), np.array(ranks, dtype=np.float64)
        origin = [np.array(each, dtype=np.int64) for each in where]
        found = *queries.columns(len(rows)), *_joined(docs), *groups.columns(len(rows))
        return state, start, lines, extra, *found, *numbers, *origin


class _Stretches:
    """Ids that are named once for neighbouring rows."""

    def __init__(self) -> None:
        self._names: list[bytes] = []
        self._starts: list[int] = []

    def add(self, name: bytes, row: int) -> None:
        """Note the id of a row."""
        if not self._names or self._names[-1] != name:
            self._names.append(name)
            self._starts.append(row)

    def columns(self, rows: int) -> tuple[Any, ...]:
        """The ids and the row at which each begins."""
        return *_joined(self._names), np.array([*self._starts, rows], dtype=np.int64)


class ColumnReader:
    """Reads columns of delimited rows: texts as codes of the distinct ones, and numbers.

    Rows are divided as Python's csv module does, in its strict mode, or as `str.split` does where a space divides them.
    """

    def __init__(self, delimiter: bytes, kinds: bytes, most: int) -> None:
        self.delimiter, self.kinds, self.most = delimiter, kinds, most

    def read(
        self, buffer: bytearray, begin: int, stop: int
    ) -> tuple[int, int, npt.NDArray[np.int32], list[list[bytes]], Numbers, Spans | None]:
        """The columns of the lines in ``buffer[begin:stop]``, whole lines all; eight bytes follow them.

        The result is (state, number of lines, codes, texts, numbers, lines): for each column of texts the codes and
        the distinct texts in order of appearance, and the line of each row, from 0, unless every line is a row. With
        a state other than 0 the rest is void: a line is not what it should be, or there are too many distinct texts.
        """
        kept: list[int] = []
        texts: list[dict[bytes, int]] = [{} for kind in self.kinds if kind == 1]
        codes: list[list[int]] = [[] for _ in texts]
        numbers: list[list[float]] = [[] for kind in self.kinds if kind == 2]
        lines, state = bytes(buffer[begin:stop]).split(b"\n")[:-1], OK
        for i, whole in enumerate(lines):
            line = whole.removesuffix(b"\r")
            if not line.strip(b" " if self.delimiter == b"\t" else b" \t"):
                continue
            found = _words(line, self.kinds) if self.delimiter == b" " else self._fields(line)
            if found is None:
                state = BAD
                break
            kept.append(i)
            for place, held, text in zip(texts, codes, [f for f in found if isinstance(f, bytes)], strict=True):
                held.append(place.setdefault(text, len(place)))
            for values, value in zip(numbers, [f for f in found if isinstance(f, float)], strict=True):
                values.append(value)
            if max(map(len, texts), default=0) > self.most:
                state = BAD
                break
        coded = np.array(codes, dtype=np.int32).reshape(len(texts), len(kept))
        columns = np.array(numbers, dtype=np.float64).reshape(len(numbers), len(kept))
        places = None if len(kept) == len(lines) else np.array(kept, dtype=np.int64)
        return state, len(lines), coded, [list(place) for place in texts], columns, places

    def _fields(self, line: bytes) -> list[bytes | float] | None:
        """The texts and numbers of a line with delimiters, or None if it is not what it should be."""
        found: list[bytes | float] = []
        place, blanks = 0, rb" " if self.delimiter == b"\t" else rb"[ \t]"
        plain = rb"[^\x00-\x08\x0a-\x1f" + re.escape(self.delimiter) + rb"]*"
        for column, kind in enumerate(self.kinds):
            quoted = line.startswith(b'"', place)
            inside = plain if not quoted else rb'[^"\x00-\x08\x0a-\x1f]*' if kind == 1 else _QUOTED
            if kind == 2:
                inside = blanks + b"*(" + _NUMBER.pattern + b")" + blanks + b"*"
            match = re.compile((b'"' + inside + b'"') if quoted else inside).match(line, place)
            if match is None or match.end() - place > _LONGEST_FIELD:
                return None
            place = match.end()
            if kind == 2:
                number = float(match[1])
                if not math.isfinite(number):
                    return None
                found.append(number)
            elif kind == 1:
                found.append(match[0][1:-1] if quoted else match[0])
            if column + 1 < len(self.kinds):
                if not line.startswith(self.delimiter, place):
                    return None
                place += 1
        return found if place == len(line) else None


_QUOTED = rb'(?:[^"\x00-\x08\x0a-\x1f]|"")*'
_LONGEST_FIELD = 100_000


def _words(line: bytes, kinds: bytes) -> list[bytes | float] | None:
    """The texts and numbers of a line with white space between them, or None if it is not what it should be."""
    fields = line.split()
    if len(fields) != len(kinds) or not re.fullmatch(rb"[\t\x20-\x7f]*", line):
        return None
    found: list[bytes | float] = []
    for field, kind in zip(fields, kinds, strict=True):
        if kind == 2:
            if not _NUMBER.fullmatch(field) or not math.isfinite(float(field)):
                return None
            found.append(float(field))
        elif kind == 1:
            found.append(field)
    return found


def gather_lines(
    source: bytes | memoryview, places: npt.NDArray[np.int64], buffer: bytearray, filled: int, limit: int
) -> tuple[int, int]:
    """Copy the lines at these places of `source` one after the other into ``buffer[filled:limit]``.

    Returns how many lines fitted, and up to where the buffer is filled.
    """
    whole = bytes(source)
    for i, start in enumerate(places.tolist()):
        end = whole.find(b"\n", start)
        line = whole[start : len(whole) if end < 0 else end] + b"\n"
        if filled + len(line) > limit:
            return i, filled
        buffer[filled : filled + len(line)] = line
        filled += len(line)
    return len(places), filled


def decimal_text(values: npt.NDArray[np.int64]) -> Text:
    """Whole numbers in decimal: the bytes, and where each begins."""
    return _joined([b"%d" % value for value in values.tolist()])


def unpadded(matrix: npt.NDArray[np.uint8]) -> Text:
    """The rows of a matrix of bytes without the zeros at their ends: the bytes, and where each begins."""
    return _joined([row.tobytes().rstrip(b"\0") for row in matrix])


def _joined(texts: list[bytes]) -> Text:
    return np.frombuffer(b"".join(texts), dtype=np.uint8), np.cumsum([0, *map(len, texts)])


def changes(data: npt.NDArray[np.uint8], offsets: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    """For each id, whether it differs from the one before it (the first one does)."""
    ids = _slices(data, offsets)
    return np.array([i == 0 or ids[i] != ids[i - 1] for i in range(len(ids))], dtype=np.bool_)


def row_changes(matrix: npt.NDArray[np.uint8]) -> npt.NDArray[np.bool_]:
    """For each row of a matrix of bytes, whether it differs from the one before it (the first one does)."""
    return np.array([i == 0 or matrix[i].tobytes() != matrix[i - 1].tobytes() for i in range(len(matrix))])


def hashes(data: npt.NDArray[np.uint8], offsets: npt.NDArray[np.int64]) -> npt.NDArray[np.uint64]:
    """A 64-bit number for each id, equal for equal ids."""
    numbers: dict[bytes, int] = {}
    return np.array([numbers.setdefault(id_, len(numbers)) for id_ in _slices(data, offsets)], dtype=np.uint64)


def byte_order(data: npt.NDArray[np.uint8], offsets: Spans) -> tuple[Spans, Spans]:
    """The ids in byte order, equal ones as they come; and the place of each id among the different ones."""
    block = data.tobytes()
    ids = [block[start:end] for start, end in itertools.pairwise(offsets.tolist())]
    places = {id_: place for place, id_ in enumerate(sorted(set(ids)))}
    place = np.fromiter(map(places.__getitem__, ids), dtype=np.int64, count=len(ids))
    return np.argsort(place, kind="stable"), place


def places_in_order(
    data: npt.NDArray[np.uint8],
    offsets: npt.NDArray[np.int64],
    wanted_data: npt.NDArray[np.uint8],
    wanted_offsets: npt.NDArray[np.int64],
) -> npt.NDArray[np.int64]:
    """The place of each wanted id among ids that are in byte order; -1 where it is not there."""
    place = {id_: i for i, id_ in enumerate(_slices(data, offsets))}
    return np.array([place.get(id_, -1) for id_ in _slices(wanted_data, wanted_offsets)], dtype=np.int64)


def _slices(data: npt.NDArray[np.uint8], offsets: npt.NDArray[np.int64]) -> Sequence[Any]:
    block = data.tobytes()
    return [block[a:b] for a, b in itertools.pairwise(offsets)]
