"""A trec_eval to call: files are given as text, the outcome is what a shell would see."""

import io
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from germane.measures.foreign_names import TrecVersion
from germane.trec_eval import main


class Outcome(NamedTuple):
    status: int
    lines: list[str]
    """Standard output, each line with its fields separated by single blanks."""


TrecEval = Callable[..., Outcome]


@pytest.fixture
def trec_eval(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> TrecEval:
    """``trec_eval(arguments, qrels, run, version=10, **other_files)``."""
    monkeypatch.chdir(tmp_path)

    def call(
        arguments: str, qrels: str | bytes = "", run: str | bytes = "", *, version: TrecVersion = 10, **files: str
    ) -> Outcome:
        for name, content in {"qrels": qrels, "run": run, **files}.items():
            Path(name).write_bytes(content.encode() if isinstance(content, str) else content)
        stdout = io.BytesIO()
        status = main([*arguments.split(), "qrels", "run"], stdout, io.StringIO(), version=version)
        return Outcome(status, [" ".join(line.split()) for line in stdout.getvalue().decode().splitlines()])

    return call


def qrels_of(*grades: str) -> str:
    """Judgments of topics 1, 2, ...: documents a, b, c ... with these grades (``-`` leaves one out)."""
    return "".join(
        f"{topic} 0 {doc} {grade}\n"
        for topic, row in enumerate(grades, start=1)
        for doc, grade in zip("abcdefgh", row.split(), strict=False)
        if grade != "-"
    )


def run_of(*rankings: str) -> str:
    """A run that ranks these documents for topics 1, 2, ..."""
    return "".join(
        f"{topic} Q0 {doc} {rank} {100 - rank} tag\n"
        for topic, ranking in enumerate(rankings, start=1)
        for rank, doc in enumerate(ranking.split(), start=1)
    )
