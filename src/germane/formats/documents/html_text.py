"""Convert HTML to plain text: the visible text of the page, for models, excerpts and indexes."""

from __future__ import annotations

import html
import re
from typing import NamedTuple

BLOCKS = re.compile(
    "article|aside|blockquote|br|caption|center|d[dlt]|div|figcaption|figure|footer|h[1-6]|header|hr|li|nav|ol|p|pre|"
    "section|table|t[dhr]|ul"
)
"""Elements that start and end with a line break."""

# Each alternative stops at the next `<` or consumes what it read, so hostile markup takes linear time.
MARKUP = re.compile(
    r"<!--.*?(?:-->|\Z)"
    r"|<(?P<unseen>script|style|template)\b[^<>]*(?<!/)>.*?(?:</(?P=unseen)\s*>|\Z)"
    r"|<title\b[^<>]*>(?P<title>[^<]*)(?:</title\s*>)?"
    r"|</?(?P<tag>[a-z][^\s/<>]*)(?:[^'\"<>]|\"[^\"<]{0,2000}\"|'[^'<]{0,2000}')*+>"
    r"|</?[a-z][^<>]*>"
    r"|<[!?/][^<>]*>",
    re.DOTALL | re.IGNORECASE,
)
PAGE = re.compile(r"<(?:body|h1|p|div|svg)\b", re.IGNORECASE)
"""Elements of the body; a title after one of them belongs to a picture, not to the page."""


class HtmlText(NamedTuple):
    """The title and the visible text of a page."""

    title: str
    text: str


def read_html(markup: str) -> HtmlText:
    """Return the title and the text of an HTML page or fragment, without running or loading anything in it.

    >>> read_html("<title>Wine</title><h1>Red</h1><p>or &amp; <b>white</b><script>alert(1)</script></p>")
    HtmlText(title='Wine', text='Red\\n\\nor & white')
    """
    title: str | None = None

    def replaced(found: re.Match[str]) -> str:
        nonlocal title
        if (tag := found["tag"]) is not None:
            return "\n" if BLOCKS.fullmatch(tag.lower()) else ""
        if (words := found["title"]) is None:
            return ""
        if title is not None or PAGE.search(markup, 0, found.start()):
            title = title or ""
            return f"\n{words}\n"
        title = words
        return ""

    # White space of the source collapses to one space; line breaks come from elements only.
    markup = _one_space(markup)
    text = html.unescape(MARKUP.sub(replaced, markup))
    return HtmlText(_one_space(html.unescape(title or "")).strip(), _lines_apart(text))


def _one_space(text: str) -> str:
    return re.sub(r"\s+", " ", text)


def _lines_apart(text: str) -> str:
    """Separate non-empty lines by one empty line.

    >>> _lines_apart("a \\n\\n b  c\\n")
    'a\\n\\nb c'
    """
    return "\n\n".join(filter(None, (_one_space(line).strip() for line in text.split("\n"))))
