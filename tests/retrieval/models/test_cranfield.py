"""The models on a real collection: figures that were measured elsewhere with other code, Xapian's among them."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from germane.formats.documents.reading import read_documents
from germane.formats.truth.topics_file import read_topics
from germane.retrieval.indexes.index import Index
from germane.retrieval.probability.binary_independence_indexing import BII
from germane.retrieval.probability.binary_independence_ranking import IndexedDocuments
from germane.retrieval.query import Query
from germane.retrieval.search import search_many
from germane.tables.columns.ids import IntArray
from germane.tables.rankings.qrels import Qrels

pytestmark = pytest.mark.shared


@cache
def cranfield(folder: Path) -> tuple[Index, dict[str, Query], Qrels]:
    """The abstracts (.W, which repeats the title), queries by position, code -1 as not relevant."""
    documents = read_documents(folder / "cran.all.1400", fields=["W"])
    index = Index.of({document.id: document.text for document in documents})
    topics = read_topics(folder / "cran.qry", numbers="position")
    queries = {id_: Query.of(index.analyser.terms(topic.title)) for id_, topic in topics.items()}
    judged: dict[str, dict[str, float]] = {}
    for query, doc, code in (line.split() for line in (folder / "cranqrel").read_text().splitlines() if line.strip()):
        judged.setdefault(query, {})[doc] = float(code != "-1")
    return index, queries, Qrels.from_dict(judged)


def mean_average_precision(index: Index, rankings: dict[str, IntArray], qrels: Qrels) -> float:
    """Straight from the definition, by document numbers."""
    values = []
    docs = list(qrels.docs)
    for place, query in enumerate(qrels.queries):
        rows = slice(int(qrels.start[place]), int(qrels.start[place + 1]))
        ids = zip(docs[rows], qrels.grade[rows].tolist(), strict=True)
        relevant = [index.doc_number(doc) for doc, grade in ids if grade >= 1]
        ranks = np.flatnonzero([doc in relevant for doc in rankings[query].tolist()]) + 1
        values.append((np.arange(1, len(ranks) + 1) / ranks).sum() / len(relevant))
    return float(np.mean(values))


def rankings_by(model: str, index: Index, queries: dict[str, Query]) -> dict[str, IntArray]:
    found = search_many(index, list(queries.values()), model)
    return {query: ranking.docs for query, ranking in zip(queries, found, strict=True)}


FIGURES = [
    # model                            MAP      from
    ("BM25",                           0.295,   "other code, same analysis"),
    ("BM25(k1=0.9,b=0.4)",             0.280,   "the same"),
    ("VSM(ltc.ltn)",                   0.278,   "the same"),
    ("QL(mu=1000)",                    0.262,   "the same"),
    ("BIR",                            0.221,   "the same"),
    ("BIR(query_tf=true,bent=true)",   0.2264,  "Xapian's TradWeight(0): .2265"),
]  # fmt: skip


@pytest.mark.parametrize(("model", "expected", "origin"), FIGURES)
def test_mean_average_precision(model: str, expected: float, origin: str, shared: Path) -> None:
    index, queries, qrels = cranfield(shared / "data" / "cranfield")
    rankings = rankings_by(model, index, queries)
    assert mean_average_precision(index, rankings, qrels) == pytest.approx(expected, abs=0.001), origin


def test_past_queries_help_new_ones(shared: Path) -> None:
    index, queries, qrels = cranfield(shared / "data" / "cranfield")
    rankings: dict[str, IntArray] = {}
    for half in (0, 1):
        past = {query: terms for query, terms in queries.items() if int(query) % 2 == half}
        documents = IndexedDocuments(index, BII().fit(index, past, qrels))
        rankings |= {query: documents.rank(terms)[0] for query, terms in queries.items() if query not in past}
    unlearned = mean_average_precision(index, rankings_by("BIR", index, queries), qrels)
    assert mean_average_precision(index, rankings, qrels) > unlearned + 0.05
