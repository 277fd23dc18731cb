"""Documentation of catalogue entries as text, for `--list`."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from germane.catalogue import Entry
    from germane.learning.features.feature import Feature


WIDTH = 100
"""Characters per line without a terminal to fit."""


def pages(entries: Iterable[Entry | Feature], width: int | None = None) -> str:
    """Describe every entry: its summary, then a paragraph for each fact, fitted to the width of a terminal."""
    texts = []
    for entry in entries:
        first = f"{entry.name}: {entry.summary}"
        lines = [first if width is None else _filled(first, width, "", 2)]
        lines += [_filled(text, width or WIDTH, f"  {title}: ".ljust(14), 14) for title, text in entry.facts.items()]
        texts.append("\n".join([*lines, ""]))
    return "\n".join(texts)


def _filled(text: str, width: int, start: str, indent: int) -> str:
    return textwrap.fill(
        text,
        width,
        initial_indent=start,
        subsequent_indent=" " * indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
