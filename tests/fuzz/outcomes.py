"""What must hold of each case, and how a case that does not hold is told."""

from __future__ import annotations

import dataclasses
import math
import re
import signal
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from types import FrameType
from typing import Any

import numpy as np

from germane.errors import GermaneError
from germane.tables.columns.ids import Ids
from tests.fuzz.readers import Reader

SECONDS = 10.0
"""A case that takes longer hangs."""

LONGEST_MESSAGE = 4000

INTERNALS = re.compile(
    r"object has no attribute|Traceback"
    r"|\b(?:Key|Type|Value|Attribute|Index|Recursion|Unicode\w*|Overflow|ZeroDivision)Error\b"
    r"|'NoneType' object|not subscriptable|not iterable|not callable|keyword argument|positional argument|unhashable"
    r"|object at 0x|invalid literal for|could not convert|argument of type|unsupported operand|indices must be"
    r"|(?:list|string|tuple) index out of range|codec can't|must be real number|not supported between"
    r"|recursion depth|unpack"
)
"""What only somebody who reads Python's insides understands."""

VALUES = re.compile(r"NoneType|np\.\w+\(|<class '|Decimal\(")
"""How Python writes values: right for what was given in Python, wrong for what was read from a file."""


class HangError(BaseException):
    """The alarm; no reader catches it by mistake."""


@dataclass(frozen=True)
class Outcome:
    """What came of a case: accepted, refused with this message, or a problem of this kind."""

    accepted: bool = False
    message: str = ""
    problem: str | None = None
    kind: str = ""


def case_of(reader: Reader, seed: int, number: int) -> Any:
    """Case `number` of a seed: always the same."""
    return reader.case(Random(f"{seed}/{reader.name}/{number}"))


def judge(reader: Reader, case: Any, folder: Path, seconds: float = SECONDS) -> Outcome:
    """Read the case, and say whether all that must hold does."""
    try:
        with alarm(seconds), warnings.catch_warnings(), unraisable() as left:
            warnings.simplefilter("error")
            outcome = _judged(reader, case, folder)
        return Outcome(problem=f"leaves behind: {left[0]}", kind="leak") if left else outcome
    except HangError:
        return Outcome(problem=f"hangs: no answer within {seconds:g} s", kind="hang")
    except MemoryError:
        return Outcome(problem="needs more memory than it may", kind="memory")


def _judged(reader: Reader, case: Any, folder: Path) -> Outcome:
    given = reader.deliver(case, folder)
    outcome, value = _read(reader, reader.read, given)
    if outcome.problem is not None:
        return outcome
    if reader.plain is not None:
        other, plain = _read(reader, reader.plain, reader.deliver(case, folder))
        first, second = (one.message or canonical(read) for one, read in ((outcome, value), (other, plain)))
        if other.problem is not None or first != second:
            found = f"{_short(first)}, and plainly {other.problem or _short(second)}"
            return Outcome(problem=f"two ways to read it differ: {found}", kind="disagreement")
    if outcome.accepted and reader.again is not None:
        return _round_trip(reader, value, folder) or outcome
    return outcome


def _read(reader: Reader, read: Callable[[Any], object], given: Any) -> tuple[Outcome, object]:
    try:
        return Outcome(accepted=True), read(given)
    except MemoryError:
        raise
    except (GermaneError, *reader.refusals) as error:  # type: ignore[misc]
        message = str(error)
        problem = _problem_with_message(reader, message, given, ours=isinstance(error, GermaneError))
        return Outcome(message=message, problem=problem, kind="message" if problem else ""), None
    except Exception as error:  # noqa: BLE001, RUF100 - whatever it is, it is what we look for
        told = f"{type(error).__name__}: {_short(str(error))}"
        return Outcome(
            problem=f"raises {told} in {_where(error)}", kind=f"{type(error).__name__} {_where(error)}"
        ), None


def _round_trip(reader: Reader, value: object, folder: Path) -> Outcome | None:
    """None if what was written and read again is what it was; a writer may say that it cannot hold it."""
    assert reader.again is not None
    again = folder / "again"
    again.mkdir(exist_ok=True)
    before = canonical(value)
    outcome, back = _read(reader, lambda _: reader.again(value, again / reader.file), None)  # type: ignore[misc]
    if outcome.problem is not None and outcome.kind != "message":
        return Outcome(problem=f"written and read again, it {outcome.problem}", kind=f"round trip, {outcome.kind}")
    if outcome.accepted and canonical(back) != before:
        found = f"{_short(before)} became {_short(canonical(back))}"
        return Outcome(problem=f"written and read again, {found}", kind="round trip")
    return None


def _problem_with_message(reader: Reader, message: str, given: Any, *, ours: bool) -> str | None:
    if found := INTERNALS.search(message) or (reader.names_source and VALUES.search(message)) or None:
        return f"has Python's insides in its message ({found.group()!r}): {_short(message)}"
    if (
        reader.names_source
        and isinstance(given, Path)
        and given.parent.name not in message
        and given.stem not in message
    ):
        return f"does not name the file in its message: {_short(message)}"
    if len(message) > LONGEST_MESSAGE:
        return f"has a message of {len(message):,} characters: {_short(message)}"
    if ours and ("\0" in message or "\x1b" in message):
        return f"has control characters in its message: {_short(message)}"
    return None


def _where(error: BaseException) -> str:
    """The last place inside germane that the error passed."""
    place, trace = "", error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        if "germane" in Path(code.co_filename).parts:
            place = f"{Path(code.co_filename).name}:{code.co_name}"
        trace = trace.tb_next
    return place


def _short(value: object) -> str:
    text = value if isinstance(value, str) else repr(value)
    text = text.encode("utf-8", "backslashreplace").decode().replace("\0", "\\0").replace("\x1b", "\\e")
    return text if len(text) <= 300 else f"{text[:200]} … {text[-80:]}"


@contextmanager
def alarm(seconds: float) -> Iterator[None]:
    """Raises `HangError` in the main thread once the time is over."""

    def ring(_: int, __: FrameType | None) -> None:
        raise HangError

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@contextmanager
def unraisable() -> Iterator[list[str]]:
    """What Python could not raise meanwhile: files that nobody closed."""
    left: list[str] = []
    before, sys.unraisablehook = sys.unraisablehook, lambda found: left.append(str(found.exc_value))
    try:
        yield left
    finally:
        sys.unraisablehook = before


@contextmanager
def memory_limit(more_bytes: int) -> Iterator[None]:
    """No more than so many bytes of address space beyond those in use; what asks for more gets a `MemoryError`."""
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    pages = (
        int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) if Path("/proc/self/statm").exists() else 0
    )
    if not pages:  # only Linux says how much is in use
        yield
        return
    limit = pages * resource.getpagesize() + more_bytes
    resource.setrlimit(resource.RLIMIT_AS, (limit if hard == resource.RLIM_INFINITY else min(limit, hard), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def canonical(value: Any) -> Any:
    """A value in a form that compares: equal where two readings hold the same. Names and sources are left out."""
    if isinstance(value, Ids):
        return ("ids", tuple(value.to_bytes_list()))
    if isinstance(value, np.ndarray):
        return ("array", value.shape, tuple(map(canonical, value.ravel().tolist())))
    if isinstance(value, float):
        return "nan" if math.isnan(value) else value + 0.0
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = (field.name for field in dataclasses.fields(value) if field.name not in ("name", "source", "path"))
        return (type(value).__name__, *((name, canonical(getattr(value, name))) for name in fields))
    if isinstance(value, Mapping):
        return ("mapping", tuple((canonical(key), canonical(one)) for key, one in value.items()))
    if isinstance(value, list | tuple):
        return tuple(map(canonical, value))
    if isinstance(value, set | frozenset):
        return ("set", tuple(sorted(map(repr, value))))
    return value
