"""One round of an interactive search: a query, the marks so far, and the resulting page.

No state is kept here: the terminal's `Session` and the pages of `--serve` keep their own and pass it to `search_round`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from germane.errors import GermaneError, unknown
from germane.retrieval.boolean import match_boolean
from germane.retrieval.boolean_expression import Expression, Not, Words, parse_boolean
from germane.retrieval.engines.rankers import Boolean
from germane.retrieval.explain import ScoreExplanation, explanations
from germane.retrieval.feedback import Feedback, Refined
from germane.retrieval.indexes.index import Index
from germane.retrieval.models import MODELS, Model
from germane.retrieval.query import Query
from germane.retrieval.search import as_query, search
from germane.retrieval.texts.excerpts import Excerpt, excerpt, highlighted, without_title
from germane.retrieval.texts.unspaced import remarks_on_query
from germane.tables.notes.counts import counted
from germane.tables.results.columns import F, Look, Pieces, Table, table
from germane.tables.results.result import Result

MOST_ADDED_TERMS = 25
"""Maximum number of terms added by feedback that are highlighted in excerpts."""

SHOWN_TERMS = 12
"""Number of query terms shown at first."""
NO_TEXTS = "this index stores no texts, so excerpts are omitted"
MARKS = {True: "+", False: "-", None: " "}
RESULTS = (
    F("rank", "count"),
    F("doc", "name", "document"),
    F("score", "value", people="ranked"),
    F("title", "text", people="filled"),
    F("excerpt", "text", people="filled"),
    F("marks", "list", people=False),
    F("relevant", "flag", people="filled"),
    F("rank_before", "count", people="filled"),
)

_BOOLEAN_SIGNS = re.compile(r'"[^"]+"|\b(?:AND|OR|NOT)\b')


AskedModel = Model | Boolean


@dataclass(frozen=True)
class Hit:
    """One result; `before` is its rank in the previous round, None if it was not in it."""

    rank: int
    number: int
    doc: str
    title: Excerpt
    score: float
    excerpt: Excerpt
    relevant: bool | None
    before: int | None

    @property
    def movement(self) -> str:
        """Return how the rank changed since the previous round."""
        if self.before is None:
            return "new"
        steps = self.before - self.rank
        return "" if steps == 0 else f"{'up' if steps > 0 else 'down'} {abs(steps)}, was {self.before}"

    def row(self) -> dict[str, Any]:
        """Return the result as a table row."""
        own = {"excerpt": self.excerpt.text, "marks": self.excerpt.marks, "rank_before": self.before}
        return {**vars(self), "title": self.title.text, **own}


@dataclass(frozen=True)
class Round(Result):
    """Result of one round: the analysed query, the ranking and, after feedback, the changes to the query.

    `shown_terms` are highlighted in excerpts: the terms typed, and the heaviest that feedback added. `unknown` are the
    query words that occur in no document, as written. `matched` is the number of documents that a Boolean query
    matches. `num_docs` is the number of documents in the index, and `notes` are remarks for the reader.
    """

    number: int
    text: str
    query: Query
    model: AskedModel
    results: tuple[Hit, ...]
    shown_terms: frozenset[str] = frozenset()
    unknown: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    matched: int | None = None
    refined: Refined | None = None
    analyser: str = ""
    num_docs: int = 0

    schema: ClassVar[str] = "search/1"
    fact_names: ClassVar[str] = "analyser model unknown matched"

    def tables(self) -> Iterator[Table]:
        """Return the results and, after feedback, the query terms with their weights before and after."""
        yield table("results", RESULTS, [hit.row() for hit in self.results], when={"ranked": self.matched is None})
        if self.refined is not None:
            yield self.refined.table()

    def document(self) -> dict[str, Any]:
        """Return the query as text and as terms, and the results."""
        asked = {"query": self.text, "round": self.number, "terms": self.query.weights}
        return {**asked, **self.facts(), "results": self.table().records()}

    def at_terminal(self, *, digits: int = 4) -> Iterator[Table | str]:
        """Return the changes made by feedback, then the results with query words highlighted in excerpts."""
        if self.refined is not None:
            terms = self.refined.table()
            more = len(terms) - SHOWN_TERMS
            below = (f"and {counted(more, 'term')} more (:terms shows all)",) if more > 0 else ()
            yield replace(terms.chosen(range(len(terms))[:SHOWN_TERMS]), below=below)
        if self.messages:
            yield "".join(f"{line}\n" for line in self.messages)
        for hit in self.results:
            change = f"  ({hit.movement})" if self.number > 1 and hit.movement else ""
            score = f"  {hit.score:.{digits}f}" if self.matched is None else ""
            pieces: list[tuple[str, Look]] = [(f"{MARKS[hit.relevant]}{hit.rank:3}  ", ""), (hit.doc, "name")]
            pieces.append((f"{score}{change}\n", ""))
            for part in (hit.title, hit.excerpt):
                if part.text:
                    words = ((text, "hit" if is_word else "") for text, is_word in part.pieces())
                    pieces += [(" " * 6, ""), *words, ("\n", "")]  # type: ignore[list-item]
            yield Pieces(pieces)

    @property
    def messages(self) -> list[str]:
        """Messages on the results as a whole, such as why there are none, or not all."""
        lines = []
        if self.unknown and self.refined is None:
            lines.append(f"in no document: {', '.join(self.unknown)}")
        if self.matched is not None:
            shown = f", {len(self.results)} shown" if self.matched > len(self.results) else ""
            lines.append(f"{counted(self.matched, 'document')} match{'es' * (self.matched == 1)}{shown}")
        if not self.num_docs:
            lines.append("the index has no documents")
        elif self.results:
            if not any(hit.excerpt.text or hit.title.text for hit in self.results):
                lines.append(NO_TEXTS)
        elif self.refined is not None:
            lines.append("no results: none of the terms of the new query has a weight above 0")
        elif not self.query.weights and self.matched is None:
            lines.append("no results: the query has only stop words, or no words at all")
        elif self.matched is None:
            lines.append("no document contains any of these words")
        return lines

    def result(self, rank: int) -> Hit:
        """Return a result of this page by its rank."""
        if 1 <= rank <= len(self.results):
            return self.results[rank - 1]
        if not self.results:
            raise GermaneError(f"no result {rank}: the query has no results")
        raise GermaneError(f"expected a rank from 1 to {len(self.results)}, found {rank}")


def asked_model(text: str | AskedModel) -> AskedModel:
    """Return the model that a text names, or ``boolean``.

    >>> [str(asked_model(name)) for name in ("bm25(b=0.4)", "Boolean")]
    ['BM25(b=0.4)', 'boolean']
    """
    if isinstance(text, Model | Boolean):
        return text
    if text.strip().casefold() == "boolean":
        return Boolean()
    if text.partition("(")[0].strip().casefold() == "bii":
        hint = "use germane retrieve --model BII --past-topics FILE --past-qrels FILE"
        raise GermaneError("BII requires past queries, which an interactive search does not have", hint=hint)
    if (name := MODELS.read(text).name) not in MODELS:
        raise unknown("model", name, [*MODELS.names, "boolean"])
    return MODELS.parse(text)


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
    """Run one round with the query as typed and the documents marked relevant or non-relevant, by number.

    `before` has the ranks of the previous round, so that results can show how they moved.
    """
    found = Round(number, text, Query({}), model, (), analyser=index.analyser.name, num_docs=index.collection.num_docs)
    if isinstance(model, Boolean):
        expression = parse_boolean(text)
        matches = match_boolean(index, expression)
        notes = matches.notes + remarks_on_query(text, index.analyser)
        if marks:
            notes += ("feedback is not supported for Boolean queries; marks are kept for other models",)
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
                notes += (f"{method.name} ranks by {refined.model} instead of {model}, so scores are on another scale",)
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
        results.append(Hit(rank, doc, stored.id, title, score, shown, marks.get(doc), rank_before))
    return replace(found, results=tuple(results), shown_terms=terms)


def why(index: Index, found: Round, rank: int) -> ScoreExplanation:
    """Explain the score of a result."""
    result = found.result(rank)
    if isinstance(found.model, Boolean):
        problem = f"{result.doc} matches the Boolean query; Boolean results are not scored"
        raise GermaneError(problem, hint="switch to a ranking model, such as BM25; in the search loop type :model BM25")
    return explanations(index, found.query, [result.number], found.model)[0]


def _unknown_words(text: str, index: Index) -> tuple[str, ...]:
    words = {text[start:end]: term for start, end, term in index.analyser.spans(text) if term is not None}
    return tuple(word for word, term in words.items() if not index.statistics(term).df)


def _ignored_signs(text: str, model: Model) -> tuple[str, ...]:
    """Return a note if the query has phrases or operators, which this model ignores."""
    signs = ", ".join(dict.fromkeys(_BOOLEAN_SIGNS.findall(text)))
    note = f"{signs}: {model} reads only words here; phrases, AND, OR and NOT require the model boolean"
    return (note,) if signs else ()


def _wanted_terms(expression: Expression, index: Index, *, is_wanted: bool = True) -> list[str]:
    """Return the terms that matching documents may contain because the query asks for them; not those under NOT."""
    if isinstance(expression, Words):
        return index.analyser.terms(expression.text) if is_wanted else []
    if isinstance(expression, Not):
        return _wanted_terms(expression.part, index, is_wanted=not is_wanted)
    return [term for part in expression.parts for term in _wanted_terms(part, index, is_wanted=is_wanted)]
