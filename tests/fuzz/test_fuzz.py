"""The fuzzer itself: a small budget of cases for every reader, the registry's law, and readers that it must catch.

The budget is a fixed number of cases. `make fuzz` reads as many as one likes; .ci/run has a minute of it.
"""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

import germane
from germane.errors import GermaneError, InputError
from tests.conftest import ROOT
from tests.fuzz import excused
from tests.fuzz.minimising import minimised
from tests.fuzz.outcomes import case_of, judge
from tests.fuzz.readers import Reader, all_readers
from tests.fuzz.running import bounded, run_cases

READERS = tuple(all_readers().values())
CASES = 4
"""Of each reader, here: the first ones of seed 0."""

NOT_ALL_GOOD = ("request_bodies", "recognised")
"""A name and a password that nobody has; files that only their ending tells."""

ROOMS = (
    "formats",
    "tables",
    "measures",
    "stats",
    "retrieval",
    "learning",
    "judging",
    "vectors",
    "api",
    "web",
    "trec_eval",
)
SOUNDS_LIKE_A_READER = re.compile(r"(?:read|open|load|parse|stream|scan|import|sample)(?:_[a-z_]+)?|from_json|\w+_from")
TRIPLE_QUOTED = re.compile(r'"""(?:[^"\\]|\\.|"(?!""))*"""', re.DOTALL)
FUNCTION = re.compile(r"(    )?def ([a-z]\w*)\(")
READS_FILES = re.compile(
    r"open_source\(|json\.loads?\(|np\.load\(|\.read_text\(|\.read_bytes\(|\.open\(\"r|\.open\(encoding"
)


@pytest.mark.parametrize("name", all_readers())
def test_a_few_cases(name: str) -> None:
    reader = all_readers()[name]
    _ = reader.good
    with bounded() as folder:
        tally, findings = run_cases(reader, iter(range(CASES)), folder, seed=0)
    assert findings == [], "\n".join(map(str, findings))
    assert tally.files == CASES


def test_good_files_are_good(tmp_path: Path) -> None:
    for reader in READERS:
        for good in reader.good:
            outcome = judge(reader, good, tmp_path)
            assert outcome.problem is None, reader.name
            assert outcome.accepted or reader.name in NOT_ALL_GOOD, f"{reader.name}: {outcome.message}"


def test_a_case_is_always_the_same() -> None:
    for reader in READERS:
        assert repr(case_of(reader, 1, 5)) == repr(case_of(reader, 1, 5)), reader.name
        assert len({repr(case_of(reader, 1, number)) for number in range(8)}) > 1, reader.name


# The law: nothing that reads is left out ------------------------------------------------------------------------------


def covered() -> set[str]:
    return {f"{function.__module__}:{function.__qualname__}" for reader in READERS for function in reader.covers}


def sources() -> Iterator[tuple[str, str]]:
    """The modules of germane, and their text without docstrings."""
    root = Path(germane.__file__).parent
    for path in sorted(root.rglob("*.py")):
        name = ".".join(path.relative_to(root.parent).with_suffix("").parts).removesuffix(".__init__")
        yield name, TRIPLE_QUOTED.sub('""', path.read_text(encoding="utf-8"))


def readers_in(module: str, text: str) -> Iterator[str]:
    """The public functions and class methods of a module that sound like readers."""
    own, decorators = "", set[str]()
    for line in text.splitlines():
        if line.startswith("class "):
            own = re.split(r"\W", line[6:])[0]
        if found := FUNCTION.match(line):
            is_method, name = bool(found[1]), found[2]
            if SOUNDS_LIKE_A_READER.fullmatch(name) and not (is_method and own.startswith("_")):
                if not is_method:
                    yield f"{module}:{name}"
                elif decorators & {"@classmethod", "@staticmethod"}:
                    yield f"{module}:{own}.{name}"
        decorators = {*decorators, line.strip()} if line.strip().startswith("@") else set()


def left_out(found: Iterable[str]) -> list[str]:
    return sorted(set(found) - covered() - set(excused.FUNCTIONS))


def in_rooms(module: str) -> bool:
    return module.split(".")[1:2] != [] and module.split(".")[1] in ROOMS


def test_every_reader_is_in_the_registry() -> None:
    found = {name for module, text in sources() if in_rooms(module) for name in readers_in(module, text)}
    assert left_out(found) == []
    assert sorted(set(excused.FUNCTIONS) - found) == [], "excused for nothing"


NEW = """
def read_new(path): ...
def written(path): ...
class Board:
    @classmethod
    @checked
    def from_json(cls, given): ...
    def read(self): ...
"""


def test_the_law_catches_a_reader_that_is_left_out() -> None:
    found = readers_in("germane.formats.new", NEW)
    assert left_out(found) == ["germane.formats.new:Board.from_json", "germane.formats.new:read_new"]


def test_every_module_that_reads_files_is_behind_a_reader() -> None:
    names = {module for module, text in sources() if READS_FILES.search(text)}
    behind = {name.partition(":")[0] for name in covered()}
    assert sorted(names - behind - set(excused.MODULES)) == []
    assert sorted(set(excused.MODULES) - names) == [], "excused for nothing"
    assert READS_FILES.search("body = json.loads(text)")


def test_every_request_with_a_body_has_one_here() -> None:
    from tests.fuzz.readers_of_requests import BODIES, WITH_BODY

    patterns = [re.sub(r"\{[^}]+\}", "[^/]+", request) for request in WITH_BODY]
    assert all(any(re.fullmatch(pattern, request) for request in BODIES) for pattern in patterns)


# Readers that it must catch -------------------------------------------------------------------------------------------


def broken(read: Any, **more: Any) -> Reader:
    return Reader("broken", read, lambda: [b"q1 d1 1\n", b"q2 d2 2\n"], "broken.txt", **more)


def hangs(path: Path) -> object:
    while True:
        time.sleep(0.01 if path.exists() else 0.1)


def eats_memory(_: Path) -> object:
    return [bytes(1 << 26) for _ in range(1000)]


def refuses(message: str) -> Any:
    def read(path: Path) -> object:
        error = GermaneError("")
        error.message = message.replace("FILE", path.name)  # as if nobody had made it fit for a terminal
        raise error

    return read


def leaves_open(path: Path) -> object:
    return path.open("rb").read(1)  # nobody closes it


NOTHING: dict[Path, object] = {}
BROKEN = [
    # reader                                                        what is said
    (broken(lambda path: NOTHING[path]),                                 "raises KeyError"),
    (broken(hangs),                                                 "hangs"),
    (broken(eats_memory),                                           "more memory"),
    (broken(refuses("something is wrong")),                         "does not name the file"),
    (broken(refuses("FILE: 'int' object has no attribute 'x'")),    "Python's insides"),
    (broken(refuses("FILE: " + "x" * 9999)),                        "10,011 characters"),
    (broken(refuses("FILE: \0")),                                   "control characters"),
    (broken(leaves_open),                                           "unclosed file"),
    (broken(lambda path: 1, plain=lambda path: 2),                  "two ways to read it differ"),
    (broken(lambda path: 1, plain=refuses("FILE: no")),             "two ways to read it differ"),
    (broken(lambda path: 1, again=lambda value, path: 2),           "written and read again"),
    (broken(lambda path: 1, again=lambda value, path: NOTHING[path]),       "written and read again"),
]  # fmt: skip


@pytest.mark.parametrize(("reader", "said"), BROKEN, ids=[said for _, said in BROKEN])
def test_a_broken_reader_is_caught(reader: Reader, said: str) -> None:
    with bounded(1 << 30) as folder:
        outcome = judge(reader, b"q1 d1 1\n", folder, seconds=0.2 if said == "hangs" else 10)
    assert outcome.problem is not None
    assert said in outcome.problem


def test_a_reader_that_is_well_is_not_caught(tmp_path: Path) -> None:
    def read(path: Path) -> object:
        if not path.read_bytes().startswith(b"q"):
            raise InputError(path, 1, "expected a query, found something else")
        return path.read_bytes()

    def again(value: Any, path: Path) -> object:
        path.write_bytes(value)
        return path.read_bytes()

    for number in range(30):
        reader = broken(read, again=again, plain=read)
        assert judge(reader, case_of(reader, 1, number), tmp_path).problem is None


def test_a_finding_is_small_and_can_be_run_again(tmp_path: Path) -> None:
    def read(path: Path) -> object:
        return NOTHING[path] if b"2" in path.read_bytes() else None

    _, findings = run_cases(broken(read), iter(range(20)), tmp_path, seed=1)
    assert {finding.smallest for finding in findings} == {b"2"}
    assert f"--reader broken --case {findings[0].case} --seed 1" in str(findings[0])
    assert "case = b'2'" in str(findings[0])


def test_minimising_leaves_nothing_out_that_is_needed() -> None:
    assert minimised(b"a long text with x and y in it", lambda data: b"x" in data and b"y" in data) == b"xy"


DEADLY = """
import os, time
from tests.fuzz.readers import Reader
from tests.fuzz.supervising import supervised

def dies(path):
    os.abort() if b"2" in path.read_bytes() else None

def hangs_in_c(path):
    "Where no alarm of Python reaches: nothing is read any more."
    import signal
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])
    time.sleep(60) if b"2" in path.read_bytes() else None

for read in (dies, hangs_in_c):
    reader = Reader("deadly", read, lambda: [b"1", b"2"])
    tallies, findings = supervised({"deadly": reader}, [("deadly", 0, 4, None)], 1, frozen_seconds=0.3)
    print(read.__name__, len(findings), findings[:1])
"""
"""A script that starts processes which die and hang; it has a process of its own."""


def test_a_process_that_dies_or_hangs_is_a_finding() -> None:
    done = subprocess.run([sys.executable, "-c", DEADLY], cwd=ROOT, capture_output=True, text=True, check=True)
    for line, name in zip(done.stdout.splitlines(), ("dies", "hangs_in_c"), strict=True):
        called, count, first = line.split(" ", 2)
        assert called == name
        assert int(count) >= 1
        assert re.search(r"the process dies or hangs.*--reader deadly --case \d --seed 1", first)
