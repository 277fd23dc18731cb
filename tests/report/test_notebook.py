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
from germane.report import notebook_figures
from germane.report.comparison_tables import render_comparison
from germane.report.explanations import render_decision_explanation, render_explanation
from germane.report.notebook import SHOWN, mime_bundle
from germane.report.notebook_blocks import Lines, Table, Title, as_html, as_text, read_markdown
from germane.report.notebook_figures import NOTEBOOK_SCHEMA, NOTEBOOK_TYPE
from germane.report.performance_tables import render_performances
from germane.report.plots.registry import DECISION_PLOTS, PLOTS
from germane.report.score_tables import render_scores
from germane.report.threshold_tables import render_threshold
from germane.tables.display import Displayed
from germane.tables.grid import aligned

QRELS = {"q1": {"d1": 1}, "q2": {"d1": 1, "d2": 1}, "q3": {"d3": 1}}
RUNS = {
    "a": {"q1": {"d1": 2.0, "d2": 1.0}, "q2": {"d2": 2.0, "d9": 1.0}, "q3": {"d3": 1.0}},
    "b": {"q1": {"d2": 2.0, "d1": 1.0}, "q2": {"d1": 2.0}, "q3": {"d8": 3.0, "d3": 1.0}},
}
ITEMS = {"truth": [1, 1, 0, 1, 0, 0], "new": [0.9, 0.8, 0.7, 0.6, 0.3, 0.2], "old": [0.9, 0.4, 0.8, 0.6, 0.5, 0.2]}
RULE = "TPR where FPR<=0.5"


def scores() -> ge.Scores:
    return ge.evaluate(QRELS, RUNS, "AP RR")


def performance() -> ge.Performance:
    return ge.classify(ITEMS["truth"], y_score=ITEMS["new"])


RESULTS: dict[str, Callable[[], Any]] = {
    "Scores": scores,
    "Comparison": lambda: ge.compare(scores()),
    "Performance": performance,
    "Decisions": lambda: performance().decisions,
    "ClassifierComparison": lambda: ge.classify_data(ITEMS, truth="truth", score=["new", "old"])[1],
    "ThresholdReport": lambda: ge.choose_threshold(ITEMS, RULE, truth="truth", score="new", resamples=100),
    "Explanation": lambda: ge.explain("AP", QRELS, RUNS["a"], "q2"),
    "DecisionExplanation": lambda: ge.explain_decisions("AUC", ITEMS, truth="truth", score="new"),
}


@functools.cache
def result_of(kind: str) -> Any:
    return RESULTS[kind]()


@functools.cache
def bundle_of(kind: str) -> dict[str, str]:
    bundle: dict[str, str] = result_of(kind)._repr_mimebundle_()
    return bundle


AS_THE_TERMINAL: dict[str, Callable[[Any], str]] = {
    "Scores": lambda result: render_scores(result, "table"),
    "Comparison": lambda result: render_comparison(result, "table"),
    "Performance": lambda result: render_performances([result], "table"),
    "ThresholdReport": lambda result: render_threshold(result, "table"),
    "Explanation": lambda result: render_explanation(result, "table"),
    "DecisionExplanation": lambda result: render_decision_explanation(result, "table"),
}


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


def test_every_kind_of_result_has_an_entry() -> None:
    assert {kind.__name__ for kind in SHOWN} == set(RESULTS)
    assert all(issubclass(kind, Displayed) for kind in SHOWN)


@pytest.mark.parametrize("kind", AS_THE_TERMINAL)
def test_the_text_is_that_of_the_terminal(kind: str) -> None:
    result, text = result_of(kind), bundle_of(kind)["text/plain"]
    said = [line for line in text.splitlines() if not line.startswith("note: ")]
    assert [line for line in said if line] == [line for line in AS_THE_TERMINAL[kind](result).splitlines() if line]


@pytest.mark.parametrize("kind", RESULTS)
def test_html_and_text_have_the_same_cells(kind: str) -> None:
    shown = SHOWN[type(result_of(kind))](result_of(kind))
    in_page = TextOfCells(bundle_of(kind)["text/html"]).found
    for block in shown.blocks:
        cells = [*block.header, *(cell for row in block.rows for cell in row)] if isinstance(block, Table) else []
        assert [cell for cell in cells if cell and cell not in in_page] == []
    for note in shown.notes:
        assert f"note: {note}" in in_page


def test_the_older_protocol_has_the_same_page() -> None:
    explained = result_of("Explanation")
    assert explained._repr_html_() == bundle_of("Explanation")["text/html"]


@pytest.mark.parametrize("kind", RESULTS)
def test_no_script_and_no_address(kind: str) -> None:
    page = bundle_of(kind)["text/html"]
    assert set(TextOfCells(page).tags) <= {
        *("div", "style", "p", "strong", "pre", "table", "thead", "tbody", "tr", "th", "td"),
        *("img", "details", "summary", "ul", "li"),
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
    assert "<img src=x" not in as_html([Title(NASTY), Lines((NASTY,)), Table((NASTY,), (False,), ((NASTY,),))])


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
    assert "the first and the last 5 of 200; the first 10 of 60 runs" in page
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


def test_a_shortened_table_by_hand() -> None:
    table = Table(("n",), (True,), tuple((str(i),) for i in range(7))).shortened(4)
    assert as_text([table]) == "n\n0\n1\n… 3 more rows …\n5\n6\n"
    assert re.sub("<[^>]+>", " ", as_html([table])).split() == [*"n01", "…", "3", "more", "rows", "…", "5", "6"]


GRIDS = [
    (["run", "AP"], [["a", "0.5000"], ["b", "1.0000"]]),
    (["a|b", "c \\ d"], [["x | y", "\\"], ["|", "a\\|b"]]),
    (["", "n"], [["", "–"], ["z", "<0.0001"]]),
]


@pytest.mark.parametrize(("header", "rows"), GRIDS)
def test_what_is_written_as_markdown_is_read_back(header: list[str], rows: list[list[str]]) -> None:
    from germane.report.grids import render_grid

    (table,) = read_markdown(render_grid(header, rows, "markdown"))
    assert isinstance(table, Table)
    assert [list(table.header), *map(list, table.rows)] == [header, *rows]
    assert as_text([table]) == aligned(header, rows)


def test_a_result_with_nothing_in_it() -> None:
    empty = ge.evaluate({"q1": {"d1": 0}}, {"q1": {"d1": 1.0}}, "AP")
    assert "0.0000" in mime_bundle(empty)["text/plain"]
    one_class = ge.classify([1, 1], y_score=[0.5, 0.6])
    assert "<img" not in mime_bundle(one_class)["text/html"]


FIGURES = {
    "Scores": "AP of each query",
    "Comparison": "AP: system less a",
    "Performance": "classifier: AUC",
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
        spec = ge.plot_decisions(kind, ITEMS, truth="truth", score="new", threshold=0.5)
    given = spec._repr_mimebundle_()[NOTEBOOK_TYPE]
    assert given["$schema"] == NOTEBOOK_SCHEMA
    assert vl_convert.vegalite_to_vega(given, vl_version="5.20")["marks"]
