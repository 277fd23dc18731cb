"""A search that goes on: ask, mark what is relevant and what is not, ask again, and see what changed and why."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from germane.errors import GermaneError
from germane.retrieval.explain import ScoreExplanation
from germane.retrieval.feedback import FEEDBACK, Feedback
from germane.retrieval.indexes.index import Index
from germane.retrieval.rounds import AskedModel, Hit, Round, asked_model, search_round, why


@dataclass
class Session:
    """One person's search over an index.

    Marks belong to the query for which they were made. Another query sets them aside, and the first one, asked again,
    has them back.

    >>> index = Index.of({"d1": "red wine", "d2": "red roses and thorns", "d3": "thorns"}, analyser="plain")
    >>> session = Session(index)
    >>> [hit.doc for hit in session.ask("red").results]
    ['d1', 'd2']
    >>> session.mark([2], relevant=True)
    >>> [(hit.doc, hit.before) for hit in session.again().results]
    [('d2', 2), ('d1', 1), ('d3', None)]
    """

    index: Index
    model: AskedModel = field(default_factory=lambda: asked_model("BM25"))
    method: Feedback = field(default_factory=lambda: FEEDBACK.parse("rocchio"))
    size: int = 10
    marks_by_query: dict[str, dict[int, bool]] = field(default_factory=dict)
    """By query, in the order in which they were first asked: the numbers of the marked documents."""
    rounds: list[Round] = field(default_factory=list)
    """The rounds of the query that is being worked on."""

    @property
    def current(self) -> Round:
        """The round that is on the screen."""
        if not self.rounds:
            raise GermaneError("nothing was asked yet", hint="type a query first")
        return self.rounds[-1]

    @property
    def marks(self) -> dict[int, bool]:
        """What was marked for the query that is being worked on, by document number."""
        return self.marks_by_query[self.current.text]

    def ask(self, text: str) -> Round:
        """A query. What was marked for it before, if it was asked before, counts."""
        marks = self.marks_by_query.get(text, {})
        found = search_round(self.index, text, self.model, self.method, marks, size=self.size)
        self.marks_by_query.setdefault(text, marks)  # only now: a query that cannot be read changes nothing
        self.rounds = [found]
        return found

    def again(self) -> Round:
        """Search again with all that was marked: the query as it was typed, refined by the feedback method."""
        last = self.current
        number, before = last.number + 1, {hit.number: hit.rank for hit in last.results}
        found = search_round(
            self.index, last.text, self.model, self.method, self.marks, size=self.size, number=number, before=before
        )
        self.rounds.append(found)
        return found

    def mark(self, ranks: Iterable[int], *, relevant: bool | None) -> None:
        """Mark results of this page, by rank, as relevant or not; None takes a mark away. The last mark counts."""
        results = [self.current.result(rank) for rank in ranks]  # all of them are there, or nothing is marked
        for result in results:
            self._set(result.number, relevant)

    def unmark(self, doc_ids: Iterable[str]) -> None:
        """Take marks away by document id: after a new round the document may no longer be on the page."""
        marked = {self.index.doc_id(doc): doc for doc in self.marks}
        wanted = list(doc_ids)
        if missing := [doc_id for doc_id in wanted if doc_id not in marked]:
            raise GermaneError(f"not marked: {', '.join(missing)}", hint=f"marked are {', '.join(marked) or 'none'}")
        for doc_id in wanted:
            self._set(marked[doc_id], None)

    def why(self, rank: int) -> ScoreExplanation:
        """Where the score of a result comes from."""
        return why(self.index, self.current, rank)

    def result(self, rank: int) -> Hit:
        """A result of this page by its rank."""
        return self.current.result(rank)

    def judgments(self) -> dict[str, dict[str, int]]:
        """All marks as qrels: queries are numbered from 1 as they were asked, those without marks left out."""
        return {
            str(number): {self.index.doc_id(doc): int(good) for doc, good in marks.items()}
            for number, marks in enumerate(self.marks_by_query.values(), start=1)
            if marks
        }

    def _set(self, doc: int, relevant: bool | None) -> None:
        if relevant is None:
            self.marks.pop(doc, None)
        else:
            self.marks[doc] = relevant
