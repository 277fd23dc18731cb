"""The drop-in for trec_eval: its files, read by the scanner and line by line; both must print the same."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from germane.trec_eval import judgments, reader, retrieved, scanning
from germane.trec_eval.options import BAD_INPUT, EarlyExitError
from tests.fuzz.readers import Reader, add
from tests.fuzz.readers_of_runs import GROUPED, TREC_QRELS, TREC_RUN
from tests.trec_eval.both_ways import line_by_line, outcome

PREFERENCES = b"q1 g1 s1 d1 2\nq1 g1 s1 d2 1\nq2 g1 s2 d1 0.5\n"
# Measures that need memory for each grade up to the highest are left out: a grade may be any number.
ARGUMENTS = ["-q", "-m", "official", "-m", "ndcg", "-m", "relstring", "-m", "ndcg_cut"]


def printed(words: list[str], path: Path) -> object:
    """What both versions print."""
    found = [outcome(words, version) for version in (9, 10)]
    if all(status == BAD_INPUT for status, _, _ in found):
        raise EarlyExitError(BAD_INPUT, found[0][2])
    return found, path.name


def as_run(path: Path) -> object:
    """Take the file for a run."""
    with tempfile.TemporaryDirectory() as folder:
        qrels = Path(folder) / "qrels"
        qrels.write_bytes(TREC_QRELS)
        return printed([*ARGUMENTS, str(qrels), str(path)], path)


def as_judgments(*arguments: str) -> Callable[[Path], object]:
    """Take the file for judgments."""

    def read(path: Path) -> object:
        with tempfile.TemporaryDirectory() as folder:
            run = Path(folder) / "run"
            run.write_bytes(TREC_RUN)
            return printed([*arguments, str(path), str(run)], path)

    return read


def plainly(read: Callable[[Any], object]) -> Callable[[Any], object]:
    """The same, line by line."""

    def by_line(path: Any) -> object:
        with line_by_line():
            return read(path)

    return by_line


_JUDGED = (judgments.read_judgments, scanning.scan_judgments)
_WAYS: dict[str, tuple[Callable[[Path], object], list[bytes], tuple[Callable[..., Any], ...]]] = {
    "run": (as_run, [TREC_RUN], (retrieved.read_run, scanning.scan_run, reader.read_results)),
    "qrels": (as_judgments(*ARGUMENTS), [TREC_QRELS, GROUPED], _JUDGED),
    "groups": (as_judgments("-q", "-R", "qrels_jg", "-m", "qrels_jg"), [GROUPED], _JUDGED),
    "preferences": (as_judgments("-q", "-R", "prefs", "-m", "all_prefs"), [PREFERENCES], _JUDGED),
    "qrels_as_preferences": (as_judgments("-q", "-R", "qrels_prefs", "-m", "all_prefs"), [TREC_QRELS], _JUDGED),
}
for _name, (_read, _good, _covers) in _WAYS.items():
    add(
        Reader(
            f"trec_eval_{_name}",
            _read,
            lambda good=_good: good,  # type: ignore[misc]
            "input.txt",
            _covers,
            share=0.5,
            plain=plainly(_read),
            refusals=(EarlyExitError,),
        )
    )
add(
    Reader(
        "trec_eval_z_scores",
        lambda path: reader.read_z_scores(str(path)),
        lambda: [b"q1 map 0.3 0.1\nq2 map 0.2 0.05\n"],
        "z.txt",
        (reader.read_z_scores,),
        share=0.3,
        refusals=(EarlyExitError,),
    )
)
