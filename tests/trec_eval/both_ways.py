"""Evaluate files with the scanner and line by line: every byte of output and every exit status must be the same."""

import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from germane.measures.foreign_names import TrecVersion
from germane.trec_eval import main, scanning

Outcome = tuple[int, bytes, str]
"""Exit status, standard output and standard error."""


def outcome(arguments: list[str], version: TrecVersion) -> Outcome:
    """Return what a shell would see."""
    stdout, stderr = io.BytesIO(), io.StringIO()
    status = main(arguments, stdout, stderr, version=version)
    return status, stdout.getvalue(), stderr.getvalue()


@contextmanager
def line_by_line() -> Iterator[None]:
    """Let the lenient reader read everything."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scanning, "scan_judgments", lambda *_: None)
        patch.setattr(scanning, "scan_run", lambda *_: None)
        yield


def differences(arguments: str, qrels: bytes, run: bytes, folder: Path) -> Iterator[str]:
    """Yield the versions for which the two ways differ."""
    (folder / "qrels").write_bytes(qrels)
    (folder / "run").write_bytes(run)
    words = [*arguments.split(), str(folder / "qrels"), str(folder / "run")]
    for version in (9, 10):
        with line_by_line():
            expected = outcome(words, version)
        found = outcome(words, version)
        if found != expected:
            yield f"version {version}: {found} instead of {expected}"
