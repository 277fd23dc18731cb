"""Hostile documents: what may be shown of them."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from germane.formats.documents.reading import Document
from germane.judging.documents import open_documents
from tests.web.hostile import XSS
from tests.web.judging_site import PNG

from germane.web.document_view import TAGS, clean, framed, shown, visible  # isort: skip - after the check for the extra


class Elements(HTMLParser):
    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[tuple[str, str, str]] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [(tag, name, value or "") for name, value in attrs] or [(tag, "", "")]


def faults(html: str) -> list[tuple[str, str, str]]:
    """What in some HTML acts or loads."""
    return [
        (tag, name, value)
        for tag, name, value in Elements(html).found
        if tag not in TAGS
        or name.startswith("on")
        or name in ("style", "href", "id", "name", "srcset")
        or (name == "src" and not value.startswith("data:image/"))
    ]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "pictures").mkdir()
    (tmp_path / "pictures" / "a b.png").write_bytes(PNG)
    (tmp_path / "note.txt").write_text("not a picture", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("text", XSS)
def test_cleaned_html_neither_acts_nor_loads(text: str, folder: Path) -> None:
    documents = open_documents(folder)
    cleaned, _ = clean(Document("d.html", f"<p>before {text} after", kind="html"), documents)
    assert faults(cleaned) == []
    assert "evil.example" not in re.sub(r">[^<]*<", "><", cleaned)


def test_the_law_of_cleaning_catches_what_was_not_cleaned() -> None:
    assert sum(bool(faults(text)) for text in XSS) >= len(XSS) - 3


def test_pictures_of_the_collection_are_shown_and_no_others(folder: Path) -> None:
    documents = open_documents(folder)
    html = (
        '<img src="a%20b.png" alt="one"><img src="../note.txt"><img src="/etc/passwd"><img src="../../x.png">'
        '<img src="//evil.example/a%20b.png"><img src="http://evil.example/a.png"><img src="data:image/svg+xml,x">'
    )
    cleaned, left_out = clean(Document("pictures/d.html", html, kind="html"), documents)
    assert [value[:22] for _, name, value in Elements(cleaned).found if name == "src"] == ["data:image/png;base64,"]
    assert left_out == 6


def test_a_frame_has_a_policy_of_its_own_before_anything_else() -> None:
    page = framed("<p>x</p>", style="")
    assert page.index("script-src &#x27;none&#x27;") < page.index("<body")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain\tand\r\nlines", "plain\tand\r\nlines"),
        ("\u202eevil\u202c", "⟦U+202E⟧evil⟦U+202C⟧"),
        ("\u2066a\u2069", "⟦U+2066⟧a⟦U+2069⟧"),
        ("\x00\x1b[31m\x9b", "⟦U+0000⟧⟦U+001B⟧[31m⟦U+009B⟧"),
        ("\U000e0041", "⟦U+E0041⟧"),
        ("שלום \u200fעולם ، می\u200cخواهم 👩\u200d🔬", "שלום \u200fעולם ، می\u200cخواهم 👩\u200d🔬"),
    ],
)
def test_characters_that_deceive_are_written_out_and_those_that_languages_need_stay(text: str, expected: str) -> None:
    assert visible(text) == expected


def test_what_is_written_out_is_said(folder: Path) -> None:
    body = shown(Document("d", "a\u202eb", "t"), open_documents(folder))
    assert body["text"] == "a⟦U+202E⟧b"
    assert "U+202E RIGHT-TO-LEFT OVERRIDE" in body["remarks"][0]


def test_a_missing_document_is_no_error(folder: Path) -> None:
    assert shown(None, open_documents(folder))["kind"] == "missing"


def test_html_is_shown_as_a_page_and_as_words_for_the_excerpt(folder: Path) -> None:
    body = shown(Document("d", "<h1>Wine</h1><p>a<br>b <script>x</script></p>", kind="html"), open_documents(folder))
    assert body["text"] == "Wine\n\na\n\nb"


def test_a_picture_is_shown_with_its_text() -> None:
    picture = Document("d", "a red \u202ecellar", "T", "image", "image/png", b"\x89PNG")
    body = shown(picture, {}, image="api/tasks/1/image")  # type: ignore[arg-type]
    assert (body["kind"], body["image"]) == ("image", "api/tasks/1/image")
    assert body["text"].startswith("a red ")
    assert "\u202e" not in body["text"]
