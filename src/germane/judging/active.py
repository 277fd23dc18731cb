"""Continuous active learning: show next the documents that a model trained on the judgments so far ranks highest.

The loop is AutoTAR's (Cormack & Mojdeh 2009; Cormack & Grossman 2015, "Autonomy and Reliability of Continuous Active
Learning"): the topic's text counts as a relevant document, 100 unjudged documents drawn at random as not relevant, a
logistic regression on tf-idf ranks the rest; batches grow by a tenth. The judgment log is the truth and the model can
be thrown away: the same log gives the same order. Such an order finds relevant documents fast but is not a
sample, so tasks and events record it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import sqlalchemy as sa

from germane.errors import GermaneError
from germane.formats.documents.html_text import read_html
from germane.formats.documents.reading import Document
from germane.formats.truth.topics_file import Topic
from germane.judging.documents import Documents
from germane.judging.rubric import grade_now
from germane.judging.store.connection import Database
from germane.judging.store.project import rubrics_of
from germane.judging.store.schema import items, standing
from germane.tables.columns.ids import FloatArray, IntArray

PRESUMED_NEGATIVES = 100
PENALTY = 1.0
WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class TfIdf:
    """Unit-length rows of (1 + ln tf) · ln(N / df) over words that occur in more than one text; the topic is the last
    row."""

    matrix: Any  # scipy's CSR
    words: tuple[str, ...]


def tf_idf(texts: Sequence[str], topic: str) -> TfIdf:
    """The documents of a topic and, as the last row, the topic itself.

    >>> space = tf_idf(["red wine", "white wine", "red car", "blue car"], "wine")
    >>> space.words, space.matrix.shape
    (('car', 'red', 'wine'), (5, 3))
    >>> [round(value, 3) for value in space.matrix.toarray()[0].tolist()]       # red and wine are as rare as each other
    [0.0, 0.707, 0.707]
    """
    from scipy.sparse import csr_matrix

    counts = [Counter(WORD.findall(text.lower())) for text in (*texts, topic)]
    spread = Counter(word for count in counts[:-1] for word in count)
    words = tuple(sorted(word for word, docs in spread.items() if 1 < docs < len(texts)))
    place = {word: number for number, word in enumerate(words)}
    values, columns, ends = [], [], [0]
    for count in counts:
        known = sorted((place[word], tf) for word, tf in count.items() if word in place)
        row = np.asarray([(1 + np.log(tf)) * np.log(len(texts) / spread[words[at]]) for at, tf in known])
        length = np.sqrt(row @ row) if len(row) else 1.0
        values += (row / length).tolist()
        columns += [at for at, _ in known]
        ends.append(len(columns))
    return TfIdf(csr_matrix((values, columns, ends), shape=(len(counts), len(words))), words)


def logistic_regression(rows: Any, relevant: FloatArray, penalty: float = PENALTY) -> tuple[FloatArray, float]:
    """Weights and intercept that minimise the sum of log(1 + exp(−y · score)) + penalty/2 · |weights|²; y is −1 or 1.

    >>> weights, intercept = logistic_regression(np.asarray([[1.0, 0.0], [0.0, 1.0]]), np.asarray([1.0, 0.0]))
    >>> bool(weights[0] > 0 > weights[1]), round(abs(intercept), 6)
    (True, 0.0)
    """
    from scipy.optimize import minimize
    from scipy.special import expit

    sign = 2 * relevant - 1

    def loss(guess: FloatArray) -> tuple[float, FloatArray]:
        weights, intercept = guess[:-1], guess[-1]
        margin = sign * (rows @ weights + intercept)
        pull = -sign * expit(-margin)
        slope = np.append(rows.T @ pull + penalty * weights, pull.sum())
        return float(np.logaddexp(0, -margin).sum() + penalty / 2 * (weights @ weights)), slope

    found = minimize(loss, np.zeros(rows.shape[1] + 1), jac=True, method="L-BFGS-B", options={"maxiter": 200}).x
    return found[:-1], float(found[-1])


def batch_ends(judged: int) -> list[int]:
    """Counts of judgments after which a new model is trained: the first batch has 1, each next one a tenth
    more.

    >>> batch_ends(12)
    [0, 1, 3, 6, 10]
    """
    ends, size = [0], 1
    while ends[-1] + size <= judged:
        ends.append(ends[-1] + size)
        size += -(-size // 10)
    return ends


@dataclass(frozen=True, eq=False)
class TopicOrder:
    """The order of one topic's documents after any judgments; `docs` are the rows of `space` before the topic's."""

    docs: tuple[str, ...]
    space: TfIdf
    seed: int

    @classmethod
    def of(cls, texts: Mapping[str, str], topic: Topic, seed: int) -> TopicOrder:
        """Build the order from the text of each document."""
        docs = tuple(sorted(texts))
        query = " ".join([topic.title, topic.description, topic.narrative])
        return cls(docs, tf_idf([texts[doc] for doc in docs], query), seed)

    def ranking(self, judged: Sequence[tuple[str, bool]]) -> list[str]:
        """Return the unjudged documents of complete batches, the most likely relevant first.

        `judged` is the log: (document, relevant), in the order in which they were judged, each document once.

        >>> texts = {"d1": "red wine", "d2": "white wine", "d3": "red car", "d4": "blue car"}
        >>> order = TopicOrder.of(texts, Topic("1", "wine"), seed=0)
        >>> sorted(order.ranking([])[:2]), order.ranking([("d2", True)])[0]
        (['d1', 'd2'], 'd1')
        """
        done = batch_ends(len(judged))
        log = dict(judged[: done[-1]])
        row_of = {doc: row for row, doc in enumerate(self.docs)}
        rows = np.asarray([row_of[doc] for doc in log if doc in row_of], dtype=np.int64)
        said = np.asarray([float(log[self.docs[row]]) for row in rows])
        unjudged = np.setdiff1d(np.arange(len(self.docs)), rows)
        presumed = _draw(unjudged, PRESUMED_NEGATIVES, self.seed + len(done))
        training = np.concatenate([rows, [len(self.docs)], presumed])
        labels = np.concatenate([said, [1.0], np.zeros(len(presumed))])
        if labels.all() or not self.space.words:
            return [self.docs[row] for row in unjudged]
        weights, _ = logistic_regression(self.space.matrix[training], labels)
        # Rounded, so that the last digits of another machine's arithmetic do not change the order.
        scores = np.round(self.space.matrix[unjudged] @ weights, 9)
        return [self.docs[unjudged[at]] for at in np.argsort(-scores, kind="stable")]


class ActiveRanking:
    """The order in which a project's documents are shown in active mode: pass it to `next_tasks` as its `ranking`.

    It reads the judgments from the database each time it is asked, and trains a model only when a batch is complete.
    A document that several people judged counts as relevant if at least half of them found it so.
    """

    def __init__(self, database: Database, documents: Documents, topics: Mapping[str, Topic], seed: int = 0) -> None:
        self.database = database
        self.documents = documents
        self.topics = topics
        self.seed = seed
        self._orders: dict[str, TopicOrder] = {}
        self._known: dict[str, tuple[int, list[str]]] = {}

    def __call__(self, topic: str) -> Sequence[str] | None:
        judged = judged_so_far(self.database, topic)
        batch = batch_ends(len(judged))[-1]
        known = self._known.get(topic)
        if known is None or known[0] != batch:
            known = (batch, self._order(topic).ranking(judged))
            self._known[topic] = known
        return known[1]

    def _order(self, topic: str) -> TopicOrder:
        order = self._orders.get(topic)
        if order is None:
            texts = {doc: self._text(doc) for doc in pooled(self.database, topic)}
            order = TopicOrder.of(texts, self.topics.get(topic, Topic(topic)), self.seed)
            # One topic's texts at a time: people finish a topic before the next. Replaced, and not emptied, because
            # another thread may be at another topic.
            self._orders = {topic: order}
        return order

    def _text(self, doc: str) -> str:
        """Return the text of a document for the model, empty if it is unreadable; it is still shown, with a message."""
        try:
            return readable(self.documents.get(doc))
        except (GermaneError, OSError):
            return ""


def judged_so_far(database: Database, topic: str) -> list[tuple[str, bool]]:
    """Return (document, relevant) of each graded document of a topic, in the order of the first grades."""
    rubrics = rubrics_of(database)
    query = sa.select(items.c.doc, standing.c.grade, standing.c.rubric).select_from(standing.join(items))
    query = query.where(items.c.topic == topic, standing.c.kind == "ordinary", standing.c.grade.is_not(None))
    votes: dict[str, list[bool]] = {}
    for row in database.rows(query.order_by(standing.c.seq)):
        grade = grade_now(row.grade, row.rubric, rubrics)
        if grade is not None:
            votes.setdefault(row.doc, []).append(grade >= rubrics[-1].rel)
    return [(doc, 2 * sum(said) >= len(said)) for doc, said in votes.items()]


def pooled(database: Database, topic: str) -> list[str]:
    """Return the ordinary documents of a topic."""
    query = sa.select(items.c.doc).where(items.c.topic == topic, items.c.kind == "ordinary", items.c.drawn)
    return [row.doc for row in database.rows(query)]


def readable(document: Document | None) -> str:
    """Return the text that a model reads: the words of an HTML page or beside an image.

    >>> readable(Document("d", "<p>Red <b>wine</b><script>alert(1)</script>", kind="html")).split()
    ['Red', 'wine']
    """
    if document is None:
        return ""
    parts = read_html(document.text) if document.kind == "html" else (document.text,)
    return " ".join([document.title, *parts])


def _draw(rows: IntArray, count: int, seed: int) -> IntArray:
    """Return `count` random rows, from PCG64's raw words, which are the same in every version of numpy."""
    words = np.random.PCG64(seed).random_raw(len(rows))
    return rows[np.sort(np.argsort(words, kind="stable")[:count])]
