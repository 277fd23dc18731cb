"""Spaces of strategies: patterns with alternatives in braces, as in a shell, and the default space.

>>> [str(strategy) for strategy in expand(["BM25(k1={0.9,1.2}){,+rm3}"])]
['BM25(k1=0.9)', 'BM25(k1=0.9)+rm3', 'BM25', 'BM25+rm3']
>>> [str(strategy) for strategy in expand(["QL(mu={500..1500..500})"])]
['QL(mu=500)', 'QL', 'QL(mu=1500)']
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from decimal import Decimal, InvalidOperation
from itertools import islice
from pathlib import Path

from germane.errors import GermaneError, InputError
from germane.formats.files.sources import open_source, source_name
from germane.learning.strategies.strategy import Strategy, parse_strategy

DEFAULT_SPACE = (
    "{BM25,QL,PL2}{,+rm3,+bo1}",
    "{VSM,ltc.ntn+rm3,ltc.ntn+bo1}",
    "BM25(k1={0.6,0.9,1.2,1.6,2.0},b={0.3,0.5,0.75,0.9}){,+rm3,+bo1}",
    "QL(mu={100,300,1000,3000}){,+rm3,+bo1}",
    "fuse(rrf,{BM25,QL},VSM)",
    "fuse(rrf,BM25,{QL,PL2})",
    "fuse(rrf,BM25+rm3,{QL,VSM,PL2,QL+bo1})",
)
"""BM25, query likelihood, vector space and PL2, with and without RM3 and Bo1, and reciprocal rank fusion of two.

RM3 and Bo1 produce fractional query counts, whose logarithm VSM's default ``ltn`` cannot take; hence ``ltc.ntn``.
"""

MOST_DIGITS = 30
"""Maximum order of magnitude of a number in a range; larger or smaller ones are not parameters."""

LARGEST = 10_000
"""Maximum size of a search space."""

_RANGE = re.compile(r"([^.{},]*(?:\.[^.{},]+)?)\.\.([^.{},]*(?:\.[^.{},]+)?)\.\.([^.{},]*(?:\.[^.{},]+)?)")


def expand(patterns: Iterable[str | Strategy]) -> list[Strategy]:
    """Return the strategies of patterns, in the order written, without duplicates.

    ``{0.9,1.2}`` is one or the other, ``{,+rm3}`` nothing or ``+rm3``, ``{0.5..2..0.5}`` the numbers from 0.5 to 2 in
    steps of 0.5. Braces multiply: each alternative of one with each of the others.
    """
    strategies: dict[Strategy, None] = {}
    for pattern in patterns:
        for text in [pattern] if isinstance(pattern, Strategy) else _texts(pattern, pattern):
            strategies[parse_strategy(text)] = None
            if len(strategies) > LARGEST:
                hint = "use fewer alternatives: with so large a space, some strategy fits by chance"
                raise GermaneError(f"expected at most {LARGEST:,} strategies, found more", hint=hint)
    if not strategies:
        raise GermaneError("expected at least one strategy, found none", hint="for example 'BM25(k1={0.9,1.2}){,+rm3}'")
    return list(strategies)


def read_space(path: str | Path) -> list[str]:
    """Read the patterns of a file, one per line; ``#`` starts a comment."""
    with open_source(path) as stream:
        data = stream.read()
    try:
        lines = data.decode("utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise InputError(
            source_name(path), None, "expected a text file of strategies in UTF-8", hint="save the file as UTF-8"
        ) from None
    patterns = []
    for number, line in enumerate(lines, start=1):
        if pattern := line.partition("#")[0].strip():
            try:
                expand([pattern])
            except GermaneError as problem:
                raise InputError(source_name(path), number, problem.message, hint=problem.hint) from None
            patterns.append(pattern)
    if not patterns:
        raise InputError(
            source_name(path), None, "expected strategies, one per line, found none", hint="for example BM25(k1=0.9)"
        )
    return patterns


def _texts(pattern: str, rest: str) -> Iterator[str]:
    """Yield all texts of a pattern; of several braces the last varies fastest."""
    before, brace, behind = rest.partition("{")
    if not brace:
        if "}" in rest:
            raise GermaneError(f"expected a {{ before each }}, found {pattern!r}")
        yield rest
        return
    inside, closing, after = behind.partition("}")
    if not closing or "{" in inside or "}" in before:
        hint = "close each { with }, and do not nest braces"
        raise GermaneError(f"expected alternatives such as {{0.9,1.2}}, found {pattern!r}", hint=hint)
    ends = list(islice(_texts(pattern, after), LARGEST + 1))  # braces multiply; more are rejected anyway
    for choice in _alternatives(pattern, inside):
        for end in ends:
            yield f"{before}{choice}{end}"


def _alternatives(pattern: str, inside: str) -> list[str]:
    if (numbers := _RANGE.fullmatch(inside)) is None:
        return [choice.strip() for choice in inside.split(",")]
    try:
        first, last, step = (Decimal(number.strip()) for number in numbers.groups())
    except InvalidOperation:
        raise GermaneError(f"expected numbers as in {{0.5..2..0.5}}, found {{{inside}}} in {pattern!r}") from None
    usual = all(number.is_finite() and abs(number.adjusted()) <= MOST_DIGITS for number in (first, last, step))
    if not (usual and step > 0 and first <= last):
        raise GermaneError(f"expected an ascending {{from..to..step}}, found {{{inside}}} in {pattern!r}")
    count = int((last - first) / step) + 1  # decimal, so that 0.1, 0.2, 0.3 are exact
    if count > LARGEST:
        raise GermaneError(f"expected at most {LARGEST:,} numbers, found {count:,} in {pattern!r}")
    return [f"{first + place * step:f}" for place in range(count)]
