"""Collections of documents, in the forms in which people have them, and everything that can be wrong with them."""

import bz2
import gzip
import io
import lzma
import sys
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from germane.errors import GermaneError, InputError
from germane.formats.documents.reading import Document, read_documents
from germane.formats.documents.seen_ids import SeenIds

EXPECTED = [Document("d1", "T\n\x1done", "T"), Document("d2", "zwei ü")]

FILES = [
    # name        content                                                                           why
    ("c.jsonl", '{"_id": "d1", "title": "T", "text": "one"}\n\n{"_id": "d2", "text": "zwei ü"}\n', "BEIR's own"),
    ("c.jsonl", '\ufeff{"id": "d1", "title": "T", "contents": "one"}\n{"id": "d2", "contents": "zwei ü"}', "a BOM"),
    ("c.jsonl", '{"DocID": "d1", "Title": "T", "Text": "one"}\r\n{"docid": "d2", "body": "zwei ü"}', "in any case"),
    ("c.jsonl", '{"id": "d1", "html": "<title>T</title><p>one"}\n{"id": "d2", "html": "zwei &uuml;"}', "HTML"),
    ("c.jsonl", '{"id": "d1", "title": "T", "text": ["one"]}\n{"id": "d2", "title": null, "text": "zwei ü"}', "a list"),
    ("anything", '{"id": "d1", "title": "T", "text": "one"}\n{"id": "d2", "text": "zwei \\u00fc"}', "by its beginning"),
    ("c.tsv", "d1\tT\tone\nd2\t\tzwei ü\n", "three columns"),
    ("c.tsv", "title\ttext\tid\nT\tone\td1\n\tzwei ü\td2", "a header that ends with the id"),
    ("c.tsv", "d1\thttp://x\tT\tone\r\nd2\t\t\tzwei ü\r\n", "MS MARCO's four columns"),
    ("c.csv", 'id,title,text\nd1,T,one\n"d2",,"zwei ü"\n', "quotes"),
    ("c.csv", 'Text,Title,DocID\r\none,T,d1\r\n"zwei ü",,d2\r\n', "any order of columns"),
    ("fb001", "<DOC>\n<DOCNO> d1 </DOCNO>\n<HL>T</HL>\n<TEXT>\none\n</TEXT></DOC>\n<DOC>\n<DOCNO>d2</DOCNO><TEXT>\n"
     "<P>zwei &uuml;</TEXT>\n</DOC>", "TREC's"),
    ("c.sgml", "<?xml?><root><doc id='7'><docno>d1</docno><title>T</title>one</doc><DOC><DOCNO>d2</DOCNO>zwei ü</DOC>"
     "</root>", "TREC's without an element for the text"),
    ("all.1400", ".I d1\n.T\nT\n.A\nsomebody\n.W\none\n.I d2\n.T\n.W\nzwei ü\n", "SMART's"),
]  # fmt: skip

COMPRESSED: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
}


@pytest.mark.parametrize("ending", COMPRESSED)
@pytest.mark.parametrize(("name", "content", "why"), FILES)
def test_files_of_documents(tmp_path: Path, name: str, content: str, why: str, ending: str) -> None:
    path = tmp_path / (name + ending)
    path.write_bytes(COMPRESSED[ending](content.encode()))
    assert list(read_documents(path)) == EXPECTED, why


@pytest.mark.parametrize(("name", "content", "why"), FILES)
def test_the_same_files_in_another_encoding(tmp_path: Path, name: str, content: str, why: str) -> None:
    for encoding in ("latin-1", "utf-16"):
        path = tmp_path / name
        path.write_bytes(content.removeprefix("\ufeff").encode(encoding))
        assert list(read_documents(path, encoding=encoding)) == EXPECTED, why


@pytest.mark.parametrize(("name", "content", "why"), [FILES[0], FILES[5], FILES[11], FILES[13]])
def test_standard_input(monkeypatch: pytest.MonkeyPatch, name: str, content: str, why: str) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content.encode())))
    assert list(read_documents("-")) == EXPECTED, why


@pytest.mark.parametrize("ending", COMPRESSED)
def test_parquet(tmp_path: Path, ending: str) -> None:
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    columns = {"id": ["d1", "d2"], "title": ["T", None], "text": [b"one", "zwei ü".encode()], "vector": [[1.0], [2.0]]}
    target = io.BytesIO()
    parquet.write_table(pa.table(columns), target)
    path = tmp_path / ("c.parquet" + ending)
    path.write_bytes(COMPRESSED[ending](target.getvalue()))
    assert list(read_documents(path)) == EXPECTED
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "part-0").write_bytes(target.getvalue())
    assert list(read_documents(tmp_path / "parts")) == EXPECTED
    path.write_bytes(COMPRESSED[ending](target.getvalue()[:-9]))
    with pytest.raises(InputError, match="invalid Parquet file"):
        list(read_documents(path))


FIELDS = [
    # file  fields             d1                  why
    (0, ["text"], "one", "the text without its title"),
    (0, ["text", "title"], "one\n\x1dT", "in the order asked for"),
    (11, ["headline", "text"], None, "no such element anywhere"),
    (11, ["hl"], "T", "in whatever case"),
    (13, ["W"], "one", "Cranfield's title is in its text already"),
    (13, ["A", "W"], "somebody\n\x1done", "an author that one document lacks"),
]


@pytest.mark.parametrize(("file", "fields", "text", "why"), FIELDS)
def test_fields(tmp_path: Path, file: int, fields: list[str], text: str | None, why: str) -> None:
    name, content, _ = FILES[file]
    (tmp_path / name).write_text(content)
    if text is None:
        with pytest.raises(InputError, match="unknown field 'headline'\nHint: choose from DOCNO, HL, TEXT"):
            list(read_documents(tmp_path / name, fields=fields))
    else:
        assert next(read_documents(tmp_path / name, fields=fields)).text == text, why


def test_an_id_of_another_name(tmp_path: Path) -> None:
    (tmp_path / "c.csv").write_text("id,url,text\n1,a,x\n1,b,y\n")
    assert [one.id for one in read_documents(tmp_path / "c.csv", id_field="url")] == ["a", "b"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "docs"
    (place / "deep").mkdir(parents=True)
    (place / "a.txt").write_text("plain")
    (place / "b.html").write_text("<html><title>Rich</title><body>a<br>b<style>p{}</style></html>")
    (place / "c.txt.gz").write_bytes(gzip.compress(b"packed", mtime=0))
    (place / "deep" / "d.v2.md").write_text("")
    (place / "e.png").write_bytes(b"\x89PNG")
    (place / "f.csv").write_text("a table\n")
    (place / ".hidden.txt").write_text("no")
    (place / "g.exe").write_text("no")
    (tmp_path / "secret.txt").write_text("not offered")
    (place / "out.txt").symlink_to(tmp_path / "secret.txt")
    return place


IN_THE_FOLDER = [
    Document("a", "plain"),
    Document("b", "Rich\n\x1da\n\nb", "Rich"),
    Document("c", "packed"),
    Document("deep/d.v2", ""),
]


def test_a_folder(folder: Path) -> None:
    skipped: dict[str, str] = {}
    found = list(read_documents(folder, skip=lambda name, why: skipped.update({Path(name).name: why})))
    assert found == IN_THE_FOLDER
    assert skipped == {
        ".hidden.txt": "is hidden",
        "e.png": "is an image",
        "f.csv": "differs in format from the documents of this collection",
        "g.exe": "has the unsupported file extension '.exe'",
    }
    assert [one.id for one in read_documents(folder, id_field="name")] == ["a.txt", "b.html", "c.txt", "deep/d.v2.md"]


@pytest.mark.parametrize("mode", ["w", "w:gz", "w:xz"])
def test_an_archive_is_its_folder(folder: Path, tmp_path: Path, mode: str) -> None:
    with tarfile.open(tmp_path / "docs.tar", mode) as archive:  # type: ignore[call-overload]
        archive.add(folder, ".")
    skipped: list[str] = []
    found = list(read_documents(tmp_path / "docs.tar", skip=lambda name, why: skipped.append(why)))
    assert sorted(found, key=lambda one: one.id) == [IN_THE_FOLDER[0], IN_THE_FOLDER[1], IN_THE_FOLDER[3]]
    assert "is a compressed file inside an archive" in skipped


def test_a_folder_of_trec_files_with_its_readme(tmp_path: Path) -> None:
    (tmp_path / "readme.txt").write_text("About these files.")
    for name, numbers in (("one", "12"), ("two.gz", "3")):
        data = "".join(f"<DOC><DOCNO>{n}</DOCNO><TEXT>t{n}</TEXT></DOC>" for n in numbers).encode()
        (tmp_path / name).write_bytes(gzip.compress(data, mtime=0) if name.endswith("gz") else data)
    skipped: list[str] = []
    found = list(read_documents(tmp_path, skip=lambda name, why: skipped.append(name)))
    assert [one.id for one in found] == ["1", "2", "3"]
    assert skipped == [str(tmp_path / "readme.txt")]


def test_a_beir_folder(tmp_path: Path) -> None:
    (tmp_path / "corpus.jsonl").write_text('{"_id": "d1", "text": "one", "metadata": {}}')
    (tmp_path / "queries.jsonl").write_text('{"_id": "q1", "text": "not looked at"}')
    assert list(read_documents(tmp_path)) == [Document("d1", "one")]


BAD_FILES = [
    # name      content                                                       message
    ("c.jsonl", b'{"id": 1, "text": ""}\n{"id": "1", "text": ""}', r"c.jsonl:2: duplicate document '1' "
     r"\(first on line 1\)"),
    ("c.jsonl", b"[]", r"c.jsonl:1: expected a JSON object"),
    ("c.jsonl", b"{", r"c.jsonl:1: expected a JSON object"),
    ("c.jsonl", b"[" * 100_000, r"c.jsonl:1: expected a JSON object"),
    ("c.jsonl", b'\n{"name": 1, "text": ""}', r"c.jsonl:2: expected an id \(_id, id, .*\), found name, text"),
    ("c.jsonl", b'{"id": null, "text": ""}', r"c.jsonl:1: expected an id \(.*\), found None"),
    ("c.jsonl", b'{"id": 1.5, "text": ""}', r"c.jsonl:1: expected an id \(.*\), found 1.5"),
    ("c.jsonl", b'{"id": " ", "text": ""}', r"c.jsonl:1: expected an id \(.*\), found ' '"),
    ("c.jsonl", b'{"id": 1, "words": ""}', r"c.jsonl:1: document 1: expected a text field .*, found id, words"),
    ("c.jsonl", b'{"id": 1, "text": {}}', r"c.jsonl:1: expected text in the field 'text', found an object"),
    ("c.jsonl", b'{"id": 1, "text": "x"}\n{"id": 2, "text": "\xe9"}', r"c.jsonl:2: expected UTF-8, found byte 0xe9 at "
     r"offset 42\nHint: .*`encoding='latin-1'`"),
    ("c.jsonl", b'{"id": 1, "text": "\\ud83d"}', r"c.jsonl:1: expected a surrogate pair, found \\ud83d alone"),
    ("c.jsonl", "{}".encode("utf-16"), r"c.jsonl:1: expected UTF-8, found byte 0xff at offset 0\nHint: .*'utf-16'"),
    ("c.jsonl", b"", r"c.jsonl: expected documents, found none"),
    ("c.tsv", b"d1", r"c.tsv:1: expected 2 to 4 fields .* found 1"),
    ("c.tsv", b"d1\tx\nd2\tx\ty", r"c.tsv:2: expected 2 tab-separated fields"),
    ("c.tsv", b"d1\tx\nd1\ty", r"c.tsv:2: duplicate document 'd1' \(first on line 1\)"),
    ("c.csv", b"a,b\n1,2", r"c.csv:1: expected a header with an id column \(_id, id.*\nHint: use `id_field='a'`"),
    ("c.csv", b"a,b_id\n1,2", r"c.csv:1: expected a header with an id column \(_id, id.*\nHint: use `id_field='b_id'`"),
    ("c.jsonl", b'{"a": 1, "key": 2, "text": "x"}', "1: expected an id .*found a, key, text\nHint: .*id_field='key'"),
    ("c.csv", b"id,b\n1,2", r"c.csv:2: document '1': expected a text field \(text, .*\), found id, b"),
    ("c.csv", b"id,text,Text\n1,2,3", r"c.csv:1: duplicate column 'text'"),
    ("c.csv", b'id,text\n1,"a\nb"\n2', r"c.csv:4: expected 2 fields, as in the header, found 1"),
    ("c.csv", b'id,text\n1,a\n2,"b\nc\n', r"c.csv:3: invalid CSV: unexpected end of data"),
    ("c.csv", b'id,text\n1,"a"b\n', r"c.csv:2: invalid CSV: "),
    ("fb", b"\n<DOC><DOCNO>1</DOCNO></DOC>\n<DOC>\n<DOCNO>2</DOCNO>", r"fb:3: expected </DOC> .* the end of the file"),
    ("fb", b"<DOC>\n<DOCNO>1</DOCNO>\n<DOC><DOCNO>2</DOCNO></DOC>", r"fb:1: expected </DOC> .* <DOC> on line 3"),
    ("fb", b"<DOC><DOCNO>1</DOCNO></DOC>\n</DOC>", r"fb:2: expected <DOC> before this </DOC>"),
    ("fb", b"<DOC><DOCNO>1</DOCNO></DOC>\n\nlost words", r"fb:3: expected <DOC>, found b'lost words'"),
    ("fb", b"<DOC>\n<TEXT>x</TEXT></DOC>", r"fb:1: expected an id \(DOCNO\), found TEXT"),
    ("fb", b"<DOC><DOCNO>1</DOCNO>\n\xff</DOC>", r"fb:2: expected UTF-8, found byte 0xff at offset 22"),
    ("fb", b"<DOC><DOCNO>1</DOCNO></DOC>\n<DOC><DOCNO>1</DOCNO></DOC>", r"fb:2: duplicate document '1' "
     r"\(first on line 1\)"),
    ("cran", b".I 1\n.W\nx\n.I 1\n.W\n", r"cran:4: duplicate document '1' \(first on line 1\)"),
    ("cran", b".I 1\n.W\nx\n.I\n.W\n", r"cran:4: expected an id \(I\), found ''"),
    ("cran", b".I 1\n.W\nx\n\x80\n", r"cran:4: expected UTF-8, found byte 0x80 at offset 10"),
    ("c.doc", b"x", r"c.doc: expected a folder, a .jsonl, .tsv, .csv, Parquet, .* found 'c.doc'"),
    ("c.jsonl.gz", gzip.compress(b'{"id": 1, "text": ""}', mtime=0)[:-9], r"c.jsonl.gz: truncated .gz file"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "content", "message"), BAD_FILES)
def test_files_that_cannot_be_read(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=message):
        list(read_documents(tmp_path / name))


BAD_FOLDERS: list[tuple[dict[str, bytes], str]] = [
    ({"a.txt": b"x", "b.txt": b"caf\xe9"}, r"b.txt: expected UTF-8, found byte 0xe9 at offset 3\nHint: .*'latin-1'"),
    ({"a.txt": b"x", "a.html": b"y"}, r"a.txt: duplicate document 'a' \(first in .*a.html\)"),
    ({"a.jsonl": b'\n{"id": 1, "text": ""}', "b.csv": b"id,text\n2,x\n1,y"}, r"b.csv:3: duplicate document '1' "
     r"\(first in .*a.jsonl, line 2\)"),
    ({"a.png": b"x"}, r"expected documents, found none in 1 files"),
    ({}, r"expected documents, found nothing"),
]  # fmt: skip


@pytest.mark.parametrize(("files", "message"), BAD_FOLDERS)
def test_folders_that_cannot_be_read(tmp_path: Path, files: dict[str, bytes], message: str) -> None:
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=message):
        list(read_documents(tmp_path))


def test_a_damaged_archive(folder: Path, tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "docs.tar", "w") as archive:
        archive.add(folder, ".")
    (tmp_path / "docs.tar").write_bytes((tmp_path / "docs.tar").read_bytes()[:700])
    with pytest.raises(InputError, match=r"docs.tar: invalid tar archive"):
        list(read_documents(tmp_path / "docs.tar"))


def test_encodings(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"caf\xe9")
    assert next(read_documents(tmp_path, encoding="latin-1")).text == "café"
    with pytest.raises(InputError, match=r"a.txt: expected ascii, found invalid bytes at offset 3"):
        list(read_documents(tmp_path, encoding="ascii"))
    for name in ("latin1000", "rot13"):
        with pytest.raises(GermaneError, match=f"unknown encoding '{name}'"):
            read_documents(tmp_path, encoding=name)


def test_progress_ends_with_all_bytes(folder: Path, tmp_path: Path) -> None:
    (folder / "c.txt.gz").unlink()
    size = sum((folder / name).stat().st_size for name in ("a.txt", "b.html"))
    assert last_progress(folder) == (size, size)
    path = tmp_path / "c.jsonl.gz"
    path.write_bytes(gzip.compress(b'{"id": 1, "text": ""}', mtime=0))
    assert last_progress(path) == (21, None)


def last_progress(path: Path) -> tuple[int, int | None]:
    calls: list[tuple[int, int | None]] = []
    list(read_documents(path, progress=lambda done, total: calls.append((done, total))))
    return calls[-1]


def test_documents_come_while_the_file_is_read(tmp_path: Path) -> None:
    """Bounded memory: the first document is there long before the last byte was read."""
    path = tmp_path / "c"
    path.write_text("".join(f"<DOC><DOCNO>{n}</DOCNO><TEXT>{'x' * 1000}</TEXT></DOC>\n" for n in range(2000)))
    done = 0

    def progress(num_bytes: int, total: int | None) -> None:
        nonlocal done
        done = num_bytes

    documents = read_documents(path, progress=progress)
    next(documents)
    assert 0 < done < path.stat().st_size / 2
    assert sum(1 for _ in documents) == 1999


@pytest.mark.parametrize("name", ["a.txt", "c.csv", "c.jsonl", "c.tsv", "fb"])
def test_a_long_document_is_not_cut(tmp_path: Path, name: str) -> None:
    text = "word " * 600_000 + "end"
    before, after = {
        "a.txt": ("", ""), "c.csv": ('id,text\n1,"', '"'), "c.jsonl": ('{"id": 1, "text": "', '"}'),
        "c.tsv": ("1\t", "\n"), "fb": ("<DOC><DOCNO>1</DOCNO><TEXT>", "</TEXT></DOC>"),
    }[name]  # fmt: skip
    (tmp_path / name).write_text(before + text + after)
    assert [one.text for one in read_documents(tmp_path)] == [text]


WORDS = st.text(
    st.characters(codec="utf-8", exclude_characters="\r\n\t<>&\x00\ufeff", exclude_categories=["Zl", "Zp", "Cc"]),
    max_size=30,
)
TRIPLES = st.lists(
    st.tuples(st.text("abcXYZ09-_é", min_size=1, max_size=8), WORDS.map(str.strip), WORDS.map(str.strip)),
    min_size=1, max_size=6, unique_by=lambda row: row[0],
)  # fmt: skip


def _csv(rows: list[tuple[str, str, str]]) -> str:
    import csv

    target = io.StringIO()
    csv.writer(target).writerows([("id", "title", "text"), *rows])
    return target.getvalue()


def _json(rows: list[tuple[str, str, str]]) -> str:
    import json

    return "\n".join(json.dumps(dict(zip(("id", "title", "text"), row, strict=True))) for row in rows)


def _sgml(rows: list[tuple[str, str, str]]) -> str:
    return "\n".join(f"<DOC><DOCNO>{d}</DOCNO><TITLE>{t}</TITLE><TEXT>{w}</TEXT></DOC>" for d, t, w in rows)


def _tsv(rows: list[tuple[str, str, str]]) -> str:
    return "id\ttitle\ttext\n" + "".join("\t".join(row) + "\n" for row in rows)


@pytest.mark.parametrize(("name", "written"), [("c.csv", _csv), ("c.jsonl", _json), ("c.sgml", _sgml), ("c.tsv", _tsv)])
@given(rows=TRIPLES)
def test_what_was_written_is_read(
    tmp_path_factory: pytest.TempPathFactory, name: str, written: Callable[[list[tuple[str, str, str]]], str],
    rows: list[tuple[str, str, str]],
) -> None:  # fmt: skip
    path = tmp_path_factory.mktemp("written") / name
    path.write_bytes(written(rows).encode())
    found = [(one.id, one.title, one.text) for one in read_documents(path, fields=["text"])]
    assert found == [(doc, " ".join(title.split()), text) for doc, title, text in rows]


@given(st.lists(st.text("ab", max_size=6), max_size=60))
def test_ids_are_seen_as_a_dictionary_sees_them(ids: list[str]) -> None:
    seen, first = SeenIds(), dict[str, int]()
    for line, doc in enumerate(ids, start=1):
        if doc in first:
            with pytest.raises(
                InputError, match=rf"f:{line}: duplicate document '{doc}' \(first on line {first[doc]}\)"
            ):
                seen.add(doc, "f", line)
        else:
            first[doc] = line
            seen.add(doc, "f", line)
    assert len(seen) == len(first)


def _documents(shared: Path, *names: str) -> Iterator[Document]:
    return read_documents(shared.joinpath("data", *names))


@pytest.mark.shared
def test_cacm(shared: Path) -> None:
    found = {one.id: one for one in _documents(shared, "cacm", "cacm.tar.gz")}
    assert len(found) == 3204
    assert found["CACM-0001"].text.startswith("Preliminary Report-International Algebraic Language CACM December, 1958")


@pytest.mark.shared
def test_cranfield(shared: Path) -> None:
    found = list(_documents(shared, "cranfield", "cran.all.1400"))
    assert [one.id for one in found] == [str(number) for number in range(1, 1401)]
    assert [one.id for one in found if not one.text] == ["471", "995"]
    assert found[0].title == "experimental investigation of the aerodynamics of a wing in a slipstream ."
