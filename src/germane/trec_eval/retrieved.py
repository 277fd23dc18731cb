"""Match a run file with judgments: by the compiled scanner, or line by line where the file is out of the ordinary."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from germane.formats.files.sources import STDIN
from germane.formats.rankings.scan import plain_copy
from germane.tables.columns.ids import BoolArray, IntArray
from germane.tables.rankings.judged_run import JudgedRun
from germane.tables.rankings.qrels import Qrels
from germane.trec_eval import reader, scanning
from germane.trec_eval.judgments import Judgments
from germane.trec_eval.options import EarlyExitError, Options
from germane.trec_eval.reader import Ranking, Results

MISSING = b"ceci_nest_pas_un_docno"
"""The only document of the ranking that version 10 evaluates for a topic missing from the run."""


@dataclass(frozen=True, eq=False)
class Retrieved:
    """A run matched with all topics of the judgments, down to -M."""

    run: JudgedRun
    tag: bytes
    repeated: BoolArray
    """Whether a document occurs twice among those of a topic."""


def read_run(path: str, judgments: Judgments, options: Options) -> Retrieved:
    """Read a run, ordered by decreasing score; ties by document id: Z before A, for preferences A before Z."""
    if reader.is_standard_input(path, options.version):
        with plain_copy(STDIN, sys.stdin.buffer) as copy:
            try:
                return _read_file(str(copy), judgments, options)
            except EarlyExitError as error:  # name the input, not its temporary copy
                raise EarlyExitError(error.status, error.message.replace(str(copy), path)) from None
    return _read_file(path, judgments, options)


def _read_file(path: str, judgments: Judgments, options: Options) -> Retrieved:
    qrels, ascending = judgments.qrels, judgments.form.contains == "prefs"
    scanned = scanning.scan_run(path, qrels, options.version)
    if scanned is None:
        retrieved = _matched(reader.read_results(path, options.version), qrels, options, ascending=ascending)
    else:
        run, tag = scanned
        rank = run.first + run.last - run.rank if ascending else run.rank
        retrieved = Retrieved(replace(run, rank=rank), tag, np.zeros(qrels.num_queries, dtype=bool))
    run = _with_missing(retrieved.run) if options.version == 10 else retrieved.run
    return replace(retrieved, run=_down_to(options.most_retrieved, run))


def _matched(results: Results, qrels: Qrels, options: Options, *, ascending: bool) -> Retrieved:
    """Match each ranking with its judgments."""
    docs, start = qrels.docs.to_bytes_list(), qrels.start.tolist()
    in_run, repeated = np.zeros((2, qrels.num_queries), dtype=bool)
    num_retrieved = np.zeros(qrels.num_queries, dtype=np.int64)
    hits: list[tuple[int, int]] = []
    for i, topic in enumerate(qrels.queries.to_bytes_list()):
        if topic in results.rankings:
            ranking = _ranked(results.rankings[topic], ascending=ascending)[: options.most_retrieved]
            in_run[i], num_retrieved[i], repeated[i] = True, len(ranking), len(set(ranking)) < len(ranking)
            row_of = {docs[row]: row for row in range(start[i], start[i + 1])}
            hits += [(row_of[doc], rank) for rank, doc in enumerate(ranking, start=1) if doc in row_of]
    doc, rank = np.asarray(hits, dtype=np.int64).reshape(-1, 2).T.copy()
    return Retrieved(JudgedRun(qrels, in_run, num_retrieved, doc, rank, rank, rank), results.tag, repeated)


def _ranked(ranking: Ranking, *, ascending: bool) -> Sequence[bytes]:
    pairs = list(zip(ranking.scores, ranking.docs, strict=True))
    if ascending:
        pairs.sort(key=lambda pair: (-pair[0], pair[1]))
    else:
        pairs.sort(reverse=True)
    return [doc for _, doc in pairs]


def by_rank(run: JudgedRun, doc: IntArray, rank: IntArray) -> JudgedRun:
    """Return the run with these hits instead of its own."""
    order = np.lexsort((rank, run.qrels.query[doc]))
    doc, rank = doc[order], rank[order]
    return replace(run, doc=doc, rank=rank, first=rank, last=rank)


def _down_to(most: int | None, run: JudgedRun) -> JudgedRun:
    """Return the first documents of each topic."""
    kept = np.flatnonzero(run.rank <= (np.inf if most is None else most))
    return by_rank(replace(run, num_retrieved=run.depth(most)), run.doc[kept], run.rank[kept])


def _with_missing(run: JudgedRun) -> JudgedRun:
    """Return the run with a ranking of `MISSING`, which may be judged, for each topic that it lacks."""
    qrels, docs = run.qrels, run.qrels.docs
    alike = ~run.in_run[qrels.query] & (np.diff(docs.offsets) == len(MISSING))
    found = np.asarray([row for row in np.flatnonzero(alike).tolist() if docs.bytes_at(row) == MISSING], dtype=np.int64)
    filled = replace(run, num_retrieved=np.where(run.in_run, run.num_retrieved, 1))
    return by_rank(filled, np.append(run.doc, found), np.append(run.rank, np.ones(len(found), dtype=np.int64)))
