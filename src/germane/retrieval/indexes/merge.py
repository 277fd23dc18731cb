"""Merge segments into one without reading texts again; deleted documents are dropped.

Only a range of terms is in memory at a time. The terms of every segment are in byte order, so a range of the merged
vocabulary is a range of each segment's postings.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from germane.retrieval.indexes.array_file import Array, ArrayFile, writing_arrays
from germane.retrieval.indexes.index import Part
from germane.retrieval.indexes.manifest import FileEntry
from germane.retrieval.indexes.mapped_array import Stored
from germane.tables.columns.ids import Ids, IntArray

MOST_POSTINGS = 4_000_000
"""Maximum number of postings (or positions, or bytes of text) in memory at a time."""


@dataclass(frozen=True, eq=False)
class Renumbered:
    """A part with the numbers of its documents and terms in the merged segment; -1 for a deleted document."""

    part: Part
    new_doc: IntArray
    new_term: IntArray


def merge(parts: Sequence[Part], folder: Path) -> dict[str, FileEntry]:
    """Write one segment with the live documents of all parts, in their order."""
    vocabulary, sources = _renumber(parts)
    num_docs = sum(part.num_docs for part in parts)
    counts = np.zeros(len(vocabulary), np.int64)
    often = np.zeros(len(vocabulary), np.int64)
    for source in sources:
        df, cf = source.part.counts(np.arange(source.part.segment.num_terms))
        counts[source.new_term] += df
        often[source.new_term] += cf
    kept = counts > 0  # drop terms that occurred only in deleted documents
    place = np.cumsum(kept) - 1
    sources = [Renumbered(s.part, s.new_doc, np.where(kept[s.new_term], place[s.new_term], -1)) for s in sources]
    terms, counts, often = vocabulary.take(np.flatnonzero(kept)), counts[kept], often[kept]
    start, before = _starts(counts), _starts(often)
    positions = all(part.segment.positions is not None for part in parts)
    tf_type = max((part.segment.tf.dtype for part in parts), key=lambda dtype: dtype.itemsize)
    text_bytes = {name: _sizes(sources, f"{name}_offsets") for name in ("id", "title", "text")}
    shapes: dict[str, tuple[int, npt.DTypeLike]] = {
        "terms": (len(terms.data), np.uint8), "term_offsets": (len(terms) + 1, np.int64),
        "start": (len(terms) + 1, np.int64), "doc": (int(start[-1]), np.int32), "tf": (int(start[-1]), tf_type),
        "max_tf": (len(terms), np.int32), "min_length": (len(terms), np.int32), "cf": (len(terms), np.int64),
        "length": (num_docs, np.int32),
        "twin_start": (num_docs + 1, np.int64), "twin_term": (int(start[-1]), np.int32),
        "twin_tf": (int(start[-1]), tf_type), "id_order": (num_docs, np.int32),
        **{f"{name}s": (int(sizes.sum()), np.uint8) for name, sizes in text_bytes.items()},
        **{f"{name}_offsets": (num_docs + 1, np.int64) for name in text_bytes},
    }  # fmt: skip
    if positions:
        shapes |= {"position_start": (len(terms) + 1, np.int64), "positions": (int(before[-1]), np.int32)}
    with writing_arrays(folder, shapes) as files:
        files["terms"].append(terms.data)
        files["term_offsets"].append(terms.offsets)
        files["start"].append(start)
        files["cf"].append(often)
        length = np.concatenate([np.asarray(s.part.segment.length)[s.new_doc >= 0] for s in sources])
        files["length"].append(length)
        if positions:
            files["position_start"].append(before)
        for first, last in _stretches(counts):
            doc, tf, place_of = _postings(sources, first, last, files["positions"] if positions else None)
            files["doc"].append(doc)
            files["tf"].append(tf)
            starts = np.searchsorted(place_of, np.arange(first, last))
            files["max_tf"].append(np.maximum.reduceat(tf, starts))
            files["min_length"].append(np.minimum.reduceat(length[doc], starts))
        files["twin_start"].append(_starts(_sizes(sources, "twin_start")))
        for source in sources:
            for rows, stretch in _living_rows(source, source.part.segment.twin_start):
                files["twin_term"].append(source.new_term[np.asarray(source.part.segment.twin_term[stretch])[rows]])
                files["twin_tf"].append(np.asarray(source.part.segment.twin_tf[stretch])[rows])
        for name, sizes in text_bytes.items():
            files[f"{name}_offsets"].append(_starts(sizes))
            for source in sources:
                arrays = source.part.segment.arrays()
                for rows, stretch in _living_rows(source, arrays[f"{name}_offsets"]):
                    files[f"{name}s"].append(np.asarray(arrays[f"{name}s"][stretch])[rows])
        ids = [s.part.segment.doc_ids.take(np.flatnonzero(s.new_doc >= 0)).to_bytes_list() for s in sources]
        files["id_order"].append(np.argsort(Ids.of(itertools.chain(*ids)).byte_order(), kind="stable"))
        return {name: file.entry() for name, file in files.items()}


def _renumber(parts: Sequence[Part]) -> tuple[Ids, list[Renumbered]]:
    every = [part.segment.vocabulary.to_bytes_list() for part in parts]
    merged = sorted(set().union(*every))
    place = {term: i for i, term in enumerate(merged)}
    sources = []
    base = 0
    for part, terms in zip(parts, every, strict=True):
        living = np.ones(part.segment.num_docs, np.bool_)
        living[part.deleted_docs] = False
        new_doc = np.where(living, base + np.cumsum(living) - 1, -1)
        base += part.num_docs
        new_term = np.fromiter(map(place.__getitem__, terms), np.int64, count=len(terms))
        sources.append(Renumbered(part, new_doc, new_term))
    return Ids.of(merged), sources


def _starts(sizes: IntArray) -> IntArray:
    return np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])


def _stretches(sizes: IntArray) -> Iterator[tuple[int, int]]:
    """Yield ranges of groups that fit into memory together; a group that is too large comes alone."""
    ends = np.cumsum(sizes)
    first = 0
    while first < len(sizes):
        done = ends[first - 1] if first else 0
        last = max(first + 1, int(np.searchsorted(ends, done + MOST_POSTINGS, side="right")))
        yield first, last
        first = last


def _postings(
    sources: list[Renumbered], first: int, last: int, positions: ArrayFile | None
) -> tuple[Array, Array, IntArray]:
    """Return documents and frequencies of the merged terms from `first` up to `last`, and the term of each posting."""
    docs, tfs, terms, where = [], [], [], []
    for source in sources:
        segment = source.part.segment
        here = np.flatnonzero((source.new_term >= first) & (source.new_term < last))
        if not len(here):
            continue
        # Terms in between have no live documents: they are dropped with the deleted ones.
        low, high = int(here[0]), int(here[-1]) + 1
        rows = slice(int(segment.start[low]), int(segment.start[high]))
        doc = source.new_doc[np.asarray(segment.doc[rows])]
        tf = np.asarray(segment.tf[rows])
        living = doc >= 0
        docs.append(doc[living])
        tfs.append(tf[living])
        terms.append(np.repeat(source.new_term[low:high], np.diff(segment.start[low : high + 1]))[living])
        if positions is not None and segment.positions is not None and segment.position_start is not None:
            spots = slice(int(segment.position_start[low]), int(segment.position_start[high]))
            where.append(np.asarray(segment.positions[spots])[np.repeat(living, tf)])
    doc, tf, term = np.concatenate(docs), np.concatenate(tfs), np.concatenate(terms)
    order = np.argsort(term, kind="stable")
    if positions is not None:
        begin = _starts(tf.astype(np.int64))
        sizes = tf[order].astype(np.int64)
        moved = np.repeat(begin[:-1][order] - (np.cumsum(sizes) - sizes), sizes) + np.arange(int(sizes.sum()))
        positions.append(np.concatenate(where)[moved])
    return doc[order], tf[order], term[order]


def _living_rows(source: Renumbered, start: Stored) -> Iterator[tuple[Array, slice]]:
    """Yield, by ranges of documents, a mask of the rows of live documents and the slice of rows."""
    starts = np.asarray(start)
    sizes = np.diff(starts)
    for first, last in _stretches(sizes):
        yield (
            np.repeat(source.new_doc[first:last] >= 0, sizes[first:last]),
            slice(int(starts[first]), int(starts[last])),
        )


def _sizes(sources: list[Renumbered], name: str) -> IntArray:
    """Return the size that each live document has between its offsets of this name."""
    return np.concatenate([np.diff(s.part.segment.arrays()[name])[s.new_doc >= 0] for s in sources])
