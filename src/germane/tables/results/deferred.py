"""Tables of a result that are computed when they are first read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Generic, TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")


class Deferred(Mapping[Key, Value], Generic[Key, Value]):
    """A mapping with known keys, whose values are all computed when one of them is first read.

    >>> squares = Deferred([1, 2], lambda: {1: 1, 2: 4})
    >>> list(squares), squares[2]
    ([1, 2], 4)
    """

    def __init__(self, keys: Iterable[Key], compute: Callable[[], Mapping[Key, Value]]) -> None:
        self._keys = dict.fromkeys(keys)
        self._compute = compute
        self._values: Mapping[Key, Value] | None = None

    def __getitem__(self, key: Key) -> Value:
        if key not in self._keys:
            raise KeyError(key)
        if self._values is None:
            self._values = self._compute()
        return self._values[key]

    def __contains__(self, key: object) -> bool:
        return key in self._keys

    def __iter__(self) -> Iterator[Key]:
        return iter(self._keys)

    def __len__(self) -> int:
        return len(self._keys)

    def __repr__(self) -> str:
        return repr(dict(self))

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (dict(self),)
