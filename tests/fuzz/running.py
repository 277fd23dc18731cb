"""Many cases, reader by reader: counted, and what does not hold kept once for each kind of problem."""

from __future__ import annotations

import re
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.fuzz.minimising import as_test, minimised
from tests.fuzz.outcomes import SECONDS, case_of, judge, memory_limit
from tests.fuzz.readers import Reader

MEMORY = 2 << 30
"""How many bytes of address space a run may take beyond what it starts with."""

MOST_OF_A_KIND = 3
SLOW = ("hang", "memory")


@dataclass(frozen=True)
class Finding:
    """A case that does not hold, as small as it could be made."""

    reader: str
    seed: int
    case: int
    kind: str
    problem: str
    smallest: Any

    def __str__(self) -> str:
        again = f"python -m tests.fuzz --reader {self.reader} --case {self.case} --seed {self.seed}"
        return f"{again}\n{as_test(self.reader, self.seed, self.case, self.smallest, self.problem)}"


@dataclass
class Tally:
    """What came of the cases of one reader."""

    files: int = 0
    accepted: int = 0
    seconds: float = 0.0
    messages: Counter[str] = field(default_factory=Counter)
    problems: Counter[str] = field(default_factory=Counter)

    def add(self, message: str, *, accepted: bool) -> None:
        """One case more."""
        self.files += 1
        self.accepted += accepted
        if message:
            self.messages[pattern(message)] += 1


def pattern(message: str) -> str:
    """A message without what differs from case to case: where, quoted texts and numbers.

    >>> pattern("run.txt:12: expected 6 fields, found 5: 'q1 Q0'")
    "…: expected N fields, found N: '…'"
    """
    first = message.partition("\nHint:")[0]
    first = re.sub(r"^\S*?(?:file|[\w-]+\.\w+(?:\.\w+)?)(?::\d+)?: ", "…: ", first)
    first = re.sub(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"", "'…'", first)
    return re.sub(r"\d[\d,.]*", "N", first)[:100]


@contextmanager
def working_folder() -> Iterator[Path]:
    """A folder for the files, in memory where the system has such a place."""
    fast = Path("/dev/shm")
    with tempfile.TemporaryDirectory(prefix="germane-fuzz-", dir=fast if fast.is_dir() else None) as folder:
        yield Path(folder)


def run_cases(
    reader: Reader,
    numbers: Iterator[int],
    folder: Path,
    seed: int,
    *,
    until: float | None = None,
    seconds: float = SECONDS,
    before: Callable[[int], None] = lambda number: None,
) -> tuple[Tally, list[Finding]]:
    """These cases of a reader; `until` a time of the clock, if one is given. `before` hears of each case first."""
    tally, findings = Tally(), list[Finding]()
    start = time.perf_counter()
    for number in numbers:
        if until is not None and time.perf_counter() > until and tally.files:
            break
        before(number)
        case = case_of(reader, seed, number)
        outcome = judge(reader, case, folder, seconds)
        tally.add(outcome.message, accepted=outcome.accepted)
        if outcome.problem is not None:
            tally.problems[outcome.kind] += 1
            if tally.problems[outcome.kind] <= MOST_OF_A_KIND:
                findings.append(_finding(reader, seed, number, case, outcome.kind, outcome.problem, folder, seconds))
    tally.seconds = time.perf_counter() - start
    return tally, findings


def _finding(
    reader: Reader, seed: int, number: int, case: Any, kind: str, problem: str, folder: Path, seconds: float
) -> Finding:
    if kind in SLOW:  # each try would take as long again
        return Finding(reader.name, seed, number, kind, problem, case)
    smallest = minimised(case, lambda one: judge(reader, one, folder, seconds).kind == kind)
    found = judge(reader, smallest, folder, seconds)
    return Finding(reader.name, seed, number, kind, found.problem or problem, smallest)


def shares(readers: Mapping[str, Reader], files: int) -> dict[str, int]:
    """How many of so many files each reader gets: at least one."""
    total = sum(reader.share for reader in readers.values())
    return {name: max(1, round(files * reader.share / total)) for name, reader in readers.items()}


@contextmanager
def bounded(memory: int = MEMORY) -> Iterator[Path]:
    """A folder to work in, and a bound on memory."""
    with working_folder() as folder, memory_limit(memory):
        yield folder
