"""Each kernel that asks for memory, with less and more of it: `python -m tests.kernels.scarce_memory NAME`.

In a process of its own: a kernel that does not mind what it was given ends it. Blocks of 32 KiB and more come
straight from the system here (see `ENVIRONMENT`), so that nearly every one of them feels a limit of the address space.
"""

from __future__ import annotations

import gc
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import numpy as np

from germane import kernels
from germane.formats.rankings.scan import match_file
from germane.kernels.reference_postings import RATIONAL
from germane.tables.columns.ids import Ids
from germane.tables.columns.threads import one_thread
from germane.tables.rankings.matching import match
from germane.tables.rankings.qrels import Qrels
from germane.tables.rankings.run import Run
from tests.fuzz.outcomes import canonical, memory_limit
from tests.kernels.test_postings import one_query, segment

ENVIRONMENT = {"MALLOC_MMAP_THRESHOLD_": "32768", "MALLOC_TRIM_THRESHOLD_": "0", "OPENBLAS_NUM_THREADS": "1"}
STEPS = 60
ENOUGH = 3
"""After so many calls in a row that succeeded, more memory changes nothing."""
Call = Callable[[], Any]


def _run_file(lines: list[str]) -> Path:
    path = Path(tempfile.mkdtemp()) / "run"
    path.write_text("".join(lines), encoding="ascii")
    return path


def _lines(num_queries: int, num_docs: int) -> list[str]:
    return [
        f"q{query} Q0 doc{doc} 0 {doc * 7919 % 1000} x\n" for query in range(num_queries) for doc in range(num_docs)
    ]


def _qrels(num_queries: int, num_docs: int) -> Qrels:
    return Qrels.from_dict({f"q{q}": {f"doc{doc}": 1 for doc in range(num_docs)} for q in range(num_queries)})


def _one_large_query() -> Call:
    qrels, path = _qrels(1, 5000), _run_file(_lines(1, 30_000))
    return lambda: match_file(qrels, path)


def _many_queries() -> Call:
    qrels, path = _qrels(3000, 3), _run_file(_lines(6000, 4))
    return lambda: match_file(qrels, path)


def _interleaved_queries() -> Call:
    lines = _lines(300, 100)
    qrels, path = _qrels(300, 10), _run_file([lines[i] for i in np.random.default_rng(1).permutation(len(lines))])
    return lambda: match_file(qrels, path)


def _rows_in_memory() -> Call:
    qrels = _qrels(2, 2000)
    run = Run.from_columns(["q0"] * 20_000, [f"doc{doc}" for doc in range(20_000)], np.arange(20_000.0))
    return lambda: match(qrels, run)


def _survey() -> Call:
    docs, starts = Ids.of([f"document-{doc % 19_000}" for doc in range(20_000)]), np.array([0, 20_000])
    scores, lines = np.zeros(20_000), np.arange(20_000)
    scores[::7] = 1

    def survey() -> Any:
        made = kernels.Survey()
        repeated = made.add(np.array([0]), starts, docs.data, docs.offsets, None, scores, scores, lines)
        return *repeated, made.totals()

    return survey


def _words() -> Call:
    texts = Ids.of(" ".join(f"w{chr(960)}ord{doc}x{word}" for word in range(100)) for doc in range(2000))

    def read() -> Any:
        reader = kernels.WordReader(True)
        reader.read(texts.data, texts.offsets)
        return reader.words_from(0)

    return read


def _labels() -> Call:
    rows = np.random.default_rng(1).integers(0, 200, (60_000, 12)).astype(np.uint8)
    return lambda: kernels.encode_rows(rows, 50_000)


def _pairs_of_labels() -> Call:
    labels = np.arange(600, dtype=np.int64)

    def count() -> Any:
        counts = np.zeros((600, 600), dtype=np.int64)
        kernels.count_pairs(labels, labels[::-1].copy(), 0, 600, counts)
        return counts

    return count


def _keys() -> Call:
    keys = np.random.default_rng(1).integers(0, 1 << 60, 50_000).astype(np.uint64)

    def sort() -> Any:
        numbers = [np.zeros(len(keys), dtype=np.int64) for _ in range(2)]
        count = kernels.sort_bucket(keys.copy(), np.empty_like(keys), 20_000, 0, 0, *numbers)
        return count, *numbers

    return sort


def _postings() -> Call:
    postings = segment([{doc % 5: 1 + doc % 3, 5: 1} for doc in range(3000)], 6)
    query = one_query([(0, 1.0, RATIONAL, [1.0, 1.0, 0.1]), (5, 0.5, RATIONAL, [1.0, 1.0, 0.1])])
    return lambda: tuple(kernels.top_k_many(postings, query, 2000))


def _columns_of_text() -> Call:
    content = b"".join(b"%d,label %d,%d\n" % (i, i % 3000, i) for i in range(20_000))
    buffer, reader = bytearray(content + bytes(8)), kernels.ColumnReader(b",", bytes([0, 1, 2]), 10_000)
    return lambda: reader.read(buffer, 0, len(content))


def _document_columns() -> Call:
    lines = "".join(f'{{"id": "d{doc}", "title": "T", "text": "{"words " * 90}"}}\n' for doc in range(3000)).encode()

    def read() -> Any:
        columns = kernels.DocumentColumns()
        columns.expect([b"id", b"title", b"text"], 0, 1, [1, 2], [2])
        place, count = columns.read(lines, 0, True)
        columns.append(b"x", b"", b"more")
        return place, count, columns.take()

    return read


def _set_of_ids() -> Call:
    ids = Ids.of(f"document-{doc}" for doc in range(20_000))

    def add() -> Any:
        found = kernels.IdSet()
        return found.add_all(ids.data, ids.offsets), found.add(b"one more")

    return add


SCENARIOS: dict[str, tuple[str, Callable[[], Call]]] = {
    "one large query": ("_scan", _one_large_query),
    "many queries": ("_scan", _many_queries),
    "interleaved queries": ("_scan", _interleaved_queries),
    "rows in memory": ("_scan", _rows_in_memory),
    "survey": ("_survey", _survey),
    "columns of text": ("_scan", _columns_of_text),
    "words": ("_words", _words),
    "document columns": ("_documents", _document_columns),
    "set of ids": ("_documents", _set_of_ids),
    "labels": ("_labels", _labels),
    "pairs of labels": ("_labels", _pairs_of_labels),
    "keys": ("_sort", _keys),
    "postings": ("_postings", _postings),
}
"""By name: the kernel, and what makes the call."""


def main(name: str) -> None:
    """Call with little memory, then with more, until it is enough; a value must be that of plenty of memory."""
    call = SCENARIOS[name][1]()
    problems: list[str] = []
    with one_thread():
        expected = canonical(call())
        gc.collect()
        peak = _peak(call)
        successes = 0
        for step in range(STEPS + 1):
            gc.collect()
            try:
                with memory_limit(peak * step // STEPS):
                    value = call()
            except MemoryError as problem:
                successes = 0
                problems.append(str(problem))
                continue
            assert canonical(value) == expected, f"with {peak * step // STEPS:,} bytes it gives another value"
            del value
            successes += 1
            if successes == ENOUGH:
                break
        assert successes, f"{peak:,} bytes are not enough"
    click.echo(len(problems))
    click.echo(max(problems, key=len, default=""))


def _peak(call: Call) -> int:
    """A number of bytes that is enough, at most twice as many as needed."""
    size = 1 << 16
    while True:
        try:
            with memory_limit(size):
                call()
        except MemoryError:
            size *= 2
        else:
            return size


if __name__ == "__main__":
    main(sys.argv[1])
