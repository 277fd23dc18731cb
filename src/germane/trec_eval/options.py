"""The options of trec_eval's command line, and early exits with a status and a message."""

from __future__ import annotations

from dataclasses import dataclass, field

from germane.measures.foreign_names import TrecVersion

DONE = 0
USAGE = 1
BAD_INPUT = 2
CANNOT_CALCULATE = 4
NO_TOPICS = 7
ABORTED = 134
"""Exit status of abort(), as a shell reports it: 128 + SIGABRT. Buffered output is lost."""
NO_Z_SCORES = 255
"""Exit status if main() returns -1."""


class EarlyExitError(Exception):
    """Raised to end the program with this exit status and message."""

    def __init__(self, status: int, message: str = "", *, on_stdout: bool = False) -> None:
        self.status = status
        self.message = message
        self.on_stdout = on_stdout
        super().__init__(message)


@dataclass
class Options:
    """trec_eval's options; the defaults are those of trec_eval."""

    version: TrecVersion = 10
    per_topic: bool = False
    summary: bool = True
    complete: bool = False
    judged_only: bool = False
    rel: int = 1
    collection_size: int = 0
    most_retrieved: int | None = None
    qrels_format: bytes = b"qrels"
    run_format: bytes = b"trec_results"
    only_topic: bytes | None = None
    z_scores: str | None = None
    requested: set[str] = field(default_factory=set)
    parameters: dict[str, bytes] = field(default_factory=dict)
    """The text after the dot, by measure; the first one given for a measure is used."""
    files: list[str] = field(default_factory=list)
