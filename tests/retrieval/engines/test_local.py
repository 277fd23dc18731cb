"""An index of germane's own as an engine: what search finds, with ids for numbers."""

from pathlib import Path
from typing import Any

import pytest

from germane.errors import GermaneError
from germane.formats.documents.reading import Document
from germane.retrieval.engines.local import LocalEngine
from germane.retrieval.engines.requests import ask
from germane.retrieval.indexes.build import add_documents, build_index
from germane.retrieval.indexes.index import Index
from germane.retrieval.search import search

DOCS = {
    "d1": "red wine and white wine",
    "d2": "roses are red",
    "d3": "a wine cellar with oak barrels",
    "d4": "oak trees and roses",
}


@pytest.fixture(scope="module")
def index() -> Index:
    return Index.of(DOCS, analyser="english")


def test_it_finds_what_search_finds(index: Index) -> None:
    found = LocalEngine(index, model="BM25(k1=0.9,b=0.4)").search("red wines", k=10)
    ranking = search(index, "red wines", "BM25(k1=0.9,b=0.4)", 10)
    assert found.ids == tuple(index.doc_id(int(doc)) for doc in ranking.docs) == ("d1", "d2", "d3")
    assert found.scores.tolist() == ranking.scores.tolist()


@pytest.mark.parametrize("query", ["the and of", "zyzzyva", "?!"])
def test_stop_words_and_unknown_words_find_nothing(index: Index, query: str) -> None:
    assert len(LocalEngine(index).search(query, k=10)) == 0
    refined = LocalEngine(index, feedback="rm3")
    assert len(refined.search(query, k=10)) == 0
    assert [(note.code, note.count) for note in refined.notes()] == [("feedback", 1)]


def test_feedback_brings_words_that_the_query_did_not_have(index: Index) -> None:
    plain, refined = LocalEngine(index), LocalEngine(index, feedback="rm3(documents=2)")
    assert "d4" not in plain.search("cellar", k=10).ids
    assert "d4" in refined.search("cellar", k=10).ids  # by way of oak
    assert plain.notes() == refined.notes() == []
    assert refined.describe()["feedback"] == "rm3(documents=2)"


def test_several_segments_keep_their_ids(tmp_path: Path) -> None:
    folder = tmp_path / "index"
    build_index(folder, [Document(doc, DOCS[doc]) for doc in ("d1", "d2")], analyser="english")
    add_documents(folder, [Document(doc, DOCS[doc]) for doc in ("d3", "d4")])
    engine = LocalEngine(folder)
    assert len(engine.index.parts) > 1
    whole = LocalEngine(Index.of(DOCS, analyser="english"))
    for query in ("red wine", "oak", "roses wine"):
        assert engine.search(query, k=3).ids == whole.search(query, k=3).ids


def test_threads_change_nothing(index: Index) -> None:
    queries = {str(n): text for n, text in enumerate(["red wine", "oak", "the", "roses"] * 8)}
    runs: list[list[Any]] = [
        [answer.found.ids for answer in ask(LocalEngine(index), queries, 10, threads=threads)] for threads in (1, 4)
    ]
    assert runs[0] == runs[1]


def test_it_describes_itself(index: Index) -> None:
    engine = LocalEngine(index, model="ltc.ltn")
    told = engine.describe()
    assert (told["engine"], told["model"], told["analyser"]) == ("germane", "VSM", index.analyser.name)
    assert engine.index_bytes() == sum(told["bytes_by_use"].values())
    assert engine.num_docs() == 4


def test_a_wrong_model_or_feedback_is_told_before_anything_is_opened(tmp_path: Path) -> None:
    with pytest.raises(GermaneError, match="did you mean BM25"):
        LocalEngine(tmp_path / "nowhere", model="BM52")
    with pytest.raises(GermaneError, match="unknown feedback method 'rm33'"):
        LocalEngine(tmp_path / "nowhere", feedback="rm33")


# What may be named in a model's place


def test_boolean_matches_score_1_in_the_order_of_the_index(index: Index) -> None:
    engine = LocalEngine(index, model="Boolean")
    found = engine.search("wine OR oak", k=10)
    assert (found.ids, found.scores.tolist()) == (("d1", "d3", "d4"), [1, 1, 1])
    assert [note.code for note in engine.notes()] == ["boolean-ties"]
    assert engine.search("wine OR oak", k=2).ids == ("d1", "d3")
    assert [(note.code, note.count) for note in engine.notes()] == [("boolean-ties", None), ("boolean", 1)]


def test_words_that_no_document_has_are_counted_once_each(index: Index) -> None:
    engine = LocalEngine(index, model="boolean")
    for query in ("zyzzyva", "zyzzyva OR it's'", "NOT zyzzyva"):
        engine.search(query, k=10)
    said = {note.message: note.examples for note in engine.notes() if note.examples}
    assert said == {"2 words: not in any document": ("\"it's'\"", "'zyzzyva'")}


def test_what_has_not_learned_yet_says_so(index: Index) -> None:
    with pytest.raises(GermaneError, match="BII requires judged past queries to learn from, found none"):
        LocalEngine(index, model="BII").search("wine", k=10)


WRONG = [
    # model                    feedback  message
    ("bolean",                 None,     "unknown model 'bolean'; did you mean boolean?"),
    ("boolean(x=1)",           None,     "boolean has no parameter 'x'"),
    ("boolean",                "rm3",    "feedback is not supported with boolean"),
    ("BII",                    "rm3",    "feedback is not supported with BII"),
    ("BII(prior_wight=2)",     None,     "BII has no parameter 'prior_wight'; did you mean prior_weight?"),
    ("BII(prior_weight=much)", None,     "BII: expected a number above 0 for prior_weight, found 'much'"),
    ("BII(prior_weight=0)",    None,     "BII: expected a number above 0 for prior_weight, found '0'"),
    ("BII(unjudged=no)",       None,     "BII: expected one of left-out, non-relevant for unjudged, found 'no'"),
    ("BM25(k2=1)",             None,     "BM25 has no parameter 'k2'"),
]  # fmt: skip


@pytest.mark.parametrize(("model", "feedback", "message"), WRONG)
def test_wrong_names_are_explained(index: Index, model: str, feedback: str | None, message: str) -> None:
    with pytest.raises(GermaneError) as told:
        LocalEngine(index, model=model, feedback=feedback)
    assert told.value.message == message


@pytest.mark.parametrize("model", ["BII(prior_weight=2,unjudged=non-relevant)", "BII", "boolean", "BM25(k1=0.9)"])
def test_a_name_reads_back(index: Index, model: str) -> None:
    assert LocalEngine(index, model=model).describe()["model"] == model
