"""Scripts that are written without spaces between words, so that their text is read as pairs of characters.

Chinese and Japanese are one group: their characters pair across Han, Hiragana and Katakana, and with Hangul, which has
spaces and is paired because its words carry their particles. Thai, Lao, Khmer and Burmese pair within themselves.
"""

from __future__ import annotations

import unicodedata

EAST_ASIAN, THAI, LAO, KHMER, BURMESE = 1, 2, 3, 4, 5
"""The groups of scripts whose characters pair; 0 is none of them."""

RANGES = (
    (0x0E01, 0x0E4E, THAI),
    (0x0E81, 0x0EDF, LAO),
    (0x1000, 0x109F, BURMESE),
    (0x1100, 0x11FF, EAST_ASIAN),  # Hangul, in parts of syllables
    (0x1780, 0x17DC, KHMER),
    (0x3005, 0x3007, EAST_ASIAN),  # Han: iteration mark, closing mark, zero
    (0x3021, 0x3029, EAST_ASIAN),
    (0x3031, 0x3035, EAST_ASIAN),  # Kana repeat marks
    (0x3038, 0x303B, EAST_ASIAN),
    (0x3041, 0x30FF, EAST_ASIAN),  # Hiragana and Katakana
    (0x3131, 0x318E, EAST_ASIAN),  # Hangul, in letters
    (0x31F0, 0x31FF, EAST_ASIAN),
    (0x3400, 0x4DBF, EAST_ASIAN),  # Han
    (0x4E00, 0x9FFF, EAST_ASIAN),
    (0xA960, 0xA97C, EAST_ASIAN),
    (0xA9E0, 0xA9FE, BURMESE),
    (0xAA60, 0xAA7F, BURMESE),
    (0xAC00, 0xD7FB, EAST_ASIAN),  # Hangul
    (0xF900, 0xFAFF, EAST_ASIAN),
    (0xFF66, 0xFFDC, EAST_ASIAN),  # Katakana and Hangul, halfwidth
    (0x16FE2, 0x16FE3, EAST_ASIAN),
    (0x1AFF0, 0x1B167, EAST_ASIAN),  # Kana
    (0x20000, 0x3FFFD, EAST_ASIAN),  # Han beyond the basic plane
)
"""First and last code point, in order, and the group of the letters between them; digits and signs are of no group."""

HANGUL = ((0x1100, 0x11FF), (0x3131, 0x318E), (0xA960, 0xA97C), (0xAC00, 0xD7FB), (0xFFA0, 0xFFDC))
"""Korean puts spaces between its words: it can be split without pairs."""

JOINING = ((0x1160, 0x11FF), (0xD7B0, 0xD7FB), (0xFF9E, 0xFF9F))
"""Letters that belong to the character before them: the later parts of a Hangul syllable, halfwidth voicing marks."""


def group_of(code: int) -> int:
    """The group of a code point.

    >>> [group_of(ord(character)) for character in "a中あ한ไ1"]
    [0, 1, 1, 1, 2, 0]
    """
    for first, last, group in RANGES:
        if code <= last:
            letter = code >= first and unicodedata.category(chr(code)) in ("Lo", "Lm", "Nl")
            return group if letter else 0
    return 0


def joins(code: int) -> bool:
    """Whether a letter belongs to the character before it, if that is of the same group."""
    return any(first <= code <= last for first, last in JOINING)
