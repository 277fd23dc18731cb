"""A retrieval strategy as one value: a model with parameters, pseudo-relevance feedback, or a fusion of several.

>>> strategy = parse_strategy("bm25( k1=0.9 ) + rm3")
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
"""Catalogue without entries, used only for its parser."""


class Simplicity(NamedTuple):
    """Simplicity of a strategy (smaller is simpler): first the number of parts, then the changed parameters.

    `parts` counts models, feedback methods, and 1 for a fusion; `changed` counts parameters that differ from their
    defaults. Strategies equal in both are equally simple.
    """

    parts: int
    changed: int


@dataclass(frozen=True)
class Part:
    """A model and, optionally, a method of pseudo-relevance feedback."""

    model: Model
    feedback: Feedback | None = None

    def rank(self, index: Index, queries: Sequence[Query], k: int, threads: int | None = None) -> list[Ranking]:
        """Return the best k documents for each query; with feedback, top documents are treated as relevant."""
        if self.feedback is None:
            return search_many(index, queries, self.model, k, threads=threads)
        first = search_many(index, queries, self.model, self.feedback.documents, threads=threads)
        refined = [
            self.feedback.pseudo(index, self.model, query, ranking.docs.tolist())
            for query, ranking in zip(queries, first, strict=True)
        ]
        rankings: dict[int, Ranking] = {}
        for model in dict.fromkeys(each.model for each in refined):  # a method may use another model
            own = [place for place, each in enumerate(refined) if each.model == model]
            found = search_many(index, [refined[place].query for place in own], model, k, threads=threads)
            rankings.update(zip(own, found, strict=True))
        return [rankings[place] for place in range(len(queries))]

    @property
    def settings(self) -> dict[str, Any]:
        """Parameters of the model and of the feedback method, by ``name.parameter``."""
        own = [self.model] if self.feedback is None else [self.model, self.feedback]
        return {f"{each.name}.{name}": value for each in own for name, value in each.settings.items()}

    @property
    def changed(self) -> int:
        """Number of parameters that differ from their defaults."""
        return len(self.model.changed) + (0 if self.feedback is None else len(self.feedback.changed))

    def __str__(self) -> str:
        return str(self.model) if self.feedback is None else f"{self.model}+{self.feedback}"


@dataclass(frozen=True)
class Strategy:
    """One part, or several that are fused; prints as it is typed.

    Methods that fuse by score use scores normalised by `normalise` (minmax if None). `weights` has a number for each
    part.
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
                raise GermaneError("normalise and weights require fuse(…)", hint=GRAMMAR)
            return
        _require_fusion(self.fusion, len(self.parts), self.normalise, self.weights)
        if self.normalise is not None:  # the default, explicit or not, is the same strategy
            name = NORMALISATIONS.parse(self.normalise).name
            object.__setattr__(self, "normalise", None if name == DEFAULT_NORMALISATION else name)

    def rank(
        self, index: Index, queries: Sequence[str | Query], k: int = 1000, *, threads: int | None = None
    ) -> list[Ranking]:
        """Return the best k documents for each query, with pseudo-relevance feedback. Each part of a fusion ranks k.

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
        """Simplicity, the order used by Occam's razor."""
        parts = sum(1 + (part.feedback is not None) for part in self.parts)
        changed = sum(part.changed for part in self.parts)
        if self.fusion is None:
            return Simplicity(parts, changed)
        return Simplicity(
            parts + 1, changed + len(self.fusion.rest) + (self.normalise is not None) + (self.weights is not None)
        )

    @property
    def settings(self) -> dict[str, Any]:
        """Every parameter: ``BM25.k1``; in a fusion, prefixed by the part's number: ``1.BM25.k1``.

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
    """Parse a strategy: MODEL, MODEL+FEEDBACK, or fuse(METHOD, MODEL+FEEDBACK, MODEL, …).

    Models, feedback and fusion methods are written as everywhere else; ``fuse`` also accepts ``normalise=zmuv`` and, in
    the order of its parts, ``weights=2/1``.

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
    """Parse a model and feedback; ``BM25+`` is a model, so split at the last + with something after it."""
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
        raise GermaneError(f"expected at least two parts to fuse, found {num_parts}", hint=GRAMMAR)
    if normalise is not None:
        if method.uses == "ranks":
            raise GermaneError(
                f"{method.name} uses only ranks, so normalise is not supported", hint="remove `normalise=…`"
            )
        NORMALISATIONS.parse(normalise)
    if weights is None:
        if method.weights == "needed":
            raise GermaneError(f"{method.name} requires a weight for each part", hint="use fuse(…, weights=2/1)")
        return
    if method.weights == "refused":
        raise GermaneError(f"{method.name} does not support weights", hint="remove `weights=…`")
    if len(weights) != num_parts:
        raise GermaneError(f"expected {num_parts} weights, one for each part, found {len(weights)}")
    if not all(0 <= weight < float("inf") for weight in weights) or not any(weights):
        raise GermaneError(f"expected weights of 0 or more, not all 0, found {'/'.join(map(written, weights))}")


def fused(
    index: Index, lists: Sequence[Sequence[Ranking]], strategy: Strategy, k: int, weights: Sequence[float] | None
) -> list[Ranking]:
    """Return one ranking for each query, from the rankings of all parts (by part, then by query).

    A query for which only one part has results is ranked by that part; one without results stays empty.
    """
    num_queries, method = len(lists[0]), strategy.fusion
    assert method is not None, strategy
    # In byte order, so that query i stays query i.
    names = [f"{query:0{len(str(num_queries))}}" for query in range(num_queries)]
    runs = [run_of(index, rankings, Ids.of(names), f"part {part}") for part, rankings in enumerate(lists, start=1)]
    if not any(len(run.score) for run in runs):
        return [Ranking(np.zeros(0, np.int64), np.zeros(0)) for _ in range(num_queries)]
    table = lists_of(runs, weights)
    with np.errstate(all="ignore"):  # overflow is detected below
        if method.uses == "scores":
            scaling = NORMALISATIONS.parse(strategy.normalise or DEFAULT_NORMALISATION)
            table = replace(table, score=scaling.target(table))
        scores = method.fuse(table)
    if not np.isfinite(scores).all():
        hint = "use fuse(…, normalise=rank), which ignores scores"
        raise GermaneError(f"{method}: the scores are too large to fuse", hint=hint)
    numbers = np.unique(np.concatenate([ranking.docs for rankings in lists for ranking in rankings]))
    number = dict(zip(index.ids_of(numbers).to_bytes_list(), numbers.tolist(), strict=True))
    docs = np.asarray([number[doc] for doc in table.docs.to_bytes_list()], np.int64)
    order = np.lexsort((docs, -scores, table.query))
    ends = np.cumsum(table.num_candidates)
    firsts = zip(ends - table.num_candidates, ends, strict=True)
    best = [order[first : min(last, first + k)] for first, last in firsts]
    return [Ranking(docs[own], scores[own]) for own in best]
