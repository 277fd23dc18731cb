"""Exceptions that germane raises, as a tree.

GermaneError
├── InputError           wrong content of a file or an object (where, expected, found, hint)
├── MeasureError         an unknown measure or parameter, or a value that it cannot take
├── MissingExtraError    an optional library is not installed
└── OutOfMemoryError     not enough memory to read a file or to compute a result
"""

from __future__ import annotations

from collections.abc import Iterable

LONGEST = 2000
"""Maximum length of a message in characters; it may quote a line of any length."""
LONGEST_WORD = 200
"""Longest word, in characters, to suggest a similar one for; longer ones would take minutes."""


def printable(message: str) -> str:
    r"""Return a message fit for a terminal: escape control characters, and cut the middle of a long message.

    >>> printable("found '\x1b[31m'"), len(printable("x" * 10_000))
    ("found '\\x1b[31m'", 1803)
    """
    if not message.isprintable():
        message = "".join(one if one.isprintable() or one in "\n\t" else ascii(one)[1:-1] for one in message)
    return message if len(message) <= LONGEST else f"{message[:1500]} … {message[-300:]}"


class GermaneError(Exception):
    """Base class of all errors that germane raises.

    A hint names a parameter in backticks, as a Python caller writes it: `` `topics="qrels"` ``. The command line shows
    the option instead.
    """

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        self.message = printable(message)
        self.hint = hint
        super().__init__(self.message)

    def __str__(self) -> str:
        return self.message if self.hint is None else f"{self.message}\nHint: {printable(self.hint)}"


class InputError(GermaneError, ValueError):
    """Wrong content of a file or an object: where it is, what was expected, what was found, what to do.

    >>> print(InputError("bm25.run", 128, "expected 6 fields, found 5", hint="a run line ends with a tag"))
    bm25.run:128: expected 6 fields, found 5
    Hint: a run line ends with a tag
    """

    def __init__(self, source: object, line: int | None, problem: str, *, hint: str | None = None) -> None:
        self.source, self.line, self.problem = str(source), line, problem
        super().__init__(f"{self.source}{'' if line is None else f':{line}'}: {problem}", hint=hint)


class MeasureError(GermaneError, ValueError):
    """Unknown measure or parameter, or a value that the parameter cannot take."""


class MissingExtraError(GermaneError, ImportError):
    """A required optional library is not installed."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what} needs an optional library", hint=f"pip install 'germane[{extra}]'")


class OutOfMemoryError(GermaneError, MemoryError):
    """Not enough memory, with the file that was read and the line reached, if known.

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
    """Return the end of an error message, such as ``; did you mean RR?``, or an empty text if no known word is similar.

    >>> did_you_mean("RRR", ["AP", "RR"])
    '; did you mean RR?'
    """
    near = nearest(word, known, likeness=likeness)
    return f"; did you mean {near}?" if near else ""


def nearest(word: str, known: Iterable[str], *, likeness: float = 0.6) -> str:
    """Return the known word most similar to this one, or an empty text.

    >>> nearest("999", ["399", "q99"])  # numbers that share digits are not similar
    'q99'
    """
    import difflib

    if len(word) > LONGEST_WORD:
        return ""
    by_fold = {name.casefold(): name for name in known if not (word.isdecimal() and name.isdecimal())}
    near = difflib.get_close_matches(word.casefold(), by_fold, n=1, cutoff=likeness)
    return by_fold[near[0]] if near else ""


def not_computed(name: str, known: Iterable[str], *, guess: bool = True) -> GermaneError:
    """Return the error for a value that a result does not have; with `guess`, suggest the most similar name.

    >>> print(not_computed("kapa", ["kappa", "AC1"]))
    'kapa' was not computed; did you mean kappa?
    Hint: choose from kappa, AC1
    """
    names = list(known)
    meant = did_you_mean(name, names) if guess else ""
    return GermaneError(f"{name!r} was not computed{meant}", hint=f"choose from {', '.join(names)}")


def unknown(
    what: str,
    name: object,
    known: Iterable[str],
    *,
    near: str | None = None,
    error: type[GermaneError] = GermaneError,
    hint: str = "",
) -> GermaneError:
    """Return the error for an unknown name: the most similar one, and the choices.

    >>> print(unknown("policy", "majorty", ["majority", "lowest"]))
    unknown policy 'majorty'; did you mean majority?
    Hint: choose from majority, lowest
    """
    names = list(known)
    ending = did_you_mean(str(name), names) if near is None else f"; did you mean {near}?" if near else ""
    return error(f"unknown {what} {name!r}{ending}", hint=hint or f"choose from {', '.join(names)}")
