"""Helper process that scores runs: it reads judgments once, then runs, and answers over its standard streams.

It receives the location of a run and answers with its scores. For a run that cannot be scored it answers None: the main
process scores it again and raises the error itself.
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
    """Score incoming runs until the input ends."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # keep anything printed out of the answers
    with answers, one_thread(), suppress(EOFError, BrokenPipeError):
        qrels, scoring = pickle.load(sys.stdin.buffer)
        while True:
            index, name, path = pickle.load(sys.stdin.buffer)
            scored_run: ScoredRun | None = None
            with suppress(Exception):
                scored_run = judge_and_score(qrels, path, name, scoring)
            pickle.dump((index, scored_run), answers, protocol=pickle.HIGHEST_PROTOCOL)
            answers.flush()
