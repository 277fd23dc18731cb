"""Join run and judgments, for the topics that trec_eval evaluates before it ends or aborts."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from germane.tables.columns.ids import BoolArray, Ids, IntArray
from germane.tables.rankings.judged_run import JudgedRun
from germane.tables.rankings.qrels import Qrels
from germane.trec_eval.judgments import Judgments
from germane.trec_eval.options import CANNOT_CALCULATE, DONE, NO_TOPICS, EarlyExitError, Options
from germane.trec_eval.preferences import PreferenceCounts, PreferenceError, count_preferences
from germane.trec_eval.retrieved import Retrieved, by_rank


@dataclass(frozen=True, eq=False)
class Evaluation:
    """The input of all measures: `run` has one query per topic, `group_run` one per topic and judgment group."""

    options: Options
    topics: list[bytes]
    tag: bytes
    num_judged_topics: int
    num_positive: int
    """Number of judgments above 0 in the whole file: with -c, num_rel is this number regardless of -l."""
    status: int
    missing: BoolArray
    run: JudgedRun
    group_run: JudgedRun
    topic_of_group: IntArray
    preferences: list[PreferenceCounts] = field(default_factory=list)

    @property
    def rel(self) -> int:
        return self.options.rel


def evaluate(options: Options, judgments: Judgments, retrieved: Retrieved, *, judged: bool, fails: bool) -> Evaluation:
    """Judge the run topic by topic. Measures that are not `judged` see no document, and so no problem with any; if one
    `fails`, it does so at the first topic."""
    topics, status = _topics(options, judgments.qrels.queries, retrieved.run.in_run)
    counts: list[PreferenceCounts] = []
    if fails:
        topics, status = topics[:0], CANNOT_CALCULATE
    elif judged:
        repeated = retrieved.repeated[topics]
        if judgments.form.contains == "qrels":  # judgment groups were checked when they were read
            repeated = repeated | judgments.repeated[topics]
        if repeated.any():
            topics, status = topics[: repeated.argmax()], CANNOT_CALCULATE
        if judgments.form.contains == "prefs":
            counts, status = _preferences(judgments, retrieved.run, topics, status)
            topics = topics[: len(counts)]
    run = _of_topics(retrieved.run, topics, options.collection_size)
    group_run, topic_of_group = _of_groups(judgments, run, topics)
    return Evaluation(
        options,
        [judgments.qrels.queries.bytes_at(topic) for topic in topics.tolist()],
        retrieved.tag,
        num_judged_topics=judgments.qrels.num_queries,
        num_positive=int(np.count_nonzero(judgments.lines.level > 0)),
        status=status,
        missing=~run.in_run,
        run=run.condensed if options.judged_only else run,
        group_run=group_run.condensed if options.judged_only else group_run,
        topic_of_group=topic_of_group,
        preferences=counts,
    )


def _topics(options: Options, judged: Ids, in_run: BoolArray) -> tuple[IntArray, int]:
    """Return the topics in the order of evaluation, and the exit status after them."""
    topics = np.arange(len(judged))
    if options.only_topic is not None:
        only = judged.find(options.only_topic)
        topics = topics[topics == (-1 if only is None else only)]
    if options.version == 9:
        topics = topics[in_run[topics]]
    elif not options.complete and not in_run[topics].all():
        return topics[: in_run[topics].argmin()], CANNOT_CALCULATE
    if not len(topics):
        raise EarlyExitError(NO_TOPICS, "trec_eval: No queries with both results and relevance info\n")
    return topics, DONE


def _preferences(
    judgments: Judgments, run: JudgedRun, topics: IntArray, status: int
) -> tuple[list[PreferenceCounts], int]:
    """Count the preferences that the run fulfils, up to the first topic whose preferences contradict each other."""
    qrels, counts = judgments.qrels, list[PreferenceCounts]()
    first_hit = np.searchsorted(run.query, np.arange(qrels.num_queries + 1))
    for topic in topics.tolist():
        lines, start = judgments.by_topic[topic], qrels.start[topic]
        retrieved = run.doc[first_hit[topic] : first_hit[topic + 1]] - start
        group, subgroup, level = judgments.group[lines], judgments.subgroup[lines], judgments.lines.level[lines]
        try:
            counts.append(count_preferences(group, subgroup, level, judgments.row[lines] - start, retrieved))
        except PreferenceError as error:
            return counts, error.status
    return counts, status


def _of_topics(run: JudgedRun, topics: IntArray, collection_size: int) -> JudgedRun:
    """Return the run of these topics alone."""
    kept = np.zeros(run.num_queries, dtype=bool)
    kept[topics] = True
    docs = kept[run.qrels.query]
    hits = docs[run.doc]
    qrels = replace(run.qrels.take(topics), collection_size=collection_size)
    chosen = replace(run, qrels=qrels, in_run=run.in_run[topics], num_retrieved=run.num_retrieved[topics])
    return by_rank(chosen, (np.cumsum(docs) - 1)[run.doc[hits]], run.rank[hits])


def _of_groups(judgments: Judgments, run: JudgedRun, topics: IntArray) -> tuple[JudgedRun, IntArray]:
    """Return the run as judged by each group, and the topic of each group; other judgments have one group per topic."""
    if judgments.form.contains != "qrels_jg":
        return run, np.arange(len(topics))
    place = np.full(judgments.qrels.num_queries, -1)
    place[topics] = np.arange(len(topics))
    lines = np.flatnonzero(place[judgments.topic] >= 0)
    lines = lines[np.lexsort((judgments.row[lines], judgments.group[lines], judgments.topic[lines]))]
    topic, group, row = place[judgments.topic[lines]], judgments.group[lines], judgments.row[lines]
    start = np.flatnonzero(np.append(True, (np.diff(topic) != 0) | (np.diff(group) != 0))[: len(lines)])
    topic_of_group = topic[start]
    names = Ids.of(range(len(start)))
    docs, level = judgments.qrels.docs.take(row), judgments.lines.level[lines]
    scale = float(level.max(initial=0.0))
    qrels = Qrels(names, np.append(start, len(lines)), docs, level, scale, collection_size=run.qrels.collection_size)
    rank_of = np.zeros(len(judgments.qrels.docs), dtype=np.int64)
    # `run` has only the documents of its topics, in the same order.
    rank_of[np.flatnonzero(place[judgments.qrels.query] >= 0)[run.doc]] = run.rank
    hits = np.flatnonzero(rank_of[row])
    own = replace(run, qrels=qrels, in_run=run.in_run[topic_of_group], num_retrieved=run.num_retrieved[topic_of_group])
    return by_rank(own, hits, rank_of[row[hits]]), topic_of_group
