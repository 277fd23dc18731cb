"""Requests that share one commit, so that many people wait for the disk once instead of one after the other.

While a batch is on its way to the disk, the next requests wait and form the next batch. A reply is sent after the
commit of its batch, never before.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from starlette.concurrency import run_in_threadpool

from germane.judging.store.connection import Database
from germane.judging.store.order import forget_orders

MOST_TOGETHER = 32
"""Maximum number of requests in one commit: more would only make the first of them wait."""


@dataclass(frozen=True)
class Afterwards:
    """What remains to be done for a reply when the commit is over, such as preparing documents for display."""

    function: Callable[[], Any]


Waiting = tuple[Callable[[], Any], "asyncio.Future[Any]"]
Outcome = tuple[Any, Exception | None]


class Batches:
    """Runs functions that write to one SQLite database, one batch at a time, in a thread."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self._waiting: list[Waiting] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self._is_running = False

    async def run(self, function: Callable[[], Any]) -> Any:
        """Return what the function returns, or raise its error, once what it wrote is on disk."""
        future = asyncio.get_running_loop().create_future()
        self._waiting.append((function, future))
        if not self._is_running:
            self._is_running = True
            self._start(self._run_all())
        return await future

    def _start(self, work: Any) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)  # the loop itself keeps only a weak reference
        task.add_done_callback(self._tasks.discard)

    async def _run_all(self) -> None:
        try:
            while batch := self._waiting[:MOST_TOGETHER]:
                del self._waiting[:MOST_TOGETHER]
                rest = []
                for (_, future), outcome in await _in_thread(self._run_together, batch):
                    if isinstance(outcome[0], Afterwards):
                        rest.append((outcome[0].function, future))
                    else:
                        _settle(future, outcome)
                if rest:  # while the next batch is written
                    self._start(_finish(rest))
        finally:
            self._is_running = False

    def _run_together(self, functions: Sequence[Callable[[], Any]]) -> list[Outcome]:
        try:
            with self.database.together():
                outcomes = _outcomes(functions)
        except Exception as error:  # nothing was committed, so nobody is told that it was
            forget_orders(self.database)
            return [(None, error)] * len(functions)
        return outcomes


async def _finish(rest: Sequence[Waiting]) -> None:
    for (_, future), outcome in await _in_thread(_outcomes, rest):
        _settle(future, outcome)


async def _in_thread(
    run: Callable[[Sequence[Callable[[], Any]]], list[Outcome]], batch: Sequence[Waiting]
) -> list[tuple[Waiting, Outcome]]:
    """Run the functions of a batch in one thread; if the server stops meanwhile, nobody waits for them forever."""
    try:
        return list(zip(batch, await run_in_threadpool(run, [function for function, _ in batch]), strict=True))
    except BaseException:
        for _, future in batch:
            future.cancel()
        raise


def _outcomes(functions: Sequence[Callable[[], Any]]) -> list[Outcome]:
    """Run each; the error of one belongs to its request, and the others go on."""
    outcomes: list[Outcome] = []
    for function in functions:
        try:
            outcomes.append((function(), None))
        except Exception as error:
            outcomes.append((None, error))
    return outcomes


def _settle(future: asyncio.Future[Any], outcome: Outcome) -> None:
    result, error = outcome
    if future.done():  # whoever asked has gone
        return
    if error is None:
        future.set_result(result)
    else:
        future.set_exception(error)
