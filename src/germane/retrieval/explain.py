"""Explain a document's score term by term: each contribution and its factors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from germane.arguments import checked
from germane.errors import GermaneError
from germane.retrieval.indexes.index import Index
from germane.retrieval.models import MODELS, Model
from germane.retrieval.query import Query
from germane.retrieval.search import WeightedTerm, as_query, weighted_terms
from germane.tables.columns.ids import IntArray
from germane.tables.notes.counts import counted
from germane.tables.results.columns import F, Table, table
from germane.tables.results.result import Result

TERMS = (
    F("term", "name"),
    F("query_weight", "value", empty=""),
    F("factors", "value", empty=""),
    F("tf", "count", empty=""),
    F("length", "count", empty=""),
    F("curve", "value", empty=""),
    F("contribution", "value", empty=""),
)


@dataclass(frozen=True)
class TermLine:
    """Contribution of one query term: query weight × factors × curve; curve is None where the term does not occur."""

    term: str
    query_weight: float
    factors: Mapping[str, float]
    tf: int
    length: int
    curve: float | None
    contribution: float


@dataclass(frozen=True)
class ScoreExplanation(Result):
    """A document's score, broken down by term. `length` is the document length that the curves use.

    The score is scale · (sum of the contributions) + offset, where offset is the document's offset times the sum of the
    query weights. `unknown` are the query terms that occur in no document.
    """

    model: Model
    doc: str
    length: int
    lines: tuple[TermLine, ...]
    unknown: tuple[str, ...]
    scale: float | None
    offset: float | None

    schema: ClassVar[str] = "explain-score/1"
    fact_names: ClassVar[str] = "model doc length unknown total scale offset score"

    @property
    def total(self) -> float:
        """The sum of the contributions, in the order of the query."""
        return sum((line.contribution for line in self.lines if line.tf), 0.0)

    @property
    def score(self) -> float | None:
        """The document's score; None if it contains no query term and so is not ranked."""
        if not any(line.tf for line in self.lines):
            return None
        scaled = self.total if self.scale is None else self.scale * self.total
        return scaled if self.offset is None else scaled + self.offset

    def tables(self, *, most: int | None = None) -> Iterator[Table]:
        """Return the table of terms."""
        yield table("terms", TERMS, self.lines)

    def shown(self, *, digits: int = 4, most: int | None = None) -> Iterator[Table | str]:
        """Return the `most` important terms, then the steps from their sum to the score."""
        rows: list[Any] = [*self._terms(most)]
        if self.scale is not None or self.offset is not None:
            steps = {"sum": self.total, "× scale": self.scale, "+ offset": self.offset}
            rows += [_step(name, value) for name, value in steps.items() if value is not None]
        rows.append(_step("score", "not ranked" if self.score is None else self.score))
        yield table("terms", TERMS, rows, title=f"{self.doc} by {self.model}")

    def _terms(self, most: int | None) -> Iterator[Any]:
        """Yield a row per term; with more than `most`, the largest contributions, then the rest summed up and counted.

        Feedback makes queries of hundreds of terms, most of which a given document does not contain.
        """
        num_terms = len(self.lines) + len(self.unknown)
        if most is None or num_terms <= most:
            yield from self.lines
            yield from (_step(term, "in no document") for term in self.unknown)
            return
        held = sorted((line for line in self.lines if line.tf), key=lambda line: -abs(line.contribution))
        yield from held[:most]
        if rest := held[most:]:
            yield _step(f"{counted(len(rest), 'term')} more", sum(line.contribution for line in rest))
        if num_terms > len(held):
            yield _step(f"{counted(num_terms - len(held), 'term')} not in the document", 0.0)


def _step(name: str, value: object) -> dict[str, object]:
    """Return a row for a value that is not a term's."""
    return {"term": name, "factors": {}, "contribution": value}


@checked
def explain_score(
    index: Index | str | Path, query: str | Query, doc: str, *, model: str | Model = "BM25"
) -> ScoreExplanation:
    """Explain the score of a document by the weights and curves that ranking uses.

    >>> index = Index.of({"d1": "red wine", "d2": "white wine", "d3": "red red roses"}, analyser="plain")
    >>> print(explain_score(index, "red roses", "d3", model="BM25(b=0)"))
    d3 by BM25(b=0)
    <BLANKLINE>
    term   query weight     idf  tf  length   curve  contribution
    red          1.0000  0.4700   2       3  0.6250        0.2938
    roses        1.0000  0.9808   1       3  0.4545        0.4458
    score                                                  0.7396
    """
    index = index if isinstance(index, Index) else Index.open(index)
    model = MODELS.parse(model)
    query = as_query(query, index)
    number = index.doc_number(doc)
    if number is None:
        raise GermaneError(f"document {doc!r} is not in the index")
    return explanations(index, query, [number], model)[0]


def explanations(index: Index, query: Query, docs: Sequence[int], model: Model) -> list[ScoreExplanation]:
    """Explain the scores of several documents, by number."""
    places = np.asarray(docs, dtype=np.int64)
    weighted, lengths = weighted_terms(model, query, index), np.asarray(model.lengths(index)[places])
    counts = [index.vector(doc) for doc in docs]
    tf = np.asarray([[held.get(term.term, 0) for held in counts] for term in weighted]).reshape(
        len(weighted), len(docs)
    )
    lines = [_lines(term, row, lengths) for term, row in zip(weighted, tf, strict=True)]
    known = {term.term for term in weighted}
    unknown = tuple(term for term in query.weights if term not in known)
    total = sum(term.query_weight for term in weighted)
    scales, offsets = model.scale(index), model.offset(index)
    return [
        ScoreExplanation(
            model,
            index.doc_id(doc),
            int(lengths[i]),
            tuple(each[i] for each in lines),
            unknown,
            None if scales is None else float(scales[doc]),
            None if offsets is None else float(offsets[doc]) * total,
        )
        for i, doc in enumerate(docs)
    ]


def _lines(term: WeightedTerm, tf: IntArray, lengths: IntArray) -> list[TermLine]:
    """Return the lines of one term, for each document."""
    here = np.flatnonzero(tf)
    curves: list[float | None] = [None] * len(tf)
    for place, value in zip(here.tolist(), term.curve.values(tf[here], lengths[here]).tolist(), strict=True):
        curves[place] = value
    fixed = term.term, term.query_weight, term.factors
    rows = zip(tf.tolist(), lengths.tolist(), curves, strict=True)
    return [TermLine(*fixed, *row, term.weight * (row[-1] or 0.0)) for row in rows]
