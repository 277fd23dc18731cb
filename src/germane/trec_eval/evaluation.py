"""Join run and judgments, for the topics that trec_eval evaluates before it ends or aborts."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

import numpy as np

from germane.tables.columns.ids import BoolArray, Ids, IntArray
from germane.tables.rankings.judged_run import JudgedRun
from germane.tables.rankings.qrels import Qrels
from germane.trec_eval.options import CANNOT_CALCULATE, DONE, NO_TOPICS, EarlyExitError, Options
from germane.trec_eval.preferences import PreferenceCounts, PreferenceError, count_preferences
from germane.trec_eval.reader import Judgment, Preference, Ranking, Results, sorted_groups

MISSING = Ranking([b"ceci_nest_pas_un_docno"], [1.0])
"""The ranking that version 10 evaluates for a topic missing from the run."""


@dataclass(frozen=True, eq=False)
class Evaluation:
    """The input of all measures: `run` has one query per topic, `group_run` one per topic and judgment group."""

    options: Options
    topics: list[bytes]
    tag: bytes
    num_judged_topics: int
    num_positive: int = 0
    """Number of judgments above 0 in the whole file: with -c, num_rel is this number regardless of -l."""
    status: int = DONE
    missing: BoolArray = field(default_factory=lambda: np.zeros(0, dtype=bool))
    run: JudgedRun = field(default_factory=lambda: judged_run([], [], Options()))
    group_run: JudgedRun = field(default_factory=lambda: judged_run([], [], Options()))
    topic_of_group: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    preferences: list[PreferenceCounts] = field(default_factory=list)

    @property
    def rel(self) -> int:
        return self.options.rel

    @cached_property
    def first_hit(self) -> IntArray:
        """Index of the first hit of each topic, and of the end."""
        return np.searchsorted(self.run.query, np.arange(len(self.topics) + 1))

    def levels(self, topic: int) -> IntArray:
        """Return the grade at each rank of a topic: -1 for documents not in the qrels, -2 for unjudged ones."""
        level = np.full(int(self.run.num_retrieved[topic]), -1)
        hits = slice(*self.first_hit[topic : topic + 2])
        grade = self.run.grade[hits].astype(np.int64)
        level[self.run.rank[hits] - 1] = np.where(grade < 0, -2, grade)
        return level

    def num_at_level(self, topic: int) -> IntArray:
        """Count the judgments of a topic with grade 0, 1, 2, ..."""
        qrels = self.run.qrels
        grade = qrels.grade[qrels.start[topic] : qrels.start[topic + 1]].astype(np.int64)
        return np.bincount(grade[grade >= 0])


@dataclass(frozen=True)
class Judgments:
    """A qrels file, for -R qrels and -R qrels_jg."""

    form: Literal["qrels", "qrels_jg"]
    table: dict[bytes, list[Judgment]]

    def match(self, options: Options, results: Results) -> Evaluation:
        """Judge the run topic by topic."""
        topics, status = _topics(options, self.table, results)
        rankings = [_ranked(results.rankings.get(topic, MISSING), options) for topic in topics]
        for i, topic in enumerate(topics):
            # Judgment groups were checked when they were read.
            judged = [line.doc for line in self.table[topic]] if self.form == "qrels" else []
            if _has_twice(rankings[i]) or _has_twice(judged):
                topics, status = topics[:i], CANNOT_CALCULATE
                break
        evaluation = _evaluation(options, topics, status, self.table, results)
        if self.form == "qrels":
            num_positive = sum(line.grade > 0 for lines in self.table.values() for line in lines)
            run = judged_run([self.table[topic] for topic in topics], rankings, options)
            return replace(evaluation, num_positive=num_positive, run=run)
        by_group = [sorted_groups((line.group, line) for line in self.table[topic]) for topic in topics]
        groups = [(i, lines) for i, found in enumerate(by_group) for lines in found.values()]
        run = judged_run([lines for _, lines in groups], [rankings[i] for i, _ in groups], options)
        return replace(evaluation, group_run=run, topic_of_group=np.asarray([i for i, _ in groups], dtype=np.int64))


@dataclass(frozen=True)
class Preferences:
    """A preference file, or qrels treated as one."""

    table: dict[bytes, list[Preference]]
    form: Literal["prefs"] = "prefs"

    def match(self, options: Options, results: Results) -> Evaluation:
        """Count the preferences that the run fulfils, topic by topic."""
        topics, status = _topics(options, self.table, results)
        counts: list[PreferenceCounts] = []
        for topic in topics:
            # With preferences, ties are broken in the opposite order.
            ranking = _ranked(results.rankings.get(topic, MISSING), options, docno_descending=False)
            try:
                if _has_twice(ranking):
                    raise PreferenceError(CANNOT_CALCULATE)
                counts.append(count_preferences(self.table[topic], ranking))
            except PreferenceError as error:
                topics, status = topics[: len(counts)], error.status
                break
        return replace(_evaluation(options, topics, status, self.table, results), preferences=counts)


def without_judging(options: Options, judged: Collection[bytes], results: Results, *, fails: bool) -> Evaluation:
    """Build the evaluation for measures that use no judgments, or that fail at the first topic."""
    topics, status = _topics(options, judged, results)
    if fails:
        topics, status = [], CANNOT_CALCULATE
    return _evaluation(options, topics, status, judged, results)


def _topics(options: Options, judged: Collection[bytes], results: Results) -> tuple[list[bytes], int]:
    """Return the topics in the order of evaluation, and the exit status after them."""
    topics = [topic for topic in judged if options.only_topic in (None, topic)]
    if options.version == 9:
        topics = [topic for topic in topics if topic in results.rankings]
    elif not options.complete:
        for i, topic in enumerate(topics):
            if topic not in results.rankings:
                return topics[:i], CANNOT_CALCULATE
    if not topics:
        raise EarlyExitError(NO_TOPICS, "trec_eval: No queries with both results and relevance info\n")
    return topics, DONE


def _evaluation(
    options: Options, topics: list[bytes], status: int, judged: Collection[bytes], results: Results
) -> Evaluation:
    missing = np.asarray([topic not in results.rankings for topic in topics], dtype=bool)
    return Evaluation(options, topics, results.tag, num_judged_topics=len(judged), status=status, missing=missing)


def _ranked(ranking: Ranking, options: Options, *, docno_descending: bool = True) -> list[bytes]:
    """Sort documents by decreasing score, ties by document id, down to -M."""
    pairs = list(zip(ranking.scores, ranking.docs, strict=True))
    if docno_descending:
        pairs.sort(reverse=True)
    else:
        pairs.sort(key=lambda pair: (-pair[0], pair[1]))
    return [doc for _, doc in pairs[: options.most_retrieved]]


def _has_twice(docs: list[bytes]) -> bool:
    return len(set(docs)) < len(docs)


def judged_run(
    judgments: Sequence[Sequence[Judgment]], rankings: Sequence[Sequence[bytes]], options: Options
) -> JudgedRun:
    """Match each ranking with its judgments; neither has duplicate documents."""
    rows = [sorted((line.doc, line.grade) for line in lines) for lines in judgments]
    start = np.concatenate(([0], np.cumsum([len(lines) for lines in rows], dtype=np.int64)))
    hits: list[tuple[int, int]] = []
    for first, lines, ranking in zip(start.tolist(), rows, rankings, strict=False):
        row_of = {doc: first + i for i, (doc, _) in enumerate(lines)}
        hits += [(row_of[doc], rank) for rank, doc in enumerate(ranking, start=1) if doc in row_of]
    queries, docs = Ids.of(str(i) for i in range(len(rows))), Ids.of(doc for lines in rows for doc, _ in lines)
    grade = np.asarray([grade for lines in rows for _, grade in lines], dtype=np.float64)
    scale = float(grade.max(initial=0.0))
    qrels = Qrels(queries, start, docs, grade, scale, collection_size=options.collection_size)
    num_retrieved = np.asarray([len(ranking) for ranking in rankings], dtype=np.int64)
    doc, rank = np.asarray(hits, dtype=np.int64).reshape(-1, 2).T.copy()
    run = JudgedRun(qrels, np.ones(len(rows), dtype=bool), num_retrieved, doc, rank, first=rank, last=rank)
    return run.condensed if options.judged_only else run
