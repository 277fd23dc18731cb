"""Document-level quantities for cosine and similar normalisations, from the document-major twin of an index."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from germane.kernels import root_sums_of_squares
from germane.retrieval.models.curves import CompiledCurve
from germane.tables.columns.ids import FloatArray, IntArray

if TYPE_CHECKING:
    from germane.retrieval.indexes.index import Index, Part


def document_frequencies(index: Index) -> list[IntArray]:
    """Return, for each part of the index, the document frequency of its terms in live documents of the whole index.

    >>> from germane.retrieval.indexes.index import Index
    >>> document_frequencies(Index.of({"d1": "red wine", "d2": "wine"}, analyser="plain"))
    [array([1, 2])]
    """
    own = [_living_frequencies(part) for part in index.parts]
    if len(own) == 1:
        return own
    total: dict[bytes, int] = {}
    vocabularies = [part.segment.vocabulary.to_bytes_list() for part in index.parts]
    for terms, counts in zip(vocabularies, own, strict=True):
        for term, count in zip(terms, counts.tolist(), strict=True):
            total[term] = total.get(term, 0) + count
    return [np.fromiter(map(total.__getitem__, terms), np.int64, len(terms)) for terms in vocabularies]


def _living_frequencies(part: Part) -> IntArray:
    start: IntArray = np.asarray(part.segment.start, np.int64)
    counts = start[1:] - start[:-1]
    return counts if part.deleted_counts is None else counts - part.deleted_counts[0]


def vector_lengths(
    index: Index, factor: Callable[[IntArray], FloatArray], curve: CompiledCurve, lengths: IntArray
) -> FloatArray:
    """Return the norm of each document vector: √Σ (factor(df) · curve(tf, length))² over its terms."""
    found = []
    for part, frequencies in zip(index.parts, document_frequencies(index), strict=True):
        segment = part.segment
        start, term, tf = (np.asarray(a) for a in (segment.twin_start, segment.twin_term, segment.twin_tf))
        own = lengths[part.base : part.base + segment.num_docs].astype(np.int32)
        found.append(
            root_sums_of_squares(start, term, tf, own, factor(frequencies), curve.code, np.array(curve.parameters))
        )
    return np.concatenate([np.zeros(0), *found])


def largest_frequencies(index: Index) -> IntArray:
    """Return the frequency of the most frequent term of each document; 0 for a document without terms."""
    found = []
    for part in index.parts:
        largest = np.zeros(part.segment.num_docs, np.int64)
        filled = np.flatnonzero(np.diff(part.segment.twin_start))
        if len(filled):
            starts = np.asarray(part.segment.twin_start)[filled]
            largest[filled] = np.maximum.reduceat(np.asarray(part.segment.twin_tf, np.int64), starts)
        found.append(largest)
    return np.concatenate(found or [np.zeros(0, np.int64)])


def distinct_terms(index: Index) -> FloatArray:
    """Return the number of distinct terms of each document."""
    return np.concatenate([np.zeros(0), *(np.diff(np.asarray(part.segment.twin_start)) for part in index.parts)])
