"""Entries of catalogues as text, for help and documentation: the pages of several."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from germane.catalogue import Entry
    from germane.learning.features.feature import Feature


def pages(entries: Iterable[Entry | Feature]) -> str:
    """All about every entry, one after the other: what is known of it in paragraphs, each under its title."""
    texts = []
    for entry in entries:
        facts = (
            textwrap.fill(text, width=100, initial_indent=f"  {title}: ".ljust(14), subsequent_indent=" " * 14) + "\n"
            for title, text in entry.facts.items()
        )
        texts.append(f"{entry.name}: {entry.summary}\n{''.join(facts)}")
    return "\n".join(texts)
