"""What becomes of a judgment: it counts for this query, for the document in other queries, for what features mean, for
P(R|d), and against or for the agent's own decision."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from germane.errors import GermaneError
from germane.learning.agent.answers import Ranked, probability_of
from germane.learning.agent.knowledge.evidence import Evidence
from germane.learning.agent.knowledge.judgment_log import LoggedJudgment, new_event
from germane.learning.agent.knowledge.reranking import Reranker
from germane.learning.agent.state import AgentState
from germane.retrieval.indexes.index import Index
from germane.retrieval.query import Query

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
        raise GermaneError(
            f"not in the index: {', '.join(map(repr, unknown[:SHOWN]))}{rest}", hint="nothing was learned"
        )
    for doc, relevant in judgments.items():
        if relevant not in (False, True):
            raise GermaneError(f"expected true or false for {doc!r}, found {relevant!r}", hint="nothing was learned")
    return {doc: number for doc, number in numbers.items() if number is not None}


def observed(
    text: str, query: Query, found: Ranked, numbers: Mapping[str, int], judgments: Mapping[str, bool]
) -> list[LoggedJudgment]:
    """Return judgments for a query, each with what the ranking before it, `found`, made of the document."""
    place = {doc: at for at, doc in enumerate(found.docs.tolist())}
    docs = np.asarray([numbers[doc] for doc in judgments], np.int64)
    is_ranked = np.asarray([doc in place for doc in docs.tolist()], np.bool_)
    p = np.where(is_ranked, probability_of(found, docs), 0.0)
    scores = [float(found.scores[place[doc]]) if doc in place else None for doc in docs.tolist()]
    return [
        LoggedJudgment(
            new_event(), text, doc, bool(relevant), len(query.weights), float(probability), score, found.learned
        )
        for (doc, relevant), probability, score in zip(judgments.items(), p.tolist(), scores, strict=True)
    ]


def learn(
    state: AgentState, evidence: Evidence, reranker: Reranker | None, query: Query, told: Sequence[LoggedJudgment]
) -> Lesson:
    """Take in judgments of one query: all of them count at once, and are added to the log.

    At once: the marks for this query; the counts of Binary Independence Indexing and the sums of the re-ranking model,
    which other queries use; P(R|d), of the ranges in which the documents' scores fell; and the confusion matrix, by
    whether each document was worth returning. A judgment that takes back an earlier one changes all but P(R|d), where
    the first one stays.
    """
    num_new = num_changed = 0
    text = told[0].query
    marks, decided = state.marks.setdefault(text, {}), state.decided.setdefault(text, {})
    for one in told:
        before = marks.get(one.doc)
        if before is None:
            num_new += 1
            decided[one.doc] = _record(state, one)
        elif before != one.relevant:
            num_changed += 1
            evidence.judge(query, one.doc, relevant=before, times=-1)
            record, was_returned = state.since.queries[text], np.asarray([decided[one.doc]])
            record.count(was_returned, np.asarray([before]), times=-1)
            record.count(was_returned, np.asarray([one.relevant]))
        if before != one.relevant:
            evidence.judge(query, one.doc, relevant=one.relevant)
            if reranker is not None:
                reranker.judge(text, query, one.doc, relevant=one.relevant)
        marks[one.doc] = one.relevant
        state.judgments.append(one)
    return Lesson(text, num_new, num_changed, sum(marks.values()))


def _record(state: AgentState, one: LoggedJudgment) -> bool:
    """Count the first judgment of a document; whether the document was worth returning."""
    p, relevant = np.asarray([one.probability]), np.asarray([one.relevant])
    returned = p > state.utility.costs.threshold
    state.since.record(one.query, one.num_terms, p, returned, relevant)
    if one.score is not None:
        calibration = state.calibration_after if one.refined else state.calibration
        (calibration or state.calibration).add([one.score], relevant)
    return bool(returned[0])
