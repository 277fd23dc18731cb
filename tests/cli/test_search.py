"""`germane search`, as people type it: once, in a loop, and through a pipe."""

from __future__ import annotations

import builtins
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from germane.cli.commands.index import command as index_command
from germane.cli.commands.search import command
from germane.errors import GermaneError, MissingExtraError
from germane.formats.rankings.ranking_files import read_qrels
from tests.conftest import ROOT

DOCS = """\
{"id": "d1", "title": "Cellars", "text": "Red wine keeps well in a cold cellar."}
{"id": "d2", "title": "Roses", "text": "Red roses and white roses."}
{"id": "d3", "title": "Barrels", "text": "Wine from oak barrels, white or red."}
"""


@pytest.fixture(autouse=True)
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    Path("docs.jsonl").write_text(DOCS)
    make("library", "--positions")


def make(name: str, *options: str) -> None:
    done = CliRunner().invoke(index_command, [name, "docs.jsonl", *options])
    assert done.exit_code == 0, done.output


def run(*arguments: str, lines: str | bytes | None = None) -> Result:
    return CliRunner().invoke(command, arguments, input=lines)


def loop(lines: str | bytes, *arguments: str) -> str:
    """What the loop answers, without its greeting."""
    done = run("library", *arguments, lines=lines)
    assert done.exit_code == 0, done.exception
    return done.output.partition(":help, :quit\n\n")[2]


def test_once() -> None:
    done = run("library", "red", "wine", "-k", "1")
    assert done.exit_code == 0
    assert done.stderr == "note: analyser words+fold+accents+stop(lucene)+stem(porter), model BM25\n"
    assert done.stdout == "   1  d1  0.2630\n      Cellars\n      [Red] [wine] keeps well in a cold cellar.\n"


def test_json_of_one_query() -> None:
    done = run("library", "roses", "--format", "json")
    body = json.loads(done.stdout)
    assert [result["doc"] for result in body["results"]] == ["d2"]
    assert body["terms"] == {"rose": 1.0}
    assert body["matched"] is None


def test_boolean_queries_once() -> None:
    done = run("library", "wine AND NOT oak", "--model", "boolean")
    assert done.output.splitlines()[:3] == ["1 document matches", "", "   1  d1"]
    body = json.loads(run("library", '"white roses"', "--model", "boolean", "--format", "json").stdout)
    assert (body["matched"], body["model"], [result["doc"] for result in body["results"]]) == (1, "boolean", ["d2"])
    with pytest.raises(GermaneError, match="closing bracket"):
        CliRunner().invoke(command, ["library", "(wine", "--model", "boolean"], catch_exceptions=False)


def test_a_phrase_needs_positions() -> None:
    make("plain")
    failed = run("plain", '"red wine"', "--model", "boolean")
    assert "requires word positions" in str(failed.exception)


def test_an_index_without_texts() -> None:
    make("bare", "--no-texts")
    assert run("bare", "roses").output.startswith("this index stores no texts, so excerpts are omitted\n\n   1  d2  ")
    assert "this index stores no texts" in run("bare", lines="roses\n:show 1\n").output.partition("> :show 1")[2]


WRONG = [
    (("library", "--format", "json"), "--format json requires a query"),
    (("library", "red", "--port", "80"), "--port requires --serve"),
    (("library", "red", "--model", "BM52"), "did you mean BM25"),
    (("library", "red", "--feedback", "rochio"), "did you mean rocchio"),
    (("nowhere", "red"), "expected an index, found no such folder"),
    (("library", "re\udcffd"), "expected text in UTF-8, found the byte 0xff"),
    (("library", "--serve", "-k", "51"), "expected 1 to 50 results, found '51'"),
]


@pytest.mark.parametrize(("arguments", "said"), WRONG)
def test_wrong_arguments(arguments: tuple[str, ...], said: str) -> None:
    failed = run(*arguments)
    assert isinstance(failed.exception, GermaneError)
    assert said in str(failed.exception)


def test_a_loop_through_a_pipe_reads_like_one_that_was_typed() -> None:
    said = loop("red\n+ 2\n\n:quit\nnever read\n", "-k", "2")
    assert re.findall(r"^(?:query|round \d)> .*$", said, flags=re.M) == [
        "query> red",
        "round 1> + 2",
        "round 1> ",
        "round 2> :quit",
    ]
    assert "Query after feedback (VSM)" in said


def test_marking() -> None:
    said = loop("red\n+ 1 1, 2\n- 1\n? 2\n? 2\n+ 9\n:marks\n")
    answers = [line for line in said.splitlines() if "Enter searches again" in line or "expected" in line]
    first = re.search(r"^ +1  (d\d)", said, flags=re.M)
    second = re.search(r"^ +2  (d\d)", said, flags=re.M)
    assert first
    assert second
    one, two = first[1], second[1]
    assert answers == [
        f"{one}, {two}: relevant; 2 relevant, 0 non-relevant; Enter searches again",
        f"{one}: non-relevant; 1 relevant, 1 non-relevant; Enter searches again",
        f"{two}: unmarked; 0 relevant, 1 non-relevant; Enter searches again",
        f"{two}: unmarked; 0 relevant, 1 non-relevant; Enter searches again",
        "expected a rank from 1 to 3, found 9",
    ]
    assert re.search(rf"^- {one}  \w+$", said, flags=re.M)


def test_marks_of_all_queries_are_saved() -> None:
    said = loop('roses\n+ 1\noak\n- 1\n:save "my qrels.txt"\n:save "my qrels.txt"\n')
    assert "(marks for 'roses' are kept; search for it again to use them, or :save them)" in said
    assert "my qrels.txt: 2 judgments\n  query 1: 1 of 'roses'\n  query 2: 1 of 'oak'\n" in said
    assert "file already exists" in said
    assert Path("my qrels.txt").read_text() == "1 0 d2 1\n2 0 d3 0\n"
    assert read_qrels("my qrels.txt").num_queries == 2


ANSWERS = [
    # line                    answer
    (":save a.txt", "no marks yet"),
    (":save", "expected :save FILE or :save FILE ID, found :save"),
    (":save a b c", "expected :save FILE or :save FILE ID, found :save a b c"),
    (':save "a', "expected a closing quotation mark"),
    (":why", "expected one number, as in :why 3, found ''"),
    (":why 1 2", "expected :why RANK or :why RANK all, found :why 1 2"),
    (":why 1,2", "expected one number, as in :why 3, found '1,2'"),
    (":why 7", "expected a rank from 1 to 3, found 7"),
    (":show x", "expected one number, as in :show 3, found 'x'"),
    (":show 1 2", "expected :show RANK or :show RANK all"),
    (":k 0", "expected at least 1 result, found 0"),
    (":k 1", "1 result; Enter searches again"),
    (":model BM52", "did you mean BM25"),
    (":model boolean", "model boolean; Enter searches again"),
    (":feedback rm4", "did you mean rm3"),
    (":feedback rm3", "feedback rm3; Enter searches again"),
    (":unmark", "expected ids of marked documents, found none"),
    (":unmark d1", "not marked: d1"),
    (":marks", "no marks for this query"),
    (":steps", "this round has no steps"),
    (":terms", "red  1\n"),
    (":wy 1", "unknown command :wy; did you mean why?"),
    (":", "unknown command :"),
    ("+ red", "expected ranks, as in + 1 3, found 'red'\nHint: type ranks after +; a query cannot start with it"),
    (":help", "Type a query. Then:"),
    ("the", "no results: the query has only stop words"),
    ("zebra", "in no document: zebra\nno document contains any of these words"),
]


@pytest.mark.parametrize(("line", "answer"), ANSWERS)
def test_answers(line: str, answer: str) -> None:
    assert answer in loop(f"red\n{line}\n").partition(f"round 1> {line}\n")[2]


BEFORE_A_QUERY = [
    ("", "Type a query. Then:"),
    ("+ 1", "no query yet"),
    (":terms", "no query yet"),
    (":marks", "no query yet"),
    (":model QL", "model QL\n"),
]


@pytest.mark.parametrize(("line", "answer"), BEFORE_A_QUERY)
def test_answers_before_the_first_query(line: str, answer: str) -> None:
    assert answer in loop(f"{line}\n")


def test_scores_are_explained_and_documents_shown() -> None:
    said = loop("roses\n:why 1\n:show 1\n")
    assert re.search(r"^d2 by BM25\n\nterm +query weight .*\nrose .*\nscore +\d\.\d{4}$", said, flags=re.M)
    assert "d2\nRoses\nRed roses and white roses.\n" in said


def test_a_score_of_many_terms_is_explained_by_the_first() -> None:
    words = " ".join(f"w{number}" for number in range(30))
    Path("docs.jsonl").write_text(json.dumps({"id": "d1", "text": f"red {words}"}) + "\n" + DOCS.replace("d1", "d4"))
    make("many")
    done = run("many", lines=f"{words}\n+ 1\n\n:why 1\n:why 1 all\n").output
    short, _, full = done.partition("> :why 1\n")[2].partition("> :why 1 all\n")
    assert "terms more" in short
    assert ":why 1 all shows every term" in short
    assert len(full.splitlines()) > 30
    assert "terms more" not in full


def test_a_long_document_is_shown_in_part() -> None:
    Path("docs.jsonl").write_text(json.dumps({"id": "d1", "text": "red " + "x " * 20_000}) + "\n")
    make("long")
    done = run("long", lines="red\n:show 1\n:show 1 all\n").output
    short, _, full = done.partition("> :show 1\n")[2].partition("> :show 1 all\n")
    assert re.search(r"… 30,\d{3} more characters: :show 1 all\n", short)
    assert full.count("x") == 20_000


def test_a_line_that_is_not_utf8_is_told_and_the_next_one_read() -> None:
    said = loop(b"re\xffd\nroses\n")
    assert "expected text in UTF-8, found the byte 0xff" in said
    assert "  d2  " in said


def test_an_interrupt_ends_a_line_and_not_the_session(monkeypatch: pytest.MonkeyPatch) -> None:
    def lines() -> Iterator[Any]:
        yield "roses"
        yield KeyboardInterrupt()
        yield "+ 1"
        yield EOFError()

    coming = lines()

    def typed(_: str) -> str:
        line = next(coming)
        if isinstance(line, BaseException):
            raise line
        return str(line)

    monkeypatch.setattr(builtins, "input", typed)
    said = loop("")
    assert "stopped; type :quit to leave" in said
    assert "d2: relevant; 1 relevant, 0 non-relevant" in said


def test_serving_needs_its_libraries(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith(("starlette", "germane.web"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "starlette", None)
    failed = run("library", "--serve")
    assert isinstance(failed.exception, MissingExtraError)
    assert "germane[judge]" in str(failed.exception)


def test_the_session_in_the_documentation_is_what_happens() -> None:
    page = (ROOT / "docs" / "how_to" / "search_with_feedback.md").read_text(encoding="utf-8")
    shown = re.findall(r"^```text\n(.*?)^```$", page, flags=re.M | re.S)
    [docs] = re.findall(r"^\$ cat docs.jsonl\n(.*?)\n\n\$ germane", page, flags=re.M | re.S)
    Path("docs.jsonl").write_text(docs + "\n")
    make("garden", "--positions")
    transcript = "".join(shown)
    typed = re.findall(r"^(?:query|round \d+)> (.*)$", transcript, flags=re.M)
    said = run("garden", lines="\n".join(typed) + "\n").output.partition(":help, :quit\n\n")[2]
    assert said == transcript
