"""One round of a search: a query, what was marked so far, and the page of results that comes of them.

Nothing is remembered here: the terminal's `Session` and the pages of `--serve` both keep their own state and ask
`search_round` with it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from germane.errors import GermaneError, did_you_mean
from germane.retrieval.boolean import match_boolean
from germane.retrieval.boolean_expression import Expression, Not, Words, parse_boolean
from germane.retrieval.engines.rankers import Boolean
from germane.retrieval.excerpts import Excerpt, excerpt, highlighted, without_title
from germane.retrieval.explain import Explanation, explain_score
from germane.retrieval.feedback import Feedback, Refined
from germane.retrieval.index import Index
from germane.retrieval.models import Model, parse_model
from germane.retrieval.query import Query
from germane.retrieval.search import as_query, search
from germane.retrieval.unspaced import remarks_on_query

MOST_ADDED_TERMS = 25
"""How many of the terms that feedback added are pointed at in excerpts."""

_BOOLEAN_SIGNS = re.compile(r'"[^"]+"|\b(?:AND|OR|NOT)\b')


AskedModel = Model | Boolean


@dataclass(frozen=True)
class Result:
    """One line of a page of results; `before` is the document's rank in the round before, None where it was not."""

    rank: int
    doc: int
    id: str
    title: Excerpt
    score: float
    excerpt: Excerpt
    relevant: bool | None
    before: int | None


@dataclass(frozen=True)
class Round:
    """What was asked and what came: the query in terms, the ranking, and how feedback changed the query, if it did.

    `shown_terms` are those that excerpts point at: what was typed, and the heaviest that feedback added. `unknown` are
    the words of the query that no document holds, as they were written. `matched` is how many documents a Boolean query
    matches in all. `notes` say what a reader must know.
    """

    number: int
    text: str
    query: Query
    model: AskedModel
    results: tuple[Result, ...]
    shown_terms: frozenset[str] = frozenset()
    unknown: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    matched: int | None = None
    refined: Refined | None = None

    def result(self, rank: int) -> Result:
        """A result of this page by its rank."""
        for result in self.results:
            if result.rank == rank:
                return result
        if not self.results:
            raise GermaneError(f"nothing was found, so there is no result {rank}")
        raise GermaneError(f"expected a rank from 1 to {len(self.results)}, found {rank}")


def asked_model(text: str | AskedModel) -> AskedModel:
    """A model as a person writes it, or ``boolean``.

    >>> [str(asked_model(name)) for name in ("bm25(b=.4)", "Boolean")]
    ['BM25(b=0.4)', 'boolean']
    """
    if isinstance(text, Model | Boolean):
        return text
    if text.strip().casefold() == "boolean":
        return Boolean()
    if text.partition("(")[0].strip().casefold() == "bii":
        hint = "germane retrieve --model BII --past-topics FILE --past-qrels FILE"
        raise GermaneError("BII learns from past queries, which a search does not have", hint=hint)
    try:
        return parse_model(text)
    except GermaneError as problem:
        near = did_you_mean(text, ["boolean"])
        raise GermaneError(f"no model is called {text!r}{near}") if near else problem from None


def search_round(
    index: Index,
    text: str,
    model: AskedModel,
    method: Feedback,
    marks: Mapping[int, bool],
    *,
    size: int,
    number: int = 1,
    before: Mapping[int, int] | None = None,
) -> Round:
    """Search with all that is known: the query as typed and, by document number, what was marked relevant or not.

    `before` has the ranks of the round before, so that results can say how they moved.
    """
    found = Round(number, text, Query({}), model, ())
    if isinstance(model, Boolean):
        expression = parse_boolean(text)
        matches = match_boolean(index, expression)
        notes = matches.notes + remarks_on_query(text, index.analyser)
        if marks:
            notes += ("a Boolean query learns nothing from marks; they are kept for other models",)
        query = Query.of(_wanted_terms(expression, index))
        found = replace(found, query=query, notes=notes, matched=len(matches.docs))
        ranking = zip(matches.docs[:size].tolist(), matches.scores[:size].tolist(), strict=True)
    else:
        query = as_query(text, index)
        notes = _ignored_signs(text, model) + remarks_on_query(text, index.analyser)
        found = replace(found, query=query, unknown=_unknown_words(text, index), notes=notes)
        if marks:
            relevant, other = ([doc for doc, good in marks.items() if good is kind] for kind in (True, False))
            refined = method.refine(index, model, query, relevant, other)
            notes = found.notes + refined.notes
            if refined.model != model:
                notes += (f"{method.name} ranks by {refined.model}, not by {model}: scores are on another scale",)
            found = replace(found, query=refined.query, model=refined.model, refined=refined, notes=notes)
            model = refined.model
        best = search(index, found.query, model, size)
        ranking = zip(best.docs.tolist(), best.scores.tolist(), strict=True)
    weights = found.query.weights
    terms = frozenset(query.weights).union(sorted(weights, key=lambda term: -weights[term])[:MOST_ADDED_TERMS])
    results = []
    for rank, (doc, score) in enumerate(ranking, start=1):
        stored = index.stored(doc)
        title = highlighted(" ".join(stored.title.split()), terms, index.analyser)
        shown = excerpt(without_title(stored.title, stored.text), terms, index.analyser)
        rank_before = None if before is None else before.get(doc)
        results.append(Result(rank, doc, stored.id, title, score, shown, marks.get(doc), rank_before))
    return replace(found, results=tuple(results), shown_terms=terms)


def why(index: Index, found: Round, rank: int) -> Explanation:
    """Where the score of a result comes from."""
    result = found.result(rank)
    if isinstance(found.model, Boolean):
        raise GermaneError(
            f"{result.id} matches the Boolean query, as all results do: there are no scores to explain",
            hint="a ranking model such as BM25 has scores",
        )
    return explain_score(index, found.query, found.model, result.doc)


def _unknown_words(text: str, index: Index) -> tuple[str, ...]:
    words = {text[start:end]: term for start, end, term in index.analyser.spans(text) if term is not None}
    return tuple(word for word, term in words.items() if not index.statistics(term).df)


def _ignored_signs(text: str, model: Model) -> tuple[str, ...]:
    """A person who writes a phrase should hear that this model looks for its words one by one."""
    signs = list(dict.fromkeys(_BOOLEAN_SIGNS.findall(text)))
    if not signs:
        return ()
    return (f"{', '.join(signs)}: {model} sees only words here; phrases, AND, OR and NOT are for the model boolean",)


def _wanted_terms(expression: Expression, index: Index, *, is_wanted: bool = True) -> list[str]:
    """The terms that a matching document may hold because they were asked for; what stands under NOT is not."""
    if isinstance(expression, Words):
        return index.analyser.terms(expression.text) if is_wanted else []
    if isinstance(expression, Not):
        return _wanted_terms(expression.part, index, is_wanted=not is_wanted)
    return [term for part in expression.parts for term in _wanted_terms(part, index, is_wanted=is_wanted)]
