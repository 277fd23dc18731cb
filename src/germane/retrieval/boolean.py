"""Boolean retrieval: a document matches or not, according to the rows of the term-document incidence matrix."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial, reduce

import numpy as np

from germane.errors import GermaneError
from germane.retrieval.boolean_expression import And, Expression, Not, Or, Words, parse_boolean
from germane.retrieval.indexes.index import Index
from germane.tables.columns.ids import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Matches:
    """Numbers of the matching documents, ascending. Matches are not ranked: every one scores 1."""

    docs: IntArray
    notes: tuple[str, ...]
    """Notes for the reader: words ignored, words that occur in no document."""

    @property
    def scores(self) -> FloatArray:
        return np.ones(len(self.docs))


def match_boolean(index: Index, query: str | Expression) -> Matches:
    """Return the documents that match a Boolean query.

    Words are analysed as the documents were. A word that analysis removes (a stop word) is ignored, with a note; a
    query of only such words matches nothing. A word that becomes several terms (`well-known`) requires all of them. A
    phrase requires its words in the same order and at the same distances, and an index with positions.

    >>> index = Index.of({"d1": "red wine", "d2": "white wine", "d3": "red roses"}, analyser="plain")
    >>> [index.doc_id(doc) for doc in match_boolean(index, "wine AND NOT (red OR roses)").docs]
    ['d2']
    """
    expression = parse_boolean(query) if isinstance(query, str) else query
    matcher = _Matcher(index)
    row = matcher.row(expression)
    if row is None:
        matcher.note("no words are left in the query after analysis, so nothing matches")
        row = np.zeros(index.num_places, np.bool_)
    return Matches(np.flatnonzero(row), tuple(matcher.notes))


@dataclass
class _Matcher:
    """Evaluates an expression: one row of the incidence matrix per part, None for a part without words."""

    index: Index
    notes: list[str] = field(default_factory=list)

    def row(self, expression: Expression) -> BoolArray | None:
        match expression:
            case Words():
                return self.phrase_row(expression.text) if expression.is_phrase else self.word_row(expression.text)
            case Not():
                part = self.row(expression.part)
                return None if part is None else self.living() & ~part
            case And():
                return self.joined(expression.parts, np.logical_and)
            case Or():
                return self.joined(expression.parts, np.logical_or)

    def joined(self, parts: tuple[Expression, ...], operation: np.ufunc) -> BoolArray | None:
        rows = [row for part in parts if (row := self.row(part)) is not None]
        return np.asarray(operation.reduce(rows)) if rows else None

    def word_row(self, word: str) -> BoolArray | None:
        if word in ("and", "or", "not"):
            self.note(f"{word!r}: in lower case a word, not an operator")
        terms = self.index.analyser.terms(word)
        if not terms:
            self.note(f"{word!r}: ignored, because the analyser removes it")
            return None
        return np.asarray(np.logical_and.reduce([self.term_row(term, word) for term in terms]))

    def term_row(self, term: str, word: str) -> BoolArray:
        row = np.zeros(self.index.num_places, np.bool_)
        docs, _ = self.index.postings(term)
        row[docs] = True
        if not len(docs):
            self.note(f"{word!r}: not in any document")
        return row

    def phrase_row(self, text: str) -> BoolArray | None:
        spans = self.index.analyser.spans(text)
        places = [(place, term) for place, (_, _, term) in enumerate(spans) if term is not None]
        if not places:
            self.note(f'"{text}": ignored, because the analyser removes all of it')
            return None
        row = np.asarray(np.logical_and.reduce([self.term_row(term, text) for _, term in places]))
        if len(places) == 1:
            return row
        if not self.index.has_positions:
            raise GermaneError(
                f'the phrase "{text}" requires word positions, which this index does not have',
                hint="index again with `germane index --positions`, or join the words with AND",
            )
        for doc in np.flatnonzero(row).tolist():
            row[doc] = self.stands_in(doc, places)
        return row

    def stands_in(self, doc: int, places: list[tuple[int, str]]) -> bool:
        """Whether a document contains the terms at these distances from each other."""
        starts = (self.index.positions(term, doc) - place for place, term in places)
        return len(reduce(partial(np.intersect1d, assume_unique=True), starts)) > 0

    def living(self) -> BoolArray:
        row = np.zeros(self.index.num_places, np.bool_)
        row[self.index.living()] = True
        return row

    def note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)
