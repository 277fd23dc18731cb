"""Assessors at a judging server: each judges one document after the other, with the requests of the judging screen.

`python -m benchmarks.assessors` is a process of its own, so that its work is not that of the server: JSON in and out.
"""

from __future__ import annotations

import json
import random
import sys
import threading
import time
import uuid
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.served import Browser

AHEAD = 5
"""Documents that the screen has ready, besides the one that it shows."""
HEARTBEAT = 20.0
"""Seconds between two requests for progress, which also keep the documents."""


@dataclass
class Judged:
    """What one assessor did: seconds of each acknowledgement and of each request for documents, and the events.

    `sent` has every answer that was given, acknowledged or not, with what it said.
    """

    acknowledged: list[str] = field(default_factory=list)
    answer_seconds: list[float] = field(default_factory=list)
    work_seconds: list[float] = field(default_factory=list)
    sent: dict[str, float] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)


class Assessor:
    """One person at one screen. `stop` ends it; `counts` says whether times are kept."""

    def __init__(
        self, port: int, cookie: str, name: str, *, stop: Callable[[], bool], counts: Callable[[], bool]
    ) -> None:
        self.browser = Browser(port)
        self.browser.cookie = cookie
        self.name, self.stop, self.counts = name, stop, counts
        self.draw = random.Random(name)
        self.done = Judged()
        self.queue: list[Any] = []
        self.beat = time.monotonic() + HEARTBEAT * self.draw.random()

    def run(self) -> None:
        """Judge until stopped, or until nothing is left; a problem is written down and ends it."""
        try:
            self._ask(None, progress=True)
            while not self.stop():
                if not self.queue:
                    time.sleep(0.05)  # the rest is in others' hands
                    self._ask(None)
                    continue
                shown = self.queue.pop(0)
                self._ask(shown)
                self._answer(shown)
        except (OSError, AssertionError) as error:
            self.done.problems.append(f"{type(error).__name__}: {error}")
        finally:
            self.browser.close()

    def _ask(self, shown: Any, *, progress: bool = False) -> None:
        beats = time.monotonic() > self.beat
        self.beat += HEARTBEAT * beats
        wanted = {
            "seen": [] if shown is None else [shown["task"]],
            "holding": [one["task"] for one in self.queue],
            "answered": [],
            "want": max(0, AHEAD - len(self.queue)),
            "progress": progress or beats,
            "keep": beats,
        }
        begin = time.perf_counter()
        found = self.browser.json("POST", "/api/work", wanted)
        if self.counts():
            self.done.work_seconds.append(time.perf_counter() - begin)
        self.queue = [one for one in self.queue if one["task"] not in found["lost"]] + found["tasks"]

    def _answer(self, shown: Any) -> None:
        answer = {"event": str(uuid.uuid4()), "task": shown["task"]}
        answer |= {"kind": "grade", "grade": self.draw.randrange(2), "rubric": "1", "seconds": 2.5}
        self.done.sent[answer["event"]] = answer["grade"]
        begin = time.perf_counter()
        (receipt,) = self.browser.json("POST", "/api/answers", {"assessor": self.name, "answers": [answer]})["receipts"]
        if receipt["status"] != "stored":
            raise AssertionError(f"answer not stored: {receipt}")
        self.done.acknowledged.append(answer["event"])
        if self.counts():
            self.done.answer_seconds.append(time.perf_counter() - begin)


def judge(port: int, cookies: dict[str, str], warm_up: float, seconds: float) -> list[Judged]:
    """Let everybody judge at once for so long, after a warm-up that is not counted."""
    begin = time.monotonic() + warm_up

    def stop() -> bool:
        return time.monotonic() >= begin + seconds

    def counts() -> bool:
        return begin <= time.monotonic() < begin + seconds

    people = [Assessor(port, cookie, name, stop=stop, counts=counts) for name, cookie in cookies.items()]
    threads = [threading.Thread(target=person.run) for person in people]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [person.done for person in people]


def _main() -> None:
    sys.setswitchinterval(0.0005)  # so that a reply is noticed at once, whatever the other threads do
    json.dump([asdict(one) for one in judge(**json.load(sys.stdin))], sys.stdout)


if __name__ == "__main__":
    _main()
