"""HTML as plain text."""

import time

import pytest

from germane.formats.documents.html_text import read_html

PAGES = [
    # markup                                                          title    text              why
    ("plain", "", "plain", "no markup"),
    ("a < b && c", "", "a < b && c", "signs that are no markup"),
    ("<p>one<p>two", "", "one\n\ntwo", "blocks that are not closed"),
    ("wi<b>n</b>e", "", "wine", "no space inside a word"),
    ("<td>a</td><td>b</td>", "", "a\n\nb", "cells apart"),
    ("red\n\n\twine", "", "red wine", "white space of the source"),
    ("a&nbsp;b &lt;p&gt; &#233;", "", "a b <p> é", "characters by name and number"),
    ("<script>x</script><style>y</style>a<!-- z -->b", "", "ab", "what is not shown"),
    ("a<script>x", "", "a", "a script that is not closed"),
    ('<script src="x"/>a', "", "a", "XHTML's empty script"),
    ('<a title="b > c">d</a>', "", "d", "a sign inside a quoted value"),
    ('<a title="b>c</a>', "", "c", "a quote that is not closed"),
    ("<html><head><TITLE> The\n title </TITLE><body>a", "The title", "a", "a title"),
    ("<title>no end<p>a", "no end", "a", "a title that is not closed"),
    ("<body>a<svg><title>b</title></svg>", "", "a\n\nb", "a caption is no title"),
    ("<!DOCTYPE html><?x y?>a", "", "a", "declarations"),
]


@pytest.mark.parametrize(("markup", "title", "text", "why"), PAGES)
def test_pages(markup: str, title: str, text: str, why: str) -> None:
    assert read_html(markup) == (title, text), why


@pytest.mark.parametrize(
    "piece", ['<a "', "<!--", "<script", "<script>", "<!", "<a '>", "<", "<title>", '<a b="', "</", "&", "<p>"]
)
def test_the_time_grows_with_the_length(piece: str) -> None:
    """Each of these, read twice over at every start, would take minutes."""
    started = time.process_time()
    read_html(piece * 50_000)
    assert time.process_time() - started < 2
