"""A small help centre: the articles of a shop for household appliances, and queries of its customers.

An article is about one kind of trouble, with one appliance or with all of them. Customers use other words than the
shop: they write hoover for vacuum cleaner. Everything is generated from one seed.
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
    """A kind of trouble: title and sentences of its articles, and the words of customers."""

    title: str
    sentences: list[str]
    asked: list[str]
    near: list[str]
    """Other troubles whose articles are partly useful."""


_DATA: dict[str, Any] = json.loads((files("germane") / "data" / "help_centre" / "texts.json").read_text("utf-8"))
APPLIANCES: dict[str, list[str]] = _DATA["appliances"]
"""Appliances as the shop calls them, with the words of customers."""
TROUBLES = {name: Trouble(**about) for name, about in _DATA["troubles"].items()}
REMARKS: list[str] = _DATA["remarks"]
"""General sentences that any article may have."""


@dataclass(frozen=True)
class Article:
    """An article: its subject and its text. Without an appliance it is about all of them."""

    id: str
    appliance: str
    trouble: str
    title: str
    text: str


@dataclass(frozen=True)
class Need:
    """The information need behind a query; without a trouble it is anything about the appliance."""

    appliance: str
    trouble: str


def articles(seed: int) -> list[Article]:
    """Generate one article per appliance and trouble, except for a few, and one per trouble."""
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
    """Yield queries of customers, the need behind each, and its frequency."""
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
    """Return the grade of an article: 2 if it is the answer, 1 if partly useful, else 0."""
    if not need.trouble:
        return int(article.appliance == need.appliance)
    if article.trouble == need.trouble:
        return 2 if article.appliance == need.appliance else 0 if article.appliance else 1
    return int(article.trouble in TROUBLES[need.trouble].near and article.appliance == need.appliance)
