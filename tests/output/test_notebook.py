"""What notebooks show of a result: the numbers of the terminal, shortened, escaped, and without a script."""

import functools
import html
import json
import re
from collections.abc import Callable
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest

import germane as ge
from germane.output.plots import notebook_figures
from germane.output.plots.kinds import DECISION_PLOTS, PLOTS
from germane.output.plots.notebook_figures import NOTEBOOK_SCHEMA, NOTEBOOK_TYPE
from germane.output.rendering import terminal
from germane.output.rendering.cells import cells_of
from germane.output.rendering.html import lines_as_html, notes_as_html, table_as_html
from germane.output.rendering.notebook import at_some_thresholds, mime_bundle
from germane.output.rendering.notes import notes_in_words
from germane.tables.results.columns import F, Prose
from germane.tables.results.columns import table as make_table
from germane.tables.results.result import Displayed, Result

QRELS = {"q1": {"d1": 1}, "q2": {"d1": 1, "d2": 1}, "q3": {"d3": 1}}
RUNS = {
    "a": {"q1": {"d1": 2.0, "d2": 1.0}, "q2": {"d2": 2.0, "d9": 1.0}, "q3": {"d3": 1.0}},
    "b": {"q1": {"d2": 2.0, "d1": 1.0}, "q2": {"d1": 2.0}, "q3": {"d8": 3.0, "d3": 1.0}},
}
ITEMS: dict[str, list[Any]] = {
    "truth": [1, 1, 0, 1, 0, 0],
    "new": [0.9, 0.8, 0.7, 0.6, 0.3, 0.2],
    "old": [0.9, 0.4, 0.8, 0.6, 0.5, 0.2],
}
RULE = "TPR where FPR<=0.5"


def scores() -> ge.Scores:
    return ge.evaluate(QRELS, RUNS, "AP RR")


def performance() -> ge.Performances:
    return ge.classify(ITEMS["truth"], y_score=ITEMS["new"])


RESULTS: dict[str, Callable[[], Any]] = {
    "Scores": scores,
    "SystemComparison": lambda: ge.compare(scores()),
    "Performances": performance,
    "Decisions": lambda: performance().only.decisions,
    "ClassifierComparison": lambda: ge.classify(ITEMS, truth="truth", score=["new", "old"]).comparison,
    "Threshold": lambda: ge.threshold(ITEMS, RULE, truth="truth", score="new", resamples=100),
    "Explanation": lambda: ge.explain("AP", QRELS, RUNS["a"], "q2"),
    "DecisionExplanation": lambda: ge.explain("AUC", ITEMS, truth="truth", score="new"),
}


@functools.cache
def result_of(kind: str) -> Any:
    return RESULTS[kind]()


@functools.cache
def bundle_of(kind: str) -> dict[str, str]:
    bundle: dict[str, str] = result_of(kind)._repr_mimebundle_()
    return bundle


AS_THE_TERMINAL = ("Scores", "SystemComparison", "Performances", "Threshold", "Explanation", "DecisionExplanation")
"""The results that are short enough to be shown as they are printed."""


class TextOfCells(HTMLParser):
    """The text of a page, cell by cell."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.tags: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.found.append(data)


def test_what_notebooks_show_are_results_and_decisions() -> None:
    assert {kind.__name__ for kind in map(type, map(result_of, RESULTS)) if not issubclass(kind, Result)} == {
        "Decisions"
    }
    assert all(isinstance(result_of(kind), Displayed) for kind in RESULTS)


@pytest.mark.parametrize("kind", AS_THE_TERMINAL)
def test_the_text_is_that_of_the_terminal(kind: str) -> None:
    result, text = result_of(kind), bundle_of(kind)["text/plain"]
    said = [line for line in text.splitlines() if not line.startswith("note: ")]
    assert [line for line in said if line] == [line for line in str(result).splitlines() if line]


@pytest.mark.parametrize("kind", RESULTS)
def test_html_and_text_have_the_same_cells(kind: str) -> None:
    result, in_page = result_of(kind), TextOfCells(bundle_of(kind)["text/html"]).found
    result = at_some_thresholds(result) if isinstance(result, ge.Decisions) else result
    grids = [cells_of(each, 4) for each in result.shown(digits=4) if not isinstance(each, str)]
    cells = [cell for grid in grids for column in grid for cell in (column.label, *column.marked())]
    notes = notes_in_words(result.notes)
    assert [cell for cell in cells if cell and cell not in in_page] == []
    assert [note for note in notes if f"note: {note}" not in in_page] == []


def test_the_older_protocol_has_the_same_page() -> None:
    explained = result_of("Explanation")
    assert explained._repr_html_() == bundle_of("Explanation")["text/html"]


@pytest.mark.parametrize("kind", RESULTS)
def test_no_script_and_no_address(kind: str) -> None:
    page = bundle_of(kind)["text/html"]
    assert set(TextOfCells(page).tags) <= {
        *("div", "style", "p", "strong", "pre", "table", "thead", "tbody", "tr", "th", "td"),
        *("img", "details", "summary", "ul", "li", "caption", "b"),
    }
    assert re.findall(r'(?:src|href)="(?!data:image/svg)|https?:|\bon\w+=', page) == []


NASTY = "<img src=x onerror=alert(1)>&\"|'"


def test_names_and_ids_are_escaped() -> None:
    qrels = {NASTY: {"d1": 1}, "q2": {"d2": 1}}
    runs = {name: {query: {"d1": 1.0, "d2": 0.5} for query in qrels} for name in (NASTY, "plain")}
    found = ge.evaluate(qrels, runs, "AP")
    for result in (found, ge.compare(found), ge.explain("AP", qrels, runs[NASTY], NASTY)):
        page = result._repr_html_()
        assert "<img src=x" not in page
        assert html.escape(NASTY) in page
        assert NASTY in result._repr_mimebundle_()["text/plain"]


def test_the_law_of_escaping_catches_a_writer_that_does_not() -> None:
    assert "<img src=x" in "".join(f"<td>{NASTY}</td>")
    nasty = make_table(NASTY, (F(NASTY, "name", NASTY),), [{NASTY: NASTY}], title=NASTY, below=[NASTY])
    assert "<img src=x" not in table_as_html(nasty, 4) + lines_as_html(NASTY) + lines_as_html(
        Prose(NASTY)
    ) + notes_as_html([NASTY])


def test_long_results_are_short() -> None:
    qrels = {f"q{i:04}": {"d1": 1, "d2": 0} for i in range(200)}
    runs = {f"run{k}": {query: {"d1": float(k % 2), "d2": 0.5} for query in qrels} for k in range(60)}
    bundle = mime_bundle(ge.evaluate(qrels, runs, "AP P@1"))
    page, text = bundle["text/html"], bundle["text/plain"]
    assert len(page) < 60_000
    assert "… 30 more rows …" in text
    assert "run0 " in text
    assert "run59 " in text
    assert "run30 " not in text
    assert "first and last 5 of 200; first 10 of 60 runs" in page
    assert "q0000" in page
    assert "q0199" in page
    assert "q0100" not in page


def test_millions_of_thresholds_are_a_few_rows() -> None:
    score = np.arange(200_000) / 200_000
    decisions = ge.Decisions.of(score > 0.9, score)
    bundle = mime_bundle(decisions)
    assert "200,000 rows, 19,999 positive and 180,001 negative; 200,000 different scores" in bundle["text/plain"]
    assert "… 199,990 more rows …" in bundle["text/plain"]
    last = bundle["text/plain"].splitlines()[-1].split()
    assert last == ["0", "19999", "180001", "0", "0", "1.0000", "0.0000", "0.1000", "0.1818"]


def test_a_table_that_was_cut_by_hand() -> None:
    made = make_table("numbers", (F("n", "count"),), [{"n": i} for i in range(7)]).ends(4)
    assert terminal.render([made], 4) == "n\n0\n1\n… 3 more rows …\n5\n6\n"
    assert re.sub("<[^>]+>", " ", table_as_html(made, 4)).split() == [*"n01", "…", "3", "more", "rows", "…", "5", "6"]


def test_a_result_with_nothing_in_it() -> None:
    empty = ge.evaluate({"q1": {"d1": 0}}, {"q1": {"d1": 1.0}}, "AP")
    assert "0.0000" in mime_bundle(empty)["text/plain"]
    one_class = ge.classify([1, 1], y_score=[0.5, 0.6])
    assert "<img" not in mime_bundle(one_class)["text/html"]


FIGURES = {
    "Scores": "AP of each query",
    "SystemComparison": "AP: system − a",
    "Performances": "classifier: AUC",
    "Decisions": "scores: AUC",
}


@pytest.mark.parametrize("kind", RESULTS)
def test_figures_where_they_help(kind: str) -> None:
    import base64

    page = bundle_of(kind)["text/html"]
    pictures = re.findall(r'<img alt="([^"]+)" src="data:image/svg\+xml;base64,([^"]+)">', page)
    assert len(pictures) == (1 if kind in FIGURES else 0)
    for description, encoded in pictures:
        assert description
        assert FIGURES[kind] in re.sub("<[^>]+>", "", base64.b64decode(encoded).decode())


def test_without_the_library_that_draws_there_is_no_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notebook_figures, "can_draw", lambda: False)
    assert "<img" not in scores()._repr_html_()
    spec = ge.plot("distribution", QRELS, RUNS, "AP")
    assert set(spec._repr_mimebundle_()) == {NOTEBOOK_TYPE, "text/plain"}


def test_a_drawn_figure_is_its_spec_and_a_picture() -> None:
    spec = ge.plot("distribution", QRELS, RUNS, "AP")
    bundle = spec._repr_mimebundle_()
    assert set(bundle) == {NOTEBOOK_TYPE, "image/svg+xml", "text/plain"}
    assert bundle[NOTEBOOK_TYPE]["datasets"] == spec["datasets"]
    assert bundle["image/svg+xml"].startswith("<svg")
    assert bundle["text/plain"] == repr(spec)
    assert repr(spec).startswith("<Figure: ")
    json.dumps(bundle, allow_nan=False)


DRAWN_KINDS = [("runs", kind) for kind in PLOTS] + [("decisions", kind) for kind in DECISION_PLOTS]


@pytest.mark.parametrize(("source", "kind"), DRAWN_KINDS)
def test_every_figure_can_be_drawn_by_the_version_that_notebooks_have(source: str, kind: str) -> None:
    import vl_convert

    if source == "runs":
        spec = ge.plot(kind, QRELS, RUNS, "AP")
    else:
        spec = ge.plot(kind, ITEMS, truth="truth", score="new", threshold=0.5)
    given = spec._repr_mimebundle_()[NOTEBOOK_TYPE]
    assert given["$schema"] == NOTEBOOK_SCHEMA
    assert vl_convert.vegalite_to_vega(given, vl_version="5.20")["marks"]
