"""The iterated estimate: when it ends, and that it says how."""

from dataclasses import dataclass

from germane.retrieval.feedback import FEEDBACK
from germane.retrieval.feedback.iterated import Iterated
from germane.retrieval.feedback.method import JudgedDocuments
from germane.retrieval.indexes.index import Index
from germane.retrieval.models import MODELS, Model
from germane.retrieval.query import Query

INDEX = Index.of({"d0": "a b", "d1": "a b c", "d2": "c", "d3": "a c", "d4": "z"}, analyser="plain")
BIR = MODELS.parse("BIR")


@dataclass(frozen=True, kw_only=True, repr=False)
class Restless(Iterated):
    """Ranks d0, d1, d2 in turn, whatever the weights."""

    def _top(
        self, index: Index, query: Query, model: Model, relevant: JudgedDocuments, nonrelevant: JudgedDocuments
    ) -> JudgedDocuments:
        TURNS.append(len(TURNS) % 3)
        return JudgedDocuments(index, (TURNS[-1],))


TURNS: list[int] = []


def test_a_cycle_is_seen_and_said() -> None:
    found = Restless().refine(INDEX, BIR, Query.of(["a", "b"]), [])
    assert found.notes == ("not converged: 3 rankings repeat in a cycle from round 1 on",)
    assert [step.documents for step in found.steps] == [(), (0,), (1,), (2,)]


def test_it_ends_after_so_many_rounds() -> None:
    found = FEEDBACK.parse("iterated(documents=3,rounds=1)").refine(INDEX, BIR, Query.of(["a", "b", "c"]), [])
    assert found.notes == ("not converged after 1 round; the last one is used",)


def test_what_was_judged_is_always_or_never_taken() -> None:
    found = FEEDBACK.parse("iterated(documents=2)").refine(INDEX, BIR, Query.of(["a", "b", "c"]), [2], [1])
    assert all(2 in step.documents and 1 not in step.documents for step in found.steps[1:])
    many = FEEDBACK.parse("iterated(documents=1)").refine(INDEX, BIR, Query.of(["a"]), [0, 3])
    assert many.steps[-1].documents == (0, 3)


def test_a_query_of_unknown_words_stays_as_it_was() -> None:
    found = FEEDBACK.parse("iterated").refine(INDEX, BIR, Query.of(["nonesuch"]), [])
    assert found.notes == ("no document contains a query term, so the query is unchanged",)
