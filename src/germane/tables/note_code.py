"""What is known of one code of notes."""

from __future__ import annotations

from typing import NamedTuple


class NoteCode(NamedTuple):
    """A code that a note may have: what it means, what to do about it, and which commands say it."""

    code: str
    meaning: str
    advice: str
    said_by: tuple[str, ...]
