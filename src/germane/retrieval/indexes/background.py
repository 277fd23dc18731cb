"""Jobs in a second thread, for loops that release Python's lock: reading words, writing files."""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import Any, Self

MOST_JOBS = 2
"""Maximum number of jobs that are running or waiting, to bound the memory that their arguments take."""


class Background:
    """Runs jobs one after the other in a second thread; the error of a job is raised by a later call.

    >>> with Background() as background:
    ...     background.start(print, "one")
    ...     background.start(print, "two")
    one
    two
    """

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(1)
        self._jobs: deque[Future[Any]] = deque()

    def start(self, job: Callable[..., object], *args: object) -> None:
        """Add a job, once there is room for it."""
        while len(self._jobs) >= MOST_JOBS:
            self._jobs.popleft().result()
        self._jobs.append(self._pool.submit(job, *args))

    def wait(self) -> None:
        """Wait until all jobs are done."""
        while self._jobs:
            self._jobs.popleft().result()

    def settle(self) -> None:
        """Wait until no job is running, after an error: what they did is thrown away."""
        for job in self._jobs:
            job.cancel()
        while self._jobs:
            with contextlib.suppress(BaseException):
                self._jobs.popleft().result()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        try:
            if error is None:
                self.wait()
        finally:
            self._pool.shutdown(cancel_futures=True)
