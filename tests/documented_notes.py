"""Whatever note is made while the tests run has an entry in the reference of notes.

A plugin, so that codes which no reading of the source finds, such as those that a table holds, are looked at too.
"""

from __future__ import annotations

from functools import wraps
from typing import Any

import pytest

from germane.tables.notes.explanations import EXPLANATIONS, entry_code, note_entries
from germane.tables.notes.note import Note


def require_documented(code: str) -> None:
    """Fail on a code that the reference does not explain."""
    assert entry_code(code) in note_entries(), f"the code {code!r} of a note has no entry in {EXPLANATIONS.name}"


def pytest_configure(config: pytest.Config) -> None:
    """Look at each note as it is made."""
    make_note = Note.__init__

    @wraps(make_note)
    def made(note: Note, *args: Any, **kwargs: Any) -> None:
        make_note(note, *args, **kwargs)
        require_documented(note.code)

    Note.__init__ = made  # type: ignore[assignment, method-assign]
