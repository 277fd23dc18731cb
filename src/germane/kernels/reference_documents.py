"""The plain references of the kernel for documents: of JSON lines, it collects them and leaves reading to Python."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

COMPILED = False
Columns = list[tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64]]]


class DocumentColumns:
    """Collects documents: those of usual lines by itself, others as they are given. Here no line is usual."""

    def __init__(self) -> None:
        self._columns: tuple[list[bytes], list[bytes], list[bytes]] = ([], [], [])
        self.num_bytes = 0
        """The size of their texts."""

    @property
    def num_docs(self) -> int:
        """How many documents were collected since they were last taken."""
        return len(self._columns[0])

    def expect(
        self, keys: Sequence[bytes], id_key: int, title_key: int, pieces: Sequence[int], required: Sequence[int]
    ) -> None:
        """Take only objects of these keys; the texts are those under the keys numbered `pieces`, in this order.

        The key `id_key` and those numbered `required` must be there. A title is under `title_key`, or nowhere if -1.
        """

    def read(self, data: bytes, first: int, is_end: bool) -> tuple[int, int]:
        """Read usual lines from `first` on: where the first other or incomplete one begins, and the number of lines."""
        return first, 0

    def append(self, id: bytes, title: bytes, text: bytes) -> None:  # noqa: A002
        """Collect a document that was read elsewhere: id, title and text in UTF-8."""
        for column, value in zip(self._columns, (id, title, text), strict=True):
            column.append(value)
        self.num_bytes += len(text)

    def ids_from(self, first: int) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64]]:
        """The ids of the documents from `first` on: the bytes, and where each begins."""
        return _column(self._columns[0][first:])

    def take(self) -> Columns:
        """The ids, titles and texts collected: for each the bytes, and where each begins."""
        taken = [_column(column) for column in self._columns]
        for column in self._columns:
            column.clear()
        self.num_bytes = 0
        return taken


def _column(values: list[bytes]) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64]]:
    return np.frombuffer(b"".join(values), np.uint8), np.cumsum([0, *map(len, values)], dtype=np.int64)


class IdSet:
    """Different ids, numbered in the order in which they were added."""

    def __init__(self) -> None:
        self._numbers: dict[bytes, int] = {}

    def __len__(self) -> int:
        return len(self._numbers)

    def add(self, id: bytes) -> int:  # noqa: A002
        """Add one id: the number of the one that is there already, or -1."""
        number = self._numbers.setdefault(id, before := len(self._numbers))
        return -1 if number == before else number

    def add_all(self, data: npt.NDArray[np.uint8], offsets: npt.NDArray[np.int64]) -> tuple[int, int]:
        """Add ids until one is there already: how many were added, and the number of that one, or -1."""
        for added, (start, end) in enumerate(itertools.pairwise(offsets.tolist())):
            if (number := self.add(data[start:end].tobytes())) >= 0:
                return added, number
        return len(offsets) - 1, -1
