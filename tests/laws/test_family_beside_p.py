"""Law: an adjusted p-value never appears without the family that it was adjusted for, on any door."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

import germane as ge
from germane.output.plots.notebook_figures import figure_of_comparison
from germane.output.rendering import STYLES, render
from tests.cli.options.world import make_world, outcome
from tests.conftest import ROOT

RNG = np.random.default_rng(3)
VALUES = {name: {f"q{i}": float(RNG.uniform(0, 1)) for i in range(9)} for name in "abc"}
COMPARISON = ge.compare(VALUES)
TRUTH = [i % 2 for i in range(60)]
CLASSIFIERS = ge.compare(
    TRUTH, y_pred={name: RNG.integers(0, 2, 60).tolist() for name in "abc"}, measures=["ACC"], resamples=200
)
FAMILY = re.compile(
    r"\d+ tests \((\d+ (pairs?|trials?|other rankings?) |rounds )|tests for|num_tests|of one test \(",
)
"""How the family is named: how many tests, and of what."""


def nameless(text: str) -> Iterator[str]:
    """The lines that speak of adjusted p-values in a text that never names their family."""
    lines = [line for line in text.splitlines() if re.search(r"p.adjusted|adjusted p", line, re.IGNORECASE)]
    if lines and not FAMILY.search(text):
        yield from lines[:1]


IN_MEMORY: dict[str, Callable[[], str]] = {
    **{
        f"comparison as {style}": lambda style=style: render(COMPARISON, style)  # type: ignore[misc]
        for style in STYLES
    },
    "comparison as text": lambda: str(COMPARISON),
    "comparison in a notebook": lambda: COMPARISON._repr_mimebundle_()["text/html"],
    "comparison in a notebook's terminal": lambda: COMPARISON._repr_mimebundle_()["text/plain"],
    "forest": lambda: f"adjusted p {figure_of_comparison(COMPARISON)}",
    "classifiers as text": lambda: str(CLASSIFIERS),
    "classifiers in a notebook": lambda: CLASSIFIERS._repr_mimebundle_()["text/html"],
    **{
        f"classifiers as {style}": lambda style=style: render(CLASSIFIERS, style)  # type: ignore[misc]
        for style in STYLES
    },
}


@pytest.mark.parametrize("door", IN_MEMORY)
def test_results_name_the_family_beside_an_adjusted_p(door: str) -> None:
    text = IN_MEMORY[door]()
    assert re.search("adjusted", text)
    assert list(nameless(text)) == []


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("world")
    make_world(folder)
    return folder


PRINTED = {
    "compare": "compare qrels.txt ties.run system1.run system2.run -m RR --format {}",
    "feedback": "feedback library topics.tsv judged.txt --method rm3 --method rocchio --format {}",
    "learn": "learn library topics.tsv judged.txt --features cosine,BM25 --folds 2 --format {}",
    "agent simulate": "agent simulate agent.json library topics.tsv judged.txt --format {}",
}
WRITTEN = {
    "comment": "compare qrels.txt ties.run system1.run -m 'RR AP' --comment changes.md",
    "report": "report qrels.txt ties.run system1.run system2.run -o page.html",
    "plot": "plot forest qrels.txt ties.run system1.run system2.run -o forest.svg",
}


@pytest.mark.slow
@pytest.mark.parametrize("style", ["table", "csv", "json", "markdown", "latex"])
@pytest.mark.parametrize("command", PRINTED)
def test_commands_name_the_family_beside_an_adjusted_p(command: str, style: str, world: Path, tmp_path: Path) -> None:
    code, text, _ = outcome(world, tmp_path / "scratch", PRINTED[command].format(style).split())
    assert code == 0
    assert list(nameless(text)) == []


@pytest.mark.slow
@pytest.mark.parametrize("command", WRITTEN)
def test_files_name_the_family_beside_an_adjusted_p(command: str, world: Path, tmp_path: Path) -> None:
    code, _, files = outcome(world, tmp_path / "scratch", WRITTEN[command].replace("'RR AP'", "RR,AP").split())
    assert code == 0
    written = [text for text in files.values() if "p adjusted" in text or "adjusted p" in text]
    assert written
    assert [line for text in written for line in nameless(text)] == []


DOORS = {
    "change_comment",
    "change_verdict",
    "pictures_page",
    "retrieval_pairs",
    "retrieval_rows",
}
"""Modules that show adjusted p-values; each is behind a door above, or in tests/demo for the pictures."""


def test_no_door_is_forgotten() -> None:
    modules = (ROOT / "src/germane/output").rglob("*.py")
    assert {path.stem for path in modules if "p_adjusted" in path.read_text()} == DOORS


def test_the_law_catches_an_adjusted_p_by_itself() -> None:
    assert list(nameless("measure  p adjusted\nAP           0.03")) != []
    assert list(nameless("A less B, adjusted p 0.03, significant at 0.05.")) != []


def test_the_same_pair_has_the_same_adjusted_p_in_compare_and_in_the_report() -> None:
    from germane.api.reports.rankings import retrieval_numbers

    qrels = {f"q{i}": {f"d{n}": int(n < 3) for n in range(8)} for i in range(12)}
    runs = {name: {query: {f"d{n}": float(RNG.normal(-n, 4)) for n in range(8)} for query in qrels} for name in "abc"}
    for measures in (["AP"], ["AP", "RR", "P@5"]):
        ours = ge.compare(ge.evaluate(qrels, runs, measures))
        page = retrieval_numbers(ge.evaluate(qrels, runs, measures), {}).comparison
        assert page is not None
        assert page.family_in_words == ours.family_in_words
        assert page.intervals_in_words == ours.intervals_in_words
        assert [(p.low, p.high, p.p_adjusted) for p in page.pairs] == [
            (p.low, p.high, p.p_adjusted) for p in ours.pairs
        ]
