"""Escape names and ids for Markdown, as in a comment on a merge request."""

from __future__ import annotations

import re

LONGEST_NAME = 60

# Plain characters besides letters and digits; colons, full stops and percent signs only where they cannot start a
# link, an emoji or a reference to a milestone.
_PLAIN = re.compile(r"""[ ,;?'"+=/()…→–×±-]|(?<!www)\.|[:%](?=\s|$)""", re.IGNORECASE)


def plain(text: str, most: int = LONGEST_NAME) -> str:
    """Escape text so that nothing in it is markup, a link, or a mention that would notify a person.

    Unprintable characters are escaped as in Python; a text longer than `most` ends with an ellipsis.

    >>> plain("a|b"), plain("@ann: *"), plain("x" * 99, most=3)
    ('a&#124;b', '&#64;ann: &#42;', 'xx…')
    """
    text = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in _shortened(text, most))
    return "".join(c if c.isalnum() or _PLAIN.match(text, place) else f"&#{ord(c)};" for place, c in enumerate(text))


def code(text: str, most: int = LONGEST_NAME) -> str:
    """Escape text and format it as code.

    >>> code("nDCG@10"), code("a`b")
    ('`nDCG@10`', '<code>a&#96;b</code>')
    """
    simple = text.isprintable() and not set(text) & set("`|\\") and text == text.strip() and text
    return f"`{_shortened(text, most)}`" if simple else html_code(text, most)


def html_code(text: str, most: int = LONGEST_NAME) -> str:
    """Escape text and format it as code within HTML, where Markdown does not apply."""
    return f"<code>{plain(text, most)}</code>"


def fenced(text: str, language: str = "") -> str:
    """Return a code block, with a fence longer than any in the text."""
    longest = max((len(ticks) for ticks in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def folded(summary: str, inside: str) -> str:
    """Return a collapsible section; the blank lines make its inside Markdown."""
    return f"<details><summary>{summary}</summary>\n\n{inside}\n\n</details>"


def _shortened(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
