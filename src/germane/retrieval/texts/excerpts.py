"""The part of a document that shows best why it was found."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from germane.retrieval.texts.analysis import Analyser

WORDS_SHOWN = 30
MOST_SHOWN_CHARACTERS = 600
"""A word may be as long as it likes (without bigrams, a run of Chinese is one), an excerpt may not."""
MOST_CHARACTERS = 200_000
"""A long document's excerpt is sought in its beginning."""


@dataclass(frozen=True)
class Excerpt:
    """A piece of text, and where in it the query's words stand."""

    text: str
    marks: tuple[tuple[int, int], ...]

    def pieces(self) -> Iterator[tuple[str, bool]]:
        """The text cut up, each piece with whether it is one of the query's words.

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
        """The text with something put before and after each of the query's words.

        >>> Excerpt("red wine", ((4, 8),)).marked("[", "]")
        'red [wine]'
        """
        return "".join(f"{before}{piece}{after}" if is_word else piece for piece, is_word in self.pieces())

    def shortened(self, most: int) -> Excerpt:
        """So many characters of it, from a little before the first of the query's words.

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
    """The stretch of so many words that holds the most different terms of the query, then the most of them at all.

    It is on one line, whatever the text was.

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
    # From the first word's beginning to the last one's end; the text's own ends are kept whole.
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
    """All of a text, as it is.

    >>> highlighted("Red wine,\\nred roses", {"red"}, Analyser.parse("plain")).marked("*", "*")
    '*Red* wine,\\n*red* roses'
    """
    return Excerpt(text, tuple(_apart([(start, end) for start, end, term in analyser.spans(text) if term in terms])))


def _apart(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Join spans that overlap, as those of bigrams do.

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
    """The text after its title, where it begins with it: a collection's title is often the first line of its text.

    >>> without_title("Red  wine", "Red\\nwine It keeps well.")
    'It keeps well.'
    """
    words = title.split()
    found = re.match(r"\s*" + r"\s+".join(map(re.escape, words)) + r"(?!\w)\s*", text) if words else None
    return text[found.end() :] if found else text


def _best_start(hits: list[tuple[int, str | None]], words: int, num_words: int) -> int:
    """Where the best stretch starts; a little before its first hit, so that the hit can be read in its sentence."""
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
    """White space as single spaces."""
    folded = " ".join(text.split())
    lead = " " if keep_start and text[:1].isspace() and folded else ""
    tail = " " if text[-1:].isspace() else ""
    return (lead + folded + tail) if folded else (" " if text else "")
