"""A search agent: it answers queries, learns from judgments, reports its confidence, and asks questions.

A judgment counts for its query, for the document in other queries, for feature weights, for P(R|d), and for the agent's
own confusion matrix.
"""

from __future__ import annotations

import copy
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

import numpy as np

from germane.errors import GermaneError
from germane.formats.files.file_lock import only_writer
from germane.formats.files.sources import STDIN
from germane.formats.files.targets import require_new
from germane.learning.agent.answers import Answer, Ranked, answer, ranked
from germane.learning.agent.description import AgentDescription
from germane.learning.agent.knowledge.evidence import Evidence
from germane.learning.agent.knowledge.experience import Experience, LoggedJudgment, missing_from, rates_of
from germane.learning.agent.knowledge.reranking import Reranker
from germane.learning.agent.questions import By, Question, best_question
from germane.learning.agent.state import AgentState, check_index, newer_state, normal_text, query_hash, write_state
from germane.learning.agent.weak_spots import WeakSpot, weak_spots
from germane.learning.strategies.strategy import Strategy
from germane.retrieval.feedback import Feedback
from germane.retrieval.indexes.index import Index
from germane.retrieval.probability.ranking_principle import Costs
from germane.retrieval.query import Query
from germane.retrieval.search import as_query
from germane.tables.decisions.confusion import Confusion
from germane.tables.results.performance import Estimate

SHOWN = 3


@dataclass(frozen=True)
class Lesson:
    """Number of judgments that were new, and of those that changed an earlier one."""

    query: str
    num_new: int
    num_changed: int
    num_relevant: int


def document_numbers(index: Index, judgments: Mapping[str, bool]) -> dict[str, int]:
    """Return the numbers of judged documents; an error names those that are not in the index."""
    numbers = {doc: index.doc_number(doc) for doc in judgments}
    unknown = [doc for doc, number in numbers.items() if number is None]
    if unknown:
        rest = f" and {len(unknown) - SHOWN} more" if len(unknown) > SHOWN else ""
        shown = f"{', '.join(map(repr, unknown[:SHOWN]))}{rest}"
        raise GermaneError(f"not in the index: {shown}; nothing was learned", hint="check the document ids")
    for doc, relevant in judgments.items():
        if relevant not in (False, True):
            problem = f"expected true or false for {doc!r}, found {relevant!r}; nothing was learned"
            raise GermaneError(problem, hint="use true for relevant and false for non-relevant documents")
    return {doc: number for doc, number in numbers.items() if number is not None}


class Agent:
    """An agent's state, and the index it searches."""

    def __init__(self, state: AgentState, index: Index) -> None:
        self.index = index
        self.notes = (*state.notes, *check_index(state, index))
        self._use(state)

    def _use(self, state: AgentState) -> None:
        self.state = state
        self._evidence = Evidence(self.index, state.indexing)
        known = state.reranking
        self._reranker = None if known is None else Reranker(self.index, state.strategy, state.depth, known)
        self._found: dict[str, Ranked] = {}

    @property
    def strategy(self) -> Strategy:
        return self.state.strategy

    @property
    def feedback(self) -> Feedback | None:
        return self.state.feedback

    @property
    def costs(self) -> Costs:
        return self.state.utility.costs

    @property
    def confusion(self) -> Confusion:
        """Its decisions since deployment, as far as they were judged."""
        return self.state.since.confusion

    @property
    def trained_confusion(self) -> Confusion:
        """Its decisions on training queries, each by a model trained on the other folds."""
        return self.state.trained.confusion

    def ranked(self, query: str) -> Ranked:
        """Rank all documents found, with score and P(R|d), by all that the agent knows now."""
        text = self._text(query)
        if text not in self._found:
            self._found[text] = self._ranked(self._query(text), self._marks(text))
        return self._found[text]

    def search(self, query: str, k: int | None = None) -> Answer:
        """Return the documents worth their expected cost, or the best `k`."""
        if k is not None and k < 1:
            raise GermaneError(f"expected k of 1 or more, found {k}")
        text = self._text(query)
        found = answer(self.index, text, self.ranked(text), self._marks(text), self.costs, k)
        return replace(found, strategy=str(self.strategy), notes=(*self.notes, *found.notes))

    def describe(self) -> AgentDescription:
        """Describe the agent: its choices and their reasons, the quality of its decisions, and its weak spots."""
        return AgentDescription(self.state, self.notes)

    def learn(self, query: str, judgments: Mapping[str, bool]) -> Lesson:
        """Learn from judgments of documents for a query; they take effect at once."""
        text = self._text(query)
        numbers = document_numbers(self.index, judgments)
        if not judgments:
            return Lesson(text, 0, 0, sum(self.state.marks.get(text, {}).values()))
        found, num_terms = self.ranked(text), len(self._query(text).weights)
        place = {doc: at for at, doc in enumerate(found.docs.tolist())}
        logged = []
        for doc, relevant in judgments.items():
            at = place.get(numbers[doc])
            p = 0.0 if at is None else float(found.probabilities[at])
            score = None if at is None else float(found.scores[at])
            event = uuid.uuid4().hex
            logged.append(LoggedJudgment(event, text, doc, bool(relevant), num_terms, p, score, found.learned))
        return self._learn(logged)

    def ask(self, query: str, *, by: By = "entropy", candidates: int = 10) -> Question:
        """Return the document whose judgment is expected to be most informative."""
        text = self._text(query)
        asked = self._query(text)

        def after(marks: Mapping[int, bool]) -> Ranked:
            return self._ranked(asked, marks)

        return best_question(self.index, text, self.ranked(text), self._marks(text), after, self.costs, by, candidates)

    def rates(self, experience: Experience | None = None) -> dict[str, Estimate]:
        """Return precision, recall and more of its decisions, with intervals: since deployment, or of `experience`."""
        return rates_of(experience or self.state.since)

    def weak_spots(self, experience: Experience | None = None) -> tuple[WeakSpot, ...]:
        """Return where its decisions are worst: in training, or in `experience`."""
        return weak_spots(experience or self.state.trained)

    def trained_on(self, queries: Sequence[str]) -> list[str]:
        """Return those of the queries that it was trained on; results on them do not carry over to new queries."""
        known = set(self.state.origin.queries)
        return [query for query in queries if query_hash(query) in known]

    def copy(self) -> Self:
        """Return an independent copy of the agent."""
        return type(self)(copy.deepcopy(self.state), self.index)

    def save(self, path: str | Path, *, overwrite: bool = True) -> None:
        """Write the agent to one file, which is replaced atomically.

        Judgments that another process saved there meanwhile are kept, and this agent learns from them. Without
        `overwrite` an existing file is an error.
        """
        if str(path) == STDIN:
            write_state(self.state, path)
            return
        with only_writer(path):
            if not overwrite:
                require_new(path, hint="an agent may hold feedback; choose another name")
            there = newer_state(path, self.state)
            if there is not None:
                own = missing_from(there.judgments, self.state.judgments)
                document_numbers(self.index, {one.doc: one.relevant for one in own})
                self._use(there)
                for one in own:
                    self._learn([one])
            write_state(self.state, path)

    def _learn(self, logged: Sequence[LoggedJudgment]) -> Lesson:
        """Learn from judgments of one query, effective at once, and add them to the log.

        They change the marks for this query; the counts of Binary Independence Indexing and the sums of the re-ranking
        model, which other queries use; P(R|d), in the ranges of the documents' scores; and the confusion matrix, by
        whether each document was worth returning. A judgment that changes an earlier one updates all but P(R|d), where
        the first one stays.
        """
        state, text, num_new, num_changed = self.state, logged[0].query, 0, 0
        query = self._query(text)
        marks, decided = state.marks.setdefault(text, {}), state.decided.setdefault(text, {})
        for one in logged:
            before = marks.get(one.doc)
            if before is None:
                num_new += 1
                decided[one.doc] = self._record(one)
            elif before != one.relevant:
                num_changed += 1
                self._evidence.judge(query, one.doc, relevant=before, times=-1)
                record, was_returned = state.since.queries[text], np.asarray([decided[one.doc]])
                record.count(was_returned, np.asarray([before]), times=-1)
                record.count(was_returned, np.asarray([one.relevant]))
            if before != one.relevant:
                self._evidence.judge(query, one.doc, relevant=one.relevant)
                if self._reranker is not None:
                    self._reranker.judge(text, query, one.doc, relevant=one.relevant)
            marks[one.doc] = one.relevant
            state.judgments.append(one)
        self._found.clear()
        return Lesson(text, num_new, num_changed, sum(marks.values()))

    def _record(self, one: LoggedJudgment) -> bool:
        """Count the first judgment of a document; return whether the document was worth returning."""
        state = self.state
        p, relevant = np.asarray([one.probability]), np.asarray([one.relevant])
        returned = p > self.costs.threshold
        state.since.record(one.query, one.num_terms, p, returned, relevant)
        if one.score is not None:
            calibration = state.calibration_after if one.refined else state.calibration
            (calibration or state.calibration).add([one.score], relevant)
        return bool(returned[0])

    def _ranked(self, query: Query, marks: Mapping[int, bool]) -> Ranked:
        return ranked(self.state, self.index, self._evidence, self._reranker, query, marks)

    def _text(self, query: str) -> str:
        text = normal_text(query)
        if not text:
            raise GermaneError("expected a query, found an empty text")
        return text

    def _query(self, text: str) -> Query:
        return as_query(text, self.index)

    def _marks(self, text: str) -> dict[int, bool]:
        numbers = {self.index.doc_number(doc): relevant for doc, relevant in self.state.marks.get(text, {}).items()}
        return {number: relevant for number, relevant in numbers.items() if number is not None}
