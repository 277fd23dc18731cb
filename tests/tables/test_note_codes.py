"""A note has a code that is listed, or is not made."""

from __future__ import annotations

import pytest

from germane.errors import GermaneError
from germane.tables.note_code import NoteCode
from germane.tables.note_codes import NOTE_CODES, all_note_codes, note_code
from germane.tables.scores import Note


def test_codes_are_listed_once() -> None:
    assert len(all_note_codes()) == sum(map(len, NOTE_CODES.values()))


@pytest.mark.parametrize(
    ("code", "entry"), [("ties", "ties"), ("ties@10", "ties@K"), ("unjudged@5", "unjudged@K"), ("BII", "BII")]
)
def test_a_code_or_one_of_a_family_is_found(code: str, entry: str) -> None:
    assert note_code(code).code == entry
    assert Note(code, "1 query", "tied").code == code


@pytest.mark.parametrize("code", ["tie", "Ties", "ties@", "ties@K", "ties@ten", "ties@1@2", "family@3", ""])
def test_any_other_code_is_refused(code: str) -> None:
    with pytest.raises(GermaneError, match="no note has the code"):
        Note(code, "1 query", "tied")


def test_a_slip_is_told() -> None:
    with pytest.raises(GermaneError, match=r"no note has the code 'missing-topic'; did you mean missing-topics\?"):
        note_code("missing-topic")


@pytest.mark.parametrize("entry", all_note_codes().values(), ids=lambda entry: str(entry.code))
def test_an_entry_reads_as_one_of_many(entry: NoteCode) -> None:
    """A meaning is part of a sentence, advice is one or several."""
    assert entry.meaning
    assert not entry.meaning.endswith(".")
    assert entry.advice.endswith(".")
    assert len(set(entry.said_by)) == len(entry.said_by)
