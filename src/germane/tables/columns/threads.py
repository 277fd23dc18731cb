"""Map a function over a few items in threads, as `concurrent.futures` does, without its start-up time."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from threading import Thread, local
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

_here = local()


@contextmanager
def one_thread() -> Iterator[None]:
    """Restrict the calling thread to one core within this context, since others have their own work."""
    before = getattr(_here, "alone", False)
    _here.alone = True
    try:
        yield
    finally:
        _here.alone = before


def num_threads() -> int:
    """Return the number of cores that the calling thread may use."""
    if getattr(_here, "alone", False):
        return 1
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def map_in_threads(function: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
    """Return the results in order; an exception in a thread is raised here. The kernels release Python's lock.

    >>> map_in_threads(lambda x: x * x, [1, 2, 3])
    [1, 4, 9]
    """
    results: dict[int, Result] = {}
    problems: list[BaseException] = []

    def work(i: int, item: Item) -> None:
        try:
            results[i] = function(item)
        except BaseException as problem:  # raised again below
            problems.append(problem)

    threads, own = [], [(i, item) for i, item in enumerate(items[:1])]
    for i, item in enumerate(items[1:], start=1):
        thread = Thread(target=work, args=(i, item))
        try:
            thread.start()
        except (RuntimeError, MemoryError):  # no memory for its stack: the calling thread does its work
            own.append((i, item))
        else:
            threads.append(thread)
    for i, item in own:
        work(i, item)
    for thread in threads:
        thread.join()
    if problems:
        raise problems[0]
    return [results[i] for i in range(len(items))]
