"""Errors of the command line: options that say nothing, or too much, each provoked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

from germane.cli import group
from germane.cli.loops.agent_loop import AgentLoop
from germane.learning.agent.answers import Answer
from tests.errors.provoking import provoked


@pytest.fixture(autouse=True)
def _files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("qrels.txt").write_text("q1 0 d1 1\n")
    Path("bm25.run").write_text("q1 Q0 d1 1 2.0 bm25\n")
    Path("items.csv").write_text("truth,a,b\n1,.9,.8\n0,.1,.3\n")
    np.save("vectors.npy", np.eye(3, dtype=np.float32))


def germane(line: str) -> Result:
    return CliRunner().invoke(group, line.split(), catch_exceptions=False)


def said_to_an_agent(line: str) -> str:
    """What a line is answered with after a query that found nothing."""
    nobody: Any = None
    loop = AgentLoop(nobody, "agent.json", size=None)
    loop.last = Answer("wine", (), 0, 0, 0.5, 0.0, None)
    return loop.reply(line)


test_options = provoked(
    [
        ("measures.py: no such file", lambda: germane("eval qrels.txt bm25.run --import measures.py")),
        (
            "--master requires --engine spark",
            lambda: germane("eval qrels.txt bm25.run --master yarn"),
        ),
        (
            "--output - is not supported with --engine spark",
            lambda: germane("fuse a.parquet b.parquet -o - --engine spark"),
        ),
        (
            "expected another --output than the runs, found a.parquet",
            lambda: germane("fuse a.parquet b.parquet -o a.parquet --engine spark"),
        ),
        (
            "--comment is not supported with --engine spark",
            lambda: germane("compare qrels.txt a.parquet b.parquet --comment c.md --engine spark"),
        ),
        (
            "expected --score once, found 2 columns: a, b",
            lambda: germane("threshold items.csv --truth truth --score a --score b"),
        ),
        ("expected FILES and --output", lambda: germane("release qrels.txt")),
        ("expected FILES and --output", lambda: germane("release --output made")),
        (
            "bm25.run: file already exists",
            lambda: germane("vectors --queries vectors.npy --docs vectors.npy --output bm25.run"),
        ),
        (
            "--format json requires a query",
            lambda: germane("agent search agent.json library --format json"),
        ),
    ]
)

test_what_an_agent_is_told = provoked(
    [
        ("expected ranks, as in + 1 3, found ''", lambda: said_to_an_agent("+")),
        ("expected at least 1 result, found 0", lambda: said_to_an_agent(":k 0")),
        ("expected one number, as in :k 20, found 'all'", lambda: said_to_an_agent(":k all")),
    ]
)
