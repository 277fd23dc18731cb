"""The vector space model: documents and queries as vectors of term weights, compared by their inner product."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated, Literal
from weakref import WeakKeyDictionary

import numpy as np

from germane.catalogue import Share
from germane.errors import GermaneError
from germane.retrieval.models.curves import CompiledCurve, Logarithm, Rational
from germane.retrieval.models.document_weights import distinct_terms, largest_frequencies, vector_lengths
from germane.retrieval.models.model import Model, model
from germane.retrieval.query import TermStats
from germane.tables.columns.ids import FloatArray, IntArray

if TYPE_CHECKING:
    from germane.retrieval.indexes.index import Index

_SCALES: WeakKeyDictionary[Index, dict[Model, FloatArray | None]] = WeakKeyDictionary()
_LARGEST: WeakKeyDictionary[Index, IntArray] = WeakKeyDictionary()
"""Caches by index: an index does not change, and a pass over all its documents is slow."""


class VectorSpace(Model):
    """Base of vector-space models: document vectors, and scales computed once per index."""

    @property
    def idf_letter(self) -> str:
        """The idf letter of documents in SMART notation."""
        raise NotImplementedError

    def document_curve(self) -> CompiledCurve:
        """Return the document's frequency part as a curve; the same for all terms."""
        raise NotImplementedError

    def document_scale(self, index: Index) -> FloatArray | None:
        """Return a factor for the weights of each document; None means 1 for all."""
        raise NotImplementedError

    def document_idf(self, df: IntArray, num_docs: int) -> FloatArray:
        """Return the idf of terms with these document frequencies."""
        return idf_of(self.idf_letter, df, num_docs)

    def term_factors(self, term: TermStats) -> dict[str, float]:
        if self.idf_letter == "n":
            return {}
        return {"idf": float(self.document_idf(np.array([term.df]), term.num_docs)[0])}

    def curve(self, term: TermStats) -> CompiledCurve:
        return self.document_curve()

    def scale(self, index: Index) -> FloatArray | None:
        known = _SCALES.setdefault(index, {})
        if self not in known:
            known[self] = self.document_scale(index)
        return known[self]

    def cosine(self, index: Index) -> FloatArray:
        """Return 1 / the norm of each document vector; 0 if all its weights are 0."""
        idf = partial(self.document_idf, num_docs=index.collection.num_docs)
        return reciprocal(vector_lengths(index, idf, self.document_curve(), self.lengths(index)))

    def vector(self, index: Index, doc: int) -> dict[str, float]:
        """Return a document's final weights by term; their inner product with the query weights is its score."""
        counts = index.vector(doc)
        tf = np.fromiter(counts.values(), np.int64, len(counts))
        known = index.statistics_of(counts)
        df = np.array([known[term].df for term in counts], np.int64)
        lengths = np.full(len(counts), self.lengths(index)[doc])
        weights = self.document_curve().values(tf, lengths) * self.document_idf(df, index.collection.num_docs)
        scale = self.scale(index)
        return dict(zip(counts, (weights * (1.0 if scale is None else scale[doc])).tolist(), strict=True))


def smart(weighting: str) -> str:
    """Check a weighting in SMART notation."""
    if not re.fullmatch(r"[nlabL][ntp][ncu]\.[nlabL][ntp][nc]", weighting):
        hint = "three letters each: frequency n l a b L, idf n t p, normalisation n c (documents also u)"
        raise GermaneError(f"VSM: expected a weighting such as ltc.ltn, found {weighting!r}", hint=hint)
    return weighting


@model("VSM")
@dataclass(frozen=True)
class VSM(VectorSpace):
    """Vector space model in SMART notation, ddd.qqq: three letters for documents and three for queries.

    Formula:    score = Σ w(t, d)·w(t, q); each w is (frequency part) · (idf part) · (normalisation):
                frequency   n tf; l 1 + ln tf; a ½ + ½·tf/maximum tf; b 1; L (1 + ln tf)/(1 + ln mean tf)
                idf         n 1; t ln N/n; p max(0, ln (N-n)/n)
                normal.     n 1; c 1/√Σw² (cosine); u 1/((1-slope)·pivot + slope·distinct terms), documents only,
                            pivot = mean number of distinct terms
    Reference:  Salton & Buckley, "Term-weighting approaches in automatic text retrieval", IPM 24 (1988), 513-523;
                u and L: Singhal, Buckley & Mitra, "Pivoted document length normalization", SIGIR 1996.
    Edge cases: A document whose weights are all 0 scores 0. Cosine and mean tf of a query are over its known terms. l
                and L of a query require counts of 1 or more. Logarithms are natural: log10, as in some textbooks, gives
                other weights for l and L.

    >>> from germane.retrieval.indexes.index import Index
    >>> index = Index.of({"d1": "red wine", "d2": "wine wine", "d3": "roses"}, analyser="plain")
    >>> {term: round(w, 4) for term, w in VSM("ntc.ltn").vector(index, 0).items()}    # ln 3 and ln 3/2, over 1.171
    {'red': 0.9381, 'wine': 0.3462}
    """

    weighting: Annotated[str, smart] = "ltc.ltn"
    slope: Share = 0.25

    @property
    def idf_letter(self) -> str:
        return self.weighting[1]

    def document_curve(self) -> CompiledCurve:
        return {
            "n": Rational(),
            "l": Logarithm(lift=1.0),
            "L": Logarithm(lift=1.0),
            "a": Rational(over_tf=0.5, over_length=0.5, under=0.0, under_length=1.0),
            "b": Rational.constant(),
        }[self.weighting[0]]

    def lengths(self, index: Index) -> IntArray:
        if self.weighting[0] != "a":
            return index.lengths
        if index not in _LARGEST:
            _LARGEST[index] = largest_frequencies(index)
        return _LARGEST[index]

    def document_scale(self, index: Index) -> FloatArray | None:
        frequency, normal = self.weighting[0], self.weighting[2]
        if normal == "c":
            return self.cosine(index)  # the divisor of L is the same for all terms of a document, so cosine cancels it
        scale: FloatArray | None = None
        distinct = distinct_terms(index)
        if frequency == "L":
            scale = 1 / (1 + np.log(np.maximum(index.lengths, 1) / np.maximum(distinct, 1)))
        if normal == "u":
            living = distinct[index.living()]
            pivoted = reciprocal((1 - self.slope) * living.mean() + self.slope * distinct)
            scale = pivoted if scale is None else scale * pivoted
        return scale

    def weigh_query(self, counts: Mapping[str, float], terms: Mapping[str, TermStats]) -> dict[str, float]:
        if not counts:
            return {}
        frequency, idf, normal = tuple(self.weighting[4:])
        count = np.array(list(counts.values()))
        if frequency in "lL" and count.min() < 1:
            raise GermaneError(
                f"VSM({self.weighting}): {frequency} requires query term counts of 1 or more, found {count.min():g}",
                hint="rm3, bo1 and kl produce fractional counts; use BM25, QL or ltc.ntn",
            )
        if frequency == "n":
            part = count
        elif frequency == "a":
            part = 0.5 + 0.5 * count / count.max()
        elif frequency == "b":
            part = np.ones(len(count))
        else:
            part = (1 + np.log(count)) / (1 + np.log(count.mean()) if frequency == "L" else 1)
        return finished(part, [terms[term] for term in counts], idf, with_cosine=normal == "c")


@model("TFIDF", **{"TF-IDF": "", "TF.IDF": ""})
@dataclass(frozen=True)
class TFIDF(VectorSpace):
    """TF·IDF as in the lecture: relative term frequency times inverse document frequency.

    Formula:    w = TF·IDF, TF = f / number of terms in the document, IDF = ln N/n; queries are weighted like documents.
                similarity=cosine: Σ w(t, d)·w(t, q) / (|d|·|q|), between 0 and 1; dot: without the denominator
    Reference:  Sparck Jones, "A statistical interpretation of term specificity", J. Doc. 28 (1972), 11-21.
    Edge cases: A document whose weights are all 0 scores 0. Terms that occur in no document are dropped from the query.

    >>> from germane.retrieval.query import Collection
    >>> term = TermStats("worser", df=4, cf=4, collection=Collection(num_docs=6, num_tokens=60))
    >>> round(TFIDF().term_factors(term)["idf"], 4)    # ln 6/4
    0.4055
    """

    similarity: Literal["cosine", "dot"] = "cosine"

    @property
    def idf_letter(self) -> str:
        return "t"

    def document_curve(self) -> CompiledCurve:
        return Rational(under=0.0, under_length=1.0)  # tf / length

    def document_scale(self, index: Index) -> FloatArray | None:
        return self.cosine(index) if self.similarity == "cosine" else None

    def weigh_query(self, counts: Mapping[str, float], terms: Mapping[str, TermStats]) -> dict[str, float]:
        count = np.array(list(counts.values()))
        part = count / count.sum() if len(count) else count
        return finished(part, [terms[term] for term in counts], "t", with_cosine=self.similarity == "cosine")


def idf_of(letter: str, df: IntArray, num_docs: int) -> FloatArray:
    """Return the idf of terms with these document frequencies, by SMART letter."""
    if letter == "n":
        return np.ones(len(df))
    held = np.maximum(df, 1)  # a term whose documents were all deleted may still be in the index
    if letter == "t":
        return np.asarray(np.log(num_docs / held))
    return np.asarray(np.log(np.maximum(num_docs - held, held) / held))


def finished(part: FloatArray, terms: list[TermStats], idf: str, *, with_cosine: bool) -> dict[str, float]:
    """Return a query's weights from its frequency part."""
    if not terms:
        return {}
    weights = part * idf_of(idf, np.array([term.df for term in terms]), terms[0].num_docs)
    if with_cosine:
        weights = weights * reciprocal(np.array([math.sqrt(float(weights @ weights))]))
    return {term.term: float(weight) for term, weight in zip(terms, weights, strict=True)}


def reciprocal(values: FloatArray) -> FloatArray:
    """Return 1 / each value; 0 where the value is 0."""
    return np.divide(1.0, values, out=np.zeros(len(values)), where=values != 0)
