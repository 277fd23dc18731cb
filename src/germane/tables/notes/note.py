"""A note on a result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Note:
    """A fact that readers of a result must know: an amount, what it is about, and examples.

    Programs identify notes by their `code`, which is stable. The reference of notes explains each code.
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
        """Return the note for JSON; the code is stable, the message is not."""
        full: dict[str, Any] = {name: getattr(self, name) for name in ("code", "run", "count", "share")}
        full |= {"examples": list(self.examples), "message": self.message}
        return {key: value for key, value in full.items() if value not in (None, [])}
