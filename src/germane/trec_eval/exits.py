"""How a run of trec_eval ends early: with one of its exit statuses and a message on standard error."""

from __future__ import annotations

DONE = 0
USAGE = 1
BAD_INPUT = 2
CANNOT_CALCULATE = 4
NO_TOPICS = 7
ABORTED = 134
"""abort(), as a shell reports it: 128 + SIGABRT. Nothing that was waiting to be printed is printed."""
NO_Z_SCORES = 255
"""main() returns -1."""


class EarlyExitError(Exception):
    """Stop here, with this status."""

    def __init__(self, status: int, message: str = "", *, on_stdout: bool = False) -> None:
        self.status = status
        self.message = message
        self.on_stdout = on_stdout
        super().__init__(message)
