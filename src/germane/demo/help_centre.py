"""A small help centre: the articles of a shop for household appliances, and what its customers type.

An article is about one kind of trouble, of one appliance or of all of them. Customers use other words than the shop:
they write hoover for vacuum cleaner. Everything is drawn with one seed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Trouble:
    """What an article is about: its title, its sentences, and how customers put it."""

    title: str
    sentences: list[str]
    asked: list[str]
    near: list[str]
    """Troubles whose articles help a little."""


_DATA: dict[str, Any] = json.loads((files("germane") / "data" / "help_centre" / "texts.json").read_text("utf-8"))
APPLIANCES: dict[str, list[str]] = _DATA["appliances"]
"""What the shop calls them, and what customers do."""
TROUBLES = {name: Trouble(**about) for name, about in _DATA["troubles"].items()}
REMARKS: list[str] = _DATA["remarks"]
"""What articles say besides, about anything."""


@dataclass(frozen=True)
class Article:
    """An article: what it is about, and its words. An article without an appliance is about all of them."""

    id: str
    appliance: str
    trouble: str
    title: str
    text: str


@dataclass(frozen=True)
class Need:
    """What somebody wants to know who types a query; an empty trouble: anything about the appliance."""

    appliance: str
    trouble: str


def articles(seed: int) -> list[Article]:
    """One article for each appliance and trouble, less a few that nobody has written, and one for each trouble."""
    draw = np.random.default_rng(seed)
    found = []
    for trouble, about in TROUBLES.items():
        for appliance in ("", *APPLIANCES):
            written = draw.random() > 0.12
            order = draw.random(3).argsort(kind="stable").tolist()
            besides = [remark for remark in REMARKS if draw.random() < 0.2]
            also = list(TROUBLES)[int(draw.integers(len(TROUBLES)))]
            if written or not appliance:
                name = appliance or "device"
                sentences = [*(about.sentences[i].format(a=name) for i in order), *besides]
                other = TROUBLES[also].title.format(A=name.capitalize(), a=name)
                words = f" Customers also say: {', '.join(APPLIANCES[appliance])}." if appliance else ""
                title = about.title.format(A=name.capitalize(), a=name)
                text = f"{' '.join(sentences)} See also: {other}.{words}"
                found.append(Article(f"{trouble}-{name.replace(' ', '-')}", appliance, trouble, title, text))
    return found


def queries(seed: int) -> Iterator[tuple[str, Need, int]]:
    """What customers type, what they want by it, and how often it was typed."""
    draw = np.random.default_rng(seed)
    for appliance, called in APPLIANCES.items():
        yield called[0], Need(appliance, ""), 20 + int(draw.integers(60))
        for trouble, about in TROUBLES.items():
            for name in called:
                for words in about.asked:
                    if draw.random() < 0.16:
                        text = f"{words} {name}" if draw.random() < 0.3 else f"{name} {words}"
                        yield text, Need(appliance, trouble), 1 + int(40 * draw.random() ** 4)


def grade(need: Need, article: Article) -> int:
    """2: the answer; 1: of some use; 0: none."""
    if not need.trouble:
        return int(article.appliance == need.appliance)
    if article.trouble == need.trouble:
        return 2 if article.appliance == need.appliance else 0 if article.appliance else 1
    return int(article.trouble in TROUBLES[need.trouble].near and article.appliance == need.appliance)
