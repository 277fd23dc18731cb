"""`pool`: from runs to a pool that says how it was made."""

import hashlib
from pathlib import Path
from typing import Any

import pytest

from germane.api.truth.pooling import pool as make_pool
from germane.errors import GermaneError
from germane.formats.rankings.ranking_files import write_run
from germane.tables.rankings.run import Run

RUNS = {
    "one": {"q1": {"a": 3.0, "b": 2.0, "c": 1.0}, "q2": {"x": 1.0}},
    "two": {"q1": {"c": 2.0, "d": 1.0}},
}
QRELS = {"q1": {"a": 1, "b": 0, "c": 0, "d": 1, "n1": 0, "n2": 0, "r": 1, "u": -1}, "q2": {"x": 1, "n1": 0, "n3": 0}}


def docs(pool: Any, topic: str = "q1") -> str:
    return " ".join(pool.docs(topic))


def test_a_pool_of_depth_two() -> None:
    pool = make_pool(RUNS, depth=2)
    assert (docs(pool), docs(pool, "q2"), pool.method) == ("a b c d", "x", "depth")
    assert pool.parameters == {"depth": 2, "budget": None}
    assert make_pool(RUNS, depth=1).docs("q1") == ("a", "c")


def test_a_budget_per_topic() -> None:
    assert docs(make_pool(RUNS, "rrf(c=0)", budget=2)) == "a c"  # c: 1/3 + 1, a: 1, b and d: 1/2
    assert docs(make_pool(RUNS, "rrf", budget=99)) == docs(make_pool(RUNS))


def test_an_adaptive_method_is_replayed_on_judgments_or_pools_all_it_may_ask_for() -> None:
    replayed = make_pool(RUNS, "mtf(ties=first)", budget=3, qrels=QRELS)
    assert docs(replayed) == "a b c"  # a is relevant, b is not, so the other run's c
    assert replayed.parameters["replayed"] == "qrels"
    live = make_pool(RUNS, "mtf")
    assert docs(live) == "a b c d"
    assert "not-replayed" in [note.code for note in live.notes]
    with pytest.raises(GermaneError, match="mtf is adaptive: with a budget it requires judgments, found none"):
        make_pool(RUNS, "mtf", budget=3)


def test_the_pool_records_how_it_was_made(tmp_path: Path) -> None:
    path = tmp_path / "one.run"
    write_run(Run.from_dict(RUNS["one"]), path)
    pool = make_pool([path], "rrf(c=10)", depth=5, budget=2, seed=3)
    assert pool.manifest == {
        "method": "rrf",
        "parameters": {"k": 10.0, "depth": 5, "budget": 2},
        "seed": 3,
        "runs": [{"name": "one", "sha256": hashlib.sha256(path.read_bytes()).hexdigest()}],
    }


def test_the_same_seed_the_same_pool() -> None:
    pools = [make_pool(RUNS, "thompson", budget=2, qrels=QRELS, seed=seed) for seed in (1, 1, 2)]
    assert pools[0].hash == pools[1].hash != pools[2].hash


def test_runs_in_memory_have_a_hash_of_their_rows() -> None:
    one, other = (make_pool({"a": {"q": {"d": score}}}).runs[0].sha256 for score in (1.0, 2.0))
    assert one != other
    assert len(one) == 64


def test_distractors_that_were_judged_not_relevant() -> None:
    pool = make_pool(RUNS, depth=2, qrels=QRELS, distractors=1)
    found = {item.topic: item.doc for item in pool.items if item.kind == "distractor"}
    assert found["q1"] in ("n1", "n2")  # not b and c, which are in the pool; nor u, which nobody judged
    assert found["q2"] in ("n1", "n3")
    assert docs(pool) == "a b c d"
    assert (pool.parameters["distractors"], pool.parameters["distractors_from"]) == (1, "qrels")


def test_distractors_that_no_run_has() -> None:
    pool = make_pool(RUNS, depth=1, collection=["a", "b", "x", "z1", "z2"], distractors=2)
    found = [(item.topic, item.doc) for item in pool.items if item.kind == "distractor"]
    assert found == [("q1", "z1"), ("q1", "z2"), ("q2", "z1"), ("q2", "z2")]


def test_a_sample_of_the_collection_and_distractors_do_not_meet() -> None:
    collection = [f"z{i}" for i in range(6)]
    pool = make_pool(RUNS, "uniform", budget=4, collection=collection, distractors=2)
    assert pool.parameters["collection_size"] == 6
    assert len({item.doc for item in pool.items if item.topic == "q1"}) == 6


def test_a_file_of_the_collection(tmp_path: Path) -> None:
    path = tmp_path / "ids.txt"
    path.write_text("d1\nd2\n\n")
    assert docs(make_pool(RUNS, "uniform(size=9)", collection=path)) == "d1 d2"
    path.write_text("d1\nd1\n")
    with pytest.raises(GermaneError, match=r"ids\.txt: expected distinct document ids, found 1 duplicate"):
        make_pool(RUNS, "uniform", collection=path)


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"depth": 0}, "a depth of 1 or more"),
    ({"budget": 0}, "a budget of 1 or more"),
    ({"method": "uniform"}, "uniform requires a collection"),
    ({"distractors": 1}, "from judgments or from a collection, found neither"),
    ({"distractors": 1, "qrels": QRELS, "collection": ["z"]}, "from judgments or from a collection, found both"),
    (
        {"distractors": 1, "qrels": QRELS, "distractors_from": "collection"},
        "`distractors_from='collection'` requires `collection=`",
    ),
    ({"distractors": 3, "qrels": QRELS}, "found 2 for topic 'q1', in qrels"),
    ({"distractors_from": "qrels", "qrels": QRELS}, "`distractors_from=` requires a number of distractors"),
    ({"collection": []}, "expected document ids, found none"),
]


@pytest.mark.parametrize(("choices", "message"), REFUSED)
def test_what_makes_no_sense_is_refused(choices: dict[str, Any], message: str) -> None:
    with pytest.raises(GermaneError, match=message):
        make_pool(RUNS, **choices)


def test_notes_count_what_is_missing() -> None:
    notes = {(note.code, note.run): note for note in make_pool(RUNS, depth=3).notes}
    assert notes["missing-queries", "two"].examples == ("q2",)
    assert notes["fewer-than-depth", "two"].count == 1
    replayed = make_pool({"a": {"q1": {"new": 1.0}}}, "mtf", qrels=QRELS)
    assert [note.message for note in replayed.notes if note.code == "unjudged"] == [
        "1 document unjudged (treated as non-relevant)"
    ]
