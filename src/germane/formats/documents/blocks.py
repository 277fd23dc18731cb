"""Documents in blocks: ids, titles and texts of many documents as three columns of bytes.

An index is built from blocks, because what is done for each document in Python costs more than reading its words.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from germane.errors import InputError
from germane.tables.columns.ids import Ids

DOCS_PER_BLOCK = 4096
BYTES_PER_BLOCK = 16_000_000
"""Size in documents or bytes of text at which a block is complete; two blocks are in memory at a time."""


class IndexableDocument(Protocol):
    """A document to index: the words of its text are searchable; its title is only stored for display."""

    @property
    def id(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def text(self) -> str: ...


@dataclass(frozen=True, eq=False)
class DocumentBlock:
    """Some documents: their ids, titles and texts, as UTF-8.

    >>> block = DocumentBlock.of(["d1", "d2"], ["", "Wine"], ["On birds", "Red or white?"])
    >>> len(block), block.ids[1], block.texts[0]
    (2, 'd2', 'On birds')
    """

    ids: Ids
    titles: Ids
    texts: Ids

    @classmethod
    def of(cls, ids: Sequence[str], titles: Sequence[str], texts: Sequence[str]) -> DocumentBlock:
        """Return a block of these documents."""
        try:
            return cls(*map(text_column, (ids, titles, texts)))
        except UnicodeEncodeError as error:
            doc = next(row[0] for row in zip(ids, titles, texts, strict=True) if error.object in row)
            found = f"expected a surrogate pair, found {error.object[error.start]!a} alone"
            hint = "remove or replace this character"
            raise InputError("documents", None, f"document {doc!r}: {found}", hint=hint) from None

    def __len__(self) -> int:
        return len(self.ids)


def text_column(values: Sequence[str]) -> Ids:
    """Return texts as bytes with offsets; ASCII, the common case, is encoded all at once.

    >>> list(text_column(["a", "", "é"])), text_column(["ab", "c"]).offsets.tolist()
    (['a', '', 'é'], [0, 2, 3])
    """
    try:
        joined = "".join(values)
    except TypeError:  # numbers and bytes
        return Ids.of(values)
    if not joined.isascii():
        return Ids.of(values)
    offsets = np.zeros(len(values) + 1, dtype=np.int64)
    np.cumsum(np.fromiter(map(len, values), np.int64, len(values)), out=offsets[1:])
    return Ids(np.frombuffer(joined.encode(), np.uint8), offsets)


def blocks_of(documents: Iterable[IndexableDocument | DocumentBlock]) -> Iterator[DocumentBlock]:
    """Yield documents in blocks, in order; blocks among them stay as they are."""
    ids: list[str] = []
    titles: list[str] = []
    texts: list[str] = []
    num_bytes = 0
    for document in documents:
        given = document if isinstance(document, DocumentBlock) else None
        if not isinstance(document, DocumentBlock):
            ids.append(document.id)
            titles.append(document.title)
            texts.append(document.text)
            num_bytes += len(texts[-1])
        if ids and (given is not None or len(ids) >= DOCS_PER_BLOCK or num_bytes >= BYTES_PER_BLOCK):
            yield DocumentBlock.of(ids, titles, texts)
            ids, titles, texts, num_bytes = [], [], [], 0
        if given is not None:
            yield given
    if ids:
        yield DocumentBlock.of(ids, titles, texts)


def blocks_of_texts(texts: Mapping[str, str]) -> Iterator[DocumentBlock]:
    """Yield texts by id in blocks, without titles."""
    items = iter(texts.items())
    while some := list(itertools.islice(items, DOCS_PER_BLOCK)):
        yield DocumentBlock.of([str(id_) for id_, _ in some], [""] * len(some), [text for _, text in some])
