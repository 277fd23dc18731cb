"""A note: what a reader of the numbers must know."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Note:
    """Something a reader of the numbers must know: how much of what, with examples.

    Programs tell notes apart by their `code`, which stays as it is. The reference of notes explains each one.
    """

    code: str
    amount: str
    what: str
    run: str | None = None
    count: int | None = None
    examples: tuple[str, ...] = ()
    share: float | None = None

    @property
    def message(self) -> str:
        return f"{self.amount} {self.what}".strip()

    def to_dict(self) -> dict[str, Any]:
        """Return what a program reads: the code is stable, the message is not."""
        full: dict[str, Any] = {name: getattr(self, name) for name in ("code", "run", "count", "share")}
        full |= {"examples": list(self.examples), "message": self.message}
        return {key: value for key, value in full.items() if value not in (None, [])}
