"""The runs of a call that are still to be scored, by their place, and who may have them next."""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Iterable
from threading import Lock


class RunsToScore:
    """Hands out runs, first come first served and in order; several threads may ask.

    `shared` may be scored by any process, `others` only by this one.

    >>> runs = RunsToScore(shared=[2, 3, 5], others=[4])
    >>> runs.take(), runs.take_shared(), runs.take()
    (2, 3, 4)
    >>> runs.give_back(3)                              # the helper could not do it
    >>> runs.take(), runs.take(), runs.take()
    (3, 5, None)
    """

    def __init__(self, shared: Iterable[int], others: Iterable[int]) -> None:
        self._shared = deque(shared)
        self._others = sorted(others)
        self._with_helpers: set[int] = set()
        self._end: float = float("inf")
        self._lock = Lock()

    def take(self) -> int | None:
        """The next run for this process."""
        with self._lock:
            if self._others and not (self._shared and self._shared[0] < self._others[0]):
                index = heapq.heappop(self._others)
            elif self._shared:
                index = self._shared.popleft()
            else:
                return None
            return index if index < self._end else None

    def take_shared(self) -> int | None:
        """The next run for another process."""
        with self._lock:
            if not self._shared or self._shared[0] >= self._end:
                return None
            index = self._shared.popleft()
            self._with_helpers.add(index)
            return index

    def is_scored(self, index: int) -> None:
        """Another process has scored this run."""
        with self._lock:
            self._with_helpers.discard(index)

    def give_back(self, index: int) -> None:
        """Another process could not score this run: it is for this one."""
        with self._lock:
            self._with_helpers.discard(index)
            heapq.heappush(self._others, index)

    def drop_after(self, index: int) -> None:
        """A run failed: those after it need not be scored any more, those before it may still fail."""
        with self._lock:
            self._end = min(self._end, index)

    @property
    def awaits_helpers(self) -> bool:
        """Whether runs that matter are with other processes."""
        with self._lock:
            return any(index < self._end for index in self._with_helpers)
