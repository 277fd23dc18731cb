"""Read and write learning-to-rank data in SVMlight/LETOR format: ``grade qid:7 1:0.5 2:3 … # docid = d1``.

A feature missing from a row is 0. Feature names come from comments at the top, ``# feature 1 = BM25``, or from a
separate file, one name per line. LightGBM stores queries in a second file with the number of rows of each; both forms
are read, the first is written. From the comment at the end of a row only the document id is read (not LETOR's inc and
prob).
"""

from __future__ import annotations

import itertools
import re
from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from germane.arguments import checked
from germane.errors import InputError
from germane.formats.files.sources import display_name, open_source, source_name
from germane.formats.files.targets import open_target
from germane.formats.rows.text import INTEGER, NUMBER, data_lines, show
from germane.tables.columns.ids import FloatArray, Ids, IntArray, to_bytes, to_text
from germane.tables.rankings.ranking_data import RankingData, numbered_names

MOST_CELLS = 1 << 31
"""Maximum number of feature values in memory (16 GB)."""
MOST_FEATURES = 1 << 24

_NUMBER = NUMBER.pattern
_LINE = re.compile(rb"\s*(%s)(?:\s+qid:([^\s#]+))?((?:\s+[0-9]{1,15}:%s)*)\s*" % (_NUMBER, _NUMBER))
_NAMED = re.compile(rb"#\s*feature\s+([0-9]{1,15})\s*=\s*(.*\S)\s*")
_DOC = re.compile(rb"(?:^|\s)docid\s*=\s*(\S+)")
MOST_DIGITS = 15
GROUPS_HINT = "write qid:N after the grade, or pass `group_sizes=FILE` with the number of rows of each query"


@checked
def read_letor(
    path: str | Path,
    *,
    group_sizes: str | Path | None = None,
    feature_names: str | Path | None = None,
    zero_based: bool = False,
) -> RankingData:
    """Read learning-to-rank data; `group_sizes` is a file of rows per query, `feature_names` a file of feature names.

    `zero_based` is for files whose first feature is 0, as some libraries write them.
    """
    source = source_name(path)
    rows = _Rows(source, with_queries=group_sizes is None, first=0 if zero_based else 1)
    with open_source(path) as file:
        rows.read(file)
    if not rows.grade:
        raise InputError(source, None, "expected rows such as `2 qid:1 1:0.5 2:3`, found none")
    if group_sizes is None:
        query = np.frombuffer(rows.query, np.int64)
        queries = Ids.of(rows.queries)
    else:
        sizes = read_groups(group_sizes)
        if (total := int(sizes.sum())) != len(rows.grade):
            problem = f"expected sizes that sum to the {len(rows.grade):,} rows of {source}, found {total:,}"
            raise InputError(source_name(group_sizes), None, problem, hint="check that both files belong together")
        query = np.repeat(np.arange(len(sizes)), sizes)
        queries = Ids.of(numbered_names(len(sizes)))
    called = tuple(rows.named.values()) or None if feature_names is None else read_names(feature_names)
    rows.require_documents_once(query)
    features = rows.features(None if called is None else len(called))
    names = numbered_names(features.shape[1]) if called is None else called
    docs, grades = Ids.of(rows.docs) if rows.docs else None, np.frombuffer(rows.grade, np.float64).copy()
    return RankingData(features, names, query.copy(), queries, docs, grades, display_name(path))


@checked
def write_letor(data: RankingData, path: str | Path, *, sparse: bool = False, overwrite: bool = True) -> None:
    """Write learning-to-rank data with feature names; with `sparse`, omit features that are 0.

    Without `overwrite`, an existing file is an error.
    """
    for ids in (data.queries, *(() if data.docs is None else (data.docs,))):
        for one in ids.to_bytes_list():
            if not one or re.search(rb"[\s#]", one):
                problem = f"expected ids without white space and #, found {to_text(one)!r}"
                raise InputError(
                    source_name(path), None, problem, hint="rename them; this format cannot represent them"
                )
    queries = list(data.queries)
    endings = [""] * data.num_rows if data.docs is None else [f" # docid = {doc}" for doc in data.docs]
    rows = zip(data.grades.tolist(), data.query.tolist(), data.features.tolist(), endings, strict=True)
    with open_target(path, overwrite=overwrite) as file:
        for number, name in enumerate(data.names, start=1):
            file.write(to_bytes(f"# feature {number} = {name}\n"))
        for grade, query, values, ending in rows:
            cells = [f"{i}:{_short(x)}" for i, x in enumerate(values, start=1) if x or not sparse]
            file.write(to_bytes(" ".join([_short(grade), f"qid:{queries[query]}", *cells]) + ending + "\n"))


def read_groups(path: str | Path) -> IntArray:
    """Read the number of rows of each query, one per line, as LightGBM stores them."""
    sizes = []
    for line, text in _lines_of(path):
        if not INTEGER.fullmatch(text) or len(text) > MOST_DIGITS or int(text) < 1:
            problem = f"expected the number of rows of a query (an integer ≥ 1), found {show(text)}"
            raise InputError(source_name(path), line, problem)
        sizes.append(int(text))
    return np.asarray(sizes, np.int64)


def read_names(path: str | Path) -> tuple[str, ...]:
    """Read feature names, one per line."""
    return tuple(to_text(text) for _, text in _lines_of(path))


def _lines_of(path: str | Path) -> Iterator[tuple[int, bytes]]:
    with open_source(path) as file:
        yield from ((number, line.strip()) for number, line in data_lines(file))


def _short(value: float) -> str:
    """Write a number exactly, integers without a decimal point."""
    return repr(value).removesuffix(".0")


@dataclass
class _Rows:
    """The rows read so far, in columns."""

    source: str
    with_queries: bool
    first: int
    grade: array[float] = field(default_factory=lambda: array("d"))
    query: array[int] = field(default_factory=lambda: array("q"))
    line: array[int] = field(default_factory=lambda: array("q"))
    size: array[int] = field(default_factory=lambda: array("q"))
    feature: array[int] = field(default_factory=lambda: array("q"))
    value: array[float] = field(default_factory=lambda: array("d"))
    queries: dict[bytes, int] = field(default_factory=dict)
    docs: list[bytes] = field(default_factory=list)
    named: dict[int, str] = field(default_factory=dict)

    def read(self, lines: Iterator[bytes]) -> None:
        for number, line in data_lines(lines):
            body, _, comment = line.partition(b"#")
            if body.strip():
                self._add(number, body, comment)
            elif named := _NAMED.match(line.strip()):
                if int(named[1]) != len(self.named) + 1:
                    problem = f"expected the name of feature {len(self.named) + 1}, found feature {int(named[1])}"
                    raise self._error(number, problem, "name the features in order, starting with 1")
                self.named[int(named[1])] = to_text(named[2])

    def _add(self, line: int, body: bytes, comment: bytes) -> None:
        found = _LINE.fullmatch(body)
        if found is None:
            raise self._error(line, _what_is_wrong(body.split()))
        self.grade.append(float(found[1]))
        self.line.append(line)
        self._put_into_group(line, found[2])
        cells = found[3].replace(b":", b" ").split()
        features = list(map(int, cells[::2]))
        if features != sorted(set(features)):
            place = next(i for i, (one, other) in enumerate(itertools.pairwise(features)) if other <= one)
            one, other = features[place : place + 2]
            raise self._error(line, f"expected features in ascending order, found {other} after {one}")
        if features and not self.first <= features[0] <= features[-1] <= MOST_FEATURES:
            hint = "use `zero_based=True` if features are numbered from 0" if features[0] == 0 else None
            which = features[0] if features[0] < self.first else features[-1]
            problem = f"expected features numbered from {self.first} to {MOST_FEATURES:,}, found {which}"
            raise self._error(line, problem, hint)
        self.size.append(len(features))
        self.feature.extend(features)
        self.value.extend(map(float, cells[1::2]))
        self._put_document(line, _DOC.search(comment))

    def _put_into_group(self, line: int, query: bytes | None) -> None:
        if not self.with_queries:
            if query is not None:
                hint = "remove `group_sizes=`"
                raise self._error(line, f"group sizes cannot be combined with qid, found qid:{to_text(query)}", hint)
            return
        if query is None:
            raise self._error(line, "expected qid:N after the grade, found none", GROUPS_HINT)
        place = self.queries.setdefault(query, len(self.queries))
        if self.query and place < self.query[-1]:
            problem = f"expected rows grouped by query, found query {to_text(query)!r} again"
            raise self._error(line, problem, "sort the rows by query")
        self.query.append(place)

    def _put_document(self, line: int, doc: re.Match[bytes] | None) -> None:
        before = len(self.grade) - 1
        if (doc is not None) != (len(self.docs) == before) and before:
            problem = "expected `# docid = …` on all rows or none, found a mixture"
            raise self._error(line, problem, "add it to every row, or remove it from all")
        if doc is not None:
            self.docs.append(doc[1])

    def require_documents_once(self, query: IntArray) -> None:
        seen: set[tuple[int, bytes]] = set()
        for row, key in enumerate(zip(query.tolist(), self.docs, strict=False)):
            if key in seen:
                problem = f"duplicate document {to_text(key[1])!r} for the same query"
                raise self._error(self.line[row], problem)
            seen.add(key)

    def features(self, columns: int | None) -> FloatArray:
        feature = np.frombuffer(self.feature, np.int64) - self.first
        value = np.frombuffer(self.value, np.float64)
        row = np.repeat(np.arange(len(self.size)), np.frombuffer(self.size, np.int64))
        if not np.isfinite(value).all():
            first = int(np.flatnonzero(~np.isfinite(value))[0])
            problem = f"expected a finite value for feature {feature[first] + self.first}, found {value[first]}"
            raise self._error(self.line[int(row[first])], problem)
        most = int(feature.max(initial=-1)) + 1
        if columns is not None and most > columns:
            first = int(np.flatnonzero(feature >= columns)[0])
            problem = f"expected {columns} features (the number of names), found feature {feature[first] + self.first}"
            raise self._error(self.line[int(row[first])], problem)
        shape = len(self.size), most if columns is None else columns
        if shape[0] * shape[1] > MOST_CELLS:
            size = shape[0] * shape[1] >> 27
            problem = f"{shape[0]:,} rows of {shape[1]:,} features would take {size:,} GB of memory"
            raise self._error(None, problem, "remove features that few rows have")
        matrix = np.zeros(shape)
        matrix[row, feature] = value
        return matrix

    def _error(self, line: int | None, problem: str, hint: str | None = None) -> InputError:
        return InputError(self.source, line, problem, hint=hint)


def _what_is_wrong(fields: list[bytes]) -> str:
    """Describe the first error in a row."""
    if not NUMBER.fullmatch(fields[0]):
        return f"expected a finite number as the grade, found {to_text(fields[0])!r}"
    rest = fields[2:] if len(fields) > 1 and fields[1].startswith(b"qid:") else fields[1:]
    for text in rest:
        number, _, value = text.partition(b":")
        if text.startswith(b"qid:"):
            return f"expected qid directly after the grade, found {to_text(text)!r}"
        if not number.isdigit() or not value:
            return f"expected a feature such as 3:0.25, found {to_text(text)!r}"
        if not NUMBER.fullmatch(value):
            return f"expected a finite number for feature {to_text(number)}, found {to_text(value)!r}"
    return f"expected a query id, found {to_text(fields[1])!r}"
