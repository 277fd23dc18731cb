"""The words behind terms: a stem such as `librari` is no word, and whoever reads it should see what it stands for."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterable

from germane.output.rendering.terminal import printable
from germane.retrieval.session import Session
from germane.retrieval.texts.analysis import Analyser

MOST_WORDS = 3
WIDTH = 100


def words_behind(terms: Iterable[str], texts: Iterable[str], analyser: Analyser) -> dict[str, list[str]]:
    """For each term that is not a word itself, the words of the texts that it stands for, the commonest first.

    >>> words_behind(["librari", "wine"], ["Libraries and wine", "the library", "libraries"], Analyser.parse("english"))
    {'librari': ['libraries', 'library']}
    """
    wanted = dict.fromkeys(terms)
    found: dict[str, Counter[str]] = {term: Counter() for term in wanted}
    for text in texts:
        for start, end, term in analyser.spans(text):
            if term in found:
                found[term][text[start:end].casefold()] += 1
    return {
        term: [word for word, _ in sorted(words.items(), key=lambda one: (-one[1], one[0]))[:MOST_WORDS]]
        for term, words in found.items()
        if words and term not in words
    }


def legend(terms: Iterable[str], session: Session) -> str:
    """A line that says what the stems among these terms stand for, in the query and in what is on the screen."""
    current = session.current
    docs = [*(hit.number for hit in current.results), *session.marks]
    stored = (session.index.stored(doc) for doc in dict.fromkeys(docs))
    texts = [current.text, *(f"{one.title} {one.text}" for one in stored)]
    found = words_behind(terms, texts, session.index.analyser)
    if not found:
        return ""
    listed = "; ".join(f"{term} = {', '.join(words)}" for term, words in found.items())
    return printable(textwrap.fill(f"stems: {listed}", WIDTH, break_long_words=False)) + "\n"
