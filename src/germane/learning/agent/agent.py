"""An agent at work: it answers, learns from what it is told, says how sure it is, and asks."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Self

from germane.errors import GermaneError
from germane.formats.files.file_lock import only_writer
from germane.formats.files.sources import STDIN
from germane.formats.files.targets import require_new
from germane.learning.agent import lessons
from germane.learning.agent.answers import Answer, Ranked, answer, ranked
from germane.learning.agent.description import AgentDescription
from germane.learning.agent.knowledge.evidence import Evidence
from germane.learning.agent.knowledge.experience import Experience, rates_of
from germane.learning.agent.knowledge.judgment_log import LoggedJudgment, missing_from
from germane.learning.agent.knowledge.reranking import Reranker
from germane.learning.agent.lessons import Lesson, document_numbers, observed
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


class Agent:
    """A state, and the index that it is sent out to."""

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
        """Its decisions since it was sent out, as far as somebody judged them."""
        return self.state.since.confusion

    @property
    def trained_confusion(self) -> Confusion:
        """Its decisions on training queries, each made by what the other folds taught."""
        return self.state.trained.confusion

    def ranked(self, query: str) -> Ranked:
        """Every document that it finds, with score and P(R|d), by all that it knows now."""
        text = self._text(query)
        if text not in self._found:
            self._found[text] = self._ranked(self._query(text), self._marks(text))
        return self._found[text]

    def search(self, query: str, k: int | None = None) -> Answer:
        """The documents that are worth their expected cost, or the best `k`."""
        if k is not None and k < 1:
            raise GermaneError(f"expected k of 1 or more, found {k}")
        text = self._text(query)
        found = answer(self.index, text, self.ranked(text), self._marks(text), self.costs, k)
        return replace(found, strategy=str(self.strategy), notes=(*self.notes, *found.notes))

    def describe(self) -> AgentDescription:
        """All about it: what it does and why, how good its decisions are, and where it is weak."""
        return AgentDescription(self.state, self.notes)

    def learn(self, query: str, judgments: Mapping[str, bool]) -> Lesson:
        """Take in what somebody said of documents for a query; all of it counts at once."""
        text = self._text(query)
        numbers = document_numbers(self.index, judgments)
        if not judgments:
            return Lesson(text, 0, 0, sum(self.state.marks.get(text, {}).values()))
        return self._learn(observed(text, self._query(text), self.ranked(text), numbers, judgments))

    def ask(self, query: str, *, by: By = "entropy", candidates: int = 10) -> Question:
        """The document whose judgment would tell it most."""
        text = self._text(query)
        asked = self._query(text)

        def after(marks: Mapping[int, bool]) -> Ranked:
            return self._ranked(asked, marks)

        return best_question(self.index, text, self.ranked(text), self._marks(text), after, self.costs, by, candidates)

    def rates(self, experience: Experience | None = None) -> dict[str, Estimate]:
        """Precision, recall and more of its decisions, with intervals: those since it was sent out, or others."""
        return rates_of(experience or self.state.since)

    def weak_spots(self, experience: Experience | None = None) -> tuple[WeakSpot, ...]:
        """Where its decisions were worst: in training, or in what is given."""
        return weak_spots(experience or self.state.trained)

    def trained_on(self, queries: Sequence[str]) -> list[str]:
        """Those of some queries that it was trained on: what it does for these says nothing about new ones."""
        known = set(self.state.origin.queries)
        return [query for query in queries if query_hash(query) in known]

    def copy(self) -> Self:
        """Another one that knows the same, and learns for itself."""
        return type(self)(copy.deepcopy(self.state), self.index)

    def save(self, path: str | Path, *, overwrite: bool = True) -> None:
        """Write all that it is into one file, which is replaced once all is written.

        Judgments that another process saved there meanwhile stay, and count for this agent, too. Without `overwrite` a
        file that exists already is an error.
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

    def _learn(self, told: Sequence[LoggedJudgment]) -> Lesson:
        query = self._query(told[0].query)
        lesson = lessons.learn(self.state, self._evidence, self._reranker, query, told)
        self._found.clear()
        return lesson

    def _ranked(self, query: Query, marks: Mapping[int, bool]) -> Ranked:
        return ranked(self.state, self.index, self._evidence, self._reranker, query, marks)

    def _text(self, query: str) -> str:
        text = normal_text(query)
        if not text:
            raise GermaneError("expected a query, found nothing")
        return text

    def _query(self, text: str) -> Query:
        return as_query(text, self.index)

    def _marks(self, text: str) -> dict[int, bool]:
        numbers = {self.index.doc_number(doc): relevant for doc, relevant in self.state.marks.get(text, {}).items()}
        return {number: relevant for number, relevant in numbers.items() if number is not None}
