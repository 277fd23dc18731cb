"""JSON lines in blocks: the kernel and the reader of records give the same documents, or the same error."""

from __future__ import annotations

import io
import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from germane import kernels
from germane.errors import GermaneError, InputError
from germane.formats.documents import blocks, document_formats, json_columns
from germane.formats.documents.blocks import DocumentBlock, blocks_of, blocks_of_texts
from germane.formats.documents.parts import PartsReader
from germane.formats.documents.reading import Document, read_document_blocks, read_documents
from germane.formats.documents.records import JsonLines
from germane.formats.documents.seen_ids import SeenIds
from germane.kernels import reference_documents
from germane.tables.columns.ids import Ids

Found = tuple[list[tuple[str, str, str]], list[str], str]
compiled = pytest.mark.skipif(
    kernels.DocumentColumns is reference_documents.DocumentColumns, reason="there is no compiled extension"
)


def found(path: Path, *, in_blocks: bool, **chosen: Any) -> Found:
    """The documents of a file before the first error, the fields that are not searched, and the error."""
    documents: list[tuple[str, str, str]] = []
    unread: list[str] = []
    problem = ""
    try:
        if in_blocks:
            for block in read_document_blocks(path, unread=unread.append, **chosen):
                documents += zip(block.ids, block.titles, block.texts, strict=True)
        else:
            for one in read_documents(path, unread=unread.append, **chosen):
                documents.append((one.id, one.title, one.text))
    except GermaneError as error:
        problem = str(error)
        documents.clear()  # a block ends at an error, so that the last documents may be missing
    return documents, unread, problem


def same(path: Path, content: bytes, **chosen: Any) -> Found:
    path.write_bytes(content)
    expected = found(path, in_blocks=False, **chosen)
    assert found(path, in_blocks=True, **chosen) == expected
    return expected


FIRST = b'{"_id": "a", "title": "T", "text": "one", "year": 1}\n'
# fmt: off
LINES = [
    # the second line                                              why
    (b'{"_id": "b", "title": "U", "text": "two", "year": 2}',       "as the first"),
    (b'{"text":"two","_id":"b"}',                                   "keys in another order, no spaces, no title"),
    (b' { "_id" : "b" , "text" : "two" } \r',                       "blanks wherever they may be"),
    (b'\t{"_id": "b", "text": "two"}\x0b',                          "a blank that is none in JSON"),
    (b'{"_id": 17, "text": "two"}',                                 "a number as id"),
    (b'{"_id": -0, "text": "two"}',                                 "-0 is 0"),
    (b'{"_id": 1234567890123456789012, "text": "two"}',             "a long number as id"),
    (b'{"_id": 1.5, "text": "two"}',                                "a fraction as id"),
    (b'{"_id": true, "text": "two"}',                               "a flag as id"),
    (b'{"_id": null, "text": "two"}',                               "no id"),
    (b'{"_id": " ", "text": "two"}',                                "a blank id"),
    ('{"_id": "\u2003", "text": "two"}'.encode(),                   "a blank id beyond ASCII"),
    (b'{"_id": " b", "text": "two"}',                               "an id after a blank"),
    (b'{"_id": "b\\u00e9", "text": "two"}',                         "an escape in the id"),
    (b'{"_id": "a", "text": "two"}',                                "a duplicate"),
    (b'{"text": "two"}',                                            "no key for the id"),
    (b'{"_id": "b"}',                                               "no key for the text"),
    (b'{"_id": "b", "title": "U", "text": null}',                   "no text"),
    (b'{"_id": "b", "title": "U", "text": ""}',                     "an empty text"),
    (b'{"_id": "b", "title": "", "text": "two"}',                   "an empty title"),
    (b'{"_id": "b", "title": null, "text": "two"}',                 "null as title"),
    (b'{"_id": "b", "title": 7, "text": "two"}',                    "a number as title"),
    (b'{"_id": "b", "text": 7}',                                    "a number as text"),
    (b'{"_id": "b", "text": ["x", "y"]}',                           "a list of texts"),
    (b'{"_id": "b", "text": {"x": 1}}',                             "an object as text"),
    (b'{"_id": "b", "title": "  A  b ", "text": "two"}',            "a title with spaces"),
    ('{"_id": "b", "title": "A\u00a0b\u2028c", "text": "two"}'.encode(), "a title with odd spaces"),
    ('{"_id": "b", "title": "Ünï – ok", "text": "zwei ü 中 😀"}'.encode(), "letters of several bytes"),
    (b'{"_id": "b", "text": "\\u00e9\\u4e2d\\ud83d\\ude00\\n\\t\\"\\\\\\/\\b\\f\\r"}', "all escapes"),
    (b'{"_id": "b", "text": "\\ud83d"}',                            "half a pair"),
    (b'{"_id": "b", "text": "\\ud83d\\u0041"}',                     "half a pair and a letter"),
    (b'{"_id": "b", "text": "\\ude00"}',                            "the other half"),
    (b'{"_id": "b", "year": "\\ude00", "text": "t"}',               "half a pair in a field that is not read"),
    (b'{"_id": "b", "text": "\\x"}',                                "no escape"),
    (b'{"_id": "b", "text": "\\u12g4"}',                            "no hexadecimal digit"),
    (b'{"_id": "b", "text": "a\tb"}',                               "a control character"),
    (b'{"_id": "b", "text": "\xff"}',                               "no UTF-8"),
    (b'{"_id": "b", "text": "\xed\xa0\x80"}',                       "a surrogate in UTF-8"),
    (b'{"_id": "b", "text": "\xc0\x80\xe0\x80\x80\xf4\x90\x80\x80"}', "UTF-8 that is too long or too large"),
    (b'{"_id": "b", "year": "\xff", "text": "t"}',                  "no UTF-8 in a field that is not read"),
    (b'{"_id": "b", "text": "two", "text": "three"}',               "the same key twice"),
    (b'{"_id": "b", "TEXT": "two"}',                                "a key in capitals"),
    (b'{"_id": "b", "text": "two", "new": 1}',                      "a new key"),
    (b'{"_id": "b", "text": "two", "body": "b"}',                   "another text"),
    (b'{"_id": "b", "text": "two", "html": "<b>x</b>"}',            "a page of HTML"),
    (b'{"_id": "b", "te\\u0078t": "two"}',                          "an escape in a key"),
    (b'{"_id": "b", "year": [1, {"x": [], "y": {}}, "z"], "text": "two"}', "a nested value"),
    (b'{"_id": "b", "year": ' + b"[" * 40 + b"]" * 40 + b', "text": "two"}', "a value nested deeply"),
    (b'{"_id": "b", "year": ' + b"[" * 100_000 + b', "text": "two"}', "a value nested too deeply"),
    (b'{"_id": "b", "year": [1,], "text": "two"}',                  "a comma too many"),
    (b'{"_id": "b", "year": {"x" 1}, "text": "two"}',               "a colon too few"),
    (b'{"_id": "b", "year": 01, "text": "two"}',                    "a number with a zero in front"),
    (b'{"_id": "b", "year": -1.5e+10, "text": "two"}',              "a number with all there is"),
    (b'{"_id": "b", "year": 1., "text": "two"}',                    "a number that ends too early"),
    (b'{"_id": "b", "year": ' + b"9" * 5000 + b', "text": "two"}',  "a number with too many digits"),
    (b'{"_id": "b", "year": NaN, "text": "two"}',                   "not a number, which Python reads"),
    (b'{"_id": "b", "year": tru, "text": "two"}',                   "a word that is none"),
    (b'{"_id": "b", "text": "two"},',                               "more behind it"),
    (b'{"_id": "b", "text": "two"',                                 "cut off"),
    (b'{"_id": "b", "text": "two',                                  "cut off in a string"),
    (b'[1]',                                                        "a list"),
    (b'{}',                                                         "an empty object"),
    (b'',                                                           "an empty line"),
    (b'  \x0b',                                                     "a blank line"),
]
# fmt: on


@pytest.mark.parametrize("end", [b"", b"\n", b"\n\n", b'\n{"_id": "c", "text": "three"}\n'])
@pytest.mark.parametrize(("line", "why"), LINES, ids=[why for _, why in LINES])
def test_any_line_is_read_as_a_record(tmp_path: Path, line: bytes, why: str, end: bytes) -> None:
    for content in (FIRST + line + end, line + b"\n" + FIRST + end, b"\xef\xbb\xbf" + FIRST + line + end):
        same(tmp_path / "c.jsonl", content)
    same(tmp_path / "c.jsonl", FIRST + line + end, fields=["text", "title", "year"])
    same(tmp_path / "c.jsonl", FIRST + line + end, fields=["title"])
    same(tmp_path / "c.jsonl", FIRST + line + end, id_field="year")


TOKENS = [*'"\\{}[]:, 0-é\xa0\x1d\n', "1e5", "null", "\\u00e9", "\\ud800"]


@given(seed=st.integers(0, 2**32))
def test_damaged_lines_are_read_as_records(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    draw = random.Random(seed)
    lines = []
    for number in range(draw.randrange(1, 12)):
        record = {
            "id": f"d{number}",
            "title": draw.choice(["", "A b", "é  x"]),
            "text": "".join(draw.choices(TOKENS, k=5)),
        }
        if draw.random() < 0.3:
            record["more"] = draw.choice([None, 1.5, [1, {"a": "\n"}], "x"])  # type: ignore[assignment]
        items = [*record.items()]
        draw.shuffle(items)
        lines.append(json.dumps(dict(items), ensure_ascii=draw.random() < 0.5).encode())
    content = bytearray(b"\n".join(lines) + draw.choice([b"", b"\n"]))
    for _ in range(draw.choice([0, 0, 1, 2])):
        place = draw.randrange(len(content) + 1)
        content[place : place + draw.randrange(3)] = draw.choice(TOKENS).encode()
    same(tmp_path_factory.mktemp("damaged") / "c.jsonl", bytes(content))


@pytest.mark.parametrize("piece", [1, 7, 64])
def test_lines_are_joined_from_pieces(tmp_path: Path, piece: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_columns, "PIECE", piece)
    monkeypatch.setattr(blocks, "DOCS_PER_BLOCK", 2)
    lines = [json.dumps({"id": f"é{i}" if i % 3 else str(i), "text": f"text {i} " * i}) for i in range(9)]
    documents, _, problem = same(tmp_path / "c.jsonl", "\n".join(lines).encode())
    assert (len(documents), problem) == (9, "")
    twice = "\n".join([*lines, '{"id": "7", "text": ""}', '{"id": "3", "text": ""}']).encode()
    assert "c.jsonl:11: duplicate document '3' (first on line 4)" in same(tmp_path / "c.jsonl", twice)[2]


@compiled
def test_usual_lines_do_not_become_records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(JsonLines, "record", lambda *_: pytest.fail("read as a record"))
    columns = json_columns.JsonColumnsReader("c", PartsReader(document_formats.JSON_LINES, None, None), SeenIds())
    columns._columns.expect([b"id", b"title", b"text", b"more"], 0, 1, [1, 2], [2])
    lines = [
        {"id": "d1", "text": "one", "title": "T"},
        {"id": 2, "text": None},
        {"text": 'a "b" é', "id": "x y", "more": [{}]},
    ]
    (block,) = columns.blocks(io.BytesIO("\n".join(map(json.dumps, lines)).encode()))
    assert [*zip(block.ids, block.titles, block.texts, strict=True)] == [
        ("d1", "T", "T\n\x1done"), ("2", "", ""), ("x y", "", 'a "b" é'),
    ]  # fmt: skip


def test_many_keys_are_left_to_records(tmp_path: Path) -> None:
    lines = [json.dumps({"id": f"d{i}", "text": "x", f"key{i}": i}) for i in range(50)]
    documents, unread, _ = same(tmp_path / "c.jsonl", "\n".join(lines).encode())
    assert (len(documents), len(unread)) == (50, 50)


@given(st.lists(st.lists(st.binary(max_size=3), max_size=8), max_size=8))
def test_sets_of_ids_are_those_of_the_reference(several: list[list[bytes]]) -> None:
    one, other = kernels.IdSet(), reference_documents.IdSet()
    for ids in several:
        column = Ids.of(ids)
        assert one.add_all(column.data, column.offsets) == other.add_all(column.data, column.offsets)
        assert [one.add(id_) for id_ in ids] == [other.add(id_) for id_ in ids]
    assert len(one) == len(other)


def test_a_set_of_many_ids_grows() -> None:
    ids = Ids.of([f"document-{i}" for i in range(5000)])
    found = kernels.IdSet()
    assert found.add_all(ids.data, ids.offsets) == (5000, -1)
    assert [found.add(b"document-%d" % i) for i in range(0, 5000, 99)] == [*range(0, 5000, 99)]
    assert (found.add(b"another"), len(found)) == (-1, 5001)


@given(
    st.lists(st.tuples(st.binary(max_size=4), st.binary(max_size=3), st.binary(max_size=9)), max_size=9),
    st.integers(0, 9),
)
def test_collected_documents_are_those_of_the_reference(
    documents: list[tuple[bytes, bytes, bytes]], first: int
) -> None:
    one, other = kernels.DocumentColumns(), reference_documents.DocumentColumns()
    for columns in (one, other):
        for document in documents:
            columns.append(*document)
    first = min(first, len(documents))
    assert (one.num_docs, one.num_bytes) == (other.num_docs, other.num_bytes)
    for found, expected in zip([one.ids_from(first), *one.take()], [other.ids_from(first), *other.take()], strict=True):
        assert [array.tolist() for array in found] == [array.tolist() for array in expected]
        assert [array.dtype for array in found] == [np.uint8, np.int64]
    assert one.num_docs == other.num_docs == 0


def test_blocks_of_documents(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "DOCS_PER_BLOCK", 2)
    given = DocumentBlock.of(["x", "y", "z"], ["", "", ""], ["1", "2", "3"])
    several: list[Document | DocumentBlock] = [
        Document("a", "1"),
        given,
        *(Document(name, "é" if name == "d" else name) for name in "bcd"),
    ]
    assert [[*block.ids] for block in blocks_of(several)] == [["a"], ["x", "y", "z"], ["b", "c"], ["d"]]
    assert [[*block.texts] for block in blocks_of_texts({"a": "1", "b": "é", "c": ""})] == [["1", "é"], [""]]
    monkeypatch.setattr(blocks, "BYTES_PER_BLOCK", 4)
    assert [len(block) for block in blocks_of(Document(str(i), "four") for i in range(3))] == [1, 1, 1]


def test_the_place_of_a_duplicate_in_another_file() -> None:
    seen = SeenIds()
    ids = Ids.of(["a", "b", "c"])
    seen.add_lines(ids.data, ids.offsets, "one.jsonl", 4)
    with pytest.raises(InputError, match=r"two:9: duplicate document 'c' \(first in one.jsonl, line 6\)"):
        seen.add("c", "two", 9)
    with pytest.raises(InputError, match=r"two:8: duplicate document 'b' \(first in one.jsonl, line 5\)"):
        seen.add_lines(*_column(["new", "b"]), "two", 7)


def _column(ids: list[str]) -> tuple[Any, Any]:
    column = Ids.of(ids)
    return column.data, column.offsets
