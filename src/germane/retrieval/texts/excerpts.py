"""Select the part of a document that best shows why it was retrieved."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from germane.retrieval.texts.analysis import Analyser

WORDS_SHOWN = 30
MOST_SHOWN_CHARACTERS = 600
"""Maximum length of an excerpt in characters: a single word can be long (without bigrams, a run of Chinese is one)."""
MOST_CHARACTERS = 200_000
"""Maximum number of characters, from the beginning, that are searched for an excerpt."""


@dataclass(frozen=True)
class Excerpt:
    """An excerpt, and the positions of query words in it."""

    text: str
    marks: tuple[tuple[int, int], ...]

    def pieces(self) -> Iterator[tuple[str, bool]]:
        """Yield the text in pieces, each with whether it is a query word.

        >>> list(Excerpt("red wine", ((4, 8),)).pieces())
        [('red ', False), ('wine', True)]
        """
        done = 0
        for start, end in self.marks:
            if done < start:
                yield self.text[done:start], False
            yield self.text[start:end], True
            done = end
        if done < len(self.text):
            yield self.text[done:], False

    def marked(self, before: str, after: str) -> str:
        """Return the text with strings inserted before and after each query word.

        >>> Excerpt("red wine", ((4, 8),)).marked("[", "]")
        'red [wine]'
        """
        return "".join(f"{before}{piece}{after}" if is_word else piece for piece, is_word in self.pieces())

    def shortened(self, most: int) -> Excerpt:
        """Return at most `most` characters, from a little before the first query word.

        >>> Excerpt("a" * 50 + " wine " + "b" * 50, ((51, 55),)).shortened(20)
        Excerpt(text='…aaaa wine bbbbbbbb…', marks=((6, 10),))
        """
        if len(self.text) <= most:
            return self
        first = self.marks[0][0] if self.marks else 0
        start = min(max(0, first - most // 3), len(self.text) - most)
        lead, tail = "…" if start else "", "…" if start + most < len(self.text) else ""
        start, end = start + len(lead), start + most - len(tail)
        moved = [(max(a, start), min(b, end)) for a, b in self.marks if a < end and b > start]
        shift = len(lead) - start
        return Excerpt(lead + self.text[start:end] + tail, tuple((a + shift, b + shift) for a, b in moved))


def excerpt(text: str, terms: Collection[str], analyser: Analyser, words: int = WORDS_SHOWN) -> Excerpt:
    """Return the passage of `words` words with the most distinct query terms, then the most occurrences of them.

    The excerpt is always a single line.

    >>> plain = Analyser.parse("plain")
    >>> excerpt("We drank tea. The red wine was good.", {"wine", "red"}, plain, words=4).marked("*", "*")
    '… The *red* *wine* was …'
    """
    spans = analyser.spans(text[:MOST_CHARACTERS])
    if not spans:
        return Excerpt(" ".join(text[:MOST_CHARACTERS].split()), ()).shortened(MOST_SHOWN_CHARACTERS)
    hits = [i for i, (_, _, term) in enumerate(spans) if term is not None and term in terms]
    first = _best_start([(i, spans[i][2]) for i in hits], words, len(spans))
    last = min(first + words, len(spans))
    # From the start of the first word to the end of the last; the ends of the text are kept.
    start = 0 if first == 0 else spans[first][0]
    end = len(text) if last == len(spans) and len(text) <= MOST_CHARACTERS else spans[last - 1][1]
    lead, tail = ("… " if first else ""), (" …" if last < len(spans) or len(text) > MOST_CHARACTERS else "")
    pieces = [lead]
    marks = []
    length = len(lead)
    done = start
    for a, b in _apart([spans[i][:2] for i in hits if first <= i < last]):
        before = _one_line(text[done:a], keep_start=done > start)
        pieces += [before, text[a:b]]
        marks.append((length + len(before), length + len(before) + b - a))
        length += len(before) + b - a
        done = b
    pieces += [_one_line(text[done:end], keep_start=done > start).rstrip(), tail]
    return Excerpt("".join(pieces), tuple(marks)).shortened(MOST_SHOWN_CHARACTERS)


def highlighted(text: str, terms: Collection[str], analyser: Analyser) -> Excerpt:
    """Return a whole text with the query words marked.

    >>> highlighted("Red wine,\\nred roses", {"red"}, Analyser.parse("plain")).marked("*", "*")
    '*Red* wine,\\n*red* roses'
    """
    return Excerpt(text, tuple(_apart([(start, end) for start, end, term in analyser.spans(text) if term in terms])))


def _apart(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Join overlapping spans, such as those of bigrams.

    >>> _apart([(0, 2), (1, 3), (3, 5)])
    [(0, 3), (3, 5)]
    """
    joined: list[tuple[int, int]] = []
    for start, end in spans:
        if joined and start < joined[-1][1]:
            joined[-1] = joined[-1][0], end
        else:
            joined.append((start, end))
    return joined


def without_title(title: str, text: str) -> str:
    """Return the text without its title, which is often its first line.

    >>> without_title("Red  wine", "Red\\nwine It keeps well.")
    'It keeps well.'
    """
    words = title.split()
    found = re.match(r"\s*" + r"\s+".join(map(re.escape, words)) + r"(?!\w)\s*", text) if words else None
    return text[found.end() :] if found else text


def _best_start(hits: list[tuple[int, str | None]], words: int, num_words: int) -> int:
    """Return the start of the best passage, slightly before its first hit, to show the hit in context."""
    best, best_value = 0, (0, 0)
    for n, (i, _) in enumerate(hits):
        inside = [term for j, term in hits[n : n + words] if j < i + words]
        value = (len(set(inside)), len(inside))
        if value > best_value:
            best, best_value = i, value
    last_hit = max((j for j, _ in hits if j < best + words), default=best)
    slack = words - (last_hit - best + 1)
    return max(0, min(best - min(slack // 2, words // 3), max(num_words - words, 0), best))


def _one_line(text: str, *, keep_start: bool) -> str:
    """Replace white space by single spaces."""
    folded = " ".join(text.split())
    lead = " " if keep_start and text[:1].isspace() and folded else ""
    tail = " " if text[-1:].isspace() else ""
    return (lead + folded + tail) if folded else (" " if text else "")
