"""An agent at work: it answers, learns from what it is told, says how sure it is, and asks.

A judgment counts for its query, for the document in other queries, for what features mean, for P(R|d), and against or
for the agent's own decision.
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
    """How many judgments were new, and how many took back an earlier one."""

    query: str
    num_new: int
    num_changed: int
    num_relevant: int


def document_numbers(index: Index, judgments: Mapping[str, bool]) -> dict[str, int]:
    """The numbers of the documents that were judged; an error names those that the index does not have."""
    numbers = {doc: index.doc_number(doc) for doc in judgments}
    unknown = [doc for doc, number in numbers.items() if number is None]
    if unknown:
        rest = f" and {len(unknown) - SHOWN} more" if len(unknown) > SHOWN else ""
        hint = "nothing was learned"
        raise GermaneError(f"not in the index: {', '.join(map(repr, unknown[:SHOWN]))}{rest}", hint=hint)
    for doc, relevant in judgments.items():
        if relevant not in (False, True):
            raise GermaneError(f"expected true or false for {doc!r}, found {relevant!r}", hint="nothing was learned")
    return {doc: number for doc, number in numbers.items() if number is not None}


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
        found, num_terms = self.ranked(text), len(self._query(text).weights)
        place = {doc: at for at, doc in enumerate(found.docs.tolist())}
        told = []
        for doc, relevant in judgments.items():
            at = place.get(numbers[doc])
            p = 0.0 if at is None else float(found.probabilities[at])
            score = None if at is None else float(found.scores[at])
            event = uuid.uuid4().hex
            told.append(LoggedJudgment(event, text, doc, bool(relevant), num_terms, p, score, found.learned))
        return self._learn(told)

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
        """Take in judgments of one query: all of them count at once, and are added to the log.

        At once: the marks for this query; the counts of Binary Independence Indexing and the sums of the re-ranking
        model, which other queries use; P(R|d), of the ranges in which the documents' scores fell; and the confusion
        matrix, by whether each document was worth returning. A judgment that takes back an earlier one changes all but
        P(R|d), where the first one stays.
        """
        state, text, num_new, num_changed = self.state, told[0].query, 0, 0
        query = self._query(text)
        marks, decided = state.marks.setdefault(text, {}), state.decided.setdefault(text, {})
        for one in told:
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
        """Count the first judgment of a document; whether the document was worth returning."""
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
            raise GermaneError("expected a query, found nothing")
        return text

    def _query(self, text: str) -> Query:
        return as_query(text, self.index)

    def _marks(self, text: str) -> dict[int, bool]:
        numbers = {self.index.doc_number(doc): relevant for doc, relevant in self.state.marks.get(text, {}).items()}
        return {number: relevant for number, relevant in numbers.items() if number is not None}
