"""Law: a field that a reader does not use is named, or it is an error; it is never dropped in silence."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pytest
from pyarrow import parquet

from germane.errors import GermaneError
from germane.formats.documents.document_formats import FORMATS
from germane.formats.documents.reading import read_documents
from germane.formats.truth.query_log import sample_queries
from germane.formats.truth.topics_file import read_topics
from germane.judging.documents import open_documents

WORD = "unheard"
"""The value of the field that no reader knows; its name is `extra`, or the letter X."""


class Read(NamedTuple):
    """What a reader made of a file, and which fields it said that it does not use."""

    value: str
    named: Sequence[str]


def parquet_bytes(**columns: Any) -> bytes:
    buffer = io.BytesIO()
    parquet.write_table(pa.table({name: [value] for name, value in columns.items()}), buffer)
    return buffer.getvalue()


DOCUMENTS: dict[str, tuple[str, str | bytes]] = {
    # format: the name of a file, and a record of it with a field more than are known
    "JSON lines": ("d.jsonl", f'{{"id": "d1", "title": "t", "text": "wine", "extra": "{WORD}"}}\n'),
    "CSV": ("d.csv", f"id,title,text,extra\nd1,t,wine,{WORD}\n"),
    "TSV": ("d.tsv", f"id\ttitle\ttext\textra\nd1\tt\twine\t{WORD}\n"),
    "Parquet": ("d.parquet", parquet_bytes(id="d1", title="t", text="wine", extra=WORD)),
    "TREC documents": ("d.trec", f"<DOC>\n<DOCNO>d1</DOCNO>\n<EXTRA>{WORD}</EXTRA>\n<TEXT>wine</TEXT>\n</DOC>\n"),
    "SMART": ("d.all", f".I 1\n.T\nt\n.X\n{WORD}\n.W\nwine\n"),
}
TWO_TEXTS = {
    # two fields that are both a text: only one of them is read
    "two texts": ("d.jsonl", f'{{"id": "d1", "text": "wine", "contents": "{WORD}"}}\n'),
    "two titles": ("d.jsonl", f'{{"id": "d1", "title": "t", "headline": "{WORD}", "text": "wine"}}\n'),
    "a page and a text": ("d.jsonl", f'{{"id": "d1", "html": "<p>wine", "text": "{WORD}"}}\n'),
}
TOPICS = {
    "TREC": ("t.txt", f"<top><num> Number: 1<title> wine<extra> {WORD}</top>"),
    "XML": ("t.xml", f'<topic number="1"><title>wine</title><extra>{WORD}</extra></topic>'),
    "JSON lines": ("t.jsonl", f'{{"id": "1", "title": "wine", "extra": "{WORD}"}}'),
    "two titles": ("t.jsonl", f'{{"id": "1", "title": "wine", "query": "{WORD}"}}'),
    "CSV": ("t.csv", f"id,title,extra\n1,wine,{WORD}\n"),
    "TSV with a header": ("t.tsv", f"id\ttitle\textra\n1\twine\t{WORD}\n"),
    "TSV": ("t.tsv", f"1\twine\td\tn\t{WORD}\n"),
    "SMART": ("t.qry", f".I 1\n.W\nwine\n.X\n{WORD}\n"),
}
LOGS = {
    "CSV": ("log.csv", f"query,count,extra\nwine,3,{WORD}\n"),
    "TSV": ("log.tsv", f"wine\t3\t{WORD}\n"),
    "JSON lines": ("log.jsonl", f'{{"query": "wine", "count": 3, "extra": "{WORD}"}}\n'),
    "SMART": ("log.qry", f".I 1\n.W\nwine\n.X\n{WORD}\n"),
    "TREC": ("log.txt", f"<top>\n<num> Number: 1\n<title> wine\n<narr> {WORD}\n</top>\n"),
}


def indexed(path: Path) -> Read:
    named: list[str] = []
    return Read("".join(document.text for document in read_documents(path, unread=named.append)), named)


def judged(path: Path) -> Read:
    documents = open_documents(path)
    try:
        found = documents.get("1" if path.suffix == ".all" else "d1")
        assert found is not None
        return Read(f"{found.title} {found.text}", documents.not_shown)
    finally:
        documents.close()


def topics(path: Path) -> Read:
    named: list[str] = []
    return Read(str(read_topics(path, unread=named.append)), named)


def log(path: Path) -> Read:
    with path.open("rb") as lines:
        sample = sample_queries(lines, 1, 0, source=path.name)
    return Read(sample.queries[0].text, sample.left_out)


Reader = Callable[[Path], Read]
CASES = [
    *((indexed, f"index: {name}", file) for name, file in {**DOCUMENTS, **TWO_TEXTS}.items()),
    *((judged, f"judge: {name}", file) for name, file in {**DOCUMENTS, **TWO_TEXTS}.items()),
    *((topics, f"topics: {name}", file) for name, file in TOPICS.items()),
    *((log, f"log: {name}", file) for name, file in LOGS.items()),
]


def dropped(read: Reader, path: Path) -> bool:
    """Whether a reader loses the field without a word."""
    try:
        found = read(path)
    except GermaneError:
        return False
    return WORD not in found.value and not found.named


def test_every_format_of_documents_is_among_the_cases() -> None:
    assert set(DOCUMENTS) == {known.name for known in FORMATS}


@pytest.mark.parametrize(("read", "file"), [case[::2] for case in CASES], ids=[name for _, name, _ in CASES])
def test_law_no_field_is_dropped_in_silence(read: Reader, file: tuple[str, str | bytes], tmp_path: Path) -> None:
    path = tmp_path / file[0]
    path.write_bytes(file[1] if isinstance(file[1], bytes) else file[1].encode())
    assert not dropped(read, path)


def test_the_law_catches_a_reader_that_keeps_quiet(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text(TOPICS["JSON lines"][1])
    assert dropped(lambda each: Read(str(read_topics(each)), ()), path)
