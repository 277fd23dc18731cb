"""By hand: what each pooling method asks for, on rankings small enough for paper."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from germane.errors import GermaneError
from germane.judging.pooling import POOLING
from germane.judging.pooling.adaptive import Hedge
from germane.judging.pooling.lists import Draws, TopicLists, topic_lists
from germane.judging.pooling.queue import replay
from germane.tables.rankings.run import Run


def asked(method: str, rankings: Sequence[str], relevant: str = "", budget: int = 99) -> str:
    """The documents that a method asks for, in order."""
    lists = TopicLists.of(rankings)
    queue = POOLING.parse(method).start(lists, Draws(0, "q1"))
    answers = [doc in relevant.split() for doc in queue.docs]
    return " ".join(queue.docs[doc] for doc in replay(queue, answers, budget))


# fmt: off
BY_HAND = [
    # method, runs, relevant documents, what it asks for, why
    ("depth", ["a b", "c d"], "", "c a d b", "by best rank; Z before A among equals"),
    ("depth", ["a b c", "c b"], "", "c a b", "c is first somewhere"),
    ("rrf(c=0)", ["a b", "b c"], "", "b a c", "1/2 + 1, 1, 1/2"),
    ("rrf", ["a b", "c b"], "", "b c a", "2/62 is more than 1/61"),
    ("rbp(p=0.4)", ["a b", "c b"], "", "c a b", "0.6 is more than 2 * 0.24"),
    ("rbp(p=0.6)", ["a b", "c b"], "", "b c a", "2 * 0.24 is more than 0.4"),
    ("combmnz", ["a b c", "c b d"], "", "c b a d", "c: 2 * (0 + 1), b: 2 * (1/2 + 1/2), a: 1 * 1, d: 1 * 0"),
    ("combmnz", ["a", "b", "b"], "", "b a", "a list of one: its only document counts 1; b: 2 * 2"),
    ("borda", ["a b", "c", "d"], "", "a d c b", "a: 4+2+2, d and c: 1.5+4+2, b: 3+2+2"),
    ("borda", ["a b", "", "b"], "", "b a", "an empty run has no points to give; b: 1+2, a: 2+1: Z before A"),
    ("mtf(ties=first)", ["a b c", "d e f"], "a e", "a b d c e f", "stays after a and after e, leaves after all others"),
    ("mtf(ties=first)", ["a b", "a c"], "", "a c b", "what is judged is skipped without effect"),
    ("mtf(ties=first)", ["a", "b c"], "a", "a b c", "a run that is used up leaves, relevant or not"),
    ("hedge", ["a b c", "d e f"], "d", "d e a", "d was relevant: trust its run, until e was not (a -.001, f -.077)"),
    ("hedge", ["a b c", "d e f"], "", "d a", "d was not: trust the other one"),
    ("maxmean(credit=pulled, ties=first)", ["a b c", "d e f"], "d", "a d e f b c", "A 1/3; B 2/3, 2/4, 2/5 > 1/3"),
    ("maxmean(credit=pulled, ties=first)", ["a x y", "x z w"], "x", "a x z w y", "A 1/3, B 2/3, then 2/4"),
    ("maxmean(credit=all, ties=first)", ["a x y", "x z w"], "x", "a x z y w", "x counts for A too: 2/4 as B after z"),
    ("mm-ns(credit=pulled, ties=first)", ["a b c", "d e f"], "a", "a b d c e f", "only the last outcome counts"),
    ("mm-ns(credit=pulled, ties=first)", ["a b c d", "e f"], "a b", "a b c e d f", "A: 2/3, 2/3, 1/3 < 1/2, B 1/3"),
    ("mm-ns(decay=1, credit=pulled, ties=first)", ["a b c d", "e f"], "a b", "a b c d e f", "is maxmean: 3/5 > 1/2"),
    ("base+top(base=1)", ["a b", "c d"], "a", "c a b d", "each run's first, then the run that was right"),
    ("base+top(base=2)", ["a b", "c d"], "a", "c a d b", "the base is everything"),
]
# fmt: on


@pytest.mark.parametrize(("method", "runs", "relevant", "expected", "why"), BY_HAND, ids=lambda value: str(value)[:40])
def test_by_hand(method: str, runs: list[str], relevant: str, expected: str, why: str) -> None:
    assert asked(method, runs, relevant, len(expected.split())) == expected, why


def test_hedge_weighs_runs_as_the_formula_says() -> None:
    queue = POOLING.parse("hedge(beta=0.5)").start(TopicLists.of(["a b c", "d e f"]), Draws(0, "q1"))
    assert isinstance(queue, Hedge)
    below = (math.log(3 / 4) + math.log(3 / 5) + math.log(3 / 6)) / 6
    first = math.log(3) / 2
    queue.tell(queue.docs.index("d"), relevant=True)
    a, d = 0.5**-below, 0.5**-first
    assert queue.weight.tolist() == pytest.approx([a / (a + d), d / (a + d)])


@dataclass
class Told(Draws):
    """Random numbers that the test chooses, step by step."""

    steps: list[list[float]] = field(default_factory=list)

    def uniform(self, step: int, count: int) -> list[float]:
        return self.steps[step][:count]


def test_thompson_draws_from_the_beta_of_each_run() -> None:
    draws = Told(steps=[[0.9, 0.2], [0.9, 0.7], [0.9, 0.8]])
    queue = POOLING.parse("thompson(credit=pulled)").start(TopicLists.of(["a b", "c d"]), draws)
    # Beta(1, 1) gives the number itself; Beta(1, 2) gives 1 - sqrt(1 - u), of 0.9 that is 0.684; Beta(2, 1) sqrt(u).
    asked_for = []
    for relevant in (False, True, True):
        doc = queue.next()
        assert doc is not None
        asked_for.append(queue.docs[doc])
        queue.tell(doc, relevant)
    assert asked_for == ["a", "c", "d"]  # 0.9 > 0.2; 0.684 < 0.7; 0.684 < sqrt(0.8)


def test_random_ties_take_every_run_sometimes() -> None:
    firsts = set()
    for seed in range(20):
        queue = POOLING.parse("maxmean").start(TopicLists.of(["a", "b", "c"]), Draws(seed, "q1"))
        doc = queue.next()
        assert doc is not None
        firsts.add(queue.docs[doc])
    assert firsts == {"a", "b", "c"}


def test_documents_are_ordered_as_evaluation_orders_them() -> None:
    run = Run.from_columns(["q"] * 4, ["d1", "d3", "d2", "d4"], [1.0, 2.0, 2.0, 0.5], rank=[1, 2, 3, 4])
    [lists] = topic_lists([run], depth=3)
    assert [lists.docs[doc] for doc in lists.ranked[0]] == ["d3", "d2", "d1"]
    assert lists.scores[0] == (2.0, 2.0, 1.0)


def test_topics_of_all_runs_in_byte_order() -> None:
    runs = [Run.from_dict({"q2": {"d": 1.0}}), Run.from_dict({"q10": {"e": 1.0}})]
    assert [(lists.topic, lists.docs) for lists in topic_lists(runs, depth=5)] == [("q10", ("e",)), ("q2", ("d",))]


@pytest.mark.parametrize(
    ("method", "message"),
    [
        ("bandit", "unknown pooling method 'bandit'"),
        ("max-mean", "did you mean maxmean"),
        ("rrf(p=3)", "rrf has no parameter 'p'"),
        ("rrf(c=low)", "expected a number of 0 or more for k, found 'low'"),
        ("rrf(c=-1)", "expected a number of 0 or more for k, found '-1'"),
        ("maxmean(credit=some)", "one of all, pulled"),
        ("maxmean(credit)", "maxmean: expected parameter=value"),
        ("hedge(beta=1)", "expected a number above 0 and below 1 for beta"),
        ("mm-ns(decay=2)", "a number between 0 and 1 for decay"),
        ("stratified(strata=10-1)", "expected strata"),
        ("stratified(strata=10:1/5:1)", "rising ranks"),
        ("stratified(strata=10:2)", "rates above 0 and up to 1"),
        ("sample(rate=0)", "expected a number above 0 and up to 1 for rate"),
        ("base+top(base=0)", "an integer of 1 or more for base"),
        ("uniform", "requires the document ids of the collection"),
    ],
)
def test_a_method_that_makes_no_sense_is_refused(method: str, message: str) -> None:
    with pytest.raises(GermaneError, match=message):
        POOLING.parse(method).start(TopicLists.of(["a b"]), Draws(0, "q1"))
