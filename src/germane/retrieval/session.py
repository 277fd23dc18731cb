"""An interactive search: query, mark results as relevant or not, search again, and see what changed and why."""

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
    """One person's search session on an index.

    Marks belong to the query for which they were made. A new query sets them aside; repeating the first query restores
    them.

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
    """Marks by document number, for each query in the order of first use."""
    rounds: list[Round] = field(default_factory=list)
    """Rounds of the current query."""

    @property
    def current(self) -> Round:
        """The current round."""
        if not self.rounds:
            raise GermaneError("no query yet", hint="type a query first")
        return self.rounds[-1]

    @property
    def marks(self) -> dict[int, bool]:
        """Marks of the current query, by document number."""
        return self.marks_by_query[self.current.text]

    def ask(self, text: str) -> Round:
        """Run a query; marks made for the same query before are used."""
        marks = self.marks_by_query.get(text, {})
        found = search_round(self.index, text, self.model, self.method, marks, size=self.size)
        self.marks_by_query.setdefault(text, marks)  # only now: a query with a syntax error changes nothing
        self.rounds = [found]
        return found

    def again(self) -> Round:
        """Search again with all marks: the query as typed, refined by the feedback method."""
        last = self.current
        number, before = last.number + 1, {hit.number: hit.rank for hit in last.results}
        found = search_round(
            self.index, last.text, self.model, self.method, self.marks, size=self.size, number=number, before=before
        )
        self.rounds.append(found)
        return found

    def mark(self, ranks: Iterable[int], *, relevant: bool | None) -> None:
        """Mark results of this page, by rank, as relevant or not; None removes a mark. The last mark counts."""
        results = [self.current.result(rank) for rank in ranks]  # an unknown rank fails before anything is marked
        for result in results:
            self._set(result.number, relevant)

    def unmark(self, doc_ids: Iterable[str]) -> None:
        """Remove marks by document id: after a new round, the document may no longer be on the page."""
        marked = {self.index.doc_id(doc): doc for doc in self.marks}
        wanted = list(doc_ids)
        if missing := [doc_id for doc_id in wanted if doc_id not in marked]:
            hint = f"marked documents: {', '.join(marked) or 'none'}"
            raise GermaneError(f"not marked: {', '.join(missing)}", hint=hint)
        for doc_id in wanted:
            self._set(marked[doc_id], None)

    def why(self, rank: int) -> ScoreExplanation:
        """Explain the score of a result."""
        return why(self.index, self.current, rank)

    def result(self, rank: int) -> Hit:
        """Return a result of this page by its rank."""
        return self.current.result(rank)

    def judgments(self) -> dict[str, dict[str, int]]:
        """Return all marks as qrels; queries are numbered from 1 in the order of use, those without marks omitted."""
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
