"""Laws that every pooling method keeps, and broken ones that they catch."""

from collections.abc import Callable, Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from germane.judging.pooling.lists import Draws, TopicLists
from germane.judging.pooling.method import POOLING, Method
from germane.judging.pooling.queue import FixedOrder, Queue, replay

Start = Callable[[TopicLists, Draws], Queue]
POOLERS = [method for method in POOLING if not method.needs_collection and method.name != "stratified"]
EVERY = [*POOLERS, POOLING.parse("stratified(strata=1:1/3:0.5/9:0.2)"), POOLING.parse("maxmean(credit=pulled)")]
by_name = pytest.mark.parametrize("method", EVERY, ids=str)

LETTERS = "abcdefgh"
rankings = st.lists(st.lists(st.sampled_from(LETTERS), unique=True, max_size=6).map(" ".join), min_size=1, max_size=4)
answers = st.lists(st.booleans(), min_size=len(LETTERS), max_size=len(LETTERS))


def resumed(queue: Queue, judgments: list[tuple[int, bool]]) -> Queue:
    """A fresh queue brought to where another stood, from the judgments in the order in which they came."""
    for doc, relevant in judgments:
        queue.next()
        queue.tell(doc, relevant)
    return queue


def complaints(start: Start, lists: TopicLists, relevant: list[bool]) -> Iterator[str]:
    """Everything that a method does to these lists and should not."""
    queue, again = start(lists, Draws(1, "q")), start(lists, Draws(1, "q"))
    order: list[tuple[int, bool]] = []
    while (doc := queue.next()) is not None and len(order) <= len(lists.docs):
        if queue.next() != doc:
            yield "asking twice gives two answers"
        if doc in [seen for seen, _ in order]:
            yield "a document is asked for twice"
            return
        if resumed(start(lists, Draws(1, "q")), order).next() != doc:
            yield "built again from the judgments, it asks for another document"
        queue.next()
        queue.tell(doc, relevant[doc])
        order.append((doc, relevant[doc]))
    pooled = {doc for doc, _ in order}
    if pooled != {doc for ranking in lists.ranked for doc in ranking}:
        yield "in the end not everything that a run ranks is judged"
    half = len(order) // 2
    if replay(again, relevant, half) != [doc for doc, _ in order[:half]]:
        yield "a smaller budget is not the beginning of a larger one"


@by_name
@settings(max_examples=12)
@given(ranking=rankings, relevant=answers)
def test_every_method_keeps_the_laws(method: Method, ranking: list[str], relevant: list[bool]) -> None:
    assert list(complaints(method.start, TopicLists.of(ranking), relevant)) == []


class Impatient(FixedOrder):
    """Takes what it asked for as judged."""

    def next(self) -> int | None:
        doc = super().next()
        if doc is not None:
            self.judged.add(doc)
        return doc


class Forgetful(FixedOrder):
    """Stops one document early."""

    def next(self) -> int | None:
        return None if len(self.judged) == len(self.order) - 1 else super().next()


@pytest.mark.parametrize(
    ("broken", "complaint"),
    [
        (Impatient, "asking twice gives two answers"),
        (Forgetful, "in the end not everything"),
    ],
)
def test_the_laws_catch_a_broken_queue(broken: type[FixedOrder], complaint: str) -> None:
    start = lambda lists, draws: broken(lists.docs, lists.by_best_rank(lists.longest))
    found = list(complaints(start, TopicLists.of(["a b c", "c d"]), [True, False] * 2))
    assert any(text.startswith(complaint) for text in found)


def test_the_laws_catch_draws_that_depend_on_the_past() -> None:
    class Stream(Draws):
        """Numbers from a stream, whatever the step."""

        calls = 0

        def uniform(self, step: int, count: int) -> list[float]:
            self.calls += 1
            return super().uniform(self.calls, count)

    start = lambda lists, draws: POOLING.parse("thompson").start(lists, Stream(1, "q"))
    found = list(complaints(start, TopicLists.of(["a b c", "d e f", "g h"]), [True, False] * 4))
    assert any("asking twice" in text for text in found)


@settings(max_examples=25)
@given(ranking=rankings, depth=st.integers(1, 6))
def test_a_pool_of_depth_k_is_the_union_of_the_top_k(ranking: list[str], depth: int) -> None:
    cut = [" ".join(text.split()[:depth]) for text in ranking]
    union = {doc for text in cut for doc in text.split()}
    for name in ("depth", "rrf", "rbp", "combmnz", "borda"):
        lists = TopicLists.of(cut)
        queue = POOLING.parse(name).start(lists, Draws(0, "q"))
        assert {queue.docs[doc] for doc in replay(queue, [], 99)} == union


def test_a_run_that_is_left_out_leaves_no_trace() -> None:
    lists = TopicLists.of(["a b", "c a", "d"])
    for method in POOLERS:
        if method.kind == "sample":
            continue
        queue = method.start(lists.without([1]), Draws(0, "q"))
        assert {queue.docs[doc] for doc in replay(queue, [False] * 4, 9)} == {"a", "b", "d"}


def test_a_topic_draws_the_same_whichever_step_is_asked_first() -> None:
    early, late = Draws(3, "q"), Draws(3, "q")
    late.uniform(5000, 17)
    assert early.uniform(7, 17) == late.uniform(7, 17)
    assert early.uniform(7, 17) != Draws(3, "r").uniform(7, 17)
    assert Draws(3, "q").sample(3, 100) == Draws(3, "q").sample(9, 100)[:3]
    assert sorted(Draws(3, "q").sample(9, 9)) == list(range(9))


@by_name
def test_only_random_methods_depend_on_the_seed(method: Method) -> None:
    lists = TopicLists.of([" ".join(f"{run}{i}" for i in range(12)) for run in "abc"])  # deeper than any base
    orders = {tuple(replay(method.start(lists, Draws(seed, "q")), [False] * 36, 36)) for seed in range(9)}
    assert (len(orders) > 1) == method.random


@by_name
def test_every_method_says_all_about_itself(method: Method) -> None:
    assert method.summary.endswith((".", "AP.", "pool."))
    assert set(method.sections) >= {"Formula", "Reference"}
    assert POOLING.parse(str(method)) == method
