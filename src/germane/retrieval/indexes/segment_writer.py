"""Write a segment while its documents are read: ids, titles and texts at once, the inverted arrays at the end."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from germane.formats.documents.blocks import DocumentBlock
from germane.retrieval.indexes.array_file import Array, ArrayFile, ArrayFolder, writing_arrays
from germane.retrieval.indexes.background import Background
from germane.retrieval.indexes.manifest import FileEntry
from germane.tables.columns.ids import Ids


class SegmentWriter:
    """The files of a new segment, written in the background. In memory it holds only the ids."""

    def __init__(self, folder: ArrayFolder, background: Background, *, keep_texts: bool) -> None:
        self._folder = folder
        self._background = background
        self._keep_texts = keep_texts
        self._ids: list[Ids] = []
        self._columns = [_ColumnFiles(folder, name) for name in ("id", "title", "text")]
        self.num_docs = 0

    def append(self, block: DocumentBlock) -> None:
        """Write ids, titles and texts of more documents."""
        self.num_docs += len(block)
        self._ids.append(block.ids)
        self._background.start(self._append, block)

    def _append(self, block: DocumentBlock) -> None:
        nothing = Ids(np.zeros(0, np.uint8), np.zeros(len(block) + 1, np.int64))
        kept = (block.ids, block.titles, block.texts) if self._keep_texts else (block.ids, nothing, nothing)
        for column, values in zip(self._columns, kept, strict=True):
            column.append(values)

    def write(self, name: str, array: Array) -> None:
        """Write a whole array."""
        self._background.start(_write, self._folder.create(name, array.dtype), array)

    def finish(self) -> dict[str, FileEntry]:
        """Complete all files, and return their manifest entries."""
        self.write("id_order", Ids.together(self._ids).sorted_indices().astype(np.int32))
        self._background.wait()
        return self._folder.finish()


class _ColumnFiles:
    """The bytes of one text per document, and where each begins."""

    def __init__(self, folder: ArrayFolder, name: str) -> None:
        self._bytes = folder.create(f"{name}s", np.uint8)
        self._offsets = folder.create(f"{name}_offsets", np.int64)
        self._offsets.append(np.zeros(1, np.int64))

    def append(self, values: Ids) -> None:
        self._offsets.append(values.offsets[1:] + (self._bytes.length - values.offsets[0]))
        self._bytes.append(values.data[values.offsets[0] : values.offsets[-1]])


def _write(file: ArrayFile, array: Array) -> None:
    file.append(array)
    file.finish()


@contextlib.contextmanager
def writing_segment(folder: Path, background: Background, *, keep_texts: bool) -> Iterator[SegmentWriter]:
    """Open a new segment for writing; on exit no job of it is left in the background."""
    with writing_arrays(folder) as arrays:
        try:
            yield SegmentWriter(arrays, background, keep_texts=keep_texts)
        finally:
            background.settle()
