"""`germane index` as people use it, on good and on wrong input."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from germane.cli import group
from germane.errors import GermaneError


def germane(*words: object) -> Result:
    return CliRunner().invoke(group, [str(word) for word in words], catch_exceptions=True)


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    path = tmp_path / "docs.jsonl"
    path.write_text(
        '{"id": "d1", "title": "Wine", "text": "red wine"}\n{"id": "d2", "text": "the white roses"}\n'
        '{"id": "d3", "text": ""}\n'
    )
    return path


@pytest.fixture
def index(tmp_path: Path, documents: Path) -> Path:
    made = germane("index", tmp_path / "index", documents)
    assert made.exit_code == 0, made.output
    return tmp_path / "index"


def about(index: Path, *options: object) -> dict[str, object]:
    result = germane("index", index, "--format", "json", *options)
    assert result.exit_code == 0, result.output
    found: dict[str, object] = json.loads(result.stdout)
    return found


def test_what_was_made_is_said(tmp_path: Path, documents: Path) -> None:
    result = germane("index", tmp_path / "index", documents)
    assert "3 documents (3 added), 5 words, 4 distinct terms" in result.stdout
    assert "analyser: words+fold+accents+stop(lucene)+stem(porter)" in result.stdout
    assert "note: 1 document without words; never retrieved (d3)" in result.stderr


def test_an_index_alone_is_described(index: Path) -> None:
    found = about(index)
    assert (found["documents"], found["words"], found["terms"], found["added"]) == (3, 5, 4, 0)
    assert about(index, "--verify")["documents"] == 3


def test_documents_come_and_go(index: Path, tmp_path: Path) -> None:
    more = tmp_path / "more.csv"
    more.write_text("id,text\nd2,red roses\nd4,green tea\n")
    clash = germane("index", index, more, "--add")
    assert isinstance(clash.exception, GermaneError)
    assert "1 id is already in the index: d2" in str(clash.exception)
    updated = germane("index", index, more, "--update")
    assert "4 documents (2 added, 1 deleted)" in updated.stdout
    ids = tmp_path / "gone.txt"
    ids.write_text("d4\n\n")
    assert "2 documents (2 deleted)" in germane("index", index, "--delete", "d3", "--delete", f"@{ids}").stdout
    assert (about(index)["segments"], about(index, "--merge")["segments"]) == (2, 1)
    assert about(index)["documents"] == 2


CHOICES = [
    # options                                    terms                          why
    ((),                                         ["red", "rose", "white", "wine"], "stemmed, without stop words"),
    (("--analyser", "plain"),                    ["red", "roses", "the", "white", "wine"], "folded only"),
    (("--fields", "title"),                      ["wine"],                      "the title alone"),
    (("--stop-list", "own.txt"),                 ["the", "white", "wine"],      "the words of a file instead"),
]  # fmt: skip


@pytest.mark.parametrize(("options", "terms", "why"), CHOICES)
def test_choices(
    documents: Path, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...], terms: list[str], why: str
) -> None:
    from germane.retrieval.indexes.index import Index

    monkeypatch.chdir(documents.parent)
    Path("own.txt").write_text("red\nroses\n")
    result = germane("index", "chosen", documents, *options)
    assert result.exit_code == 0, result.output
    assert list(Index.open("chosen").parts[0].segment.vocabulary) == terms, why


def test_an_own_stop_list_is_kept_with_the_index(documents: Path, tmp_path: Path) -> None:
    from germane.retrieval.indexes.index import Index

    (tmp_path / "own.txt").write_text("red\n")
    germane("index", tmp_path / "chosen", documents, "--stop-list", tmp_path / "own.txt")
    (tmp_path / "own.txt").unlink()
    index = Index.open(tmp_path / "chosen")
    assert index.analyser.terms("red wine") == ["wine"]
    assert "own.txt" in index.analyser.name


def test_encodings_ids_and_texts(tmp_path: Path) -> None:
    path = tmp_path / "docs.csv"
    path.write_bytes("number,text\n7,Käse\n".encode("latin-1"))
    wrong = germane("index", tmp_path / "i", path, "--id-field", "number")
    assert "expected UTF-8, found byte 0xe4" in str(wrong.exception)
    assert not (tmp_path / "i").exists()
    right = ("--id-field", "number", "--encoding", "latin-1", "--positions", "--no-texts")
    assert germane("index", tmp_path / "i", path, *right).exit_code == 0
    found = about(tmp_path / "i")
    assert found["positions"] is True


UNSEARCHED = [
    # header              more                           note
    ("id,heading,text",   (),                            "note: not searched: heading; use --fields to choose the"),
    ("id,heading,text",   ("--fields", "heading,text"),  ""),
    ("id,heading,text",   ("--fields", "text"),          ""),
    ("id,title,text",     (),                            ""),
    ("heading,title,text", ("--id-field", "heading"),    ""),
    ("id,text,abstract",  (),                            "note: not searched: abstract; use --fields"),
]  # fmt: skip


@pytest.mark.parametrize(("header", "more", "note"), UNSEARCHED)
def test_a_column_that_is_not_searched_is_told(tmp_path: Path, header: str, more: tuple[str, ...], note: str) -> None:
    (tmp_path / "docs.csv").write_text(f"{header}\n1,wine,red\n")
    told = germane("index", tmp_path / "i", tmp_path / "docs.csv", *more)
    assert told.exit_code == 0
    assert told.stderr.startswith(note)
    assert bool(told.stderr) == bool(note)


def test_a_note_names_a_few_columns(tmp_path: Path) -> None:
    names = [f"c{number}" for number in range(10)]
    (tmp_path / "docs.jsonl").write_text(json.dumps({"id": "1", "text": "red wine", **dict.fromkeys(names, "x")}))
    told = germane("index", tmp_path / "i", tmp_path / "docs.jsonl").stderr
    assert "not searched: c0, c1, c2, c3, c4, c5, c6, c7 and 2 more;" in told


WRONG = [
    # arguments                          message                                  why
    (("index", "docs.jsonl"),            "index already exists",             "not said what to do with it"),
    (("none",),                          "expected an index, found no such folder", "nothing to describe"),
    (("new", "none.jsonl"),              "none.jsonl",                            "no such documents"),
    (("new", "docs.jsonl", "--analyser", "englsh"), "did you mean english",       "a slip"),
    (("new", "docs.jsonl", "--fields", "body"), "body",                           "no such part"),
    (("index", "--delete", "x"),         "1 id is not in the index: x",         "nothing is deleted"),
    (("index", "--delete", "@none"),     "none: no such file",                     "a file that is not there"),
    (("index", "docs.jsonl", "--merge"), "--merge cannot be combined with documents",          "two things at once"),
    (("index", "docs.jsonl", "--add", "--analyser", "plain"), "--analyser requires a new index", "it has one"),
    (("index", "--positions"),           "--positions requires documents", "nothing to index"),
    (("index", "--delete", "d1", "--merge"), "--delete cannot be combined with --merge", "one after the other"),
]  # fmt: skip


@pytest.mark.parametrize(("words", "message", "why"), WRONG)
def test_wrong_input(
    index: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], message: str, why: str
) -> None:
    monkeypatch.chdir(index.parent)
    result = germane("index", *words)
    assert isinstance(result.exception, GermaneError), why
    assert message in str(result.exception), why
    assert about(index)["documents"] == 3
    assert not Path("new").exists()


def test_overwrite_replaces(index: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.tsv"
    other.write_text("x1\tgreen tea\n")
    assert germane("index", index, other, "--overwrite").exit_code == 0
    assert about(index)["documents"] == 1
