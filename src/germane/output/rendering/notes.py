"""Notes as lines of text: short below the numbers, or in full with their meaning and what to do."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

from germane.output.rendering.messages import print_message
from germane.tables.notes.note import Note

SHOWN_RUNS = 4
"""Maximum number of runs that a short note names."""


def print_notes(notes: Sequence[Note | str], *, explain: bool = False) -> None:
    """Print notes on standard error, apart from the results; `explain` adds codes, meanings and advice."""
    for text in _explained(notes) if explain else notes_in_words(notes):
        print_message(text, label="note: ")


def notes_in_words(notes: Sequence[Note | str]) -> list[str]:
    """Return one short line per fact: runs that share it are joined, and so are its cutoffs.

    >>> shares = {"unjudged@5": ("60.0%", "unjudged in the top 5"), "unjudged": ("70.0%", "unjudged")}
    >>> notes_in_words([Note(code, *words, run) for code, words in shares.items() for run in ("a", "b")])
    ['unjudged in the top 5: a 60.0%, b 60.0%; all: 70.0%']
    """
    families: dict[str, list[tuple[str, list[Note]]]] = {}
    facts = list(_alike(notes))
    with_cutoffs = {note.code.partition("@")[0] for _, group in facts for note in group if "@" in note.code}
    for text, group in facts:
        family = group[0].code.partition("@")[0] if group else text
        families.setdefault(family if family in with_cutoffs else text, []).append((text, group))
    return [_at_cutoffs(family) if len(family) > 1 else family[0][0] for family in families.values()]


def _at_cutoffs(family: list[tuple[str, list[Note]]]) -> str:
    """Return the fact at the smallest cutoff in full, and the range of its amounts at the others."""
    first, *others = sorted(family, key=lambda fact: _cutoff(fact[1][0]))
    return "; ".join([first[0], *(f"{_depth(group[0])}: {_range(group)}" for _, group in others)])


def _cutoff(note: Note) -> int:
    """Return the rank in a code such as ``ties@10``; a code without one is for all ranks."""
    return int(note.code.partition("@")[2] or sys.maxsize)


def _depth(note: Note) -> str:
    return f"top {_cutoff(note)}" if "@" in note.code else "all"


def _explained(notes: Sequence[Note | str]) -> Iterator[str]:
    """Yield every note with all of its runs and examples, then what the reference says about its code."""
    from germane.tables.notes.explanations import entry_code, note_entries

    if not notes:
        yield "none"
    for text, group in _alike(notes, shown_runs=len(notes)):
        about = "no code: the reference of notes has no entry for this remark"
        if group:
            entry = note_entries()[entry_code(group[0].code)]
            about = f"{group[0].code}: {entry.meaning}\nWhat to do: {entry.advice}"
        yield f"{text}\n{about}"


def _alike(notes: Sequence[Note | str], shown_runs: int = SHOWN_RUNS) -> Iterator[tuple[str, list[Note]]]:
    """Yield the text and the notes of each fact; a remark without a code has no notes."""
    facts: dict[tuple[str, str], list[Note]] = {}
    for note in notes:
        if isinstance(note, str):
            facts[note, ""] = []
        else:
            facts.setdefault((note.code, note.what), []).append(note)
    for (code, what), group in facts.items():
        match group:
            case []:
                yield code, group
            case [note]:
                yield _one(note), group
            case _:
                yield f"{what}: {_several(group, shown_runs)}", group


def _one(note: Note) -> str:
    run = f"{note.run}: " if note.run else ""
    examples = f" ({', '.join(note.examples)}{', …' if (note.count or 0) > len(note.examples) else ''})"
    return f"{run}{note.message}{examples if note.examples else ''}"


def _several(notes: Sequence[Note], shown_runs: int) -> str:
    most = sorted(notes, key=_size, reverse=True)[:shown_runs]
    rest = f" and {len(notes) - shown_runs} more" if len(notes) > shown_runs else ""
    return ", ".join(f"{note.run} {note.amount}".strip() for note in most) + rest


def _range(notes: Sequence[Note]) -> str:
    """Return the amounts from the smallest to the largest."""
    least, most = (choose(notes, key=_size).amount for choose in (min, max))
    return least if least == most else f"{least} to {most}"


def _size(note: Note) -> float:
    return note.share or note.count or 0
