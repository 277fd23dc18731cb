"""Text as Markdown that means nothing but itself: names and ids in a comment on a merge request."""

from __future__ import annotations

import re

LONGEST_NAME = 60

# Beside letters and digits; a colon, a full stop and a percent sign only where they begin no link, face or milestone.
_PLAIN = re.compile(r"""[ ,;?'"+=/()…→–×±-]|(?<!www)\.|[:%](?=\s|$)""", re.IGNORECASE)


def plain(text: str, most: int = LONGEST_NAME) -> str:
    """Text in which no character is markup, a link, or the name of a person who would be told.

    What cannot be printed is written as Python writes it; what is too long ends with an ellipsis.

    >>> plain("a|b"), plain("@ann: *"), plain("x" * 99, most=3)
    ('a&#124;b', '&#64;ann: &#42;', 'xx…')
    """
    text = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in _shortened(text, most))
    return "".join(c if c.isalnum() or _PLAIN.match(text, place) else f"&#{ord(c)};" for place, c in enumerate(text))


def code(text: str, most: int = LONGEST_NAME) -> str:
    """The same in the type of code.

    >>> code("nDCG@10"), code("a`b")
    ('`nDCG@10`', '<code>a&#96;b</code>')
    """
    simple = text.isprintable() and not set(text) & set("`|\\") and text == text.strip() and text
    return f"`{_shortened(text, most)}`" if simple else html_code(text, most)


def html_code(text: str, most: int = LONGEST_NAME) -> str:
    """The same within HTML, where Markdown is not read."""
    return f"<code>{plain(text, most)}</code>"


def fenced(text: str, language: str = "") -> str:
    """A block of code, within a fence that the text does not break."""
    longest = max((len(ticks) for ticks in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def folded(summary: str, inside: str) -> str:
    """Something to open by a click; the blank lines make it Markdown inside."""
    return f"<details><summary>{summary}</summary>\n\n{inside}\n\n</details>"


def _shortened(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
