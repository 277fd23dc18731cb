"""A process that scores runs for another one: judgments once, then one run after the other, over its standard streams.

It is told where a run is and answers with its scores. A run that cannot be scored is answered with None: the process
that asked scores it again and so raises the error itself.
"""

from __future__ import annotations

import os
import pickle
import sys
from contextlib import suppress

from germane.api.rankings.evaluation import judge_and_score
from germane.api.rankings.run_scoring import ScoredRun
from germane.tables.columns.threads import one_thread


def main() -> None:
    """Score what comes in until the input ends."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what anything prints must not end up among the answers
    with answers, one_thread(), suppress(EOFError, BrokenPipeError):
        qrels, scoring = pickle.load(sys.stdin.buffer)
        while True:
            index, name, path = pickle.load(sys.stdin.buffer)
            scored_run: ScoredRun | None = None
            with suppress(Exception):
                scored_run = judge_and_score(qrels, path, name, scoring)
            pickle.dump((index, scored_run), answers, protocol=pickle.HIGHEST_PROTOCOL)
            answers.flush()
