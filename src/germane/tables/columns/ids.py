"""Ids of queries and documents: bytes in one block, with the offset of each (Arrow's layout).

Ids are byte strings, compared and ordered as bytes; people see them as text (UTF-8; bytes that are not UTF-8 survive
as surrogate escapes, so nothing is lost on the way in and out).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, cast

import numpy as np
import numpy.typing as npt

from germane import kernels

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]


def to_bytes(text: object) -> bytes:
    """Return an id as bytes: text is encoded, an integer is written in decimal."""
    return text if isinstance(text, bytes) else str(text).encode("utf-8", "surrogateescape")


def to_text(data: bytes) -> str:
    """Return an id as text."""
    return data.decode("utf-8", "surrogateescape")


def first_row(marks: BoolArray) -> int | None:
    """Return the first row that is marked, or None.

    >>> first_row(np.array([False, True, True])), first_row(np.array([False]))
    (1, None)
    """
    return int(marks.argmax()) if marks.any() else None


class Gathered(Protocol):
    """Bytes that support lookup by index: an array, or an object that checks bounds."""

    def __getitem__(self, places: IntArray, /) -> npt.NDArray[np.uint8]: ...


@dataclass(frozen=True, eq=False)
class Ids:
    """A sequence of ids.

    >>> ids = Ids.of(["b", "a", "ab"])
    >>> len(ids), ids[2], list(ids), ids.find("a"), ids.find("z")
    (3, 'ab', ['b', 'a', 'ab'], 1, None)
    """

    data: npt.NDArray[np.uint8]
    offsets: IntArray

    @classmethod
    def of(cls, values: Iterable[object]) -> Ids:
        """Return ids from text, bytes or integers."""
        encoded = [to_bytes(value) for value in values]
        offsets = np.zeros(len(encoded) + 1, dtype=np.int64)
        np.cumsum(np.fromiter(map(len, encoded), dtype=np.int64, count=len(encoded)), out=offsets[1:])
        return cls(np.frombuffer(b"".join(encoded), dtype=np.uint8), offsets)

    @classmethod
    def together(cls, several: Sequence[Ids]) -> Ids:
        """Return the ids of several sequences as one.

        >>> list(Ids.together([Ids.of(["a", "b"]), Ids.of([]), Ids.of(["c"])]))
        ['a', 'b', 'c']
        """
        sizes = [np.diff(ids.offsets) for ids in several]
        data = [ids.data[ids.offsets[0] : ids.offsets[-1]] for ids in several]
        offsets = np.concatenate([np.zeros(1, np.int64), *sizes]).cumsum()
        return cls(np.concatenate([np.zeros(0, np.uint8), *data]), offsets)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, index: int) -> str:
        return to_text(self.bytes_at(index))

    def __iter__(self) -> Iterator[str]:
        return map(to_text, self.to_bytes_list())

    def __repr__(self) -> str:
        shown = ", ".join(repr(self[i]) for i in range(min(len(self), 3)))
        return f"<{len(self)} ids: {shown}{', …' if len(self) > 3 else ''}>"

    def bytes_at(self, index: int) -> bytes:
        """Return one id as bytes."""
        if not 0 <= index < len(self):
            raise IndexError(index)
        return self.data[self.offsets[index] : self.offsets[index + 1]].tobytes()

    def to_bytes_list(self) -> list[bytes]:
        """Return all ids as bytes objects."""
        block = self.data.tobytes()
        return [block[start:end] for start, end in itertools.pairwise(self.offsets.tolist())]

    def find(self, text: str | bytes) -> int | None:
        """Return the position of an id, or None."""
        try:
            return self.to_bytes_list().index(to_bytes(text))
        except ValueError:
            return None

    @classmethod
    def of_spans(cls, data: bytes | Gathered, start: IntArray, size: IntArray) -> Ids:
        """Return ids from spans of a block of bytes."""
        block: Gathered = np.frombuffer(data, dtype=np.uint8) if isinstance(data, bytes) else data
        offsets = np.zeros(len(start) + 1, dtype=np.int64)
        np.cumsum(size, out=offsets[1:])
        return cls(block[np.repeat(start - offsets[:-1], size) + np.arange(offsets[-1])], offsets)

    def take(self, indices: IntArray) -> Ids:
        """Return the ids at these positions, in this order."""
        return Ids.of_spans(self.data, self.offsets[indices], np.diff(self.offsets)[indices])

    def numbered(self) -> tuple[Ids, IntArray]:
        """Return the distinct ids in byte order, and the index of each id among them.

        >>> distinct, place = Ids.of(["b", "a", "b"]).numbered()
        >>> list(distinct), place
        (['a', 'b'], array([1, 0, 1]))
        """
        ids = self.to_bytes_list()
        distinct = sorted(set(ids))
        place = {id_: i for i, id_ in enumerate(distinct)}
        return Ids.of(distinct), np.fromiter(map(place.__getitem__, ids), dtype=np.int64, count=len(ids))

    def byte_order(self) -> IntArray:
        """Return the index of each id among the distinct ones in byte order.

        >>> Ids.of(["b", "ab", "a", "b"]).byte_order()
        array([2, 1, 0, 2])
        """
        place: IntArray = kernels.byte_order(self.data, self.offsets)[1]
        return place

    def sorted_indices(self) -> IntArray:
        """Return the indices of the ids in byte order; equal ids keep their order.

        >>> Ids.of(["b", "ab", "a", "b"]).sorted_indices()
        array([2, 1, 0, 3])
        """
        order: IntArray = kernels.byte_order(self.data, self.offsets)[0]
        return order


def names_of(ids: Ids, places: IntArray) -> list[str]:
    """Return the text of the ids at these positions; repeated ids share one text object.

    >>> names_of(Ids.of(["q1", "q2"]), np.array([1, 1, 0]))
    ['q2', 'q2', 'q1']
    """
    return cast("list[str]", np.array([*ids], dtype=object)[places].tolist())
