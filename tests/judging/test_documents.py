"""Documents by id, in the forms in which people have them."""

import gzip
from pathlib import Path

import pytest

from germane.errors import InputError
from germane.formats.documents.reading import Document
from germane.judging import documents as documents_module
from germane.judging.documents import Documents, open_documents

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 20

FILES = [
    # name            content                                                                      why
    ("c.jsonl", '{"_id": "d1", "title": "T", "text": "one"}\n\n{"_id": "d2", "text": "zwei ü"}\n', "BEIR's own"),
    ("c.jsonl", '\ufeff{"id": "d1", "title": "T", "contents": "one"}\n{"id": "d2", "contents": "zwei ü"}', "a BOM"),
    ("c.jsonl", '{"docid": "d1", "headline": "T", "body": "one"}\r\n{"docid": "d2", "body": "zwei ü"}\r\n', "CRLF"),
    ("c.tsv", "d1\tT\tone\nd2\t\tzwei ü\n", "three columns"),
    ("c.tsv", "id\ttitle\ttext\nd1\tT\tone\nd2\t\tzwei ü", "a header"),
    ("c.tsv", "d1\thttp://x\tT\tone\r\nd2\t\t\tzwei ü\r\n", "MS MARCO's four columns"),
    ("c.csv", 'id,title,text\nd1,T,one\n"d2",,"zwei ü"\n', "quotes"),
    ("c.csv", 'Text,Title,DocID\r\none,T,d1\r\n"zwei ü",,d2\r\n', "any order of columns"),
    ("fb", "<DOC><DOCNO>d1</DOCNO><HL>T</HL><TEXT>one</TEXT></DOC>\n<DOC><DOCNO>d2</DOCNO>zwei ü</DOC>", "TREC's"),
    ("all", ".I d1\n.T\nT\n.W\none\n.I d2\n.W\nzwei ü\n", "SMART's"),
]


@pytest.mark.parametrize("compressed", [False, True])
@pytest.mark.parametrize(("name", "content", "why"), FILES)
def test_files_of_documents(tmp_path: Path, name: str, content: str, why: str, compressed: bool) -> None:
    path = tmp_path / (name + ".gz" * compressed)
    data = content.encode()
    path.write_bytes(gzip.compress(data) if compressed else data)
    documents = open_documents(path)
    assert documents.get("d2") == Document("d2", "zwei ü"), why
    assert documents.get("d1") == Document("d1", "one", "T"), why
    assert documents.get("d3") is None
    assert documents.missing(["d3", "d1"]) == ["d3"]
    documents.close()


def test_parquet(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    parquet.write_table(pa.table({"id": ["d1", "d2"], "text": ["one", "zwei ü"]}), tmp_path / "c.parquet")
    documents = open_documents(tmp_path / "c.parquet")
    assert (documents.get("d2"), documents.missing(["d3"])) == (Document("d2", "zwei ü"), ["d3"])
    documents.close()


TABLE = "Article_ID,Heading,title,text,abstract\na1,Top,Wine,red,short\na2,,,white,\n"
CHOSEN = [
    # fields                     text         title    why
    (None,                       "red",       "Wine",  "title and text, as a rule"),
    (["heading", "text"],        "Top\nred",  "",      "in the order in which they were named, and no title"),
    (["Title", "Heading"],       "Top",       "Wine",  "a title that is named stays one"),
    (["abstract"],               "short",     "",      "one alone"),
]  # fmt: skip


@pytest.mark.parametrize("compressed", [False, True])
@pytest.mark.parametrize(("fields", "text", "title", "why"), CHOSEN)
def test_chosen_fields_and_another_id(
    tmp_path: Path, fields: list[str] | None, text: str, title: str, why: str, compressed: bool
) -> None:
    path = tmp_path / ("c.csv" + ".gz" * compressed)
    path.write_bytes(gzip.compress(TABLE.encode()) if compressed else TABLE.encode())
    documents = open_documents(path, fields=fields, id_field="Article_ID")
    assert documents.get("a1") == Document("a1", text, title), why
    assert documents.not_shown == (("heading", "abstract") if fields is None else ()), why
    documents.close()


def test_fields_that_are_not_there(tmp_path: Path) -> None:
    (tmp_path / "c.csv").write_text(TABLE)
    with pytest.raises(InputError, match=r"header with an id column .*\nHint: use `id_field='article_id'`"):
        open_documents(tmp_path / "c.csv")
    with pytest.raises(
        InputError, match=r"unknown field 'headin'; did you mean heading\?\nHint: choose from .*heading"
    ):
        open_documents(tmp_path / "c.csv", fields=["headin"], id_field="article_id")
    with pytest.raises(InputError, match="expected a file of records to choose fields from, found a folder"):
        open_documents(tmp_path, fields=["text"])
    assert open_documents(tmp_path).not_shown == ()


def test_a_record_of_several_lines(tmp_path: Path) -> None:
    path = tmp_path / "c.csv"
    path.write_bytes(b'id,text\r\nd1,"one\r\ntwo, ""three"""\r\nd2,four\r\n')
    documents = open_documents(path)
    assert documents.get("d1") == Document("d1", 'one\r\ntwo, "three"')
    assert documents.get("d2") == Document("d2", "four")
    documents.close()


def test_only_what_is_wanted_is_remembered(tmp_path: Path) -> None:
    path = tmp_path / "c.tsv"
    path.write_text("".join(f"d{i}\ttext {i}\n" for i in range(1000)))
    documents = open_documents(path, wanted={"d7", "d999", "d1000"})
    assert documents.get("d7") == Document("d7", "text 7")
    assert documents.get("d8") is None
    assert documents.missing(["d7", "d1000"]) == ["d1000"]
    documents.close()


def test_a_beir_folder(tmp_path: Path) -> None:
    (tmp_path / "corpus.jsonl").write_text('{"_id": "d1", "text": "one"}')
    (tmp_path / "d2.txt").write_text("not looked at")
    documents = open_documents(tmp_path)
    assert (documents.get("d1"), documents.get("d2")) == (Document("d1", "one"), None)
    documents.close()


@pytest.fixture
def folder(tmp_path: Path) -> Documents:
    place = tmp_path / "docs"
    (place / "deep").mkdir(parents=True)
    (place / "a.txt").write_bytes(b"plain \xff text")
    (place / "b.html").write_text("<p>rich")
    (place / "c.png").write_bytes(PNG)
    (place / "deep" / "d.txt").write_text("below")
    (place / "e.txt").write_text("one of two")
    (place / "e.html").write_text("two of two")
    (place / "f.exe").write_text("never")
    (place / "fake.png").write_text("<script>")
    (tmp_path / "secret.txt").write_text("not offered")
    (place / "out.txt").symlink_to(tmp_path / "secret.txt")
    return open_documents(place)


def test_a_folder_of_text_html_and_images(folder: Documents) -> None:
    plain, rich, image = (folder.get(doc) for doc in ("a", "b", "c"))
    assert plain is not None
    assert (plain.kind, plain.text) == ("text", "plain � text")
    assert plain.remarks == ("1 characters cannot be read: the file is not UTF-8",)
    assert rich is not None
    assert (rich.kind, rich.text) == ("html", "<p>rich")
    assert image is not None
    assert (image.kind, image.media_type, image.data) == ("image", "image/png", PNG)
    below = folder.get("deep/d")
    assert below is not None
    assert below.text == "below"
    assert folder.get("e.html") is not None


@pytest.mark.parametrize("doc", ["f", "f.exe", "out", "out.txt", "../secret", "../secret.txt", "nothing", "", "deep"])
def test_what_a_folder_does_not_offer(folder: Documents, doc: str) -> None:
    assert folder.get(doc) is None
    assert folder.missing([doc]) == [doc]


def test_two_files_for_one_id(folder: Documents) -> None:
    with pytest.raises(InputError, match=r"expected one file for document 'e', found e.html, e.txt"):
        folder.get("e")


def test_an_image_that_is_none(folder: Documents) -> None:
    with pytest.raises(InputError, match="expected an image of type image/png"):
        folder.get("fake")


def test_a_picture_keeps_its_text_and_a_page_the_fields_that_were_chosen(tmp_path: Path) -> None:
    (tmp_path / "c.png").write_bytes(PNG)
    path = tmp_path / "c.jsonl"
    path.write_text(
        '{"id": "d1", "image": "c.png", "title": "T", "text": "a red cellar"}\n'
        '{"id": "d2", "html": "<b>bold</b>", "text": "a < b", "image": "c.png"}'
    )
    documents = open_documents(path)
    picture, page = documents.get("d1"), documents.get("d2")
    assert picture is not None
    assert page is not None
    assert (picture.kind, picture.data, picture.title, picture.text) == ("image", PNG, "T", "a red cellar")
    assert (page.kind, page.text) == ("html", "<b>bold</b>")
    assert documents.not_shown == ("text", "image")
    documents.close()
    chosen = open_documents(path, fields=["html", "text"])
    page = chosen.get("d2")
    assert page is not None
    assert page.text == "<b>bold</b><pre>a &lt; b</pre>"
    chosen.close()
    both = open_documents(path, fields=["html", "image"])
    with pytest.raises(InputError, match="expected html or image among the fields to show, found both"):
        both.get("d2")
    both.close()


def test_images_and_html_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "c.png").write_bytes(PNG)
    path = tmp_path / "c.jsonl"
    path.write_text(
        '{"id": "d1", "image": "c.png"}\n{"id": "d2", "html": "<b>"}\n{"id": "d3", "image": "../x.png"}\n{"id": "d4"}'
    )
    documents = open_documents(path)
    image, rich = documents.get("d1"), documents.get("d2")
    assert image is not None
    assert rich is not None
    assert (image.data, rich.kind) == (PNG, "html")
    with pytest.raises(InputError, match="expected an image in the folder of this file"):
        documents.get("d3")
    with pytest.raises(InputError, match=r"expected a field to show \(html, image, text"):
        documents.get("d4")
    documents.close()


def test_a_very_long_document_is_cut_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents_module, "MOST_CHARACTERS", 5)
    (tmp_path / "a.txt").write_text("123456789")
    found = open_documents(tmp_path).get("a")
    assert found is not None
    assert (found.text, found.remarks) == ("12345", ("truncated after 5 characters",))


BAD_FILES = [
    (
        "c.jsonl",
        '{"_id": "d1", "text": ""}\n{"_id": "d1", "text": ""}',
        r"c.jsonl:2: duplicate document 'd1' \(first on line 1\)",
    ),
    ("c.jsonl", "[]", r"c.jsonl:1: expected a JSON object"),
    ("c.jsonl", "{", r"c.jsonl:1: expected a JSON object"),
    ("c.jsonl", '{"name": 1}', r"c.jsonl:1: expected an id \(_id, id, .*\), found name\nHint: use `id_field='name'`"),
    ("c.jsonl", "{}", r"c.jsonl:1: expected an id \(_id, id, .*\), found nothing$"),
    ("c.tsv", "d1", r"c.tsv:1: expected 2 to 4 fields .* found 1"),
    ("c.tsv", "d1\tx\nd2\tx\ty", r"c.tsv:2: expected 2 tab-separated fields"),
    ("c.csv", "a,b\n1,2", r"c.csv:1: expected a header"),
    ("c.csv", "id,text\n1", r"c.csv:2: expected 2 fields, as in the header, found 1"),
    ("c.doc", "x", "expected a folder, a .jsonl, .tsv, .csv"),
]


@pytest.mark.parametrize(("name", "content", "message"), BAD_FILES)
def test_files_that_cannot_be_read(tmp_path: Path, name: str, content: str, message: str) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(InputError, match=message):
        open_documents(tmp_path / name)
