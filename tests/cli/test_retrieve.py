"""`germane retrieve`, as people type it."""

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from germane.cli.commands.retrieve import command
from germane.errors import GermaneError
from germane.formats.documents.reading import Document
from germane.formats.rankings.ranking_files import read_run
from germane.retrieval.indexes.build import build_index

DOCS = {"d1": "red wine and white wine", "d2": "roses are red", "d3": "wine from oak barrels"}


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)
    Path("topics.tsv").write_text("7\tred wine\n8\tthe\n9\troses\n")
    build_index("library", [Document(doc, text) for doc, text in DOCS.items()], analyser="english")
    Path("corner_shop.py").write_text("def search(text, k):\n    return [('a', 2), ('b', 1)][:k]\n")
    yield
    sys.modules.pop("corner_shop", None)


def run(*arguments: str) -> Result:
    return CliRunner().invoke(command, list(arguments))


def test_an_index_gives_a_run_and_its_record() -> None:
    done = run("library", "topics.tsv", "--model", "BM25(k1=0.9)", "-k", "2", "-o", "run.gz")
    assert done.exit_code == 0, done.output
    assert done.stdout == ""
    assert done.stderr == (
        "3 queries, 3 documents by germane-BM25(k1=0.9); times and sizes are in run.gz.json\n"
        "note: 1 query without results: only stop words, or words in no document (8)\n"
    )
    assert list(read_run("run.gz").docs) == ["d1", "d2", "d2"]
    record = json.loads(Path("run.gz.json").read_text())
    assert record["engine"]["index"] == "library"
    assert list(record["measures"]["time_per_query"]["by_query"]) == ["7", "8", "9"]


def test_a_function_gives_a_run_on_standard_output() -> None:
    done = run("corner_shop:search", "topics.tsv", "-o", "-", "-k", "1")
    assert done.stdout == "".join(f"{topic} Q0 a 1 2.0 python-corner_shop:search\n" for topic in (7, 8, 9))
    assert not Path("-.json").exists()


def test_feedback_and_positions() -> None:
    done = run("library", "topics.tsv", "--feedback", "rm3(terms=5)", "--topic-numbers", "position", "-o", "run.txt")
    assert done.exit_code == 0, done.output
    found = read_run("run.txt")
    assert found.tag == "germane-BM25+rm3(terms=5)"
    assert list(found.queries) == ["1", "3"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("libary", "topics.tsv"), "libary: no such folder; did you mean library?"),
        (("library", "topic.tsv"), "topic.tsv: no such file; did you mean topics.tsv?"),
        (("library", "topics.tsv", "--template", "t.json"), "template is not supported with an index"),
        (("corner_shop:search", "topics.tsv", "--model", "BM25"), "model is not supported with corner_shop:search"),
    ],
)
def test_what_is_wrong_is_explained(arguments: tuple[str, ...], message: str) -> None:
    done = run(*arguments, "-o", "run.gz")
    assert isinstance(done.exception, GermaneError)
    assert done.exception.message == message
    assert not Path("run.gz").exists()


def test_boolean_topics() -> None:
    Path("topics.tsv").write_text("7\twine AND NOT roses\n8\tthe\n9\tNOT (oak OR zyzzyva)\n")
    done = run("library", "topics.tsv", "--model", "boolean", "-k", "1", "-o", "-")
    assert done.exit_code == 0, done.output
    assert done.stdout == "7 Q0 d1 1 1.0 germane-boolean\n9 Q0 d1 1 1.0 germane-boolean\n"
    assert done.stderr.splitlines() == [
        "note: all matches score 1; ties are broken by document id, descending, here and in evaluation "
        "(--ties changes it there)",
        "note: 2 queries: more than k = 1 matches; returning the first in index order",
        "note: 1 query: no words are left in the query after analysis, so nothing matches",
        "note: 1 word: ignored, because the analyser removes it ('the')",
        "note: 1 word: not in any document ('zyzzyva')",
        "note: 1 query without results: no document matches (8)",
    ]


def test_a_boolean_expression_that_does_not_parse_names_its_topic() -> None:
    Path("topics.tsv").write_text("7\twine\n8\tred AND (wine OR)\n")
    done = run("library", "topics.tsv", "--model", "boolean", "-o", "run.gz")
    assert isinstance(done.exception, GermaneError)
    assert done.exception.message == (
        "library, query '8': expected a word, a phrase or a bracket, found ')'\n"
        "  red AND (wine OR)\n"
        "                  ^"
    )
    assert not Path("run.gz").exists()


@pytest.fixture
def past() -> list[str]:
    Path("past.tsv").write_text("1\twine barrels\n2\tred\n3\twhite wine\n")
    Path("past.txt").write_text("1 0 d3 1\n1 0 d0149 1\n2 0 d2 1\n3 0 d1 1\n3 0 d3 0\n")
    return ["--past-topics", "past.tsv", "--past-qrels", "past.txt"]


def test_what_was_learned_from_past_topics(past: list[str]) -> None:
    done = run("library", "topics.tsv", "--model", "BII(prior_weight=2)", *past, "-o", "run.txt")
    assert done.exit_code == 0, done.output
    assert done.stderr.splitlines() == [
        "3 queries, 4 documents by germane-BII(prior_weight=2); times and sizes are in run.txt.json",
        "note: 1 judged document (of 4 for past queries) missing from the index; ignored in learning (d0149)",
        "note: 1 query without results: only stop words, or words in no document (8)",
    ]
    learned = json.loads(Path("run.txt.json").read_text())["engine"]["past"]
    assert (learned["topics"]["file"], learned["qrels"]["file"], learned["judged_topics"]) == (
        "past.tsv",
        "past.txt",
        3,
    )
    assert len(learned["qrels"]["sha256"]) == 64


@pytest.mark.parametrize("model", ["BM25", "BII", "boolean"])
def test_costs(past: list[str], model: str) -> None:
    """A negative number after --costs is a value, not an option."""
    done = run("library", "topics.tsv", "--model", model, *past, "--costs", "-1,0.5", "-o", "run.txt")
    assert done.exit_code == 0, done.output
    told = json.loads(Path("run.txt.json").read_text())["engine"]["costs"]
    assert told["threshold"] == pytest.approx(1 / 3)
    assert told["calibration"]["folds"] == (3 if model == "BII" else None)
    assert f"by germane-{model}+costs(-1,0.5);" in done.stderr
    assert " documents per query (median " in done.stderr


def test_a_leak_is_refused_or_stated(past: list[str]) -> None:
    Path("topics.tsv").write_text("7\tRed\n8\troses\n")
    done = run("library", "topics.tsv", "--model", "BII", *past, "-o", "run.txt")
    assert isinstance(done.exception, GermaneError)
    assert done.exception.message.startswith("past and test queries overlap in 1 query, by id or text (2)")
    stated = run("library", "topics.tsv", "--model", "BII", *past, "--past-shared", "skip", "-o", "run.txt")
    assert "note: 1 past query also among the test queries; held out of training (2)" in stated.stderr


def test_an_output_is_needed() -> None:
    assert run("library", "topics.tsv").exit_code == 2


def test_times_are_told_to_who_watches(monkeypatch: pytest.MonkeyPatch) -> None:
    from germane.cli.commands.retrieve import _times
    from germane.retrieval.engines.record import Retrieval
    from germane.tables.rankings.run import Run

    timed = Retrieval(Run.from_dict({}), {}, 10, {"1": 0.001, "2": 0.002, "3": 0.003}, 0.002, 2, {})
    assert _times(timed) == "per query: median 2 ms, 95th percentile 2.9 ms; 1,500 queries per second"


def test_an_index_in_place_of_topics_is_told() -> None:
    done = run("topics.tsv", "library", "-o", "asked.run")
    assert str(done.exception) == ("library: expected topics, found an index\nHint: are the index and TOPICS swapped?")
    assert not Path("asked.run").exists()


def test_a_query_log_in_place_of_topics_is_told() -> None:
    Path("asked.tsv").write_text("red wine\t57\nroses\t3\n")
    done = run("library", "asked.tsv", "-o", "asked.json")
    assert "note: asked.tsv looks like a query log (" in done.stderr
    assert "use `germane topics sample asked.tsv` to make topics" in done.stderr
    Path("words").write_text("red wine\nwhite roses\n")
    assert "to sample and number topics from a query log, run `germane topics sample LOG -n 50 -o topics.tsv`" in str(
        run("library", "words", "-o", "a").exception
    )


def test_topics_as_csv() -> None:
    Path("topics.csv").write_text('id,title\n7,"wine, red"\n9,roses\n')
    assert run("library", "topics.csv", "-o", "of_csv.run").exit_code == 0
    assert sorted(set(read_run("of_csv.run").queries)) == ["7", "9"]


def test_documents_in_place_of_topics_are_told() -> None:
    Path("docs.jsonl").write_text("".join(json.dumps({"id": doc, "text": text}) + "\n" for doc, text in DOCS.items()))
    done = run("library", "docs.jsonl", "-o", "asked.run")
    assert done.exit_code == 0
    assert "note: docs.jsonl looks like documents (" in done.stderr
    assert "looks like" not in run("library", "topics.tsv", "-o", "right.run").stderr


def test_the_record_is_a_result_in_every_format() -> None:
    done = run("library", "topics.tsv", "-o", "run.txt", "--table", "queries", "--digits", "1", "--color", "always")
    assert done.exit_code == 0, done.output
    header, first, *_ = done.stdout.splitlines()
    assert header == "\x1b[1mquery\x1b[0m  \x1b[1mdocuments\x1b[0m  \x1b[1mseconds\x1b[0m"
    assert re.fullmatch(r"\d+ +\d+ +\d\.\d", first)
    told = run("library", "topics.tsv", "-o", "run.txt", "--overwrite", "--format", "json")
    record = json.loads(Path("run.txt.json").read_text())
    assert json.loads(told.stdout).keys() - record.keys() == {"schema"}
    assert "by germane-BM25" not in told.stderr
    refused = run("library", "topics.tsv", "-o", "-", "--format", "json")
    assert "--output - and --format both write to standard output" in str(refused.exception)


def test_a_wrong_table_is_refused_before_the_run_is_written() -> None:
    refused = run("library", "topics.tsv", "-o", "run.txt", "--table", "nope")
    assert str(refused.exception) == "unknown table 'nope'\nHint: choose from measures, queries"
    assert not Path("run.txt").exists()
    for table in ("measures", "queries"):
        assert run("library", "topics.tsv", "-o", f"{table}.run", "--table", table).stdout
