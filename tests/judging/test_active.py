"""Continuous active learning: the loop worked by hand, the model against scikit-learn, and what it is for."""

from pathlib import Path

import numpy as np
import pytest

from germane.formats.truth.topics_file import Topic
from germane.judging.active import ActiveRanking, TopicOrder, batch_ends, judged_so_far, logistic_regression, tf_idf
from germane.judging.documents import open_documents
from germane.judging.store.connection import Database
from germane.judging.store.project import record_of
from germane.judging.store.queues import next_tasks
from tests.judging.projects import project, say

BATCHES = [
    # judged  trained after
    (0, [0]),
    (1, [0, 1]),
    (2, [0, 1]),
    (3, [0, 1, 3]),
    (10, [0, 1, 3, 6, 10]),
    (65, [0, 1, 3, 6, 10, 15, 21, 28, 36, 45, 55]),
    (66, [0, 1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 66]),  # batches of 1 to 10, then of 11
    (78, [0, 1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 66]),  # 11 grows by 2
    (79, [0, 1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 66, 79]),
]


@pytest.mark.parametrize(("judged", "expected"), BATCHES)
def test_batches_grow_by_a_tenth(judged: int, expected: list[int]) -> None:
    assert batch_ends(judged) == expected


def test_tf_idf_by_hand() -> None:
    space = tf_idf(["a a b", "a c", "c d", "b d"], "a d")
    # every word is in two of four documents: idf = ln 2; the first document has (1 + ln 2, 1) · ln 2, made of length 1
    assert space.words == ("a", "b", "c", "d")
    length = np.hypot(1 + np.log(2), 1)
    np.testing.assert_allclose(space.matrix.toarray()[0], [(1 + np.log(2)) / length, 1 / length, 0, 0])
    np.testing.assert_allclose(space.matrix.toarray()[4], [np.sqrt(0.5), 0, 0, np.sqrt(0.5)])


def test_the_model_is_scikit_learns() -> None:
    from sklearn.linear_model import LogisticRegression

    draw = np.random.default_rng(3)
    rows = draw.normal(size=(60, 5))
    relevant = (rows @ [1, -2, 0, 0.5, 0] + draw.normal(size=60) > 0).astype(float)
    weights, intercept = logistic_regression(rows, relevant)
    oracle = LogisticRegression(C=1.0, tol=1e-8).fit(rows, relevant)
    np.testing.assert_allclose(weights, oracle.coef_[0], atol=1e-3)
    assert intercept == pytest.approx(oracle.intercept_[0], abs=1e-3)


def made_texts(seed: int = 0, documents: int = 300, relevant: int = 15) -> dict[str, str]:
    """Texts of random words; those of the relevant ones, r…, share a vocabulary that the topic names in part."""
    draw = np.random.default_rng(seed)
    texts = {}
    for number in range(documents):
        words = [f"w{word}" for word in draw.integers(0, 400, size=30)]
        if number < relevant:
            words += [f"wine{word}" for word in draw.integers(0, 8, size=6)]
        texts[f"{'r' if number < relevant else 'n'}{number:03}"] = " ".join(words)
    return texts


def found_after(order: TopicOrder, judgments: int) -> int:
    log: list[tuple[str, bool]] = []
    while len(log) < judgments:
        judged = {doc for doc, _ in log}
        doc = next(doc for doc in order.ranking(log) if doc not in judged)
        log.append((doc, doc.startswith("r")))
    return sum(relevant for _, relevant in log)


def test_relevant_documents_come_early() -> None:
    order = TopicOrder.of(made_texts(), Topic("1", "wine0 wine1"), seed=1)
    assert found_after(order, 30) >= 14, "14 of 15 within a tenth of the pool; a shuffle would find 1 or 2"


def test_a_law_of_the_test_itself_a_model_of_noise_finds_little() -> None:
    order = TopicOrder.of(made_texts(), Topic("1", "nothing of the kind"), seed=1)
    upside_down = lambda log: TopicOrder.ranking(order, log)[::-1]
    object.__setattr__(order, "ranking", upside_down)
    assert found_after(order, 30) < 14


def test_the_same_log_gives_the_same_order_and_half_a_batch_changes_nothing() -> None:
    topic, texts = Topic("1", "wine0"), made_texts()
    log = [("r000", True), ("n100", False), ("n101", False), ("r001", True), ("n102", False)]
    one, two = (TopicOrder.of(texts, topic, seed=1).ranking(log) for _ in range(2))
    assert one == two
    assert one == TopicOrder.of(texts, topic, seed=1).ranking(log[:3]), "4 and 5 are in the middle of a batch"
    assert not {"r000", "n100", "n101"} & set(one)


def test_nothing_to_learn_from_is_no_error() -> None:
    assert TopicOrder.of({"d1": "", "d2": ""}, Topic("1"), seed=0).ranking([]) == ["d1", "d2"]
    assert TopicOrder.of({"d1": "a b", "d2": "a"}, Topic("1", "a"), seed=0).ranking([("d1", True)]) == ["d2"]


def test_a_project_in_active_mode(tmp_path: Path) -> None:
    texts = made_texts(documents=60, relevant=6)
    docs = tmp_path / "docs.tsv"
    docs.write_text("".join(f"{doc}\t{text}\n" for doc, text in texts.items()))
    documents = open_documents(docs)
    with Database(tmp_path / "p.db") as database:
        project(database, "q1: " + " ".join(texts), ordering="active")
        topics = {"q1": Topic("q1", "wine0 wine1 wine2")}
        came = []
        for _ in range(12):
            ranking = ActiveRanking(database, documents, topics)  # a new model each time: only the log is kept
            task = next_tasks(database, "ann", 1, ranking=ranking)[0]
            say(database, "ann", task, 2 if task.label.startswith("r") else 0)
            came.append(task.label)
        assert sum(label.startswith("r") for label in came) >= 5
        assert judged_so_far(database, "q1") == [(label, label.startswith("r")) for label in came]
        assert record_of(database)["events"] == {"active": 12}
    documents.close()


def test_a_document_that_cannot_be_read_does_not_stop_the_order(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "d1.png").write_bytes(b"no picture")
    (docs / "d2.txt").write_text("red wine", encoding="utf-8")
    with Database(tmp_path / "p.db") as database:
        project(database, "q1: d1 d2")
        ranking = ActiveRanking(database, open_documents(docs), {})
        assert sorted(ranking("q1") or ()) == ["d1", "d2"]
