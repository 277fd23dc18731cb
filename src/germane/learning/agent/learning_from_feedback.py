"""What becomes of a judgment: it counts for this query, for the document in other queries, for what features mean, for
P(R|d), and against or for the agent's own decision."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from germane.errors import GermaneError
from germane.learning.agent.answering import Ranked, probability_of
from germane.learning.agent.evidence import Evidence
from germane.learning.agent.reranking import Reranker
from germane.learning.agent.state import AgentState
from germane.retrieval.index import Index
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


def learn(
    state: AgentState,
    index: Index,
    evidence: Evidence,
    reranker: Reranker | None,
    text: str,
    query: Query,
    found: Ranked,
    judgments: Mapping[str, bool],
) -> Lesson:
    """Take in judgments of documents for a query, of which `found` is the ranking before.

    At once: the marks for this query; the counts of Binary Independence Indexing and the sums of the re-ranking model,
    which other queries use; P(R|d), of the ranges in which the documents' scores fell; and the confusion matrix, by
    whether each document was worth returning. A judgment that takes back an earlier one changes all but P(R|d), where
    the first one stays.
    """
    numbers = document_numbers(index, judgments)
    marks = state.marks.get(text, {})
    new = {doc: bool(relevant) for doc, relevant in judgments.items() if doc not in marks}
    changed = {doc: bool(said) for doc, said in judgments.items() if doc in marks and marks[doc] != bool(said)}
    docs = np.asarray([numbers[doc] for doc in new], np.int64)
    relevant = np.asarray(list(new.values()), np.bool_)
    place = {doc: at for at, doc in enumerate(found.docs.tolist())}
    is_ranked = np.asarray([doc in place for doc in docs.tolist()], np.bool_)
    p = np.where(is_ranked, probability_of(found, docs), 0.0)
    returned = p > state.utility.costs.threshold
    if new:
        state.lived.record(text, len(query.weights), p, returned, relevant)
        scores = found.scores[[place[doc] for doc in docs[is_ranked].tolist()]]
        calibration = state.calibration_after if found.learned else state.calibration
        (calibration or state.calibration).add(scores, relevant[is_ranked])
    own = state.marks.setdefault(text, {})
    decided = state.decided.setdefault(text, {})
    for doc, was_returned in zip(new, returned.tolist(), strict=True):
        decided[doc] = was_returned
        evidence.judge(query, doc, relevant=new[doc])
    for doc, said in changed.items():
        evidence.judge(query, doc, relevant=not said, times=-1)
        evidence.judge(query, doc, relevant=said)
        record, was_returned = state.lived.queries[text], np.asarray([decided[doc]])
        record.count(was_returned, np.asarray([not said]), times=-1)
        record.count(was_returned, np.asarray([said]))
    if reranker is not None:
        for doc, said in (new | changed).items():
            reranker.judge(text, query, doc, relevant=said)
    own.update(new | changed)
    if not own:
        del state.marks[text], state.decided[text]
    return Lesson(text, len(new), len(changed), sum(own.values()))
