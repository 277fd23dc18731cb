"""Answers sent by the judging screen, their receipts, and their validation."""

from __future__ import annotations

import math
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from germane.errors import GermaneError
from germane.judging.rubric import Rubric
from germane.judging.store.connection import can_be_stored

AnswerKind = Literal["grade", "undo", "later", "cannot", "comment", "adjudicate"]
JUDGING = ("grade", "undo", "later", "cannot", "comment")
ADJUDICATING = ("adjudicate", "undo", "later", "comment")
MOST_TEXT = 20_000
TYPES: Mapping[str, tuple[type, ...]] = {
    "event": (str,),
    "task": (str,),
    "kind": (str,),
    "rubric": (str,),
    "text": (str,),
    "time": (str,),
    "supersedes": (str, type(None)),
    "grade": (int, float, type(None)),
    "seconds": (int, float, type(None)),
}


@dataclass(frozen=True)
class Answer:
    """What a screen sends. `event` is a uuid that it made up, `task` says what is answered, `rubric` the version it
    showed.

    `supersedes` matters to an undo only: the event to take back (the last answer to the task, if None). `text` is the
    comment or the reason; `time` is the sender's clock (ISO 8601), `seconds` how long the document was looked at.
    """

    event: str
    task: str
    kind: AnswerKind
    grade: float | None = None
    rubric: str = ""
    supersedes: str | None = None
    text: str = ""
    time: str = ""
    seconds: float | None = None


@dataclass(frozen=True)
class Receipt:
    """Receipt of an answer: "stored" and "already" (sent before) are both safe to forget in the browser.

    "refused" has a reason, and will be refused again. `extra` means that enough people had judged the document before.
    `replaces` is the event of the same person's earlier answer to the document, which this one replaces.
    """

    event: str
    status: Literal["stored", "already", "refused"]
    extra: bool = False
    reason: str = ""
    replaces: str | None = None


class RefusedError(Exception):
    """Why an answer cannot be recorded."""


def check_form(answer: Answer, rubrics: Sequence[Rubric]) -> None:
    """Check the form of an answer, independent of its task."""
    for name, types in TYPES.items():
        value = getattr(answer, name)
        if not isinstance(value, types) or isinstance(value, bool):
            raise RefusedError(f"{name!r} has the wrong type")
        if isinstance(value, str) and not can_be_stored(value):
            raise RefusedError(f"{name!r} contains control characters")
    try:
        if str(uuid.UUID(answer.event)) != answer.event:
            raise ValueError
    except ValueError:
        raise RefusedError("expected a UUID as event id, such as crypto.randomUUID() returns") from None
    try:
        if answer.time:
            datetime.fromisoformat(answer.time)
    except ValueError:
        raise RefusedError(f"expected a time in ISO 8601, found {answer.time[:64]!r}") from None
    if answer.kind not in (*JUDGING, *ADJUDICATING):
        raise RefusedError(f"unknown kind of answer {answer.kind!r}")
    if answer.seconds is not None and not (math.isfinite(answer.seconds) and answer.seconds >= 0):
        raise RefusedError(f"expected seconds ≥ 0, found {answer.seconds}")
    if len(answer.text) > MOST_TEXT:
        raise RefusedError(f"expected a text of at most {MOST_TEXT} characters, found {len(answer.text)}")
    if answer.kind in ("grade", "adjudicate"):
        shown = next((rubric for rubric in rubrics if rubric.version == answer.rubric), None)
        if shown is None:
            raise RefusedError(f"unknown rubric version {answer.rubric!r}")
        try:
            shown.require(answer.grade)
        except GermaneError as error:
            raise RefusedError(error.message) from None
    elif answer.grade is not None:
        raise RefusedError(f"an answer of kind {answer.kind!r} has no grade")
