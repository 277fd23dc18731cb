"""Detect text in scripts without spaces: without the step `bigrams`, a whole run becomes one useless term.

The scripts are Han, Hiragana, Katakana, Thai, Lao, Khmer and Burmese; not Hangul: Korean separates words by spaces.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from germane.kernels.scripts import BURMESE, HANGUL, KHMER, LAO, RANGES, THAI
from germane.retrieval.texts.analysis import BIGRAMS, Analyser
from germane.tables.columns.ids import Ids, IntArray
from germane.tables.notes.counts import notes_on_ids
from germane.tables.notes.note import Note

UNSPLIT_SHARE = 0.01
"""Share of letters above which a note says that they cannot be searched; a few names in another script are normal."""
MOSTLY = 0.5
"""Share of letters from which a text is treated as being in such a language, not only quoting it."""
FIRST_BYTE = 0xE0
"""Smallest first byte of these scripts in UTF-8."""
LANGUAGES = {THAI: "thai", LAO: "lao", KHMER: "khmer", BURMESE: "burmese"}
KANA = ((0x3041, 0x30FF), (0x31F0, 0x31FF), (0xFF66, 0xFF9F))


@dataclass(frozen=True)
class Letters:
    """Number of letters in total, and of each unspaced language."""

    total: int = 0
    unspaced: Counter[str] = field(default_factory=Counter)

    def __add__(self, other: Letters) -> Letters:
        return Letters(self.total + other.total, self.unspaced + other.unspaced)

    @property
    def share(self) -> float:
        """Share of letters in unspaced scripts."""
        return self.unspaced.total() / self.total if self.total else 0.0


def letters_of(terms: Ids, frequency: IntArray) -> Letters:
    """Count the letters of terms, weighted by frequency.

    >>> letters_of(Ids.of(["wine", "東京"]), np.array([2, 1])).share
    0.2
    """
    starts_letter = (terms.data & 0xC0) != 0x80
    place = np.concatenate(([0], np.cumsum(starts_letter)))[terms.offsets]
    total = int((np.diff(place) * frequency).sum())
    if not len(terms.data) or int(terms.data.max()) < FIRST_BYTE:
        return Letters(total)
    codes = np.frombuffer(terms.data.tobytes().decode("utf-8").encode("utf-32-le"), dtype=np.uint32)
    return Letters(total, _counts(codes, np.repeat(frequency, np.diff(place))))


def letters_in(text: str) -> Letters:
    """Count the letters of a query text."""
    codes = np.asarray([ord(character) for character in text if character.isalnum()], dtype=np.uint32)
    return Letters(len(codes), _counts(codes, np.ones(len(codes), dtype=np.int64)))


def note_on_documents(letters: Letters, analyser: Analyser) -> Note | None:
    """Return the note on an index whose documents hold words that cannot be found."""
    if analyser.bigrams or letters.share <= UNSPLIT_SHARE:
        return None
    what = "are in scripts without spaces, so words in them are not found"
    return Note("unsplit-text", f"{letters.share:.1%} of the letters", f"{what}; {advice(letters, analyser)}")


def notes_on_queries(queries: Mapping[str, str], analyser: Analyser) -> list[Note]:
    """Return the note on queries whose words an index without bigrams cannot find."""
    ids = [query for query, text in queries.items() if needs_bigrams(text, analyser)]
    letters = letters_in(" ".join(queries[query] for query in ids))
    what = f"in scripts without spaces, on an index without bigrams, so words are missed; {advice(letters, analyser)}"
    return notes_on_ids("unsplit-queries", ids, "query", what)


def remarks_on_query(text: str, analyser: Analyser) -> tuple[str, ...]:
    """Return what to tell a person whose query an index without bigrams cannot find."""
    if not needs_bigrams(text, analyser):
        return ()
    what = "the query is in a script without spaces, which this index does not split"
    return (f"{what}; {advice(letters_in(text), analyser)}",)


def needs_bigrams(text: str, analyser: Analyser) -> bool:
    """Whether a text has letters that this analyser cannot split into words.

    >>> [needs_bigrams(text, Analyser.parse("plain")) for text in ("東京 hotel", "Tokyo hotel", "한국어")]
    [True, False, False]
    """
    return not (analyser.bigrams or text.isascii()) and letters_in(text).share > 0


def advice(letters: Letters, analyser: Analyser) -> str:
    """Return the advice which analyser to use: the language's, or the present one with bigrams for mixed text."""
    counts = letters.unspaced
    language = max(counts, key=lambda name: counts[name], default="chinese")
    if language == "chinese" and counts["japanese"]:
        language = "japanese"  # Japanese may have more Han than Kana, Chinese has no Kana
    mixed = replace(analyser, bigrams=True).name
    if letters.share >= MOSTLY or mixed == BIGRAMS:
        return f"index again with --analyser {language}"
    return f'index again with --analyser "{mixed}"'


def _counts(codes: npt.NDArray[np.uint32], times: IntArray) -> Counter[str]:
    """Count the letters of each unspaced language; Kana is Japanese, Han alone counts as Chinese."""
    found: Counter[str] = Counter()
    for first, last, group in RANGES:
        language = LANGUAGES.get(group) or ("japanese" if _inside(first, KANA) else "chinese")
        if not _inside(first, HANGUL):
            found[language] += int(times[(codes >= first) & (codes <= last)].sum())
    return +found  # drops languages with count 0


def _inside(code: int, ranges: tuple[tuple[int, int], ...]) -> bool:
    return any(first <= code <= last for first, last in ranges)
