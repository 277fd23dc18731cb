"""Merge segments into one without reading texts again; deleted documents are dropped.

Only a range of terms is in memory at a time. The terms of every segment are in byte order, so a range of the merged
vocabulary is a range of each segment's postings.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from germane import kernels
from germane.retrieval.indexes.array_file import Array, writing_arrays
from germane.retrieval.indexes.index import Part
from germane.retrieval.indexes.manifest import FileEntry
from germane.retrieval.indexes.mapped_array import Stored
from germane.tables.columns.ids import Ids, IntArray

MOST_POSTINGS = 4_000_000
"""Maximum number of postings (or positions, or bytes of text) in memory at a time."""


@dataclass(frozen=True, eq=False)
class Renumbered:
    """A part with the numbers of its documents and terms in the merged segment; -1 for a deleted document.

    A term that only deleted documents hold has the number of the term before it, so that the numbers ascend.
    """

    part: Part
    new_doc: IntArray
    new_term: IntArray


def merge(parts: Sequence[Part], folder: Path) -> dict[str, FileEntry]:
    """Write one segment with the live documents of all parts, in their order."""
    vocabulary, sources = _renumber(parts)
    counts = np.zeros(len(vocabulary), np.int64)
    often = np.zeros(len(vocabulary), np.int64)
    for source in sources:
        df, cf = source.part.counts(np.arange(source.part.segment.num_terms))
        counts[source.new_term] += df
        often[source.new_term] += cf
    kept = counts > 0  # drop terms that occurred only in deleted documents
    place = np.cumsum(kept) - 1
    sources = [Renumbered(s.part, s.new_doc, place[s.new_term]) for s in sources]
    terms, counts, often = vocabulary.take(np.flatnonzero(kept)), counts[kept], often[kept]
    start, before = _starts(counts), _starts(often)
    positions = all(part.segment.positions is not None for part in parts)
    tf_type = max((part.segment.tf.dtype for part in parts), key=lambda dtype: dtype.itemsize)
    text_bytes = {name: _sizes(sources, f"{name}_offsets") for name in ("id", "title", "text")}
    dtypes: dict[str, npt.DTypeLike] = {
        "terms": np.uint8, "term_offsets": np.int64, "start": np.int64, "doc": np.int32, "tf": tf_type,
        "max_tf": np.int32, "min_length": np.int32, "cf": np.int64, "length": np.int32, "twin_start": np.int64,
        "twin_term": np.int32, "twin_tf": tf_type, "id_order": np.int32,
        **{f"{name}s": np.uint8 for name in text_bytes}, **{f"{name}_offsets": np.int64 for name in text_bytes},
    }  # fmt: skip
    if positions:
        dtypes |= {"position_start": np.int64, "positions": np.int32}
    with writing_arrays(folder) as written:
        files = {name: written.create(name, dtype) for name, dtype in dtypes.items()}
        files["terms"].append(terms.data)
        files["term_offsets"].append(terms.offsets)
        files["start"].append(start)
        files["cf"].append(often)
        length = np.concatenate([np.asarray(s.part.segment.length)[s.new_doc >= 0] for s in sources])
        files["length"].append(length)
        if positions:
            files["position_start"].append(before)
        for first, last in _stretches(counts):
            offsets = start[first : last + 1] - start[first]
            doc, tf = _postings(sources, first, offsets, tf_type)
            max_tf, min_length, _ = kernels.term_bounds(offsets, doc, tf, length)
            for name, array in (("doc", doc), ("tf", tf), ("max_tf", max_tf), ("min_length", min_length)):
                files[name].append(array)
            if positions:
                files["positions"].append(_positions(sources, first, before[first : last + 1] - before[first]))
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
        ids = [s.part.segment.doc_ids.take(np.flatnonzero(s.new_doc >= 0)) for s in sources]
        files["id_order"].append(Ids.together(ids).sorted_indices())
        return written.finish()


def _renumber(parts: Sequence[Part]) -> tuple[Ids, list[Renumbered]]:
    every = Ids.together([part.segment.vocabulary for part in parts])
    order, place = kernels.byte_order(every.data, every.offsets)
    is_first = np.diff(place[order], prepend=-1) > 0
    sources = []
    base = terms = 0
    for part in parts:
        living = np.ones(part.segment.num_docs, np.bool_)
        living[part.deleted_docs] = False
        new_doc = np.where(living, base + np.cumsum(living) - 1, -1)
        sources.append(Renumbered(part, new_doc, place[terms : terms + part.segment.num_terms]))
        base += part.num_docs
        terms += part.segment.num_terms
    return every.take(order[is_first]), sources


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


def _postings(sources: list[Renumbered], first: int, offsets: IntArray, tf_type: np.dtype[Any]) -> tuple[Array, Array]:
    """Return documents and frequencies of the merged terms from `first` on; those of each begin at `offsets`."""
    doc, tf, place = np.empty(offsets[-1], np.int32), np.empty(offsets[-1], tf_type), offsets[:-1].copy()
    for source in sources:
        segment = source.part.segment
        for low, high in _term_ranges(source, first, len(place)):
            start = np.asarray(segment.start[low : high + 1])
            rows = slice(int(start[0]), int(start[-1]))
            old_doc, old_tf = np.asarray(segment.doc[rows]), np.asarray(segment.tf[rows]).astype(tf_type)
            numbers = source.new_term[low:high] - first
            kernels.merge_postings(start - start[0], old_doc, old_tf, numbers, source.new_doc, place, doc, tf)
    return doc, tf


def _positions(sources: list[Renumbered], first: int, offsets: IntArray) -> Array:
    """Return the positions of the merged terms from `first` on; those of each begin at `offsets`."""
    merged, place = np.empty(offsets[-1], np.int32), offsets[:-1].copy()
    for source in sources:
        segment = source.part.segment
        assert segment.positions is not None
        assert segment.position_start is not None
        for low, high in _term_ranges(source, first, len(place)):
            start = np.asarray(segment.start[low : high + 1])
            rows = slice(int(start[0]), int(start[-1]))
            spots = slice(int(segment.position_start[low]), int(segment.position_start[high]))
            kernels.merge_positions(
                start - start[0], np.asarray(segment.doc[rows]), np.asarray(segment.tf[rows]),
                np.asarray(segment.positions[spots]), source.new_term[low:high] - first, source.new_doc, place, merged,
            )  # fmt: skip
    return merged


def _term_ranges(source: Renumbered, first: int, count: int) -> Iterator[tuple[int, int]]:
    """Yield the range of the terms of a part that are among the `count` merged terms from `first` on, if any."""
    low, high = np.searchsorted(source.new_term, [first, first + count]).tolist()
    if high > low:
        yield low, high


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
