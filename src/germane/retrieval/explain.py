"""Why a document has its score: the terms that add up to it, each with what it is the product of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from germane.arguments import checked
from germane.errors import GermaneError
from germane.retrieval.index import Index
from germane.retrieval.models import Model, WeightedTerm, parse_model, weighted_terms
from germane.retrieval.query import Query
from germane.retrieval.search import as_query
from germane.tables.grid import aligned
from germane.tables.ids import FloatArray


@dataclass(frozen=True)
class TermLine:
    """What one term of the query contributes: query weight × factors × curve."""

    term: str
    query_weight: float
    factors: Mapping[str, float]
    tf: int
    curve: float
    contribution: float


@dataclass(frozen=True)
class Explanation:
    """A document's score, worked out. `length` is what the curves read as the document's length.

    The score is scale · (sum of the contributions) + offset, where offset is that of the document times the sum of the
    query's weights. `unknown` are the terms of the query that no document holds.
    """

    model: Model
    doc_id: str
    length: int
    lines: tuple[TermLine, ...]
    unknown: tuple[str, ...]
    scale: float | None
    offset: float | None

    @property
    def total(self) -> float:
        """The sum of the contributions, in the order of the query."""
        return sum((line.contribution for line in self.lines if line.tf), 0.0)

    @property
    def score(self) -> float | None:
        """The document's score; None where it holds none of the query's terms and so is not ranked."""
        if not any(line.tf for line in self.lines):
            return None
        scaled = self.total if self.scale is None else self.scale * self.total
        return scaled if self.offset is None else scaled + self.offset

    def grid(self, digits: int = 4) -> tuple[list[str], list[list[str]]]:
        """A header and rows of text: a row for each term, and below them what leads from their sum to the score."""
        names = list(dict.fromkeys(name for line in self.lines for name in line.factors))
        header = ["term", "query weight", *names, "tf", "length", "curve", "contribution"]

        def number(value: float | None) -> str:
            return "" if value is None else f"{value:.{digits}f}"

        rows = [
            [
                line.term,
                number(line.query_weight),
                *(number(line.factors.get(name)) for name in names),
                str(line.tf),
                str(self.length),
                number(line.curve) if line.tf else "",
                number(line.contribution),
            ]
            for line in self.lines
        ]
        rows += [[term, *[""] * (len(header) - 2), "in no document"] for term in self.unknown]
        below = [("sum", self.total), ("× scale", self.scale), ("+ offset", self.offset)]
        shown = below if self.scale is not None or self.offset is not None else []
        rows += [[name, *[""] * (len(header) - 2), number(value)] for name, value in shown if value is not None]
        score = "not ranked" if self.score is None else number(self.score)
        return header, [*rows, ["score", *[""] * (len(header) - 2), score]]

    def __str__(self) -> str:
        return f"{self.doc_id} by {self.model}\n{aligned(*self.grid())}"


@checked
def explain_score(index: Index, query: str | Query, model: str | Model, doc: int) -> Explanation:
    """Explain the score of a document, given by its number, from the weights and curves that rankings use.

    >>> index = Index.of({"d1": "red wine", "d2": "white wine", "d3": "red red roses"}, analyser="plain")
    >>> print(explain_score(index, "red roses", "BM25(b=0)", 2), end="")
    d3 by BM25(b=0)
    term   query weight     idf  tf  length   curve  contribution
    red          1.0000  0.4700   2       3  0.6250        0.2938
    roses        1.0000  0.9808   1       3  0.4545        0.4458
    score                                                  0.7396
    """
    model = parse_model(model)
    query = as_query(query, index)
    if not (0 <= doc < index.num_places and index.is_living(doc)):
        raise GermaneError(f"expected the number of a document of the index, found {doc}")
    weighted = weighted_terms(model, query, index)
    counts = index.vector(doc)
    length = int(model.lengths(index)[doc])
    known = {line.term for line in weighted}
    offset = _at(model.offset(index), doc)
    return Explanation(
        model=model,
        doc_id=index.doc_id(doc),
        length=length,
        lines=tuple(_line(line, counts.get(line.term, 0), length) for line in weighted),
        unknown=tuple(term for term in query.weights if term not in known),
        scale=_at(model.scale(index), doc),
        offset=None if offset is None else sum(line.query_weight for line in weighted) * offset,
    )


def _line(term: WeightedTerm, tf: int, length: int) -> TermLine:
    curve = float(term.curve.values(np.array([tf]), np.array([length]))[0]) if tf else 0.0
    return TermLine(term.term, term.query_weight, term.factors, tf, curve, term.weight * curve)


def _at(values: FloatArray | None, doc: int) -> float | None:
    return None if values is None else float(values[doc])
