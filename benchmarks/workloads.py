"""Generated data: a run as deep as those on MS MARCO's small development set, of any size, identical on every machine.

Each query has one relevant document or two, of which some are not retrieved. No two documents of a query have the same
score, not even as 32-bit numbers: on ties the tools disagree, and the benchmark asserts that their results are equal.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]
Layout = Literal["sorted", "unsorted", "interleaved"]

SEED = 2
NUM_DOCS = 8_841_823  # MS MARCO's; a prime, so that the progressions below never meet a document twice
NUM_QUERY_IDS = 1_200_007  # a prime too, for the ids of queries
QUERIES_PER_BLOCK = 500
BYTES_PER_LINE = 40
DIGITS = np.asarray([f"{i:04}".encode() for i in range(10_000)], dtype="S4").view(np.uint8).reshape(-1, 4)


@dataclass(frozen=True)
class Workload:
    """Number of queries, and of documents retrieved for each."""

    queries: int
    depth: int

    @property
    def lines(self) -> int:
        return self.queries * self.depth

    def __str__(self) -> str:
        return f"{self.queries}x{self.depth}"


@dataclass(frozen=True)
class RunColumns:
    """Rows of a run; a score is an integer of ten-thousandths."""

    query: Array
    doc: Array
    rank: Array
    score: Array

    def take(self, order: Array) -> RunColumns:
        """The rows in another order."""
        return RunColumns(self.query[order], self.doc[order], self.rank[order], self.score[order])

    def scores(self) -> Array:
        """The scores that a reader of the file gets."""
        return self.score / 10_000


@dataclass(frozen=True)
class QrelsColumns:
    """Rows of judgments, all of grade 1."""

    query: Array
    doc: Array


def make_run(workload: Workload) -> RunColumns:
    """The whole run, grouped by query, best document first."""
    blocks = [run for run, _ in _blocks(workload)]
    columns = ("query", "doc", "rank", "score")
    return RunColumns(*(np.concatenate([getattr(block, column) for block in blocks]) for column in columns))


def make_qrels(workload: Workload) -> QrelsColumns:
    """The judgments."""
    blocks = [qrels for _, qrels in _blocks(workload)]
    return QrelsColumns(np.concatenate([b.query for b in blocks]), np.concatenate([b.doc for b in blocks]))


def _blocks(workload: Workload) -> Iterator[tuple[RunColumns, QrelsColumns]]:
    """Generate some queries at a time, so that any number fits; a larger workload starts with the smaller one."""
    for begin in range(0, workload.queries, QUERIES_PER_BLOCK):
        rng = np.random.default_rng((SEED, workload.depth, begin))
        first, step = rng.integers(1, NUM_DOCS, (2, QUERIES_PER_BLOCK, 1))
        gaps = rng.integers(1, 150, (QUERIES_PER_BLOCK, workload.depth))
        found_at = (1.2 * workload.depth * rng.random(QUERIES_PER_BLOCK) ** 3).astype(
            np.int64
        )  # beyond depth: not found
        second_at = np.where(rng.random(QUERIES_PER_BLOCK) < 0.07, found_at + 1 + found_at // 2, -1)

        num = min(QUERIES_PER_BLOCK, workload.queries - begin)
        ids = (np.arange(begin, begin + num) * 7919 + 13) % NUM_QUERY_IDS
        place = np.arange(workload.depth)
        run = RunColumns(
            query=np.repeat(ids, workload.depth),
            doc=((first + step * place) % NUM_DOCS)[:num].ravel(),
            rank=np.tile(place + 1, num),
            score=(150 * workload.depth + 50_000 - gaps.cumsum(axis=1))[:num].ravel(),
        )
        owner = np.concatenate((np.arange(num), np.flatnonzero(second_at[:num] >= 0)))
        at = np.concatenate((found_at[:num], second_at[:num][second_at[:num] >= 0]))
        yield run, QrelsColumns(ids[owner], (first[owner, 0] + step[owner, 0] * at) % NUM_DOCS)


# Files -----------------------------------------------------------------------------------------------------------


class Files:
    """A folder of workload files, written when first needed and kept until this module changes."""

    def __init__(self, folder: Path) -> None:
        version = hashlib.sha256(Path(__file__).read_bytes()).hexdigest()[:12]
        self._folder = folder / f"germane-benchmarks-{version}"
        for old in folder.glob("germane-benchmarks-*"):
            if old != self._folder:
                shutil.rmtree(old, ignore_errors=True)  # another user's stays
        self._folder.mkdir(parents=True, exist_ok=True)

    def qrels(self, workload: Workload) -> Path:
        """Return the judgments as a TREC qrels file."""
        path = self._folder / f"{workload}.qrels"
        if not path.exists():
            qrels = make_qrels(workload)
            _write(path, iter([_rows(_number(qrels.query, 8), _text(" 0 "), _number(qrels.doc, 8), _text(" 1\n"))]))
        return path

    def run(self, workload: Workload, layout: Layout = "sorted") -> Path:
        """Return the run as a TREC file: sorted, shuffled within queries, or shuffled completely."""
        path = self._folder / f"{workload}-{layout}.run"
        if not path.exists():
            self._require_space(workload)
            print(f"making a run of {workload.lines:,} lines, {layout}", flush=True)
            _write(path, (_run_lines(rows) for rows in _in_layout(workload, layout)))
        return path

    def parquet_qrels(self, workload: Workload) -> Path:
        """Return the judgments as a Parquet file."""
        path = self._folder / f"{workload}-qrels.parquet"
        if not path.exists():
            qrels = make_qrels(workload)
            _write_parquet(path, {"qid": qrels.query, "docno": qrels.doc}, {})
        return path

    def parquet_run(self, workload: Workload) -> Path:
        """Return the run, sorted, as a Parquet file with ids as strings, as pyarrow writes it by default."""
        path = self._folder / f"{workload}.parquet"
        if not path.exists():
            self._require_space(workload)
            print(f"making a Parquet file of {workload.lines:,} rows", flush=True)
            run = make_run(workload)
            _write_parquet(path, {"qid": run.query, "docno": run.doc}, {"score": run.scores(), "rank": run.rank})
        return path

    def _require_space(self, workload: Workload) -> None:
        needed, free = workload.lines * BYTES_PER_LINE, shutil.disk_usage(self._folder).free
        if free < needed + (1 << 30):
            raise SystemExit(
                f"{self._folder} has {free / 1e9:.1f} GB free; a run of {workload.lines:,} lines takes "
                f"{needed / 1e9:.1f} GB, and 1 GB must stay free; use --data FOLDER for another place."
            )


def _in_layout(workload: Workload, layout: Layout) -> Iterator[RunColumns]:
    rng = np.random.default_rng((SEED, 1))
    if layout == "interleaved":
        run = make_run(workload)
        for order in np.array_split(rng.permutation(workload.lines), max(1, workload.lines // 500_000)):
            yield run.take(order)
        return
    for block, _ in _blocks(workload):
        if layout == "sorted":
            yield block
        else:
            within = rng.permuted(np.arange(len(block.doc)).reshape(-1, workload.depth), axis=1)
            yield block.take(within.ravel())


def _run_lines(run: RunColumns) -> bytes:
    whole, rest = np.divmod(run.score, 10_000)
    return _rows(
        _number(run.query, 8),
        _text(" Q0 "),
        _number(run.doc, 8),
        _text(" "),
        _number(run.rank, 8),
        _text(" "),
        _number(whole, 4),
        _text("."),
        DIGITS[rest],
        _text(" bench\n"),
    )


def _write(path: Path, parts: Iterator[bytes]) -> None:
    unfinished = path.with_suffix(".unfinished")
    with unfinished.open("wb") as file:
        file.writelines(parts)
    unfinished.rename(path)


def _write_parquet(path: Path, ids: dict[str, Array], numbers: dict[str, Array]) -> None:
    """Write ids as strings and numbers as they are."""
    import pyarrow as pa
    from pyarrow import compute, parquet

    columns = {name: compute.cast(pa.array(values), pa.string()) for name, values in ids.items()}
    unfinished = path.with_suffix(".unfinished")
    parquet.write_table(pa.table({**columns, **numbers}), unfinished)
    unfinished.rename(path)


# Text, one column at a time: each field is a matrix of bytes, padded with zeros.


def _number(values: Array, width: int) -> Array:
    digits = np.hstack([DIGITS[values // 10**low % 10_000] for low in range(width - 4, -1, -4)])
    for place in range(width - 1):
        digits[:, place][values < 10 ** (width - 1 - place)] = 0
    return digits


def _text(text: str) -> Array:
    return np.frombuffer(text.encode(), dtype=np.uint8)[None, :]


def _rows(*fields: Array) -> bytes:
    num = max(len(field) for field in fields)
    rows = np.hstack([np.broadcast_to(field, (num, field.shape[1])) for field in fields])
    text: bytes = rows[rows != 0].tobytes()
    return text
