"""The log of an agent's feedback: every judgment in the order in which it was given. Nothing is ever taken out of it.

Two processes that open one agent's file learn for themselves. Whoever saves second reads what the first one wrote, and
adds the judgments that are not in that log yet: so each judgment has an id, and all that learning needs of the moment
in which it was given.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class LoggedJudgment:
    """A judgment, and what the agent had made of the document before it."""

    event: str
    """A random id, so that a judgment counts once, however often it is merged."""
    query: str
    doc: str
    relevant: bool
    num_terms: int
    """The number of terms that the query had."""
    probability: float
    """P(R|d) before the judgment; 0 where the document was not ranked."""
    score: float | None
    """The document's score before the judgment; None where it was not ranked."""
    refined: bool
    """Whether the ranking came from feedback, so that the score counts in the P(R|d) after feedback."""

    def to_json(self) -> dict[str, Any]:
        """As a plain object."""
        return asdict(self)

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> LoggedJudgment:
        """Back from the plain object."""
        return cls(
            event=str(given["event"]),
            query=str(given["query"]),
            doc=str(given["doc"]),
            relevant=bool(given["relevant"]),
            num_terms=int(given["num_terms"]),
            probability=float(given["probability"]),
            score=None if given["score"] is None else float(given["score"]),
            refined=bool(given["refined"]),
        )


def new_event() -> str:
    """Return an id that no other judgment has."""
    return uuid.uuid4().hex


def missing_from(log: Sequence[LoggedJudgment], given: Sequence[LoggedJudgment]) -> list[LoggedJudgment]:
    """Return the judgments that a log does not have yet, in their order.

    >>> first, second = (LoggedJudgment(event, "wine", "d1", True, 1, 0.5, None, False) for event in "ab")
    >>> [one.event for one in missing_from([first], [first, second])]
    ['b']
    """
    known = {one.event for one in log}
    return [one for one in given if one.event not in known]
