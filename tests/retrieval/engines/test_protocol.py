"""What every engine's answer is checked for, and that each failure is told with engine and topic."""

import threading
import time
from typing import Any

import pytest

from germane.errors import GermaneError
from germane.retrieval.engines.callable import CallableEngine
from germane.retrieval.engines.local import LocalEngine
from germane.retrieval.engines.protocol import Engine, ranked
from germane.retrieval.engines.requests import ask
from germane.retrieval.engines.servers.opensearch import OpenSearchEngine
from germane.retrieval.engines.servers.postgresql import PostgresqlEngine
from germane.retrieval.indexes.index import Index

WRONG_ANSWERS = [
    # answer                                message
    ([("d1", float("nan"))], "expected a finite number as the score of document 'd1', found nan"),
    ([("d1", float("inf"))], "expected a finite number as the score of document 'd1', found inf"),
    ([("d1", None)], "expected a finite number as the score of document 'd1', found None"),
    ([("d1", "3.5")], "expected a finite number as the score of document 'd1', found '3.5'"),
    ([("d1", True)], "expected a finite number as the score of document 'd1', found True"),
    ([("d1", 2.0), ("d2", 1.0), ("d1", 0.5)], "duplicate document 'd1' in the answer"),
    ([(7, 1.0)], "expected a document id (text) at rank 1, found 7 (int)"),
    ([("d1", 1.0), (b"d2", 0.5)], "expected a document id (text) at rank 2, found b'd2' (bytes)"),
    ([("", 1.0)], "expected a document id (text) at rank 1, found nothing"),
    ([("a", 4), ("b", 3), ("c", 2), ("d", 1)], "expected at most 3 documents, found 4"),
    (["d1", "d2x"], "expected (document id, score) pairs, found something else"),
]


@pytest.mark.parametrize(("answer", "message"), WRONG_ANSWERS)
def test_a_wrong_answer_is_an_error_that_names_engine_and_topic(answer: Any, message: str) -> None:
    engine = CallableEngine(lambda _: answer, "mine:search")
    with pytest.raises(GermaneError) as told:
        ask(engine, {"301": "wine"}, 3, threads=1)
    assert told.value.message == f"mine:search, query '301': {message}"


def test_a_right_answer_passes_as_it_is() -> None:
    found = ranked([("b", 2), ("a", 2.5), ("c", -1)], k=3)
    assert (found.ids, found.scores.tolist()) == (("b", "a", "c"), [2.0, 2.5, -1.0])


def test_all_engines_are_engines() -> None:
    assert isinstance(LocalEngine(Index.of({"d1": "wine"}, "plain")), Engine)
    assert isinstance(CallableEngine(dict), Engine)
    for kind in (PostgresqlEngine, OpenSearchEngine):
        needed = ("search", "describe", "num_docs", "index_bytes", "notes", "close", "threads")
        assert [name for name in needed if not hasattr(kind, name)] == []


def test_answers_come_in_the_order_of_the_queries_whatever_order_they_took() -> None:
    seen = []

    def slow_first(text: str) -> dict[str, float]:
        time.sleep(0.05 if text == "1" else 0.0)
        seen.append(text)
        return {f"d{text}": 1.0}

    answers = ask(CallableEngine(slow_first), {str(n): str(n) for n in range(1, 6)}, 10, threads=3)
    assert [answer.found.ids for answer in answers] == [("d1",), ("d2",), ("d3",), ("d4",), ("d5",)]
    assert seen.index("1") > 0  # the others went on meanwhile
    assert [answer.seconds > 0.04 for answer in answers if answer.seconds] == [True, False, False, False, False]


def test_a_query_without_words_is_not_asked() -> None:
    asked = []

    def nothing(text: str) -> dict[str, float]:
        asked.append(text)
        return {}

    answers = ask(CallableEngine(nothing), {"1": " \n", "2": "wine"}, 10, threads=1)
    assert asked == ["wine"]
    assert [(len(answer.found), answer.seconds is None) for answer in answers] == [(0, True), (0, False)]


def test_the_first_failure_stops_the_rest() -> None:
    asked = []
    lock = threading.Lock()

    def third_fails(text: str) -> dict[str, float]:
        with lock:
            asked.append(text)
        if text == "3":
            raise OSError("disk on fire")
        time.sleep(0.005)
        return {}

    with pytest.raises(GermaneError, match=r"mine, query '3': OSError: disk on fire \(test_protocol.py, line \d+\)"):
        ask(CallableEngine(third_fails, "mine"), {str(n): str(n) for n in range(1, 100)}, 10, threads=2)
    assert len(asked) < 99


def test_progress_counts_every_answer() -> None:
    told: list[tuple[int, int]] = []
    ask(CallableEngine(lambda _: {}), {"1": "a", "2": "b"}, 1, threads=1, progress=lambda *at: told.append(at))
    assert told == [(1, 2), (2, 2)]
