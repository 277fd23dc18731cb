"""Turn text into terms, by the same named steps for documents and queries.

    words        a letter or digit (Unicode categories L, N) and all letters, digits and combining marks (M) after it.
                 Everything else separates: spaces, punctuation, apostrophes straight or curly, underscores, emoji, NUL,
                 invisible format characters, bytes that are not UTF-8. Without `bigrams`, a run of Chinese, Japanese,
                 Thai, Lao, Khmer or Burmese is one word.
    fold         Unicode's full case folding of the canonical decomposition, composed again (NFC): "Straße" and
                 "STRASSE" agree, and an accent agrees with itself, composed or not.
    accents      removed: combining marks of class 200 and higher (those above, below and through a letter), so "é" is
                 "e" and "й" is "и"; letters that Unicode does not decompose (ø, ł, đ) and the vowel signs of Indic
                 scripts, which have other classes, stay.
    bigrams      a run of Han, Hiragana, Katakana and Hangul is read as overlapping pairs of characters (東京都 as 東京,
                 京都), a character alone as itself; so is a run of Thai, Lao, Khmer or Burmese. Other letters beside
                 them are words of their own. Widths are folded: ｶﾞ is ガ, and Ａ is A.
    stop(NAME)   words of that list are removed; compared after the steps above and before stemming. An entry such as
                 "don't" means its words, don and t, since documents are read that way.
    stem(NAME)   PyStemmer's algorithm of that name. Where a stem would be empty (Porter's for "s"), the word stays.

Without `fold`, composition (NFC) is all that happens to a word's letters.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from germane.arguments import checked, checked_fields
from germane.catalogue import known_name
from germane.errors import GermaneError, MissingExtraError, did_you_mean, unknown
from germane.kernels.reference_words import pair_spans
from germane.retrieval.texts.stop_lists import STOP_LISTS, StopList

ALGORITHMS = """
arabic armenian basque catalan czech danish dutch dutch_porter english esperanto estonian finnish french german greek
hindi hungarian indonesian irish italian lithuanian nepali norwegian persian polish porter portuguese romanian russian
serbian sesotho spanish swedish tamil turkish yiddish
"""
STEMMERS = tuple(ALGORITHMS.split())
"""Algorithms of PyStemmer; "porter" is Porter's of 1980, "english" his later one."""

BIGRAMS = "words+fold+bigrams"
UNSPACED = ("chinese", "japanese", "korean", "thai", "lao", "khmer", "burmese")
"""Languages read as pairs of characters."""

SHORT_NAMES = {language: f"words+fold+stem({language})" for language in STEMMERS if "porter" not in language} | {
    **dict.fromkeys(UNSPACED, BIGRAMS),
    "english": "words+fold+accents+stop(lucene)+stem(porter)",
    "plain": "words+fold",
}
"""Short names of analysers. Accents stay in other languages: their stemmers use them."""

ACCENT_CLASS = 200
WORDS_REMEMBERED = 1 << 20
STEP = re.compile(r"(stop|stem)\((.*)\)")
RUN = re.compile("a[am]*")
WIDE_OR_NARROW = re.compile("[\uff01-\uffdc]+")


class _CharacterKinds(dict[int, str]):
    """Map for `str.translate`: a letter or digit becomes "a", a combining mark "m", anything else a space."""

    def __missing__(self, code: int) -> str:
        kind = unicodedata.category(chr(code))[0]
        return self.setdefault(code, "m" if kind == "M" else "a" if kind in "LN" else " ")


_KINDS = _CharacterKinds()


def word_spans(text: str, *, bigrams: bool = False) -> list[tuple[int, int]]:
    """Return start and end of each word; with `bigrams`, of each pair in scripts without spaces.

    >>> word_spans("l’été, 2nd_try")
    [(0, 1), (2, 5), (7, 10), (11, 14)]
    >>> word_spans("東京都 tower", bigrams=True)
    [(0, 2), (1, 3), (4, 9)]
    """
    words = [run.span() for run in RUN.finditer(text.translate(_KINDS))]
    if not bigrams or text.isascii():
        return words
    return [(begin + start, begin + stop) for begin, end in words for start, stop in pair_spans(text[begin:end])]


@checked_fields
@dataclass(frozen=True)
class Analyser:
    """A text analyser, which turns text into terms.

    >>> english = Analyser.parse("english")
    >>> english.name
    'words+fold+accents+stop(lucene)+stem(porter)'
    >>> english.terms("The cafés of Zürich")
    ['cafe', 'zurich']
    >>> Analyser.parse("plain").terms("The cafés of Zürich")
    ['the', 'cafés', 'of', 'zürich']
    """

    fold: bool = True
    accents: bool = False
    stop: StopList | None = None
    stem: str | None = None
    bigrams: bool = False

    def __post_init__(self) -> None:
        if self.stem is not None and self.stem not in STEMMERS:
            raise unknown("stemmer", self.stem, STEMMERS)

    @property
    def name(self) -> str:
        """All steps, in order; `parse` restores the analyser from it."""
        steps = ["words", *(step for step in FLAGS if getattr(self, step))]
        steps += [f"stop({self.stop.name})"] if self.stop else []
        steps += [f"stem({self.stem})"] if self.stem else []
        return "+".join(steps)

    def __str__(self) -> str:
        return self.name

    @classmethod
    @checked
    def parse(cls, text: str, stop_lists: Iterable[StopList] = ()) -> Analyser:
        """Return the analyser of this name, short or in full; `stop_lists` are known in addition to the built-in ones.

        >>> Analyser.parse("german").name
        'words+fold+stem(german)'
        """
        known = STOP_LISTS | {stop_list.name: stop_list for stop_list in stop_lists}
        steps = SHORT_NAMES.get(known_name(text, SHORT_NAMES) or text, text).split("+")
        found: dict[str, str] = {}
        for step in steps:
            named = STEP.fullmatch(step)
            kind, value = named.groups() if named else (step, "")
            if kind not in ORDER or (kind in ("stop", "stem")) != (named is not None):
                if len(steps) == 1:
                    hint = f"for example plain, german or english, short for {SHORT_NAMES['english']}"
                    raise GermaneError(f"unknown analyser {text!r}{did_you_mean(text, SHORT_NAMES)}", hint=hint)
                problem = f"analyser {text!r}: unknown step {step!r}{did_you_mean(step, FORMS, likeness=0.5)}"
                raise GermaneError(problem, hint=f"use steps in this order: {', '.join(FORMS)}")
            found[kind] = value
        if [*found] != [kind for kind in ORDER if kind in found] or len(found) < len(steps) or "words" not in found:
            hint = f"use steps in this order: {', '.join(FORMS)}"
            raise GermaneError(f"analyser {text!r}: expected each step once and in order, words first", hint=hint)
        stop = found.get("stop")
        if stop is not None and stop not in known:
            hint = f"choose from {', '.join(known)}, or pass the file of your own list"
            raise GermaneError(f"unknown stop list {stop!r}{did_you_mean(stop, known)}", hint=hint)
        flags = {step: step in found for step in FLAGS}
        return cls(**flags, stop=None if stop is None else known[stop], stem=found.get("stem"))

    def terms(self, text: str) -> list[str]:
        """Return the terms of a text, in order."""
        return [term for _, _, term in self.spans(text) if term is not None]

    def spans(self, text: str) -> list[tuple[int, int, str | None]]:
        """Return start, end and term of each word of a text; the term is None for a stop word.

        >>> Analyser.parse("english").spans("On wings")
        [(0, 2, None), (3, 8, 'wing')]
        """
        spans = word_spans(text, bigrams=self.bigrams)
        terms = self.analyse_words([text[start:end] for start, end in spans])
        return [(start, end, term) for (start, end), term in zip(spans, terms, strict=True)]

    def term(self, word: str) -> str | None:
        """Return the term of one word, or None for a stop word."""
        return self.analyse_words([word])[0]

    def analyse_words(self, words: Sequence[str]) -> list[str | None]:
        """Return the term of each word, or None for a stop word. Each distinct word is analysed once."""
        return _steps_of(self)(words)

    def analyse_new_words(self, words: Sequence[str]) -> list[str | None]:
        """Return the term of each of these distinct words, or None for a stop word. None of them is remembered."""
        return _steps_of(self).terms(words)


FLAGS = ("fold", "accents", "bigrams")
ORDER = ("words", *FLAGS, "stop", "stem")
FORMS = ("words", *FLAGS, "stop(NAME)", "stem(NAME)")


class _Steps:
    """The steps of an analyser, with a cache of the words analysed so far."""

    def __init__(self, analyser: Analyser) -> None:
        self._analyser = analyser
        self._stem_words = _stemmer(analyser.stem) if analyser.stem else None
        stop_words = analyser.stop.words if analyser.stop else ()
        self._stop_words = frozenset(
            self._letters(entry[start:end])
            for entry in stop_words
            for start, end in word_spans(entry, bigrams=analyser.bigrams)
        )
        self._known: dict[str, str | None] = {}
        self._lock = threading.Lock()  # a stemmer serves one thread at a time

    def __call__(self, words: Sequence[str]) -> list[str | None]:
        known = self._known
        try:
            return [known[word] for word in words]
        except KeyError:
            with self._lock:
                known = self._known if len(self._known) < WORDS_REMEMBERED else {}
                new = list({word for word in words if word not in known})
                known.update(zip(new, self._analysed(new), strict=True))
                self._known = known
            return [known[word] for word in words]

    def terms(self, words: Sequence[str]) -> list[str | None]:
        """Return the terms of words that nobody will ask for again."""
        with self._lock:
            return self._analysed(words)

    def _analysed(self, words: Sequence[str]) -> list[str | None]:
        plain = [self._letters(word) for word in words]
        stems = plain if self._stem_words is None else self._stem_words(plain)
        stop_words = self._stop_words
        return [None if letters in stop_words else stem or letters for letters, stem in zip(plain, stems, strict=True)]

    def _letters(self, word: str) -> str:
        """Return a word with its letters folded, without accents, composed, as the analyser asks."""
        if word.isascii():
            return word.lower() if self._analyser.fold else word
        if self._analyser.bigrams:
            word = WIDE_OR_NARROW.sub(lambda found: unicodedata.normalize("NFKC", found.group()), word)
        letters = unicodedata.normalize("NFD", word)
        if self._analyser.fold:
            letters = letters.casefold()
        if self._analyser.accents:
            letters = unicodedata.normalize("NFD", letters)
            letters = "".join(c for c in letters if unicodedata.combining(c) < ACCENT_CLASS)
        return unicodedata.normalize("NFC", letters)


@lru_cache(maxsize=64)
def _steps_of(analyser: Analyser) -> _Steps:
    """Return the steps of an analyser; equal analysers share one cache."""
    return _Steps(analyser)


def _stemmer(name: str) -> Callable[[list[str]], list[str]]:
    try:
        import Stemmer
    except ImportError as problem:
        raise MissingExtraError(f"stemming ({name})", "search") from problem
    try:
        stemmer = Stemmer.Stemmer(name, 0)  # no cache: words are cached here
    except KeyError as problem:
        hint = "run pip install --upgrade PyStemmer"
        raise GermaneError(f"the installed PyStemmer has no stemmer {name!r}", hint=hint) from problem
    stem_words: Callable[[list[str]], list[str]] = stemmer.stemWords
    return stem_words
