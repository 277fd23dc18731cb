"""Parse Boolean queries: words, AND, OR, NOT, brackets and "phrases".

NOT binds tightest, then AND, then OR; adjacent words are joined by AND. Operators are upper case: a lower-case `and`
is an ordinary word.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NoReturn

from germane.errors import GermaneError

_TOKEN = re.compile(r'\s*(?:(?P<bracket>[()])|"(?P<phrase>[^"]*)"|(?P<open>")|(?P<word>[^\s()"]+))')
_OPERATORS = ("AND", "OR", "NOT")
DEEPEST = 100
"""Maximum nesting depth of operators and brackets; it keeps the recursive parser within Python's stack."""


@dataclass(frozen=True)
class Words:
    """A word or, with `is_phrase`, the words of a phrase, as written."""

    text: str
    is_phrase: bool = False

    def __str__(self) -> str:
        return f'"{self.text}"' if self.is_phrase else self.text


@dataclass(frozen=True)
class Not:
    """Negation: documents that do not match the operand."""

    part: Expression

    def __str__(self) -> str:
        return f"NOT {self.part}"


@dataclass(frozen=True)
class And:
    """Conjunction: documents that match every operand."""

    parts: tuple[Expression, ...]

    def __str__(self) -> str:
        return f"({' AND '.join(map(str, self.parts))})"


@dataclass(frozen=True)
class Or:
    """Disjunction: documents that match at least one operand."""

    parts: tuple[Expression, ...]

    def __str__(self) -> str:
        return f"({' OR '.join(map(str, self.parts))})"


Expression = Words | Not | And | Or


@dataclass(frozen=True)
class _Token:
    kind: str  # AND, OR, NOT, a bracket, word, phrase, end
    text: str
    place: int


def parse_boolean(text: str) -> Expression:
    """Parse a Boolean query; printed again, the expression is fully bracketed.

    >>> print(parse_boolean('Brutus Caesar OR NOT (Calpurnia AND "last words")'))
    ((Brutus AND Caesar) OR NOT (Calpurnia AND "last words"))
    >>> parse_boolean("Brutus AND (Caesar OR)")
    Traceback (most recent call last):
    germane.errors.GermaneError: expected a word, a phrase or a bracket, found ')'
      Brutus AND (Caesar OR)
                           ^
    """
    reader = _Reader(text)
    expression = reader.any_of()
    if reader.token.kind != "end":
        reader.fail("expected an operator or the end of the query")
    return expression


class _Reader:
    """Recursive-descent parser with one token of lookahead: a method per precedence level, loosest first."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.depth = 0
        self.tokens = iter(self.scan())
        self.token = next(self.tokens)

    def scan(self) -> list[_Token]:
        tokens = []
        written = self.text.rstrip()
        for match in _TOKEN.finditer(written):  # every character fits one of the kinds, so nothing is skipped
            kind = match.lastgroup or ""
            start = match.start(kind)
            if kind == "open":
                self.fail("expected a closing quotation mark for the one marked", start)
            found = match[kind]
            is_operator = kind == "word" and found in _OPERATORS
            tokens.append(_Token(found if is_operator or kind == "bracket" else kind, found, start))
        return [*tokens, _Token("end", "", len(written))]

    def fail(self, problem: str, place: int | None = None) -> NoReturn:
        found = ""
        if place is None:
            place = self.token.place
            found = ", found " + ("the end of the query" if self.token.kind == "end" else repr(self.token.text))
        line = re.sub(r"\s", " ", self.text)
        raise GermaneError(f"{problem}{found}\n  {line}\n  {' ' * place}^")

    def take(self) -> _Token:
        taken, self.token = self.token, next(self.tokens, self.token)
        return taken

    def any_of(self) -> Expression:
        parts = [self.all_of()]
        while self.token.kind == "OR":
            self.take()
            parts.append(self.all_of())
        return parts[0] if len(parts) == 1 else Or(tuple(parts))

    def all_of(self) -> Expression:
        parts = [self.one()]
        while self.token.kind in ("AND", "NOT", "word", "phrase", "("):
            if self.token.kind == "AND":
                self.take()
            parts.append(self.one())
        return parts[0] if len(parts) == 1 else And(tuple(parts))

    def one(self) -> Expression:
        self.depth += 1
        if self.depth > DEEPEST:
            self.fail(f"expected at most {DEEPEST} levels of operators and brackets", self.token.place)
        found = self.one_within()
        self.depth -= 1
        return found

    def one_within(self) -> Expression:
        if self.token.kind == "NOT":
            self.take()
            return Not(self.one())
        if self.token.kind == "(":
            opening = self.take()
            inside = self.any_of()
            if self.token.kind != ")":
                self.fail("expected a closing bracket for the one marked", opening.place)
            self.take()
            return inside
        if self.token.kind not in ("word", "phrase"):
            self.fail("expected a word, a phrase or a bracket")
        taken = self.take()
        return Words(taken.text, is_phrase=taken.kind == "phrase")
