"""A retrieval strategy: a model with its parameters, pseudo feedback, and the fusion of several such; one value.

>>> strategy = parse_strategy("bm25( k1=.9 ) + rm3")
>>> str(strategy), strategy.simplicity
('BM25(k1=0.9)+rm3', Simplicity(parts=2, changed=1))
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from germane.arguments import checked
from germane.catalogue import Catalogue, Entry, given_once, split, written
from germane.errors import GermaneError, unknown
from germane.retrieval.feedback import FEEDBACK, Feedback
from germane.retrieval.fusion import FUSION, NORMALISATIONS, Method, lists_of
from germane.retrieval.fusion.fuse_runs import DEFAULT_NORMALISATION
from germane.retrieval.indexes.index import Index
from germane.retrieval.models import MODELS, Model
from germane.retrieval.query import Query
from germane.retrieval.search import Ranking, as_query, run_of, search_many
from germane.tables.columns.ids import Ids

if TYPE_CHECKING:
    from germane.retrieval.indexes.index import Index


GRAMMAR = "MODEL, MODEL+FEEDBACK or fuse(METHOD, MODEL+FEEDBACK, MODEL, …)"
FUSE = "fuse"
LEAST_TO_FUSE = 2
FUSIONS: Catalogue[Entry, Entry] = Catalogue("fusion", Entry, Entry, example="fuse(METHOD, PART, PART, …)")
"""Without entries: it reads what a person writes."""


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
        own = [self.model] if self.feedback is None else [self.model, self.feedback]
        return {f"{each.name}.{name}": value for each in own for name, value in each.settings.items()}

    @property
    def changed(self) -> int:
        """How many parameters are not at their defaults."""
        return len(self.model.changed) + (0 if self.feedback is None else len(self.feedback.changed))

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
            name = NORMALISATIONS.parse(self.normalise).name
            object.__setattr__(self, "normalise", None if name == DEFAULT_NORMALISATION else name)

    def rank(
        self, index: Index, queries: Sequence[str | Query], k: int = 1000, *, threads: int | None = None
    ) -> list[Ranking]:
        """The best k documents for each query; feedback is pseudo feedback. Each part of a fusion ranks k documents.

        >>> from germane.retrieval.indexes.index import Index
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
        return fused(index, lists, self, k, self.weights)

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
        named: list[tuple[int | str, Part | Method]] = [*enumerate(self.parts, 1), (self.fusion.name, self.fusion)]
        return {f"{before}.{name}": value for before, each in named for name, value in each.settings.items()}

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
    germane.errors.GermaneError: strategy 'BM25+rm4': unknown feedback method 'rm4'; did you mean rm3?
    Hint: choose from rocchio, probabilistic, iterated, rm3, bo1, kl
    """
    if isinstance(text, Strategy):
        return text
    try:
        if text.partition("(")[0].strip().casefold() != FUSE:
            return Strategy((_part(text),))
        return _fusion(FUSIONS.read(text).arguments)
    except GermaneError as problem:
        raise GermaneError(f"strategy {text.strip()!r}: {problem.message}", hint=problem.hint) from None


def _fusion(arguments: Sequence[tuple[str, str]]) -> Strategy:
    bare = [value for key, value in arguments if not key]
    if not bare:
        raise GermaneError("expected a method and parts in fuse(…), found nothing", hint=GRAMMAR)
    given = given_once([(key, value) for key, value in arguments if key], FUSE)
    if wrong := [key for key in given if key not in OPTIONS]:
        raise unknown("option of fuse", wrong[0], OPTIONS)
    chosen: dict[str, Any] = {key: OPTIONS[key](value) for key, value in given.items()}
    return Strategy(tuple(map(_part, bare[1:])), FUSION.parse(bare[0]), **chosen)


def _part(text: str) -> Part:
    """A model and feedback; ``BM25+`` is a model, so what counts is the last + that has something after it."""
    *before, last = split(text, "+", keep_empty=True)
    if not before or not last:
        return Part(MODELS.parse(text))
    return Part(MODELS.parse("+".join(before)), FEEDBACK.parse(last))


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
        NORMALISATIONS.parse(normalise)
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


def fused(
    index: Index, lists: Sequence[Sequence[Ranking]], strategy: Strategy, k: int, weights: Sequence[float] | None
) -> list[Ranking]:
    """One ranking for each query, from what each part has for it (by part, then by query).

    A query for which only one part found something is ranked by that part; one for which none did stays empty.
    """
    num_queries, method = len(lists[0]), strategy.fusion
    assert method is not None, strategy
    # In byte order, so that query i stays query i.
    names = [f"{query:0{len(str(num_queries))}}" for query in range(num_queries)]
    runs = [run_of(index, rankings, Ids.of(names), f"part {part}") for part, rankings in enumerate(lists, start=1)]
    if not any(len(run.score) for run in runs):
        return [Ranking(np.zeros(0, np.int64), np.zeros(0)) for _ in range(num_queries)]
    table = lists_of(runs, weights)
    with np.errstate(all="ignore"):  # what overflows is found below
        if method.uses == "scores":
            scaling = NORMALISATIONS.parse(strategy.normalise or DEFAULT_NORMALISATION)
            table = replace(table, score=scaling.target(table))
        scores = method.fuse(table)
    if not np.isfinite(scores).all():
        hint = "fuse(…, normalise=rank) looks at ranks alone"
        raise GermaneError(f"{method}: the scores are too large to fuse", hint=hint)
    numbers = np.unique(np.concatenate([ranking.docs for rankings in lists for ranking in rankings]))
    number = dict(zip(index.ids_of(numbers).to_bytes_list(), numbers.tolist(), strict=True))
    docs = np.asarray([number[doc] for doc in table.docs.to_bytes_list()], np.int64)
    order = np.lexsort((docs, -scores, table.query))
    ends = np.cumsum(table.num_candidates)
    firsts = zip(ends - table.num_candidates, ends, strict=True)
    best = [order[first : min(last, first + k)] for first, last in firsts]
    return [Ranking(docs[own], scores[own]) for own in best]
