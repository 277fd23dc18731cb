"""The files of the search engineer's tutorial: the same each time, and judgments that fit the pool."""

from pathlib import Path

import pytest

from germane.api.retrieval.indexing import index as build_index
from germane.api.retrieval.retrieval import retrieve
from germane.api.truth.agreement import agree
from germane.api.truth.pooling import pool as make_pool
from germane.demo.files_for_search_engineer import make
from germane.demo.help_centre import APPLIANCES, TROUBLES, Article, Need, articles, grade, queries
from germane.formats.truth.judgments_file import read_events
from germane.formats.truth.topics_file import read_topics


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("search_engineer")
    make(made)
    return made


def test_the_files_are_the_same_each_time(folder: Path, tmp_path: Path) -> None:
    make(tmp_path)
    names = sorted(file.name for file in folder.iterdir())
    assert names == ["ann.jsonl", "bob.jsonl", "documents.jsonl", "log.tsv", "topics.tsv"]
    assert [name for name in names if (folder / name).read_bytes() != (tmp_path / name).read_bytes()] == []


def test_both_judged_exactly_what_the_tutorial_pools(folder: Path, tmp_path: Path) -> None:
    topics = {topic.id: topic.title for topic in read_topics(folder / "topics.tsv").values()}
    runs = {}
    for name, fields in (("live", None), ("titles", ["title"])):
        build_index(tmp_path / name, [folder / "documents.jsonl"], fields=fields)
        runs[name] = retrieve(tmp_path / name, topics, k=50).run
    pooled = {(item.topic, item.doc) for item in make_pool(runs, depth=8).items}
    for who in ("ann", "bob"):
        assert {event.pair for event in read_events(folder / f"{who}.jsonl")} == pooled


def test_they_agree_somewhat_and_bob_is_kinder(folder: Path) -> None:
    report = agree([folder / "ann.jsonl", folder / "bob.jsonl"], grades=[0, 1, 2], resamples=100)
    assert 0.67 < report["kappa"] < 0.8
    given = [[event.grade or 0 for event in read_events(folder / f"{who}.jsonl")] for who in ("ann", "bob")]
    assert sum(given[0]) < sum(given[1])


def article(trouble: str, appliance: str) -> Article:
    return Article("id", appliance, trouble, "", "")


GRADES = [
    # what is wanted              what the article is about  grade  why
    (Need("kettle", "leak"),      ("leak", "kettle"),        2,     "the answer"),
    (Need("kettle", "leak"),      ("leak", "toaster"),       0,     "of another appliance"),
    (Need("kettle", "leak"),      ("leak", ""),              1,     "of all appliances"),
    (Need("kettle", "leak"),      ("parts", "kettle"),       1,     "a new seal helps"),
    (Need("kettle", "leak"),      ("parts", ""),             0,     "too far off"),
    (Need("kettle", "leak"),      ("power", "kettle"),       0,     "another question"),
    (Need("kettle", ""),          ("power", "kettle"),       1,     "anything about it"),
    (Need("kettle", ""),          ("power", "toaster"),      0,     "another appliance"),
]  # fmt: skip


@pytest.mark.parametrize(("need", "about", "expected", "why"), GRADES)
def test_grades_by_hand(need: Need, about: tuple[str, str], expected: int, why: str) -> None:
    assert grade(need, article(*about)) == expected, why


def test_every_trouble_has_an_article_and_its_neighbours_exist() -> None:
    written = articles(11)
    assert len({each.id for each in written}) == len(written) > 150
    assert {each.trouble for each in written} == set(TROUBLES)
    assert {near for about in TROUBLES.values() for near in about.near} <= set(TROUBLES)
    assert not any("{" in each.title + each.text for each in written)


def test_queries_name_their_appliance() -> None:
    asked = list(queries(11))
    assert len(asked) > 200
    assert all(any(name in text for name in APPLIANCES[need.appliance]) for text, need, _ in asked)
    assert all(count > 0 for _, _, count in asked)
