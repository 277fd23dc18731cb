"""A process that reads, and one that watches it: what dies, or hangs where no alarm reaches, is a finding too.

Needs a system that can fork.
"""

from __future__ import annotations

import itertools
import json
import mmap
import os
import select
import signal
import struct
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any, BinaryIO

from tests.fuzz.readers import Reader, remove_folders
from tests.fuzz.running import bounded, run_cases

FROZEN_SECONDS = 60.0
"""Without a new case for so long, compiled code hangs: the process is ended."""

WITHOUT_END = 1 << 40

Job = tuple[str, int, int, float | None]
"""A reader, its first case and its last, and how many seconds it may take."""

Tallies = dict[str, dict[str, Any]]
Told = Callable[[str, list[str]], None]


def supervised(
    readers: Mapping[str, Reader],
    jobs: list[Job],
    seed: int,
    told: Told = lambda reader, findings: None,
    frozen_seconds: float = FROZEN_SECONDS,
) -> tuple[Tallies, list[str]]:
    """All jobs, in a process that is watched; `told` hears of each reader that is done."""
    tallies: Tallies = {}
    findings: list[str] = []
    place = mmap.mmap(-1, 8)

    def done_with(line: bytes) -> None:
        found = json.loads(line)
        _merge(tallies, found["reader"], found["tally"])
        findings.extend(found["findings"])
        told(found["reader"], found["findings"])

    left = list(jobs)
    while left:
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(read)
            with os.fdopen(write, "wb") as out:
                _work(readers, left, seed, out, place)
            remove_folders()
            os._exit(0)
        os.close(write)
        with os.fdopen(read, "rb") as results:
            done = _watch(child, results, place, done_with, frozen_seconds)
        left = left[done:]
        if left:
            left = _after_a_death(left, place, seed, findings, told)
    return tallies, findings


def _after_a_death(left: list[Job], place: mmap.mmap, seed: int, findings: list[str], told: Told) -> list[Job]:
    """What is still to do: the cases after the one that ended the process, which is a finding."""
    (died,) = struct.unpack("q", place[:8])
    name, _, last, seconds = left[0]
    findings.append(f"# the process dies or hangs\npython -m tests.fuzz --reader {name} --case {died} --seed {seed}")
    told(name, findings[-1:])
    return [(name, died + 1, last, seconds), *left[1:]] if died + 1 < last else left[1:]


def _work(readers: Mapping[str, Reader], jobs: list[Job], seed: int, out: BinaryIO, place: mmap.mmap) -> None:
    """What the watched process does: a line of JSON for each job that is done."""

    def before(number: int) -> None:
        place[:8] = struct.pack("q", number)

    for name, *_ in jobs:
        _ = readers[name].good  # made before memory is bounded
    with bounded() as folder:
        for name, first, last, seconds in jobs:
            until = None if seconds is None else time.perf_counter() + seconds
            tally, found = run_cases(readers[name], _numbers(first, last), folder, seed, until=until, before=before)
            line = {"reader": name, "tally": vars(tally), "findings": list(map(str, found))}
            out.write(json.dumps(line).encode() + b"\n")
            out.flush()


def _numbers(first: int, last: int) -> Iterator[int]:
    return iter(range(first, last)) if last < WITHOUT_END else itertools.count(first)


def _watch(
    child: int, results: BinaryIO, place: mmap.mmap, done_with: Callable[[bytes], None], frozen_seconds: float
) -> int:
    """How many jobs were done before the process ended, or was ended because it stood still."""
    done, buffer, last, since = 0, b"", b"", time.monotonic()
    while True:
        ready, _, _ = select.select([results], [], [], min(1.0, frozen_seconds))
        if ready:
            chunk = os.read(results.fileno(), 1 << 20)
            if not chunk:
                break
            *lines, buffer = (buffer + chunk).split(b"\n")
            for line in lines:
                done += 1
                done_with(line)
        if place[:8] != last:
            last, since = place[:8], time.monotonic()
        elif time.monotonic() - since > frozen_seconds:
            os.kill(child, signal.SIGKILL)
            since = time.monotonic()
    os.waitpid(child, 0)
    return done


def _merge(tallies: Tallies, name: str, tally: dict[str, Any]) -> None:
    known = tallies.setdefault(name, {"files": 0, "accepted": 0, "seconds": 0.0, "messages": {}, "problems": {}})
    for key, value in tally.items():
        known[key] = dict(Counter(known[key]) + Counter(value)) if isinstance(value, dict) else known[key] + value
