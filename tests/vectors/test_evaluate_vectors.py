"""Embeddings scored against judgments and labels: on paper, against a full sort, and what is refused."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import germane as ge
from germane.api.vectors import evaluation as api
from germane.errors import GermaneError
from germane.vectors import relevance
from tests.vectors.made_vectors import single

QUERIES = single([[1, 0], [0, 1], [1, 1]])
DOCS = single([[1, 0], [2, 0], [1, 1], [0, 1], [-1, 0]])
# By product: query 0 finds 1 (2), then 2 and 0 (1), 3 (0), 4 (-1); query 1 finds 3 and 2 (1), then 4, 1 and 0 (0);
# query 2 finds 2 and 1 (2), then 3 and 0 (1), 4 (-1); of equal ones the larger id comes first.


def values(scores: ge.Scores, measure: str) -> list[float]:
    return list(scores[scores.runs[0].name, measure].values())


BY_HAND = [
    ({"0": {"0": 1}}, "docno", [1 / 3], "after 1 and 2"),
    ({"0": {"0": 1}}, "order", [1 / 2], "after 1, before 2"),
    ({"0": {"0": 1}}, "best", [1 / 2], "the best of the two places"),
    ({"0": {"0": 1}}, "worst", [1 / 3], "the worst of the two places"),
    ({"0": {"0": 1}}, "expected", [(1 / 2 + 1 / 3) / 2], "the mean of the two"),
    ({"1": {"0": 1}, "2": {"2": 1}}, "docno", [1 / 5, 1], "last of three; first of two"),
    ({"1": {"0": 1, "2": 1}}, "docno", [(1 / 2 + 2 / 5) / 2], "P@2 and P@5"),
    ({"0": {"3": 1, "nowhere": 1}}, "docno", [1 / 4 / 2], "a judged document without a vector is missed"),
    ({"0": {"1": 1}, "9": {"1": 1}}, "docno", [1, 0], "a query without a vector is an empty ranking"),
]


@pytest.mark.parametrize(("qrels", "ties", "expected", "why"), BY_HAND)
def test_average_precision_by_hand(qrels: Any, ties: Any, expected: list[float], why: str) -> None:
    scores = ge.vectors.evaluate(qrels, QUERIES, DOCS, "AP", similarity="dot", ties=ties)
    assert values(scores, "AP") == pytest.approx(expected), why


def test_the_first_ranks_of_tied_documents() -> None:
    scores = ge.vectors.evaluate({"2": {"2": 1}}, QUERIES, DOCS, "MAP@R CMC@1", similarity="dot", ties="expected")
    assert scores.values.ravel().tolist() == [1 / 2, 1 / 2], "first or second of two, and R = 1"


def test_what_is_missing_is_said() -> None:
    qrels = {"0": {"3": 1, "nowhere": 1}, "9": {"1": 1}}
    notes = {note.code: note for note in ge.vectors.evaluate(qrels, QUERIES, DOCS, "AP", similarity="dot").notes}
    assert notes["not-in-collection"].message == "1 judged document not among the vectors; never retrieved"
    assert notes["not-in-collection"].examples == ("nowhere",)
    assert notes["missing-queries"].examples == ("9",)
    assert notes["unjudged-queries"].examples == ("1", "2")
    both = ge.vectors.evaluate(qrels, QUERIES, DOCS, "AP", similarity="dot", topics="both")
    assert both.num_queries("vectors") == 1


def test_the_collection_is_as_large_as_its_vectors() -> None:
    scores = ge.vectors.evaluate({"0": {"1": 1}}, QUERIES, DOCS, "Fallout@2 NumRet AUC", similarity="dot")
    assert scores.mean()["vectors"] == {"Fallout@2": 1 / 4, "NumRet": 5, "AUC": 1}


def test_ids_name_queries_and_documents(tmp_path: Path) -> None:
    (tmp_path / "docs.txt").write_text("a\nb\nc\nd\ne\n")
    np.save(tmp_path / "dense.npy", DOCS)
    np.save(tmp_path / "queries.npy", QUERIES)
    scores = ge.vectors.evaluate(
        {"x": {"a": 1}, "y": {"c": 1}},
        tmp_path / "queries.npy",
        str(tmp_path / "dense.npy"),
        "RR",
        similarity="dot",
        query_ids=["x", "y", "z"],
        doc_ids=tmp_path / "docs.txt",
    )
    assert scores["dense", "RR"] == {"x": pytest.approx(1 / 3), "y": 1 / 2}


def test_several_embeddings_can_be_compared() -> None:
    random = np.random.default_rng(4)
    truth = random.standard_normal((30, 8))
    qrels = {str(i): {str(i): 1} for i in range(30)}
    near, far = (truth + noise * random.standard_normal(truth.shape) for noise in (0.3, 2.0))
    scores = ge.vectors.evaluate(qrels, {"near": (truth, near), "far": (truth, far)}, measures="RR")
    assert [run.name for run in scores.runs] == ["near", "far"]
    assert scores.mean()["near"]["RR"] > scores.mean()["far"]["RR"]
    comparison = ge.compare(scores, baseline="far")
    assert comparison.pairs[0].p < 0.01


def test_a_query_that_is_a_document_does_not_find_itself() -> None:
    points = single([[0], [1], [3], [7]])
    qrels = {"0": {"1": 1}, "2": {"0": 1}}
    scores = ge.vectors.evaluate(qrels, points, measures="RR NumRet", similarity="euclidean")
    assert values(scores, "RR") == [1, 1 / 2]
    assert values(scores, "NumRet") == [3, 3]
    with_it = ge.vectors.evaluate(qrels, points, measures="RR", similarity="euclidean", exclude_self=False)
    assert values(with_it, "RR") == [1 / 2, 1 / 3]
    by_id = ge.vectors.evaluate(
        {"b": {"a": 1}}, points[[1]], points, "RR NumRet", similarity="euclidean",
        query_ids=["b"], doc_ids=list("abcd"), exclude_self=True,
    )  # fmt: skip
    assert by_id.mean()["vectors"] == {"RR": 1, "NumRet": 3}


def test_a_document_judged_for_itself_is_missed_and_said() -> None:
    scores = ge.vectors.evaluate({"0": {"0": 1, "1": 1}}, single([[0], [1]]), measures="AP", similarity="euclidean")
    assert values(scores, "AP") == [1 / 2]
    assert [note.count for note in scores.notes if note.code == "judged-self"] == [1]


# Five points on a line, of two labels; each is a query and left out of its own ranking.
LINE = single([[0.0], [1.0], [3.0], [6.0], [10.0]])
LABELS = ["a", "b", "a", "b", "a"]
LABELLED = [
    # 0 finds 1b 2a 3b 4a; 1 finds 0a 2a 3b 4a; 2 finds 1b 3b 0a 4a (3 and 0 are both 3 away: 3 first); 3 finds 2a 4a 1b
    # 0a; 4 finds 3b 2a 1b 0a
    ("AP", [(1 / 2 + 2 / 4) / 2, 1 / 3, (1 / 3 + 2 / 4) / 2, 1 / 3, (1 / 2 + 2 / 4) / 2], "mean of P at the hits"),
    ("CMC@1", [0, 0, 0, 0, 0], "no nearest neighbour has the label"),
    ("CMC@2", [1, 0, 0, 0, 1], "a match among two"),
    ("r_precision", [1 / 2, 0, 0, 0, 1 / 2], "of the first R = 2, 1, 2, 1, 2"),
    ("MAP@R", [1 / 4, 0, 0, 0, 1 / 4], "P@2 = 1/2 counts, over R = 2"),
    ("AP(area=sawtooth)", [((0 + 1 / 2) / 2 + (1 / 3 + 2 / 4) / 2) / 2, (0 + 1 / 3) / 2, None, None, None], "Oxford's"),
    ("AP(over=retrieved)@2", [1 / 2, 0, 0, 0, 1 / 2], "over the matches among two"),
]


@pytest.mark.parametrize(("measure", "expected", "why"), LABELLED)
@pytest.mark.parametrize("pairs_at_once", [1, 3, 1 << 21])
def test_labels_by_hand(
    measure: str, expected: list[float | None], why: str, pairs_at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(relevance, "PAIRS_AT_ONCE", pairs_at_once)
    scores = ge.vectors.evaluate(None, LINE, measures=measure, similarity="euclidean", query_labels=LABELS)
    for found, value in zip(values(scores, measure), expected, strict=True):
        assert value is None or found == pytest.approx(value), why


def test_cameras_and_junk_by_hand() -> None:
    queries, docs = single([[0.0]]), single([[1], [2], [3], [4], [5]])
    given: dict[str, Any] = {
        "query_labels": [7],
        "doc_labels": [7, -1, 8, 7, 9],
        "similarity": "euclidean",
        "measures": "RR NumRet",
    }
    assert ge.vectors.evaluate(None, queries, docs, **given).mean()["vectors"] == {"RR": 1, "NumRet": 5}
    cameras: dict[str, Any] = {"query_cameras": ["x"], "doc_cameras": ["x", "y", "x", "y", "x"]}
    same_camera = ge.vectors.evaluate(None, queries, docs, **given, **cameras)
    assert same_camera.mean()["vectors"] == {"RR": 1 / 3, "NumRet": 4}, (
        "the first is left out; of another label it stays"
    )
    junk = ge.vectors.evaluate(None, queries, docs, **given, **cameras, junk_labels=[-1])
    assert junk.mean()["vectors"] == {"RR": 1 / 2, "NumRet": 3}


def test_no_relevant_are_kept_or_skipped_and_said() -> None:
    given: dict[str, Any] = {"measures": "CMC@1", "similarity": "euclidean", "query_labels": ["a", "b", "a", "a", "a"]}
    kept = ge.vectors.evaluate(None, LINE, **given)
    assert values(kept, "CMC@1") == [0, 0, 0, 1, 1]
    assert [note.count for note in kept.notes if note.code == "no-relevant"] == [1]
    skipped = ge.vectors.evaluate(None, LINE, **given, no_relevant="skip")
    assert skipped["vectors", "CMC@1"] == {"0": 0, "2": 0, "3": 1, "4": 1}
    assert [note.message for note in skipped.notes if note.code == "no-relevant-skipped"] == [
        "1 query without a relevant document; skipped"
    ]


def test_labels_judge_everything_so_nothing_is_unjudged() -> None:
    scores = ge.vectors.evaluate(None, LINE, measures="P@1 AP", query_labels=LABELS, similarity="euclidean")
    assert [note.code for note in scores.notes if "judged" in note.code] == []


def random_labelled(seed: int) -> dict[str, Any]:
    random = np.random.default_rng(seed)
    return {
        "queries": np.round(random.standard_normal((23, 3)) * 2),
        "docs": np.round(random.standard_normal((61, 3)) * 2),
        "query_labels": random.integers(0, 4, 23),
        "doc_labels": random.integers(-1, 4, 61),
        "query_cameras": random.integers(0, 3, 23),
        "doc_cameras": random.integers(0, 3, 61),
        "junk_labels": [-1],
        "similarity": "euclidean",
        "measures": "AP nDCG@7 Rprec CMC@1 AP(area=sawtooth) MAP@R RR",
    }


@pytest.mark.parametrize("seed", range(4))
def test_scores_do_not_depend_on_chunks_or_the_order_of_queries(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    given = random_labelled(seed)
    whole = ge.vectors.evaluate(None, **given)
    monkeypatch.setattr(relevance, "PAIRS_AT_ONCE", 17)
    parts = ge.vectors.evaluate(None, **given)
    assert np.array_equal(whole.values, parts.values)
    assert whole.notes == parts.notes
    order = np.random.default_rng(seed).permutation(23)
    for name in ("queries", "query_labels", "query_cameras"):
        given[name] = given[name][order]
    shuffled = ge.vectors.evaluate(None, **given, query_ids=order)
    assert np.array_equal(whole.values, shuffled.values)


@pytest.mark.parametrize("seed", range(4))
def test_labels_give_what_the_field_s_script_gives(seed: int) -> None:
    """Re-identification as its scripts do it: sort, delete junk, look at the matches."""
    given = random_labelled(seed)
    scores = ge.vectors.evaluate(None, **given, ties="order")
    for q in range(23):
        distance = ((given["queries"][q] - given["docs"]) ** 2).sum(axis=1)
        order = np.argsort(distance, kind="stable")
        label, camera = given["doc_labels"][order], given["doc_cameras"][order]
        same = label == given["query_labels"][q]
        kept = (label != -1) & ~(same & (camera == given["query_cameras"][q]))
        match = same[kept]
        found = np.flatnonzero(match)
        expected = trapezoid(found), float(match[:1].any()), (np.arange(1, len(found) + 1) / (found + 1)).mean()
        for measure, value in zip(("AP(area=sawtooth)", "CMC@1", "AP"), expected, strict=True):
            assert scores["vectors", measure][str(q)] == pytest.approx(value)


def trapezoid(found: Any) -> float:
    """As the Market-1501 script writes it."""
    total = 0.0
    for i, row in enumerate(found.tolist()):
        precision, old = (i + 1) / (row + 1), i / row if row else 1.0
        total += (precision + old) / 2 / len(found)
    return total


def test_average_precision_is_scikit_learn_s() -> None:
    metrics = pytest.importorskip("sklearn.metrics", reason="scikit-learn is the oracle here")
    random = np.random.default_rng(11)
    queries, docs = random.standard_normal((9, 16)), random.standard_normal((200, 16))
    grades = random.integers(0, 3, (9, 200)) * (random.random((9, 200)) < 0.1)
    qrels = {str(q): {str(d): int(grades[q, d]) for d in range(200)} for q in range(9)}
    scores = ge.vectors.evaluate(qrels, queries, docs, "AP nDCG@20")
    cosine = queries @ docs.T / np.linalg.norm(queries, axis=1)[:, None] / np.linalg.norm(docs, axis=1)
    for q in range(9):
        assert scores["vectors", "AP"][str(q)] == pytest.approx(
            metrics.average_precision_score(grades[q] > 0, cosine[q])
        )
        assert scores["vectors", "nDCG@20"][str(q)] == pytest.approx(
            metrics.ndcg_score(grades[[q]], cosine[[q]], k=20, ignore_ties=True)
        )


def test_it_is_the_run_with_all_scores_written_out() -> None:
    random = np.random.default_rng(12)
    queries, docs = (random.integers(-2, 3, (num, 4)).astype(np.int8) for num in (6, 40))
    qrels = {str(q): {str(d): int(random.integers(0, 3)) for d in random.permutation(40)[:9]} for q in range(6)}
    product = queries.astype(int) @ docs.astype(int).T
    run = {str(q): {str(d): float(product[q, d]) for d in range(40)} for q in range(6)}
    measures = "AP nDCG nDCG@5 RR Bpref P@3 RBP"
    for ties in ("docno", "order", "best", "worst"):
        written = ge.evaluate(qrels, {"x": run}, measures, ties=ties)
        counted = ge.vectors.evaluate(qrels, {"x": (queries, docs)}, measures=measures, similarity="dot", ties=ties)
        assert np.array_equal(written.values, counted.values)
        assert written.notes == counted.notes
    expected = [
        evaluate.values
        for evaluate in (
            ge.evaluate(qrels, {"x": run}, "AP nDCG@5", ties="expected"),
            ge.vectors.evaluate(qrels, queries, docs, "AP nDCG@5", similarity="dot", ties="expected"),
        )
    ]
    assert np.array_equal(expected[0], expected[1])


def test_slices_intervals_and_progress() -> None:
    calls: list[tuple[int, int]] = []
    scores = ge.vectors.evaluate(
        None, LINE, measures="AP", similarity="euclidean", query_labels=LABELS, interval="t",
        slices=dict(zip("01234", LABELS, strict=True)), progress=lambda done, total: calls.append((done, total)),
    )  # fmt: skip
    assert scores.slices == {"a": ("0", "2", "4"), "b": ("1", "3")}
    assert scores.intervals is not None
    assert scores.intervals.low[0, 0] < scores.mean()["vectors"]["AP"] < scores.intervals.high[0, 0]
    assert calls == [(0, 5)]


def test_tensors_score_as_arrays() -> None:
    torch = pytest.importorskip("torch", reason="tensors are torch's")
    qrels = {"0": {"0": 1}, "1": {"0": 1}}
    expected = ge.vectors.evaluate(qrels, QUERIES, DOCS, "AP", similarity="dot").values
    for dtype in (torch.float32, torch.bfloat16, torch.float16):
        tensors = [torch.tensor(values).to(dtype) for values in (QUERIES, DOCS)]
        found = ge.vectors.evaluate(qrels, tensors[0], tensors[1], "AP", similarity="dot")
        assert np.array_equal(found.values, expected)


L = {"query_labels": [1, 1, 1], "doc_labels": [1] * 5}
REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"qrels": None}, "expected judgments or labels, found neither"),
    (L, "expected judgments or labels, found both"),
    ({"qrels": None, "query_labels": [1, 1, 1]}, "expected labels for the documents too, found none"),
    ({"qrels": None, **L, "doc_labels": [1]}, "expected 5 labels, one per vector in documents, found 1"),
    ({"qrels": None, **L, "query_cameras": [1, 1, 1]}, "expected cameras for the documents too, found none"),
    ({"qrels": None, **L, "topics": "both"}, "`topics=` requires judgments"),
    ({"qrels": None, **L, "scale": 2}, "`scale=` requires judgments"),
    ({"qrels": None, **L, "measures": "Bpref"}, "Bpref depends on unjudged documents"),
    ({"qrels": None, **L, "measures": "AP(judged_only=true)"}, "depends on unjudged documents"),
    ({"qrels": None, **L, "junk_labels": [3]}, "no document has the junk label 3"),
    ({"qrels": None, **L, "query_labels": [2, 3, 4], "no_relevant": "skip"}, "no query has a relevant document"),
    ({"junk_labels": [3]}, "cameras and junk labels require labels"),
    ({"no_relevant": "skip"}, "`no_relevant=` requires labels"),
    ({"no_relevant": "drop"}, "expected no_relevant to be one of keep, skip, found 'drop'"),
    ({"ties": "rank"}, "requires the rank column of a run, found vectors"),
    ({"ties": "bets"}, "did you mean best"),
    ({"device": "gpu"}, "expected a device such as cpu, torch, cuda"),
    ({"similarity": "hamming"}, "hamming requires bits, found float32 vectors\nHint: use dot"),
    ({"dtype": "int8"}, "expected int8 vectors, found float32"),
    ({"dtype": "float"}, "expected dtype to be one of float32"),
    ({"docs": DOCS.astype(np.uint8)}, "found uint8\nHint: if these are packed bits"),
    ({"docs": DOCS.astype(np.uint16)}, "found uint16\nHint: if these are bfloat16"),
    ({"docs": DOCS.astype(np.int64)}, r"expected one of float32.*, found int64\nHint: .*array\.astype\(np\.float32\)"),
    ({"docs": DOCS.astype(np.longdouble)}, r"expected one of float32.*\nHint: .*array\.astype\(np\.float32\)"),
    ({"docs": DOCS > 0}, r"expected one of float32.*, found bool\nHint: .*array\.astype\(np\.float32\)"),
    ({"dtype": "binary"}, r"expected binary vectors, found float32\nHint: .*np\.packbits\(vectors > 0, axis=1\)"),
    ({"qrels": {"q1": {"0": 1}}}, r"vectors are numbered 0, 1, 2, …; qrels has q1\nHint: .*`query_ids=…`"),
    ({"docs": DOCS[:0]}, "documents: expected vectors, found none"),
    ({"docs": DOCS[0]}, "expected a matrix"),
    ({"docs": DOCS[:, :1]}, "expected queries and documents with the same number of dimensions"),
    ({"doc_ids": ["a"]}, "expected an id for each of 5 vectors, found 1 ids"),
    ({"doc_ids": list("abcda")}, "duplicate id 'a' in rows 1 and 5"),
    ({"query_ids": ["x", "y", "z"]}, "run and qrels share no query: the run has x, y, z"),
    ({"docs": None, "doc_ids": list("abc")}, "`doc_ids=` requires documents, found only queries"),
    ({"queries": {"a": (QUERIES, DOCS)}}, "expected the documents of several embeddings in the same dict"),
    ({"queries": {}, "docs": None}, "expected at least one embedding"),
    ({"queries": {"a": (QUERIES, DOCS), "b": QUERIES}, "docs": None}, "with every embedding or with none"),
    ({"queries": {"a": (QUERIES, DOCS, DOCS)}, "docs": None}, "found a tuple of 3"),
]


@pytest.mark.parametrize(("changed", "problem"), REFUSED)
def test_what_makes_no_sense_is_refused(changed: dict[str, Any], problem: str) -> None:
    given = {"qrels": {"0": {"0": 1}}, "queries": QUERIES, "docs": DOCS, "similarity": "dot", **changed}
    with pytest.raises(GermaneError, match=problem):
        api.evaluate(**given)
