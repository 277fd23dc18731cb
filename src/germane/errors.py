"""What can go wrong, as a tree.

GermaneError
├── InputError           a file or an object does not hold what it should (where, expected, found, hint)
├── MeasureError         no such measure, no such parameter, or a value it cannot take
├── MissingExtraError    an optional library is not installed
└── OutOfMemoryError     there is not enough memory for a file or for what was asked
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

LONGEST = 2000
"""A message quotes what was found, and that may be a line of any length."""
LONGEST_WORD = 200
"""To look for what is like a longer one would take minutes."""


def printable(message: str) -> str:
    r"""A message fit for a terminal: control characters written out, and a long one without its middle.

    >>> printable("found '\x1b[31m'"), len(printable("x" * 10_000))
    ("found '\\x1b[31m'", 1803)
    """
    if not message.isprintable():
        message = "".join(one if one.isprintable() or one in "\n\t" else ascii(one)[1:-1] for one in message)
    return message if len(message) <= LONGEST else f"{message[:1500]} … {message[-300:]}"


class GermaneError(Exception):
    """The root of everything germane raises on purpose.

    A hint names a parameter in backticks, as a Python caller writes it: `` `topics="qrels"` ``. The command line shows
    the option in its place.
    """

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        self.message = printable(message)
        self.hint = hint
        super().__init__(self.message)

    def __str__(self) -> str:
        return self.message if self.hint is None else f"{self.message}\nHint: {printable(self.hint)}"


class InputError(GermaneError, ValueError):
    """Something read or passed in is wrong: where it is, what was expected, what was found, what to do.

    >>> print(InputError("bm25.run", 128, "expected 6 fields, found 5", hint="a run line ends with a tag"))
    bm25.run:128: expected 6 fields, found 5
    Hint: a run line ends with a tag
    """

    def __init__(self, source: str | Path, line: int | None, problem: str, *, hint: str | None = None) -> None:
        self.source, self.line, self.problem = str(source), line, problem
        super().__init__(f"{self.source}{'' if line is None else f':{line}'}: {problem}", hint=hint)


class MeasureError(GermaneError, ValueError):
    """A measure's name or parameter is not one that germane knows."""


class MissingExtraError(GermaneError, ImportError):
    """An optional library is needed here and is not installed."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what} needs an optional library", hint=f"pip install 'germane[{extra}]'")


class OutOfMemoryError(GermaneError, MemoryError):
    """There is not enough memory: for which file, and how far it was read.

    >>> print(OutOfMemoryError("not enough memory to read it", source="bm25.run"))
    bm25.run: not enough memory to read it
    Hint: close other programs or raise the limit, for example with `ulimit -v unlimited`
    """

    def __init__(
        self,
        problem: str,
        *,
        source: str | None = None,
        line: int | None = None,
        hint: str = "close other programs or raise the limit, for example with `ulimit -v unlimited`",
    ) -> None:
        self.source, self.line, self.problem = source, line, problem
        where = "" if source is None else f"{source}: " if line is None else f"{source}:{line}: "
        super().__init__(f"{where}{problem}", hint=hint)


def did_you_mean(word: str, known: Iterable[str], *, likeness: float = 0.6) -> str:
    """The end of an error message: ``; did you mean RR?``, or nothing when no known word is near.

    >>> did_you_mean("RRR", ["AP", "RR"])
    '; did you mean RR?'
    """
    near = nearest(word, known, likeness=likeness)
    return f"; did you mean {near}?" if near else ""


def nearest(word: str, known: Iterable[str], *, likeness: float = 0.6) -> str:
    """The known word that is most like this one, or nothing.

    >>> nearest("999", ["399", "q99"])  # numbers that share digits are not alike
    'q99'
    """
    import difflib

    if len(word) > LONGEST_WORD:
        return ""
    by_fold = {name.casefold(): name for name in known if not (word.isdecimal() and name.isdecimal())}
    near = difflib.get_close_matches(word.casefold(), by_fold, n=1, cutoff=likeness)
    return by_fold[near[0]] if near else ""


def not_computed(name: str, known: Iterable[str], *, guess: bool = True) -> GermaneError:
    """The error about a number that a result does not have: the nearest one unless the name is a right one, and all.

    >>> print(not_computed("kapa", ["kappa", "AC1"]))
    'kapa' was not computed; did you mean kappa?
    Hint: there are: kappa, AC1
    """
    names = list(known)
    meant = did_you_mean(name, names) if guess else ""
    return GermaneError(f"{name!r} was not computed{meant}", hint=f"there are: {', '.join(names)}")


def unknown(
    what: str,
    name: object,
    known: Iterable[str],
    *,
    near: str | None = None,
    error: type[GermaneError] = GermaneError,
    hint: str = "",
) -> GermaneError:
    """The error about a name that nothing has: the nearest one, and what there is.

    >>> print(unknown("policy", "majorty", ["majority", "lowest"]))
    unknown policy 'majorty'; did you mean majority?
    Hint: choose from majority, lowest
    """
    names = list(known)
    ending = did_you_mean(str(name), names) if near is None else f"; did you mean {near}?" if near else ""
    return error(f"unknown {what} {name!r}{ending}", hint=hint or f"choose from {', '.join(names)}")
