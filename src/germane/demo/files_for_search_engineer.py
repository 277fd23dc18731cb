"""Files of the search engineer's tutorial: a help centre, its query log, and judgments of two colleagues.

The judged pool is built as in the tutorial, with the same engine, so that the judgments match it.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from germane.api.retrieval.indexing import index
from germane.api.retrieval.retrieval import retrieve
from germane.api.truth.pooling import pool
from germane.demo.help_centre import articles, grade, queries
from germane.formats.truth.judgments_file import events_of, write_events
from germane.formats.truth.query_log import sample_queries
from germane.tables.truth.judgments import Judgments

SEED = 11
NUM_TOPICS = 40
POOLED = {"live": None, "titles": ["title"]}
RUN_DEPTH = 50
POOL_DEPTH = 8


def make(folder: Path) -> None:
    """Write all files to a folder."""
    everything = {article.id: article for article in articles(SEED)}
    records = ({"id": article.id, "title": article.title, "text": article.text} for article in everything.values())
    (folder / "documents.jsonl").write_text("".join(json.dumps(each) + "\n" for each in records), encoding="utf-8")
    typed = list(queries(SEED))
    needs = {text: need for text, need, _ in reversed(typed)}  # the first need of a text counts
    log = [f"{text}\t{count}\n" for text, _, count in typed]
    (folder / "log.tsv").write_text("".join(log), encoding="utf-8")
    drawn = sample_queries([line.encode() for line in log], NUM_TOPICS, seed=0).queries
    topics = {str(i): query.text for i, query in enumerate(drawn, start=1)}
    (folder / "topics.tsv").write_text("".join(f"{i}\t{text}\n" for i, text in topics.items()), encoding="utf-8")
    pairs = _pooled(folder / "documents.jsonl", topics)
    truth = {(topic, doc): grade(needs[topics[topic]], everything[doc]) for topic, doc in pairs}
    for who, opinion in (("ann", _strict(truth)), ("bob", _lenient(truth))):
        topic_ids, docs = zip(*opinion, strict=True)
        judged = Judgments.from_columns([who] * len(opinion), topic_ids, docs, list(map(float, opinion.values())))
        write_events(events_of(judged), folder / f"{who}.jsonl")


def _pooled(documents: Path, topics: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return the top results of the engine, and its top results by titles only."""
    runs = {}
    with tempfile.TemporaryDirectory() as scratch:
        for name, fields in POOLED.items():
            index(Path(scratch, name), [documents], fields=fields)
            runs[name] = retrieve(Path(scratch, name), topics, k=RUN_DEPTH).run
    return [(item.topic, item.doc) for item in pool(runs, depth=POOL_DEPTH).items]


def _strict(truth: Mapping[tuple[str, str], int]) -> dict[tuple[str, str], int]:
    """Grade as a colleague who knows the articles, with occasional slips."""
    slips = np.random.default_rng(SEED + 1).random(len(truth)) < 0.05
    return {pair: max(0, truth[pair] - slip) for pair, slip in zip(truth, slips.tolist(), strict=True)}


def _lenient(truth: Mapping[tuple[str, str], int]) -> dict[tuple[str, str], int]:
    """Grade as a lenient colleague."""
    moods = np.random.default_rng(SEED + 2).random(len(truth))
    kinder = {0: 0.06, 1: 0.30, 2: 0.0}
    return {pair: truth[pair] + (mood < kinder[truth[pair]]) for pair, mood in zip(truth, moods.tolist(), strict=True)}
