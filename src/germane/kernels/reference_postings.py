"""The plain references of the kernels that score the documents of an inverted index.

A document's score is `scale * sum + offset_times * offset`. The sum runs over the query's terms in the order given, and
is that of 64-bit numbers, so that a score is the same to the last digit whichever way it was found.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

COMPILED = False
Integers = npt.NDArray[Any]
Numbers = npt.NDArray[np.float64]
Docs = npt.NDArray[np.int32]

RATIONAL, LOGARITHM, POISSON, GIVEN = range(4)
"""The curves, and what their row of parameters holds:

RATIONAL   lift, s, p, q, t, a, b:  lift + (s*tf + (p + q*length)) / (t*tf + (a + b*length))
LOGARITHM  lift, g, c, d:           lift + log(g + c*tf / length**d), where d is 0 or 1
POISSON    lambda, c:               DFR PL2 with tfn = tf * log2(1 + c/length)
GIVEN      begin:                   Queries.given[begin + i] for the i-th posting of the term
"""
NUM_PARAMETERS = 8


class Postings(NamedTuple):
    """A segment of an index, term after term: the postings of term t are start[t] to start[t + 1]."""

    start: npt.NDArray[np.int64]
    doc: Docs  # ascending within a term
    tf: Integers  # uint8, uint16 or int32
    length: npt.NDArray[np.int32]  # by document
    max_tf: npt.NDArray[np.int32]  # by term: the largest of its postings
    min_length: npt.NDArray[np.int32]  # by term: of the shortest document that holds it
    deleted: npt.NDArray[np.uint8] | None = None  # by document: not 0 means never ranked
    checked: npt.NDArray[np.uint8] | None = None  # by term: not 0 means its postings were found to be within bounds


class PostingsError(ValueError):
    """Postings that point outside of the arrays they belong to: `term` is the number of the first such term."""

    def __init__(self, term: int, num_docs: int) -> None:
        super().__init__(f"expected documents of term {term} to ascend within 0 to {num_docs - 1}, found others")
        self.term = term


class Queries(NamedTuple):
    """Queries one after the other: the terms of query i are rows start[i] to start[i + 1] of the columns."""

    start: npt.NDArray[np.int64]
    term: npt.NDArray[np.int64]
    weight: Numbers
    curve: npt.NDArray[np.int32]
    parameters: Numbers  # rows × NUM_PARAMETERS
    given: Numbers | None = None
    scale: Numbers | None = None  # by document
    offset: Numbers | None = None  # by document
    offset_times: Numbers | None = None  # by query; 1 if absent


class Rankings(NamedTuple):
    """What was found for query i: rows start[i] to start[i + 1], best first."""

    start: npt.NDArray[np.int64]
    doc: Docs
    score: Numbers


def require_fitting(postings: Postings, queries: Queries) -> None:
    """Raise an error unless arrays that are read side by side are of the same length."""
    num_docs, num_terms = len(postings.length), len(postings.start) - 1
    by_doc = (postings.deleted, queries.scale, queries.offset)
    by_term = (postings.max_tf, postings.min_length, postings.checked)
    if (
        len(postings.tf) != len(postings.doc)
        or any(array is not None and len(array) != num_docs for array in by_doc)
        or any(array is not None and len(array) != num_terms for array in by_term)
    ):
        raise ValueError("expected one entry for each posting, document and term, found arrays of other lengths")


def check_postings(postings: Postings, terms: npt.NDArray[np.int64]) -> None:
    """Compare the postings of terms with their bounds, if that was not done; an error names the first that is beyond.

    Documents ascend, none twice, and each is one of the segment's: so a sum and a length can be looked up by them.
    """
    num_docs, num_terms = len(postings.length), len(postings.start) - 1
    for term in terms.tolist():
        if not 0 <= term < num_terms:
            raise PostingsError(term, num_docs)
        if postings.checked is not None and postings.checked[term]:
            continue
        begin, end = postings.start[term : term + 2].tolist()
        if not 0 <= begin <= end <= len(postings.doc):
            raise PostingsError(term, num_docs)
        doc = postings.doc[begin:end]
        if len(doc) and not (doc[0] >= 0 and doc[-1] < num_docs and bool((doc[1:] > doc[:-1]).all())):
            raise PostingsError(term, num_docs)
        if postings.checked is not None:
            postings.checked[term] = 1


def curve_values(curve: int, parameters: Numbers, tf: Integers, length: Integers) -> Numbers:
    """A curve (not GIVEN) at term frequencies and document lengths."""
    n, size = tf.astype(np.float64), length.astype(np.float64)
    if curve == RATIONAL:
        lift, s, p, q, t, a, b = parameters[:7].tolist()
        return np.asarray(lift + (s * n + (p + q * size)) / (t * n + (a + b * size)))
    if curve == LOGARITHM:
        lift, g, c, d = parameters[:4].tolist()
        return np.asarray(lift + _each(math.log, g + c * n / (size if d else 1.0)))
    rate, c = parameters[:2].tolist()
    tfn = n * _each(math.log2, 1.0 + c / size)
    stirling = (rate + 1.0 / (12.0 * tfn) - tfn) * math.log2(math.e) + 0.5 * _each(math.log2, 2.0 * math.pi * tfn)
    return np.asarray(1.0 / (tfn + 1.0) * (tfn * _each(math.log2, tfn / rate) + stirling))


def _each(function: Callable[[float], float], values: Numbers) -> Numbers:
    """The C library's logarithm, which the kernel uses too; NumPy's own differs in the last digit."""
    distinct, place = np.unique(values, return_inverse=True)
    return np.asarray([function(value) if value > 0 else _beyond(value) for value in distinct.tolist()])[place]


def _beyond(value: float) -> float:
    return -math.inf if value == 0 else math.nan


def top_k_many(postings: Postings, queries: Queries, k: int, first: int = 0, last: int | None = None) -> Rankings:
    """The k best documents of each query from `first` to before `last`, among those that hold one of its terms.

    The higher score goes first, then the lower document number; that decides too who is the last to be ranked.
    """
    require_fitting(postings, queries)
    rows = queries.start[[first, len(queries.start) - 1 if last is None else last]].tolist()
    check_postings(postings, queries.term[rows[0] : rows[1]])
    found = [_ranking(postings, queries, query, k) for query in range(len(queries.start) - 1)[first:last]]
    ends = np.cumsum([0, *(len(doc) for doc, _ in found)], dtype=np.int64)
    none: list[Any] = [(np.zeros(0, np.int32), np.zeros(0))]
    return Rankings(ends, *(np.concatenate(column) for column in zip(*none, *found, strict=True)))


def _ranking(postings: Postings, queries: Queries, query: int, k: int) -> tuple[Docs, Numbers]:
    total = np.zeros(len(postings.length))
    holds = np.zeros(len(postings.length), dtype=np.bool_)
    for row in range(queries.start[query], queries.start[query + 1]):
        doc, values = _contributions(postings, queries, row)
        total[doc] += values
        holds[doc] = True
    if postings.deleted is not None:
        holds &= postings.deleted == 0
    docs = np.flatnonzero(holds)
    score = _final(queries, query, docs, total[docs])
    best = np.lexsort((docs, -score))[: max(0, k)]
    return docs[best].astype(np.int32), score[best]


def _contributions(postings: Postings, queries: Queries, row: int) -> tuple[Docs, Numbers]:
    """The documents of a query's term, and what the term adds to the score of each."""
    begin, end = postings.start[queries.term[row] : queries.term[row] + 2]
    doc = postings.doc[begin:end]
    if queries.curve[row] == GIVEN:
        assert queries.given is not None
        at = int(queries.parameters[row, 0])
        values = queries.given[at : at + end - begin]
    else:
        values = curve_values(
            int(queries.curve[row]), queries.parameters[row], postings.tf[begin:end], postings.length[doc]
        )
    return doc, queries.weight[row] * values + 0.0


def _final(queries: Queries, query: int, docs: Integers, total: Numbers) -> Numbers:
    if queries.scale is not None:
        total = queries.scale[docs] * total
    if queries.offset is not None:
        times = 1.0 if queries.offset_times is None else float(queries.offset_times[query])
        total = total + times * queries.offset[docs]
    return total + 0.0


def contributions(postings: Postings, queries: Queries, query: int, docs: Docs) -> Numbers:
    """What each term of a query adds to the sum of each document: documents × terms, NaN where it does not occur."""
    require_fitting(postings, queries)
    rows = range(queries.start[query], queries.start[query + 1])
    check_postings(postings, queries.term[rows.start : rows.stop])
    result = np.full((len(docs), len(rows)), math.nan)
    for column, row in enumerate(rows):
        doc, values = _contributions(postings, queries, row)
        place = np.searchsorted(doc, docs)
        held = np.append(doc, -1)[place] == docs
        result[held, column] = values[place[held]]
    return result


def score_documents(postings: Postings, queries: Queries, query: int, docs: Docs) -> Numbers:
    """The scores that a ranking gives to these documents; NaN for one that holds none of the query's terms."""
    parts = contributions(postings, queries, query, docs)
    total = np.zeros(len(docs))
    for column in parts.T:
        total += np.where(np.isnan(column), 0.0, column)
    absent = np.isnan(parts).all(axis=1)
    return np.where(absent, math.nan, _final(queries, query, docs, total))


TWIN_TERMS = "expected numbers of terms, found one that is not below their number"


def require_twin(start: npt.NDArray[np.int64], num_docs: int, num_terms: int, num_frequencies: int) -> None:
    """Raise an error unless the rows of documents ascend from 0 to the last."""
    if (
        len(start) != num_docs + 1
        or num_terms != num_frequencies
        or start[0] != 0
        or start[-1] != num_terms
        or (start[1:] < start[:-1]).any()
    ):
        raise ValueError("expected the rows of documents to ascend from 0 to the last, found others")


def root_sums_of_squares(
    start: npt.NDArray[np.int64],
    term: npt.NDArray[np.int32],
    tf: Integers,
    length: npt.NDArray[np.int32],
    factor: Numbers,
    curve: int,
    parameters: Numbers,
) -> Numbers:
    """By document, the square root of the sum of (factor[term] * curve(tf, length))**2 over its terms.

    The postings are those of the document-major twin: document d's are start[d] to start[d + 1].
    """
    require_twin(start, len(length), len(term), len(tf))
    if len(term) and not (term.min() >= 0 and term.max() < len(factor)):
        raise ValueError(TWIN_TERMS)
    doc = np.repeat(np.arange(len(length)), np.diff(start))
    values = factor[term] * curve_values(curve, parameters, tf, length[doc])
    return np.sqrt(np.bincount(doc, weights=values * values, minlength=len(length)))
