"""What the tutorials' commands print fits a terminal of 80 columns, and no word is broken."""

from __future__ import annotations

import re
from functools import partial
from itertools import pairwise
from pathlib import Path

import pytest

from docs import examples
from germane.output.rendering import progress
from tests.docs.pages import WRITTEN, name_of, text_of

WIDTH = 80
TUTORIALS = [pytest.param(page, id=page.stem) for page in WRITTEN if page.parent.name == "tutorial"]


def faults(narrow: str, wide: str) -> list[str]:
    """Return lines that are too long, and words of the wide output that the narrow one breaks in two."""
    lines = re.sub("\x1b\\[[\\d;]*m|\r", "", narrow).splitlines()
    words = set(wide.split())
    ends = [
        (above.split()[-1], below.split()[0]) for above, below in pairwise(lines) if above.strip() and below.strip()
    ]
    broken = [above + below for above, below in ends if above + below in words and not {above, below} <= words]
    return [line for line in lines if len(line) > WIDTH] + broken


def test_a_broken_word_and_a_long_line_are_caught() -> None:
    assert faults("note: unjud\nged\n", "note: unjudged\n") == ["unjudged"]
    assert faults("x " * 41, "x") == ["x " * 41]
    assert faults("note:\nunjudged\n", "note: unjudged\n") == []


@pytest.mark.slow
@pytest.mark.parametrize("page", TUTORIALS)
def test_tutorials_fit_a_narrow_terminal(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "PROGRESS_DELAY", float("inf"))
    monkeypatch.setattr(examples, "run_germane", partial(examples.run_germane, terminal_width=WIDTH))
    folded = examples.rerun(text_of(page), name_of(page)).problems
    found = {
        problem.example: faults(problem.found, problem.expected)
        for problem in folded
        if "latex" not in problem.example and "$ germane" in problem.example
    }
    assert {command: wrong for command, wrong in found.items() if wrong} == {}
    assert folded
