"""`ge.retrieve`: topics in, a run out, and beside it a record that can be trusted."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

import germane as ge
from germane.api.retrieval.retrieval import retrieve
from germane.errors import GermaneError, InputError
from germane.formats.truth.topics_file import Topic
from germane.retrieval.engines.record import read_record
from germane.retrieval.indexes.index import Index

TOPICS = """<top><num> Number: 1<title> red wine<desc> Description: Which wines are red?<narr> Any.</top>
<top><num> Number: 2<title> the<desc> Description: oak<narr> Any.</top>
<top><num> Number: 3<title> roses<narr> Any.</top>
"""


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("topics.txt").write_text(TOPICS)


@pytest.fixture(scope="module")
def index() -> Index:
    return Index.of({"d1": "red wine and white wine", "d2": "roses are red", "d3": "wine from oak"}, "english")


def found(run: ge.Run) -> dict[str, list[str]]:
    docs: dict[str, list[str]] = {query: [] for query in run.queries}
    for query, doc in zip(run.query.tolist(), run.docs, strict=True):
        docs[run.queries[query]].append(doc)
    return docs


FIELDS = [
    # field                  expected
    ("title", {"1": ["d1", "d2", "d3"], "2": [], "3": ["d2"]}),
    ("description", {"1": ["d1", "d2", "d3"], "2": ["d3"], "3": []}),
    ("title+description", {"1": ["d1", "d2", "d3"], "2": ["d3"], "3": ["d2"]}),
]


@pytest.mark.parametrize(("field", "expected"), FIELDS)
def test_each_part_of_a_topic(index: Index, field: str, expected: dict[str, list[str]]) -> None:
    assert found(retrieve(index, "topics.txt", field=field).run) == expected


def test_empty_queries_and_empty_rankings_are_counted_apart(index: Index) -> None:
    by_title = retrieve(index, "topics.txt").notes
    assert [(note.code, note.count, note.examples) for note in by_title] == [("empty-rankings", 1, ("2",))]
    by_description = retrieve(index, "topics.txt", field="description").notes
    assert [(note.code, note.count, note.examples) for note in by_description] == [("empty-queries", 1, ("3",))]


def test_a_run_can_be_evaluated_at_once(index: Index) -> None:
    run = retrieve(index, {"1": "red wine", "2": Topic("2", "oak")}, model="QL", k=1).run
    assert run.tag == "germane-QL"
    assert ge.evaluate({"1": {"d1": 1}, "2": {"d3": 1}}, run, ["RR"]).mean()["germane-QL"]["RR"] == 1.0


def test_what_is_written_and_what_is_beside_it(index: Index) -> None:
    retrieval = retrieve(index, "topics.txt", model="BM25(k1=0.9)", k=2, threads=1, output="bm25.run.gz")
    run = ge.read_run("bm25.run.gz")
    assert found(run) == {"1": ["d1", "d2"], "3": ["d2"]}  # an empty ranking has no line
    assert run.tag == "germane-BM25(k1=0.9)"
    record: Any = read_record("bm25.run.gz")
    assert record["run"]["empty"] == ["2"]
    assert record["run"]["format"] == "trec"
    assert record["engine"]["model"] == "BM25(k1=0.9)"
    assert record["engine"]["analyser"] == index.analyser.name
    assert record["num_docs"] == 3
    assert (record["k"], record["threads"]) == (2, 1)
    assert record["germane"] == ge.__version__
    sha256 = hashlib.sha256(TOPICS.encode()).hexdigest()
    assert record["topics"] == {"count": 3, "field": "title", "file": "topics.txt", "sha256": sha256}
    time, rate, size = (record["measures"][name] for name in ("time_per_query", "queries_per_second", "index_size"))
    assert (time["unit"], time["better"]) == ("s", "lower")
    assert time["by_query"] == retrieval.seconds
    assert 0 < time["median"] <= time["p95"] <= time["max"] == max(retrieval.seconds.values())
    assert (rate["unit"], rate["better"]) == ("1/s", "higher")
    assert rate["value"] == pytest.approx(3 / retrieval.wall_seconds)
    assert (size["unit"], size["better"], size["value"]) == ("bytes", "lower", retrieval.index_bytes)
    assert [note["code"] for note in record["notes"]] == ["empty-rankings"]


def test_times_by_hand() -> None:
    run = ge.Run.from_dict({})
    timed = ge_retrieval(run, {str(n): n / 10 for n in range(1, 6)}, wall_seconds=0.75)
    time = timed.measures()["time_per_query"]
    assert (time["median"], time["max"], time["mean"]) == (0.3, 0.5, pytest.approx(0.3))
    assert time["p95"] == pytest.approx(0.48)  # four fifths of the way from .4 to .5
    assert timed.queries_per_second == pytest.approx(5 / 0.75)
    nothing = ge_retrieval(run, {}, wall_seconds=0.0).measures()
    assert nothing["time_per_query"]["median"] is nothing["queries_per_second"]["value"] is None


def ge_retrieval(run: ge.Run, seconds: dict[str, float], wall_seconds: float) -> Any:
    from germane.retrieval.engines.record import Retrieval

    return Retrieval(run, {}, 10, seconds, wall_seconds, 1, {})


def test_a_name_without_an_ending_means_trec_and_others_are_themselves(index: Index) -> None:
    for name in ("run.gz", "plain", "run.jsonl"):
        retrieve(index, "topics.txt", output=name)
    assert Path("plain").read_text().startswith("1 Q0 d1 1 ")
    assert found(ge.read_run("run.gz"))["1"] == ["d1", "d2", "d3"]
    assert json.loads(Path("run.jsonl").read_text().splitlines()[0])
    with pytest.raises(InputError, match="cannot infer the format from the file extension"):
        retrieve(index, "topics.txt", output="run.pdf")


# Nothing is lost


def test_what_is_there_is_not_replaced_unless_asked(index: Index) -> None:
    for there in ("run.gz", "run.gz.json"):
        Path(there).write_bytes(b"mine")
        with pytest.raises(GermaneError, match=f"{there}: file already exists"):
            retrieve(index, "topics.txt", output="run.gz")
        assert Path(there).read_bytes() == b"mine"
        Path(there).unlink()
    Path("run.gz").write_bytes(b"old")
    retrieve(index, "topics.txt", output="run.gz", overwrite=True)
    assert len(ge.read_run("run.gz").docs) == 4


@pytest.mark.parametrize("stop", [OSError("gone"), KeyboardInterrupt()])
def test_a_retrieval_that_fails_leaves_what_was_there(stop: BaseException) -> None:
    Path("run.gz").write_bytes(b"old")
    Path("run.gz.json").write_bytes(b"old record")

    def fails_at_roses(text: str) -> dict[str, float]:
        if text == "roses":
            raise stop
        return {"d1": 1.0}

    with pytest.raises((GermaneError, KeyboardInterrupt)):
        retrieve(fails_at_roses, "topics.txt", output="run.gz", overwrite=True)
    assert sorted(path.name for path in Path().iterdir()) == ["run.gz", "run.gz.json", "topics.txt"]
    assert Path("run.gz").read_bytes() == b"old"
    assert Path("run.gz.json").read_bytes() == b"old record"


def test_an_id_that_the_format_cannot_hold_is_told_at_once() -> None:
    asked = []

    def blanks(text: str) -> dict[str, float]:
        asked.append(text)
        return {"my file.txt": 1.0}

    with pytest.raises(GermaneError, match=r"query '1': trec: this format cannot store the document id 'my file.txt'"):
        retrieve(blanks, "topics.txt", output="run.gz")
    assert asked == ["red wine"]
    retrieve(blanks, "topics.txt", output="run.csv")
    with pytest.raises(InputError, match="cannot store the query id 'q 1'"):
        retrieve(blanks, {"q 1": "wine"}, output="run.gz")
    assert len(asked) == 4


@pytest.mark.parametrize("name", ["missing/run.gz", "missing/run.pdf"])
def test_a_target_that_cannot_be_is_told_before_the_work(name: str) -> None:
    with pytest.raises(InputError):
        retrieve(lambda _: pytest.fail("asked"), "topics.txt", output=name)


def test_a_record_of_another_run_is_noticed(index: Index) -> None:
    retrieve(index, "topics.txt", output="run.txt")
    assert read_record("run.txt") is not None
    Path("run.txt").write_text("1 Q0 d9 1 1.0 other\n")
    with pytest.raises(InputError, match=r"does not match run\.txt"):
        read_record("run.txt")
    Path("run.txt.json").write_text('{"germane": "x"}')
    with pytest.raises(InputError, match="expected a record written by `germane retrieve`"):
        read_record("run.txt")
    Path("run.txt.json").unlink()
    assert read_record("run.txt") is None


# What is wrong with what was asked


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"field": "titel"}, "unknown topic field 'titel'; did you mean title?"),
        ({"k": 0}, "expected k above 0, found 0"),
        ({"threads": 0}, "expected threads above 0, found 0"),
        ({"timeout": float("nan")}, "expected timeout above 0, found nan"),
        ({"model": "BM52"}, "unknown model 'BM52'; did you mean BM25?"),
    ],
)
def test_wrong_options_are_explained(index: Index, options: dict[str, Any], message: str) -> None:
    with pytest.raises(GermaneError) as told:
        retrieve(index, "topics.txt", **options)
    assert told.value.message == message


def test_topics_without_words_are_explained(index: Index) -> None:
    with pytest.raises(GermaneError, match="no topic has text in its narrative"):
        retrieve(index, {"1": Topic("1", "wine")}, field="narrative")
    with pytest.raises(GermaneError, match="expected topics, found none"):
        retrieve(index, {})


def test_an_engine_that_was_passed_in_stays_open() -> None:
    class Mine:
        name, threads, closed = "mine", 1, False

        def search(self, query: str, k: int) -> Any:
            from germane.retrieval.engines.protocol import ranked

            return ranked([("d1", 1.0)], k)

        def describe(self) -> dict[str, Any]:
            return {"engine": "mine", "model": "one document"}

        def num_docs(self) -> int | None:
            return 1

        def index_bytes(self) -> int | None:
            return None

        def notes(self) -> list[ge.Note]:
            return []

        def close(self) -> None:
            self.closed = True

    mine = Mine()
    retrieval = retrieve(mine, {"q": "x"})
    assert retrieval.run.tag == "mine-one_document"
    assert not mine.closed
