"""A retrieval strategy: a model with its parameters, pseudo feedback, and the fusion of several such; one value.

>>> strategy = parse_strategy("bm25( k1=.9 ) + rm3")
>>> str(strategy), strategy.simplicity
('BM25(k1=0.9)+rm3', Simplicity(parts=2, changed=1))
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, NamedTuple

from germane.arguments import checked
from germane.errors import GermaneError
from germane.retrieval.feedback.registry import Feedback, feedback_of
from germane.retrieval.fusion import Method, method_of, normalisation_of
from germane.retrieval.fusion.fusing import DEFAULT_NORMALISATION
from germane.retrieval.models import Model, parse_model
from germane.retrieval.models.registry import parameters_of
from germane.retrieval.query import Query
from germane.retrieval.search import Ranking, as_query, search_many
from germane.tables.spelling import given_once, written

if TYPE_CHECKING:
    from germane.retrieval.index import Index

GRAMMAR = "MODEL, MODEL+FEEDBACK or fuse(METHOD, MODEL+FEEDBACK, MODEL, …)"
FUSE = "fuse"
LEAST_TO_FUSE = 2


class Simplicity(NamedTuple):
    """How simple a strategy is, the smaller the simpler: the number of parts first, then what was changed about them.

    `parts` counts models, feedback methods, and 1 for a fusion; `changed` the parameters that are not at their
    defaults. Strategies that are equal in both are equally simple.
    """

    parts: int
    changed: int


@dataclass(frozen=True)
class Part:
    """A model, and the feedback with which the query is asked again, if any."""

    model: Model
    feedback: Feedback | None = None

    def rank(self, index: Index, queries: Sequence[Query], k: int, threads: int | None = None) -> list[Ranking]:
        """The best k documents for each query; with feedback the top of a first ranking is taken for relevant."""
        if self.feedback is None:
            return search_many(index, queries, self.model, k, threads=threads)
        first = search_many(index, queries, self.model, self.feedback.documents, threads=threads)
        refined = [
            self.feedback.pseudo(index, self.model, query, ranking.docs.tolist())
            for query, ranking in zip(queries, first, strict=True)
        ]
        rankings: dict[int, Ranking] = {}
        for model in dict.fromkeys(each.model for each in refined):  # a method may choose a model of its own
            own = [place for place, each in enumerate(refined) if each.model == model]
            found = search_many(index, [refined[place].query for place in own], model, k, threads=threads)
            rankings.update(zip(own, found, strict=True))
        return [rankings[place] for place in range(len(queries))]

    @property
    def settings(self) -> dict[str, Any]:
        """Every parameter of the model and of the feedback, by ``name.parameter``."""
        model = {f"{self.model.name}.{p.typed}": getattr(self.model, p.name) for p in parameters_of(type(self.model))}
        if self.feedback is None:
            return model
        return model | {f"{self.feedback.name}.{name}": value for name, value in self.feedback.parameters.items()}

    @property
    def changed(self) -> int:
        """How many parameters are not at their defaults."""
        own = [(getattr(self.model, p.name), p.default) for p in parameters_of(type(self.model))]
        if self.feedback is not None:
            own += [(getattr(self.feedback, f.name), f.default) for f in fields(self.feedback)]
        return sum(value != default for value, default in own)

    def __str__(self) -> str:
        return str(self.model) if self.feedback is None else f"{self.model}+{self.feedback}"


@dataclass(frozen=True)
class Strategy:
    """One part, or several that are fused; printed and parsed as a person writes it.

    Methods that fuse by score take scores as `normalise` makes them (minmax where it is None). `weights` has a number
    for each part.
    """

    parts: tuple[Part, ...]
    fusion: Method | None = None
    normalise: str | None = None
    weights: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        if self.fusion is None:
            if len(self.parts) != 1:
                raise GermaneError(f"expected one part without fusion, found {len(self.parts)}", hint=GRAMMAR)
            if self.normalise is not None or self.weights is not None:
                raise GermaneError("expected normalise and weights only where parts are fused", hint=GRAMMAR)
            return
        _require_fusion(self.fusion, len(self.parts), self.normalise, self.weights)
        if self.normalise is not None:  # the default, said or not, is the same strategy
            name = normalisation_of(self.normalise).name
            object.__setattr__(self, "normalise", None if name == DEFAULT_NORMALISATION else name)

    def rank(
        self, index: Index, queries: Sequence[str | Query], k: int = 1000, *, threads: int | None = None
    ) -> list[Ranking]:
        """The best k documents for each query; feedback is pseudo feedback. Each part of a fusion ranks k documents.

        >>> from germane.retrieval.index import Index
        >>> index = Index.of({"d1": "red wine", "d2": "wine, wine", "d3": "roses"}, analyser="plain")
        >>> [ranking.docs.tolist() for ranking in parse_strategy("fuse(rrf, BM25, QL)").rank(index, ["wine", "beer"])]
        [[1, 0], []]
        """
        if k < 1:
            raise GermaneError(f"expected k of 1 or more, found {k}")
        asked = [as_query(query, index) for query in queries]
        lists = [part.rank(index, asked, k, threads) for part in self.parts]
        if self.fusion is None:
            return lists[0]
        from germane.learning.strategy_fusion import fused

        return fused(index, lists, self.fusion, k, self.normalise, self.weights)

    @property
    def simplicity(self) -> Simplicity:
        """The order for Occam's razor."""
        parts = sum(1 + (part.feedback is not None) for part in self.parts)
        changed = sum(part.changed for part in self.parts)
        if self.fusion is None:
            return Simplicity(parts, changed)
        return Simplicity(
            parts + 1, changed + len(self.fusion.rest) + (self.normalise is not None) + (self.weights is not None)
        )

    @property
    def settings(self) -> dict[str, Any]:
        """Every parameter: ``BM25.k1``; in a fusion with the part's number before it: ``1.BM25.k1``.

        >>> parse_strategy("fuse(rrf,PL2,QL(500))").settings
        {'1.PL2.c': 1.0, '2.QL.mu': 500.0, 'rrf.k': 60.0}
        """
        if self.fusion is None:
            return self.parts[0].settings
        own = {
            f"{place}.{name}": value
            for place, part in enumerate(self.parts, start=1)
            for name, value in part.settings.items()
        }
        return own | {f"{self.fusion.name}.{name}": value for name, value in self.fusion.parameters.items()}

    def __str__(self) -> str:
        if self.fusion is None:
            return str(self.parts[0])
        options = [] if self.normalise is None else [f"normalise={self.normalise}"]
        options += [] if self.weights is None else [f"weights={'/'.join(map(written, self.weights))}"]
        method = str(self.fusion).replace(", ", ",")
        return f"{FUSE}({','.join([method, *map(str, self.parts), *options])})"

    __repr__ = __str__


@checked
def parse_strategy(text: str | Strategy) -> Strategy:
    """Read a strategy as a person writes it: MODEL, MODEL+FEEDBACK, or fuse(METHOD, MODEL+FEEDBACK, MODEL, …).

    Models, feedback and methods are written as everywhere else; ``fuse`` takes ``normalise=zmuv`` and, in the order
    of its parts, ``weights=2/1`` besides.

    >>> str(parse_strategy("fuse( rrf(k=10), BM25+rm3, BM25+ )"))
    'fuse(rrf(k=10),BM25+rm3,BM25(variant=plus))'
    >>> parse_strategy("BM25+rm4")
    Traceback (most recent call last):
    germane.errors.GermaneError: strategy 'BM25+rm4': no feedback method is called 'rm4'; did you mean rm3?
    Hint: there are: rocchio, probabilistic, iterated, rm3, bo1, kl
    """
    if isinstance(text, Strategy):
        return text
    try:
        name, bracket, rest = text.strip().partition("(")
        if name.strip().casefold() != FUSE:
            return Strategy((_part(text),))
        if not bracket or not rest.endswith(")"):
            raise GermaneError("expected fuse(METHOD, PART, PART, …)", hint=GRAMMAR)
        return _fusion(_split(rest[:-1], ","))
    except GermaneError as problem:
        raise GermaneError(f"strategy {text.strip()!r}: {problem.message}", hint=problem.hint) from None


def _fusion(pieces: Sequence[str]) -> Strategy:
    if not pieces:
        raise GermaneError("expected a method and parts in fuse(…), found nothing", hint=GRAMMAR)
    options: list[tuple[str, str]] = []
    parts = []
    for piece in pieces[1:]:
        key, equals, value = (word.strip() for word in piece.partition("="))
        if equals and key in OPTIONS:
            options.append((key, value))
        else:
            parts.append(_part(piece))
    chosen: dict[str, Any] = {key: OPTIONS[key](value) for key, value in given_once(options, FUSE).items()}
    return Strategy(tuple(parts), method_of(pieces[0]), **chosen)


def _part(text: str) -> Part:
    """A model and feedback; ``BM25+`` is a model, so what counts is the last + that has something after it."""
    pieces = _split(text, "+", keep_empty=True)
    if len(pieces) == 1 or not pieces[-1].strip():
        return Part(parse_model(text))
    return Part(parse_model("+".join(pieces[:-1])), feedback_of(pieces[-1]))


def _split(text: str, at: str, *, keep_empty: bool = False) -> list[str]:
    """Split where no bracket is open."""
    pieces, depth = [""], 0
    for character in text:
        depth += {"(": 1, ")": -1}.get(character, 0)
        if depth < 0:
            break
        if character == at and depth == 0:
            pieces.append("")
        else:
            pieces[-1] += character
    if depth:
        raise GermaneError("expected a ) for each (", hint=GRAMMAR)
    return pieces if keep_empty else [piece for piece in pieces if piece.strip()]


def _weights(text: str) -> tuple[float, ...]:
    try:
        return tuple(float(weight) for weight in text.split("/"))
    except ValueError:
        raise GermaneError(f"expected weights such as 2/1, found {text!r}") from None


OPTIONS: dict[str, Callable[[str], Any]] = {"normalise": str, "weights": _weights}


def _require_fusion(method: Method, num_parts: int, normalise: str | None, weights: tuple[float, ...] | None) -> None:
    if num_parts < LEAST_TO_FUSE:
        raise GermaneError(f"expected two parts or more to fuse, found {num_parts}", hint=GRAMMAR)
    if normalise is not None:
        if method.uses == "ranks":
            raise GermaneError(f"{method.name} looks at ranks alone: there are no scores to normalise")
        normalisation_of(normalise)
    if weights is None:
        if method.weights == "needed":
            raise GermaneError(f"{method.name} needs a weight for each part", hint="for example fuse(…, weights=2/1)")
        return
    if method.weights == "refused":
        raise GermaneError(f"{method.name} takes no weights")
    if len(weights) != num_parts:
        raise GermaneError(f"expected {num_parts} weights, one for each part, found {len(weights)}")
    if not all(0 <= weight < float("inf") for weight in weights) or not any(weights):
        raise GermaneError(f"expected weights of 0 or more, and one above 0, found {'/'.join(map(written, weights))}")
